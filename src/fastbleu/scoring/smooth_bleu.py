"""The smooth BLEU of CodeBERT, CodeXGLUE and CodeT5: its formula over the counts of one segment or of a corpus.

The sentence score of Lin and Och (2004, https://aclanthology.org/C04-1072), which adds 1 to both counts of each order
above 1, with a brevity penalty of its own: exp(1 - (r + 1) / (c + 1)). Same operations in the same order as
`score_cooked` of https://github.com/salesforce/CodeT5/blob/7de7f69/CodeT5/evaluator/smooth_bleu.py, so the same float
under the same interpreter. `_smooth_bleu` scores many segments.
"""

from __future__ import annotations

from math import exp, log
from sys import float_info

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: In place of the logarithm of a precision without candidates; its exponential is 0.
_NO_CANDIDATES = -10000000


def score_totals(
    matches: Sequence[int], candidates: Sequence[int], sys_len: int, ref_len: float, smooth: bool = True
) -> list[float]:
    """Compute smooth BLEU from counts.

    Args:
        matches: Matched n-grams of the orders 1..N, N >= 1.
        candidates: Candidate n-grams likewise.
        sys_len: Tokens in the hypotheses.
        ref_len: Tokens in the references.
        smooth: Add 1 to both counts of each order above 1.

    Returns:
        The score, then the precisions of the orders 1..N without smoothing; all 0..1. A precision without candidates
        is 0.0, one without matches about 1e-308.

    Example:
        >>> score_totals([5, 3], [6, 5], 6, 7)
        [0.6461326373445514, 0.8333333333333333, 0.6000000000000001]
        >>> score_totals([0], [0], 0, 0)
        [1.0, 0.0]
    """
    mean = 0.0
    logarithms: list[float] = []
    for k, (matched, possible) in enumerate(zip(matches, candidates, strict=True)):
        added = 1 if smooth and k else 0
        mean += log(matched + added + float_info.min) - log(possible + added + float_info.min)
        logarithms.append(log(matched + float_info.min) - log(possible) if possible else _NO_CANDIDATES)
    mean /= float(len(logarithms))
    penalty = min(0, 1 - float(ref_len + 1) / (sys_len + 1))
    return [exp(mean + penalty), *map(exp, logarithms)]
