"""NLTK's BLEU the slow, obviously right way: Counters of tuples, and fractions until a float comes in.

Nothing here is shared with the package or with NLTK; n-grams are those of `tests.support.oracle`. What it
does is what NLTK 3.10.4 was seen to do.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from tests.support import oracle


def counts(references: Sequence[Any], hypothesis: Sequence[Any], n: int) -> tuple[int, int]:
    """Clipped matches and candidates of an order; one candidate at least."""
    own, most = oracle.ngrams(hypothesis, n), oracle.clipped(references, n)[-1]
    return (own & most).total(), max(1, own.total())


def precisions(
    method: int,
    counted: list[tuple[int, int]],
    last: tuple[Sequence[Any], Sequence[Any]],
    sys_len: int,
    epsilon: float = 0.1,
    alpha: float = 5,
    k: float = 5,
) -> list[Any]:
    """Smooth matches and candidates by a method, given the references and the hypothesis of the last segment."""
    found: list[Any] = [Fraction(*pair) for pair in counted]
    unmatched = [i for i, (matches, _) in enumerate(counted) if matches == 0]
    if method == 2:
        found[1:] = [Fraction(matches + 1, candidates + 1) for matches, candidates in counted[1:]]
    if method in {0, 1, 3} or (method in {4, 7} and sys_len > 1):
        for nth, i in enumerate(unmatched, start=1):
            candidates = counted[i][1]
            if method == 0:
                found[i] = sys.float_info.min
            elif method == 1:
                found[i] = epsilon / candidates
            elif method == 3:
                found[i] = float(Fraction(1, 2**nth * candidates))
            else:
                found[i] = 1 / (2**nth * k / math.log(sys_len)) / candidates
    if method in {5, 7}:
        above = [*found[1:], Fraction(*counts(*last, 5))]
        mean = found[0] + 1
        for i in range(len(found)):
            mean = (mean + found[i] + above[i]) / 3
            found[i] = mean
    if method == 6:
        for i in range(2, len(found)):
            prior = found[i - 1] ** 2 / found[i - 2] if found[i - 2] else 0
            found[i] = (counted[i][0] + alpha * prior) / (max(0, len(last[1]) - i) + alpha)
    return found


def corpus_bleu(
    list_of_references: Sequence[Any],
    hypotheses: Sequence[Any],
    weights: Sequence[float],
    method: int = 0,
    **constants: float,
) -> float:
    """The score under one weighting."""
    pairs = list(zip(list_of_references, hypotheses, strict=True))
    counted = []
    for n in range(1, len(weights) + 1):
        both = [counts(references, hypothesis, n) for references, hypothesis in pairs]
        counted.append((sum(matches for matches, _ in both), sum(candidates for _, candidates in both)))
    if counted[0][0] == 0:
        return 0
    sys_len = sum(map(len, hypotheses))
    ref_len = sum(oracle.reference_length("closest", len(h), list(map(len, rs))) for rs, h in pairs)
    penalty = 1 if sys_len > ref_len else math.exp(1 - ref_len / sys_len)
    smoothed = precisions(method, counted, pairs[-1], sys_len, **constants)
    terms = [w * math.log(p) for w, p in zip(weights, smoothed, strict=True) if p > 0]
    return penalty * math.exp(math.fsum(terms))
