"""Compute the BLEU of coco-caption and pycocoevalcap from rows.

It is BLEU-1..N as defined by Papineni et al. (2002, https://aclanthology.org/P02-1040), on the scale 0..1. Instead of
smoothing, it adds 1e-15 to each numerator and 1e-9 to each denominator. So there is no division by 0, an exact match
scores slightly less than 1, and a text without any match scores slightly more than 0. The operations are those of
`BleuScorer.compute_score` of pycocoevalcap 1.2 in the same order, so it is the same float under the same version of
Python.
"""

from __future__ import annotations

from ._peer_scores import pycocoevalcap_scores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

#: The numbers that are added to the numerator and to the denominator of each quotient.
_TINY, _SMALL = 1e-15, 1e-9


def scores_of(rows: Any, orders: int, lengths: Sequence[float] | None = None) -> list[list[float]]:
    """Compute BLEU-1..`orders` of each row.

    Args:
        rows: [n, 2 + 2N] int: sys_len, ref_len, correct_1..N, total_1..N.
        orders: The number of scores per row, 0..N.
        lengths: n reference lengths to use instead of those in the rows.

    Returns:
        The scores, [orders][n], 0..1.

    Example:
        >>> scores_of([[6, 7, 5, 3, 6, 5]], 2)
        [[0.7054014371737114], [0.5985529676111455]]
    """
    import numpy as np

    scores = np.empty((len(rows), orders))
    ref_lens = None if lengths is None else np.array(lengths, np.float64)
    pycocoevalcap_scores(np.asarray(rows, np.int64), scores, ref_lens)
    return scores.T.tolist()


def length_ratio(sys_len: int, ref_len: float) -> float:
    """Return the ratio of two lengths in tokens, with which pycocoevalcap computes the brevity penalty.

    Example:
        >>> length_ratio(6, 7)
        0.8571428570204083
    """
    return (sys_len + _TINY) / (ref_len + _SMALL)
