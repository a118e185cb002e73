"""Scores of every prefix: each equals the score of that prefix as a whole segment."""

import itertools
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu import BLEU, TokenIds
from tests.support import strategies

FORMULAS: tuple[dict[str, Any], ...] = (
    {},
    {"smooth_method": "none"},
    {"smooth_method": "floor"},
    {"smooth_method": "add-k"},
    {"smooth_method": "add-k-all", "smooth_value": 0.01},
    {"smooth_method": "add-one"},
    {"smooth_method": "add-one-above-first"},
    {"effective_order": True},
    {"effective_order": True, "weights": (0.1, 0.2, 0.3, 0.4)},
    {"effective_order": True, "reference_length": "shortest"},
    {"effective_order": True, "reference_length": "closest-first"},
    {"effective_order": True, "max_ngram_order": 1},
    {"effective_order": True, "max_ngram_order": 7},
)


def expected(bleu: BLEU, tokens: list[str], references: list[str | None]) -> list[float]:
    prefixes = [" ".join(tokens[: t + 1]) for t in range(len(tokens))]
    scores: list[float] = bleu.sentence_scores(
        prefixes, [[reference] * len(prefixes) for reference in references]
    ).tolist()
    return scores


@pytest.mark.parametrize("options", FORMULAS, ids=str)
def test_each_prefix_scores_as_a_segment(options: dict[str, Any]) -> None:
    generator = random.Random(str(options))
    bleu = BLEU(tokenize="none", **options)
    for _ in range(40):
        words = [f"w{i}" for i in range(generator.choice((1, 3, 50)))]
        tokens = generator.choices(words, k=generator.choice((0, 1, 5, 30, 70)))
        # Short references, long ones, and so many that n-grams are numbered in tables.
        lengths = generator.choice(([0], [5], [63, 64], [65], [3, 200, 0], [1500], [40] * 30))
        references: list[str | None] = [" ".join(generator.choices(words, k=length)) for length in lengths]
        if len(references) > 1:
            references[0] = None
        wanted = expected(bleu, tokens, references)
        assert bleu.sentence_prefix_scores(" ".join(tokens), references).tolist() == wanted
        streams = [[reference] for reference in references]
        prepared = bleu.prepare(streams)
        for given_references in (streams, prepared, prepared[[0]]):
            assert bleu.prefix_scores([" ".join(tokens)], given_references).tolist() == [wanted]


@pytest.mark.slow
@given(strategies.corpora(), st.integers(1, 6))
def test_generated_corpora(corpus: strategies.Corpus, order: int) -> None:
    bleu = BLEU(tokenize="none", max_ngram_order=order, effective_order=True)
    found = bleu.prefix_scores(corpus.hypotheses, corpus.streams)
    whole = bleu.sentence_scores(corpus.hypotheses, corpus.streams)
    for i, hypothesis in enumerate(corpus.hypotheses):
        tokens = hypothesis.split()
        wanted = expected(bleu, tokens, [stream[i] for stream in corpus.streams])
        assert found[i, : len(tokens)].tolist() == wanted
        # After the end of a hypothesis its last score is repeated.
        assert found[i, len(tokens) :].tolist() == [whole[i]] * (found.shape[1] - len(tokens))


def test_tokens_of_text_and_of_any_kind() -> None:
    bleu = BLEU(effective_order=True)
    hypothesis, reference = "Rain fell, 1.5 inches of it.", "Rain fell: 1.5 inches."
    tokens = bleu.tokenize(hypothesis)
    plain = BLEU(tokenize="none", effective_order=True)
    wanted = expected(plain, tokens, [" ".join(bleu.tokenize(reference))])
    assert bleu.sentence_prefix_scores(hypothesis, [reference]).tolist() == wanted
    assert plain.sentence_prefix_scores(tokens, [bleu.tokenize(reference)]).tolist() == wanted
    numbers = {token: number for number, token in enumerate(tokens)}
    ids = np.array([numbers[token] for token in tokens])
    targets = np.array([numbers.get(token, 99) for token in bleu.tokenize(reference)])
    assert plain.sentence_prefix_scores(ids, [targets]).tolist() == wanted
    own = BLEU(tokenize=bleu.tokenize, effective_order=True)
    assert own.sentence_prefix_scores(hypothesis, [reference]).tolist() == wanted


