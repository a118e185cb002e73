"""Prepared references: the same rows as the lists they were made from, whole, in part, copied, and from threads."""

import copy
import pickle
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastbleu import BLEU, References
from tests.support import oracle
from tests.support.strategies import Corpus

METRIC = BLEU()

N = 200


def corpus(n: int = N, seed: int = 1) -> Corpus:
    """Text of mixed lengths with two or three references a segment."""
    generator = random.Random(seed)
    words = ["the", "cat", "1,000.5", "mat.", "東京", "Über", "(a", "b)", *(f"w{i}" for i in range(30))]

    def segment() -> str:
        return " ".join(generator.choices(words, k=generator.choice((0, 3, 10, 25, 65, 130))))

    streams: list[list[str | None]] = [[segment() for _ in range(n)] for _ in range(3)]
    streams[2] = [None if generator.random() < 0.3 else text for text in streams[2]]
    return Corpus([segment() for _ in range(n)], streams)


HYPOTHESES, STREAMS = corpus()
ROWS = np.array(oracle.corpus_statistics(HYPOTHESES, STREAMS))


def test_segments_may_have_any_number_of_references() -> None:
    generator = random.Random(2)
    per_segment = [generator.choices(HYPOTHESES, k=generator.randint(1, 9)) for _ in HYPOTHESES]
    references = METRIC.prepare_segments(per_segment)
    expected = [
        oracle.statistics(oracle.tokenize(hypothesis), [oracle.tokenize(text) for text in texts])
        for hypothesis, texts in zip(HYPOTHESES, per_segment, strict=True)
    ]
    assert METRIC.statistics(HYPOTHESES, references).tolist() == expected
    assert "nrefs:var" in str(METRIC.corpus_score(HYPOTHESES, references).signature)


@pytest.mark.parametrize(
    "index",
    [
        *(slice(None), slice(0, 0), slice(3, 50), slice(-10, None), slice(None, None, -1), slice(5, 150, 7)),
        *([0], [5, 5, 5, 199, 0], [-1, -200], (1, 2), np.array([3, 1, 2], dtype=np.int32)),
        *(np.repeat(np.arange(N), 3), np.arange(N) % 2 == 0),
    ],
    ids=repr,
)
def test_parts(index: Any) -> None:
    numbers = np.arange(N)[list(index) if isinstance(index, tuple) else index]
    part = METRIC.prepare(STREAMS)[index]
    assert isinstance(part, References)
    assert len(part) == len(numbers)
    if len(numbers):
        hypotheses = [HYPOTHESES[i] for i in numbers]
        assert (METRIC.statistics(hypotheses, part) == ROWS[numbers]).all()
        assert (METRIC.statistics(hypotheses, pickle.loads(pickle.dumps(part))) == ROWS[numbers]).all()
        assert (METRIC.statistics(hypotheses[::-1], part[::-1]) == ROWS[numbers][::-1]).all()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(-N, N - 1), min_size=1, max_size=20), st.slices(20))
def test_parts_of_parts(index: list[int], second: slice) -> None:
    numbers = np.arange(N)[index][second]
    part = METRIC.prepare(STREAMS)[index][second]
    assert len(part) == len(numbers)
    if len(numbers):
        assert (METRIC.statistics([HYPOTHESES[i] for i in numbers], part) == ROWS[numbers]).all()


@pytest.mark.parametrize(
    ("index", "error"),
    [
        ([N], IndexError),
        ([0, -N - 1], IndexError),
        (np.array([True, False]), IndexError),
        *((index, TypeError) for index in ("a", 1.5, [None], np.ones((2, 2), dtype=int))),
    ],
)
def test_wrong_indices(index: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        BLEU().prepare(STREAMS)[index]


def test_copies() -> None:
    references = METRIC.prepare(STREAMS)
    for copied in (
        *(pickle.loads(pickle.dumps(references, each)) for each in range(pickle.HIGHEST_PROTOCOL + 1)),
        copy.copy(references),
        copy.deepcopy(references),
    ):
        assert len(copied) == N
        assert (METRIC.statistics(HYPOTHESES, copied) == ROWS).all()


def test_tokens_pickle_too() -> None:
    metric = BLEU(tokenize="none")
    segments = [[("a", 1), 2, "three"], [4, 5], []]
    references = pickle.loads(pickle.dumps(metric.prepare([segments])))
    assert metric.statistics(segments, references)[:, 2].tolist() == [3, 2, 0]


@pytest.mark.parametrize("options", [{"lowercase": True}, {"tokenize": "none"}, {"max_ngram_order": 3}])
def test_belong_to_their_options(options: dict[str, Any]) -> None:
    references = BLEU().prepare(STREAMS)
    other = BLEU(**options)
    for use in (other.corpus_score, other.statistics, other.sentence_scores):
        with pytest.raises(ValueError, match=next(iter(options))):
            use(HYPOTHESES, references)


def test_belong_to_their_callable() -> None:
    """Two callables may share a name; what they make of a text is another matter."""
    first, second = (
        BLEU(tokenize=tokenize) for tokenize in (lambda text: text.split(), lambda text: text.split("a"))
    )
    references = first.prepare(STREAMS)
    assert first.statistics(HYPOTHESES, references).shape == (N, 10)
    with pytest.raises(ValueError, match="tokenize"):
        second.statistics(HYPOTHESES, references)


@pytest.mark.parametrize(
    "options", [{"smooth_method": "floor"}, {"effective_order": True}, {"threads": 2}, {"force": True}]
)
def test_serve_every_metric_that_counts_alike(options: dict[str, Any]) -> None:
    references = BLEU().prepare(STREAMS)
    assert (BLEU(**options).statistics(HYPOTHESES, references) == ROWS).all()


def test_other_lengths_are_refused() -> None:
    references = METRIC.prepare(STREAMS)
    for hypotheses in (HYPOTHESES[:-1], [*HYPOTHESES, "a"], HYPOTHESES[:1]):
        with pytest.raises(ValueError, match=f"(?=.*{len(hypotheses)})(?=.*{N})"):
            METRIC.corpus_score(hypotheses, references)
