"""fastbleu, and the oracle, against the installed sacreBLEU: the same tokens, rows, floats, strings."""

from __future__ import annotations

import inspect
import itertools
import random
from typing import Any

import pytest

peer = pytest.importorskip(
    "tests.support.sacrebleu_peer", reason="sacreBLEU is not installed", exc_type=ImportError
)

import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

import fastbleu
from fastbleu import BLEU
from tests.support import oracle
from tests.support.alphabet import random_text
from tests.support.strategies import Corpus, corpora, orders, smoothings, texts

NAMES = oracle.AVAILABLE
TOKENIZERS = {name: peer.tokenizer(name) for name in NAMES}

HYPOTHESES = [
    "The cat sat on the mat, didn't it?",
    "It costs 1,000.50 dollars - or 5-6 euros.",
    'Tom said: "no&quot; & left.',
    "",
    "Das ist 東京タワー。",
    "one",
    "one two three",
    "a a a a a a a a",
]
STREAMS: list[list[str | None]] = [
    [
        "The cat sat on the mat, did it not?",
        "It cost 1,000.50 dollars, or 5-6 euros.",
        'Tom said "no" and left.',
        "Something.",
        "これは東京タワーです。",
        "one",
        "one two four",
        "a a a",
    ],
    [
        "On the mat sat a cat.",
        None,
        "Tom said no, and left .",
        "",
        None,
        "One",
        "",
        "a b a a a",
    ],
]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=500, deadline=None)
@given(text=texts(), lowercase=st.booleans())
def test_tokens(name: str, text: str, lowercase: bool) -> None:
    expected = TOKENIZERS[name](text, lowercase)
    assert oracle.tokenize(text, name, lowercase) == expected
    assert BLEU(tokenize=name, lowercase=lowercase).tokenize(text) == expected


@pytest.mark.parametrize("name", NAMES)
def test_tokens_of_random_strings(name: str) -> None:
    generator = random.Random(20021)
    metric = BLEU(tokenize=name)
    for _ in range(3_000):
        text = random_text(generator)
        expected = TOKENIZERS[name](text)
        assert oracle.tokenize(text, name) == expected, repr(text)
        assert metric.tokenize(text) == expected, repr(text)


@settings(max_examples=150, deadline=None)
@given(corpus=corpora(), order=orders, smoothing=smoothings, effective_order=st.booleans())
def test_generated_corpora(
    corpus: Corpus, order: int, smoothing: tuple[str, float | None], effective_order: bool
) -> None:
    method, value = smoothing
    formula: dict[str, Any] = {
        "smooth_method": method,
        "smooth_value": value,
        "effective_order": effective_order,
    }
    prepared = peer.metric(corpus.streams, tokenize="none", max_ngram_order=order, **formula)
    expected = peer.statistics(prepared, corpus.hypotheses)
    assert (
        oracle.corpus_statistics(corpus.hypotheses, corpus.streams, tokenize="none", max_ngram_order=order)
        == expected
    )

    metric = BLEU(tokenize="none", max_ngram_order=order, **formula)
    assert metric.statistics(corpus.hypotheses, corpus.streams).tolist() == expected

    theirs = peer.fields(prepared.corpus_score(corpus.hypotheses, None))
    assert peer.fields(metric.corpus_score(corpus.hypotheses, corpus.streams)) == theirs
    assert peer.fields(oracle.score(oracle.add_up(expected), **formula)) == theirs

    scores = metric.sentence_scores(corpus.hypotheses, corpus.streams)
    for i, hypothesis in enumerate(corpus.hypotheses):
        references = [stream[i] for stream in corpus.streams]
        one = prepared.sentence_score(hypothesis, references)
        assert peer.fields(metric.sentence_score(hypothesis, references)) == peer.fields(one)
        assert scores[i] == pytest.approx(one.score, rel=1e-12, abs=0)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60, deadline=None)
