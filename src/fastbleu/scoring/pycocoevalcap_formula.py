"""The BLEU of coco-caption and pycocoevalcap: its formula over rows, for images and for a corpus.

BLEU-1..N as Papineni et al. define it (2002, https://aclanthology.org/P02-1040), on a scale of 0..1, but with 1e-15
added to each numerator and 1e-9 to each denominator instead of any other smoothing. So nothing divides by 0, an exact
match scores a little less than 1, and a text without any match a little more than 0. Same operations in the same order
as `BleuScorer.compute_score` of pycocoevalcap 1.2, so the same float under the same interpreter.
"""

from __future__ import annotations

from ._member_scores import score_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

#: Added to the numerator and to the denominator of each quotient.
_TINY, _SMALL = 1e-15, 1e-9


def scores_of(rows: Any, orders: int, lengths: Sequence[float] | None = None) -> list[list[float]]:
    """Compute BLEU-1..`orders` of each row.

    Args:
        rows: [n, 2 + 2N] int: sys_len, ref_len, correct_1..N, total_1..N.
        orders: How many scores each row gets, 0..N.
        lengths: n reference lengths that count instead of those in the rows.

    Returns:
        For each order a list of one float per row, 0..1.

    Example:
        >>> scores_of([[6, 7, 5, 3, 6, 5]], 2)
        [[0.7054014371737114], [0.5985529676111455]]
    """
    import numpy as np

    scores = np.empty((len(rows), orders))
    own = None if lengths is None else np.array(lengths, np.float64)
    score_rows("pycocoevalcap", np.asarray(rows, np.int64), scores, own)
    return scores.T.tolist()


def length_ratio(sys_len: int, ref_len: float) -> float:
    """Compute the ratio of the lengths, which decides the brevity penalty.

    Example:
        >>> length_ratio(6, 7)
        0.8571428570204083
    """
    return (sys_len + _TINY) / (ref_len + _SMALL)
