"""Compute the BLEU of tensorflow/nmt, which Hugging Face `evaluate` and nlg-metricverse also use, from rows.

It is BLEU as defined by Papineni et al. (2002, https://aclanthology.org/P02-1040), on the scale 0..1, with the length
of the *shortest* reference of each segment, and with a smoothing that adds 1 to both counts of every order. (Its source
cites Lin and Och 2004, https://aclanthology.org/C04-1072, who add 1 only above order 1.) The operations are those of
`compute_bleu` in https://github.com/tensorflow/nmt/blob/0be8642/nmt/scripts/bleu.py in the same order, so it is the
same float under the same version of Python.

If the translations or the shortest references have no tokens, that function divides by 0, and so does `nmt_score`.
"""

from __future__ import annotations

from math import exp, log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def nmt_score(row: Sequence[int], smooth: bool = False) -> tuple[float, list[float], float, float, int, int]:
    """Compute tensorflow/nmt's BLEU of a corpus from its row.

    Args:
        row: [2 + 2N] int: sys_len, ref_len (of the shortest references), correct_1..N, total_1..N.
        smooth: Add 1 to both counts of every order.

    Returns:
        The score (0..1), the n-gram precisions (0..1), the brevity penalty (0..1), sys_len over ref_len, sys_len, and
        ref_len.

    Raises:
        ZeroDivisionError: One of the two lengths is 0.

    Example:
        >>> nmt_score([5, 6, 4, 2, 5, 4])
        (0.5178107940302672, [0.8, 0.5], 0.8187307530779819, 0.8333333333333334, 5, 6)
    """
    translation_length, reference_length = row[0], row[1]
    orders = (len(row) - 2) // 2
    counts = zip(row[2 : 2 + orders], row[2 + orders :], strict=True)
    # The last bit of the score depends on the order of these operations.
    if smooth:
        precisions = [(matches + 1.0) / (candidates + 1.0) for matches, candidates in counts]
    else:
        precisions = [float(matches) / candidates if candidates else 0.0 for matches, candidates in counts]
    mean = 0.0
    if min(precisions) > 0:
        mean = exp(sum((1.0 / orders) * log(precision) for precision in precisions))
    ratio = float(translation_length) / reference_length
    penalty = 1.0 if ratio > 1.0 else exp(1 - 1.0 / ratio)
    return mean * penalty, precisions, penalty, ratio, translation_length, reference_length


def adjusted(
    items: Sequence[Sequence[Sequence[int]]], smooth: bool = False
) -> tuple[float, list[float], float, float, int, int]:
    """Compute nlg-metricverse's score of items with several predictions each.

    All predictions are scored as one corpus, in which the references of an item are repeated for each prediction. Then
    both lengths are computed anew: for each item, only its longest prediction and its shortest reference are counted,
    once. If the predictions of the corpus were not longer than its references, the brevity penalty is computed from the
    new lengths, and the score is multiplied by the new penalty over the old one. Otherwise, the penalty remains 1.

    Args:
        items: For each item, the row of each of its predictions, as for `nmt_score`.
        smooth: As for `nmt_score`.

    Returns:
        The same values as from `nmt_score`. The penalty and the score may exceed 1.

    Raises:
        ZeroDivisionError: As for `nmt_score`; or the penalty of the corpus is too small to divide by.

    Example:
        >>> adjusted([[[3, 4, 3, 2, 3, 2], [2, 4, 2, 1, 2, 1]], [[1, 1, 1, 0, 1, 0]]])[1:]
        ([1.0, 1.0], 0.7788007830714049, 0.8, 4, 5)
    """
    row = [sum(counts) for counts in zip(*(row for item in items for row in item), strict=True)]
    score, precisions, penalty, ratio, *_ = nmt_score(row, smooth)
    translation_length = sum(max(row[0] for row in item) for item in items)
    reference_length = sum(item[0][1] for item in items)
    adjusted_ratio = translation_length / reference_length
    adjusted_penalty = 1.0
    if not ratio > 1.0:
        # This penalty may exceed 1, unlike the penalty of the corpus.
        adjusted_penalty = exp(1 - 1.0 / adjusted_ratio)
        score = score * (adjusted_penalty / penalty)
    return score, precisions, adjusted_penalty, adjusted_ratio, translation_length, reference_length
