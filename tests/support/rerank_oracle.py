"""Slow, simple reranking: sums are exact, and selections are scored by `tests.support.oracle`."""

from collections.abc import Sequence
from fractions import Fraction
from math import exp, fsum, log
from typing import Any

import numpy as np

from tests.support import oracle

Pool = Sequence[Any]


def exact_means(
    scores: Sequence[Sequence[float]], weights: Sequence[float], exclude_self: bool = False
) -> list[float | None]:
    """Return the mean of each row, rounded once; None if no weight is above 0."""
    found: list[float | None] = []
    for i, row in enumerate(scores):
        total = whole = Fraction()
        for j, (weight, score) in enumerate(zip(weights, row, strict=True)):
            if not (exclude_self and j == i):
                total += Fraction(weight) * Fraction(score)
                whole += Fraction(weight)
        found.append(float(total / whole) if whole else None)
    return found


def flattened(scores: Any) -> list[float]:
    return [score for part in scores for score in np.asarray(part).reshape(-1).tolist()]


def softmax(logarithms: Sequence[float], temperature: float) -> list[float]:
    shares = [exp((each - max(logarithms)) / temperature) for each in logarithms]
    return [share / fsum(shares) for share in shares]


def logarithms(probabilities: Sequence[float]) -> list[float]:
    return [log(p) if p else float("-inf") for p in probabilities]


def best(scores: Sequence[float]) -> int:
    """Return the index of the first of the largest."""
    return max(range(len(scores)), key=lambda j: (scores[j], -j))


def corpus_score(
    pools: Sequence[Pool], references: Sequence[Pool], chosen: Sequence[int], **options: Any
) -> float:
    rows = [
        oracle.corpus_statistics([pool[j]], [[each] for each in some], **options)[0]
        for pool, some, j in zip(pools, references, chosen, strict=True)
    ]
    return oracle.score(oracle.add_up(rows), effective_order=True).score


def ordering(values: Sequence[float]) -> list[int]:
    """Return indices from best to worst; `sorted` is stable."""
    return sorted(range(len(values)), key=lambda j: -values[j])
