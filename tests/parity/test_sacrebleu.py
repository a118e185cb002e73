"""fastbleu, and the oracle, against the installed sacreBLEU: the same tokens, rows, floats, strings."""

import inspect
import itertools
import random
from typing import Any

import pytest

peer = pytest.importorskip("tests.support.sacrebleu_peer", exc_type=ImportError)

import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

import fastbleu
from fastbleu import BLEU
from tests.support import oracle
from tests.support.alphabet import random_text
from tests.support.compared import SCALE
from tests.support.strategies import Corpus, corpora, orders, smoothings

NAMES = oracle.AVAILABLE

#: A hypothesis and two references each.
SEGMENTS: list[tuple[str, str, str | None]] = [
    ("The cat sat on the mat, didn't it?", "The cat sat on the mat, did it not?", "On the mat sat a cat."),
    ("It costs 1,000.50 dollars - or 5-6 euros.", "It cost 1,000.50 dollars, or 5-6 euros.", None),
    ('Tom said: "no&quot; & left.', 'Tom said "no" and left.', "Tom said no, and left ."),
    ("", "Something.", ""),
    ("Das ist 東京タワー。", "これは東京タワーです。", None),
    ("one", "one", "One"),
    ("one two three", "one two four", ""),
    ("a a a a a a a a", "a a a", "a b a a a"),
]
HYPOTHESES, *STREAMS = (list(column) for column in zip(*SEGMENTS, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_random_strings(name: str) -> None:
    generator = random.Random(20021)
    metric = BLEU(tokenize=name)
    texts = [random_text(generator) for _ in range(1_500 * SCALE)]
    tokenized = peer.tokenizer(name)
    for text in texts:
        expected = tokenized(text)
        assert oracle.tokenize(text, name) == expected, repr(text)
        assert metric.tokenize(text) == expected, repr(text)
    hypotheses, *references = texts[::3], texts[1::3], texts[2::3]
    for lowercase in (False, True):
        prepared = peer.metric(references, tokenize=name, lowercase=lowercase)
        found = BLEU(tokenize=name, lowercase=lowercase).statistics(hypotheses, references)
        assert found.tolist() == peer.statistics(prepared, hypotheses)


@settings(max_examples=60, deadline=None)
@given(corpus=corpora(), order=orders, smoothing=smoothings, effective_order=st.booleans())
def test_generated_corpora(
    corpus: Corpus, order: int, smoothing: tuple[str, float | None], effective_order: bool
) -> None:
    method, value = smoothing
    formula: dict[str, Any] = {"smooth_method": method, "smooth_value": value}
    formula["effective_order"] = effective_order
    prepared = peer.metric(corpus.streams, tokenize="none", max_ngram_order=order, **formula)
    expected = peer.statistics(prepared, corpus.hypotheses)
    tokens: dict[str, Any] = {"tokenize": "none", "max_ngram_order": order}
    assert oracle.corpus_statistics(corpus.hypotheses, corpus.streams, **tokens) == expected

    metric = BLEU(**tokens, **formula)
    assert metric.statistics(corpus.hypotheses, corpus.streams).tolist() == expected

    theirs = oracle.fields(prepared.corpus_score(corpus.hypotheses, None))
    assert oracle.fields(metric.corpus_score(corpus.hypotheses, corpus.streams)) == theirs
    assert oracle.fields(oracle.score(oracle.add_up(expected), **formula)) == theirs

    scores = metric.sentence_scores(corpus.hypotheses, corpus.streams)
    for i, hypothesis in enumerate(corpus.hypotheses):
        references = [stream[i] for stream in corpus.streams]
        one = prepared.sentence_score(hypothesis, references)
        assert oracle.fields(metric.sentence_score(hypothesis, references)) == oracle.fields(one)
        assert scores[i] == pytest.approx(one.score, rel=1e-12, abs=0)


OPTIONS: dict[str, tuple[Any, ...]] = {
    "tokenize": tuple(NAMES),
    "lowercase": (False, True),
    "smooth_method": ("exp", "floor", "add-k", "none"),
    "smooth_value": (None, 0.3, 3),
    "effective_order": (False, True),
    "max_ngram_order": (1, 2, 4, 6),
}


def without_our_version(signature: Any, short: bool = False) -> str:
    """Our signature less its last field, which sacreBLEU's does not have."""
    text = str(signature.format(short))
    rest, _, last = text.rpartition("|")
    assert last == f"{'fb' if short else 'fastbleu'}:{fastbleu.__version__}"
    return rest


def test_combinations_of_options() -> None:
    """Every seventh of them, in which each two values meet; with FASTBLEU_SCALE all."""
    for values in list(itertools.product(*OPTIONS.values()))[:: 7 if SCALE == 1 else 1]:
        options: dict[str, Any] = dict(zip(OPTIONS, values, strict=True))
        theirs, ours = peer.BLEU(**options), BLEU(**options)
        expected = theirs.corpus_score(HYPOTHESES, STREAMS)
        score = ours.corpus_score(HYPOTHESES, STREAMS)
        assert oracle.fields(score) == oracle.fields(expected), options
        assert str(score) == str(expected)
        for name in ("ratio", "prec_str", "_verbose"):
            assert getattr(score, name) == getattr(expected, name)
        for short in (False, True):
            assert without_our_version(ours.get_signature(), short) == theirs.get_signature().format(short)
        for hypothesis, *references in zip(HYPOTHESES, *STREAMS, strict=True):
            found, wanted = (each.sentence_score(hypothesis, references) for each in (ours, theirs))
            assert oracle.fields(found) == oracle.fields(wanted), (options, hypothesis)


@pytest.mark.parametrize(
    ("ours", "theirs", "names"),
    [
        (fastbleu, sacrebleu, ("corpus_bleu", "raw_corpus_bleu", "sentence_bleu")),
        (BLEU, peer.BLEU, ("__init__", "corpus_score", "sentence_score", "compute_bleu")),
    ],
)
def test_parameters(ours: Any, theirs: Any, names: tuple[str, ...]) -> None:
    """Changing the import is the whole migration, positional arguments included."""
    for each in names:
        found, expected = (inspect.signature(getattr(one, each)).parameters for one in (ours, theirs))
        assert list(found)[: len(expected)] == list(expected)
        for name, parameter in expected.items():
            assert found[name].default == parameter.default


def test_functions_and_prepared_references() -> None:
    for name in ("corpus_bleu", "raw_corpus_bleu"):
        found, expected = (getattr(one, name)(HYPOTHESES, STREAMS) for one in (fastbleu, sacrebleu))
        assert oracle.fields(found) == oracle.fields(expected)
    for hypothesis, *references in SEGMENTS:
        found, expected = (one.sentence_bleu(hypothesis, references) for one in (fastbleu, sacrebleu))
        assert oracle.fields(found) == oracle.fields(expected)
    ours, theirs = BLEU(references=STREAMS), peer.BLEU(references=STREAMS)
    # References given in the call go before the prepared ones.
    for streams in (None, STREAMS[:1]):
        found, expected = (one.corpus_score(HYPOTHESES, streams) for one in (ours, theirs))
        assert oracle.fields(found) == oracle.fields(expected)
    signature = BLEU(references=STREAMS).get_signature()
    assert without_our_version(signature) == str(peer.BLEU(references=STREAMS).get_signature())
