"""The BLEU of coco-caption and pycocoevalcap: its formula over a row, for a corpus.

BLEU-1..N as Papineni et al. define it (2002, https://aclanthology.org/P02-1040), on a scale of 0..1, but with 1e-15
added to each numerator and 1e-9 to each denominator instead of any other smoothing. So nothing divides by 0, an exact
match scores a little less than 1, and a text without any match a little more than 0. Same operations in the same order
as `BleuScorer.compute_score` of pycocoevalcap 1.2, so the same float under the same interpreter. `_pycocoevalcap`
scores the segments.
"""

from __future__ import annotations

from math import exp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Added to the numerator and to the denominator of each quotient.
TINY, SMALL = 1e-15, 1e-9


def score_totals(
    matches: Sequence[int], candidates: Sequence[int], sys_len: int, ref_len: float
) -> tuple[list[float], float]:
    """Compute BLEU-1..N of a corpus from its counts.

    Args:
        matches: Matched n-grams of the orders 1..N.
        candidates: Candidate n-grams likewise.
        sys_len: Tokens in the hypotheses.
        ref_len: Tokens in the references; a float where it sums averages.

    Returns:
        One score for each order (0..1), and the ratio of the lengths.

    Example:
        >>> score_totals([5, 3], [6, 5], 6, 7)
        ([0.7054014371737114, 0.5985529676111455], 0.8571428570204083)
    """
    scores = []
    product = 1.0
    for n, (matched, possible) in enumerate(zip(matches, candidates, strict=True), start=1):
        product *= (matched + TINY) / (possible + SMALL)
        scores.append(product ** (1.0 / n))
    ratio = (sys_len + TINY) / (ref_len + SMALL)
    if ratio < 1:
        penalty = exp(1 - 1 / ratio)
        scores = [score * penalty for score in scores]
    return scores, ratio