@given(
    data=st.lists(st.tuples(texts(20), texts(20), st.one_of(texts(20), st.none())), min_size=1, max_size=5),
    lowercase=st.booleans(),
)
def test_hurting_text_end_to_end(name: str, data: list[tuple[str, str, str | None]], lowercase: bool) -> None:
    hypotheses, first, second = (list(column) for column in zip(*data, strict=True))
    prepared = peer.metric([first, second], tokenize=name, lowercase=lowercase)
    metric = BLEU(tokenize=name, lowercase=lowercase)
    expected = peer.statistics(prepared, hypotheses)
    assert metric.statistics(hypotheses, [first, second]).tolist() == expected
    assert peer.fields(metric.corpus_score(hypotheses, [first, second])) == peer.fields(
        prepared.corpus_score(hypotheses, None)
    )


OPTIONS: list[dict[str, Any]] = [
    {
        "tokenize": name,
        "lowercase": lowercase,
        "smooth_method": method,
        "smooth_value": value,
        "effective_order": effective_order,
        "max_ngram_order": order,
    }
    for name, lowercase, (method, value), effective_order, order in itertools.product(
        NAMES,
        (False, True),
        (("exp", None), ("floor", None), ("floor", 0.3), ("add-k", None), ("add-k", 3), ("none", None)),
        (False, True),
        (1, 2, 4, 6),
    )
]


def without_our_version(signature: Any, short: bool = False) -> str:
    """Our signature less its last field, which sacreBLEU's does not have."""
    text = str(signature.format(short))
    rest, _, last = text.rpartition("|")
    assert last == f"{'fb' if short else 'fastbleu'}:{fastbleu.__version__}"
    return rest


def test_every_combination_of_options() -> None:
    for options in OPTIONS:
        theirs, ours = peer.BLEU(**options), BLEU(**options)
        expected = theirs.corpus_score(HYPOTHESES, STREAMS)
        score = ours.corpus_score(HYPOTHESES, STREAMS)
        assert peer.fields(score) == peer.fields(expected), options
        assert str(score) == str(expected)
        assert (score.ratio, score.prec_str, score._verbose) == (
            expected.ratio,
            expected.prec_str,
            expected._verbose,
        )
        for short in (False, True):
            assert without_our_version(ours.get_signature(), short) == theirs.get_signature().format(short)
        for hypothesis, *references in zip(HYPOTHESES, *STREAMS, strict=True):
            assert peer.fields(ours.sentence_score(hypothesis, references)) == peer.fields(
                theirs.sentence_score(hypothesis, references)
            ), (options, hypothesis)


def check_parameters(ours: Any, theirs: Any) -> None:
    """Changing the import is the whole migration, positional arguments included."""
    found, expected = inspect.signature(ours).parameters, inspect.signature(theirs).parameters
    assert list(found)[: len(expected)] == list(expected)
    for name, parameter in expected.items():
        assert found[name].default == parameter.default


@pytest.mark.parametrize("function", ["corpus_bleu", "raw_corpus_bleu", "sentence_bleu"])
def test_functions(function: str) -> None:
    theirs, ours = getattr(sacrebleu, function), getattr(fastbleu, function)
    check_parameters(ours, theirs)
    if function == "sentence_bleu":
        for hypothesis, *references in zip(HYPOTHESES, *STREAMS, strict=True):
            assert peer.fields(ours(hypothesis, references)) == peer.fields(theirs(hypothesis, references))
    else:
        assert peer.fields(ours(HYPOTHESES, STREAMS)) == peer.fields(theirs(HYPOTHESES, STREAMS))


@pytest.mark.parametrize("method", ["__init__", "corpus_score", "sentence_score", "compute_bleu"])
def test_methods(method: str) -> None:
    check_parameters(getattr(BLEU, method), getattr(peer.BLEU, method))


def test_prepared_references() -> None:
    theirs = peer.BLEU(references=STREAMS)
    ours = BLEU(references=STREAMS)
    assert peer.fields(ours.corpus_score(HYPOTHESES, None)) == peer.fields(
        theirs.corpus_score(HYPOTHESES, None)
    )
    assert without_our_version(ours.get_signature()) == str(theirs.get_signature())
    # References given in the call go before the prepared ones.
    first = [stream[:] for stream in STREAMS[:1]]
    assert peer.fields(ours.corpus_score(HYPOTHESES, first)) == peer.fields(
        theirs.corpus_score(HYPOTHESES, first)
    )
