"""Slow, simple reranking: every pair is scored by `tests.support.oracle`, and sums are exact."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import exp, fsum, log
from operator import mul
from typing import Any

import numpy as np

from tests.support import oracle

Pool = Sequence[Any]


def utility(hypothesis: Any, references: Sequence[Any], **options: Any) -> float:
    """Sentence BLEU; with `tokenize=None` segments are sequences of tokens."""
    options = {"effective_order": True, **options}
    return oracle.corpus_score([hypothesis], [[reference] for reference in references], **options).score


def pairwise(hypotheses: Pool, references: Pool | None = None, **options: Any) -> list[list[float]]:
    others = hypotheses if references is None else references
    return [
        [utility(hypothesis, [reference], **options) for reference in others] for hypothesis in hypotheses
    ]


def expected(
    pool: Pool,
    evidence: Pool | None = None,
    weights: Sequence[float] | None = None,
    exclude_self: bool = False,
    **options: Any,
) -> list[float]:
    found = []
    for j, scores in enumerate(pairwise(pool, evidence, **options)):
        counted = [
            0.0 if exclude_self and k == j else 1.0 if weights is None else weights[k]
            for k in range(len(scores))
        ]
        found.append(fsum(map(mul, counted, scores)) / fsum(counted))
    return found


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
    """Return the scores of all pools in one list."""
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