@pytest.mark.parametrize("threads", [1, 3])
def test_matrices(threads: int) -> None:
    generator = np.random.default_rng(threads)
    bleu = BLEU(tokenize="none", effective_order=True, threads=threads)
    hypotheses = generator.integers(0, 8, (700, 45))
    hypotheses[3] = 0
    hypotheses[4, :10] = 0
    hypotheses[5, 5:9] = -100
    samples = TokenIds(hypotheses, pad_id=0, eos_id=2)
    targets = TokenIds(generator.integers(0, 8, (700, 2, 30)), pad_id=0, eos_id=2)
    found = bleu.prefix_scores(samples, targets)
    assert found.shape == (700, 45)
    # The score at position t is that of the row truncated after it.
    for t in range(45):
        cut = TokenIds(np.where(np.arange(45) <= t, hypotheses, -100), pad_id=0, eos_id=2)
        assert found[:, t].tolist() == bleu.sentence_scores(cut, targets).tolist()
    order = generator.permutation(700)
    shuffled = TokenIds(hypotheses[order], pad_id=0, eos_id=2)
    assert bleu.prefix_scores(shuffled, bleu.prepare(targets)[order]).tolist() == found[order].tolist()


def test_locations_of_a_row() -> None:
    bleu = BLEU(tokenize="none", effective_order=True, max_ngram_order=1)
    ids = np.array([[0, 0, 5, -100, 0, 6, 2, 5], [5, 5, 6, 7, 7, 7, 7, 7]])
    samples = TokenIds(ids, pad_id=0, eos_id=2, lengths=[8, 3])
    scores = bleu.prefix_scores(samples, [[[5, 6], [5, 6, 7]]])
    half, one = np.exp(-1) * 100, 100
    assert scores[0].tolist() == pytest.approx([0, 0, half, half, half, one, one, one])
    first, second, third = np.exp(-2) * 100, np.exp(-0.5) * 50, 200 / 3
    assert scores[1].tolist() == pytest.approx([first, second, third, third, third, third, third, third])


def test_scale() -> None:
    bleu = BLEU(tokenize="none", effective_order=True)
    hundred = bleu.prefix_scores(["a b c", "a"], [["a b c", "b"]])
    assert hundred[1].tolist() == [0, 0, 0]
    ones = np.minimum(hundred / 100, 1)
    assert bleu.prefix_scores(["a b c", "a"], [["a b c", "b"]], scale=1).tolist() == ones.tolist()
    assert bleu.sentence_prefix_scores("a b c", ["a b c"], scale=1).tolist() == ones[0].tolist()
    methods: list[Any] = [bleu.prefix_scores, bleu.sentence_scores]
    for scale, method in itertools.product((0, 1.5, True, "1", None), methods):
        with pytest.raises(ValueError, match=r"^scale must be 100 or 1, got "):
            method(["a"], [["a"]], scale=scale)


def test_nothing_to_score() -> None:
    bleu = BLEU(tokenize="none", effective_order=True)
    assert bleu.prefix_scores([], [[]]).shape == (0, 0)
    assert bleu.prefix_scores(["", "a"], [["a", ""]]).tolist() == [[0.0], [0.0]]
    assert bleu.sentence_prefix_scores("", ["a"]).tolist() == []
    padding = TokenIds(np.zeros((2, 3), dtype=int), pad_id=0)
    assert bleu.prefix_scores(padding, [[[1], []]]).tolist() == [[0.0] * 3] * 2


@pytest.mark.parametrize(
    ("hypothesis", "references", "error", "words"),
    [
        (None, ["a"], TypeError, "hypothesis must be a str, not NoneType: None"),
        ("a", "a", TypeError, "references must be a sequence of references, not a bare str"),
        ("a", [None], ValueError, "references must hold at least one reference, got [None]"),
        ("a", ["a", 3], TypeError, "references[1] must be a str, not int: 3"),
        ([1, 2], [[1], None, "a"], TypeError, "references[2] must be a sequence of tokens, not str: 'a'"),
    ],
)
def test_refused(hypothesis: Any, references: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        BLEU(tokenize="none", effective_order=True).sentence_prefix_scores(hypothesis, references)
    assert str(caught.value).startswith(words), str(caught.value)
    with pytest.raises(ValueError, match=r"^references hold nothing but None for segment 1: "):
        BLEU(tokenize="none").prefix_scores(["a", "b"], [["a", None]])
