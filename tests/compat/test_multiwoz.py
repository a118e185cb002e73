"""MultiWOZ's BLEUScorer: the numbers of its formula, over counts made here one by one."""

from __future__ import annotations

from collections import Counter
from math import exp, fsum, log
from random import Random
from typing import Any

import pytest

from fastbleu.compat.multiwoz import BLEUScorer

WORDS = ["a", "b", "c", "d", "the", "of", "hotel"]


def ngrams(words: list[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def expected(corpus: list[tuple[list[str], list[str]]]) -> float:
    """The formula as the benchmarks have it."""
    matches, candidates, closest, length = [0] * 4, [0] * 4, 0, 0
    for hypotheses, references in corpus:
        of_turn = [reference.split() for reference in references]
        for words in (hypothesis.split() for hypothesis in hypotheses):
            for i in range(4):
                found = ngrams(words, i + 1)
                most: Counter[tuple[str, ...]] = Counter()
                for reference in of_turn:
                    most |= ngrams(reference, i + 1)
                matches[i] += (found & most).total()
                candidates[i] += found.total()
            closest += min(map(len, of_turn), key=lambda size: abs(size - len(words)))
            length += len(words)
    penalty = 1 if length > closest else exp(1 - closest / length)
    precisions = [float(matches[i]) / float(candidates[i] + 1e-7) + 1e-7 for i in range(4)]
    return penalty * exp(fsum(0.25 * log(precision) for precision in precisions))


@pytest.mark.parametrize("seed", range(4))
def test_random_corpora(seed: int) -> None:
    random = Random(seed)

    def lines(most: int) -> list[str]:
        return [
            " ".join(random.choices(WORDS, k=random.choice([0, 1, 4, 9])))
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
        (
            [(["a"], ["a"]), (["a"], [3])],
            TypeError,
            r"parallel_corpus\[1\]\[1\]\[0\] must be a str, not int: 3",
        ),
        ([(["a"], [])], ValueError, r"parallel_corpus\[0\]\[1\] must hold at least one reference"),
        ([([""], ["a"])], ZeroDivisionError, "division"),
    ],
)
def test_errors(corpus: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        BLEUScorer().score(corpus)
