"""Compute the smooth BLEU of CodeBERT, CodeXGLUE and CodeT5 from rows.

It is the sentence score of Lin and Och (2004, https://aclanthology.org/C04-1072), which adds 1 to both counts of each
order above 1, with another brevity penalty: exp(1 - (r + 1) / (c + 1)) for c tokens and a reference of r tokens. The
operations are those of `score_cooked` in
https://github.com/salesforce/CodeT5/blob/7de7f69/CodeT5/evaluator/smooth_bleu.py in the same order, so it is the same
float under the same version of Python.
"""

from __future__ import annotations

from ._peer_scores import smooth_bleu_scores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def sum_scores(rows: Any, smooth: bool = True) -> list[float]:
    """Return the sums of the scores and precisions of all rows, added in the order of the rows.

    Args:
        rows: [n, 2 + 2N] int: sys_len, ref_len, correct_1..N, total_1..N; at least one row.
        smooth: Whether to add 1 to both counts of each order above 1.

    Returns:
        N + 1 sums: that of the scores, each 0..1, and those of the unsmoothed precisions of the orders 1..N, each 0..1.
        The precision of an order without candidates is 0.0, and that of an order without matches is about 1e-308.

    Example:
        >>> sum_scores([[6, 7, 5, 3, 6, 5]])
        [0.6461326373445514, 0.8333333333333333, 0.6000000000000001]
        >>> sum_scores([[0, 0, 0, 0]])
        [1.0, 0.0]
    """
    import numpy as np

    counts = np.asarray(rows, np.int64)
    scores = np.empty((len(counts), counts.shape[1] // 2))
    smooth_bleu_scores(counts, scores, smooth)
    if len(scores) > 1:
        scores = scores.cumsum(axis=0)  # `numpy.sum` would add in another order.
    sums: list[float] = scores[-1].tolist()
    return sums
