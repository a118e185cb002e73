"""MultiWOZ's BLEUScorer: the numbers of its formula, over the counts of the oracle."""

from __future__ import annotations

from math import exp, fsum, log
from random import Random
from typing import Any

import pytest

from fastbleu.compat.multiwoz import BLEUScorer
from tests.support import oracle

WORDS = ["a", "b", "c", "d", "the", "of", "hotel"]


def expected(corpus: list[tuple[list[str], list[str]]]) -> float:
    """The formula as the benchmarks have it."""
    rows = [
        oracle.statistics(hypothesis.split(), [text.split() for text in references], rule="closest-first")
        for hypotheses, references in corpus
        for hypothesis in hypotheses
    ]
    length, closest, *counts = oracle.add_up(rows)
    penalty = 1 if length > closest else exp(1 - closest / length)
    precisions = [float(counts[i]) / float(counts[4 + i] + 1e-7) + 1e-7 for i in range(4)]
    return penalty * exp(fsum(0.25 * log(precision) for precision in precisions))


@pytest.mark.parametrize("seed", range(4))
def test_random_corpora(seed: int) -> None:
    random = Random(seed)

    def lines(most: int) -> list[str]:
        return [
            " ".join(random.choices(WORDS, k=random.choice([0, 1, 3, 4, 5, 9])))
            for _ in range(random.randint(1, most))
        ]

    for _ in range(100):
        corpus = [(["the hotel of a"], lines(3)), *((lines(2), lines(3)) for _ in range(random.randrange(4)))]
        assert BLEUScorer().score(corpus) == expected(corpus)
    assert BLEUScorer().score(
        (tuple(hypotheses), references) for hypotheses, references in corpus
    ) == expected(corpus)


@pytest.mark.parametrize(
    ("corpus", "error", "message"),
    [
        ([("a b", ["a"])], TypeError, r"parallel_corpus\[0\]\[0\] must be .*, not a bare str: 'a b'"),
        ([(["a"], ["a"]), (["a"], [3])], TypeError, r"parallel_corpus\[1\]\[1\]\[0\] must be a str, not"),
        ([(["a"], [])], ValueError, r"parallel_corpus\[0\]\[1\] must hold at least one reference"),
        ([([""], ["a"])], ZeroDivisionError, "division"),
    ],
)
def test_errors(corpus: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        BLEUScorer().score(corpus)
