"""torchmetrics' BLEU and chrF: its formulas, in the order of operations of torchmetrics 1.9.0.

Its chrF takes no white space but U+0020 and that at the ends out of a text, and averages the scores of orders, of which
one without a match counts 0. It adds up the counts of each prediction with its best reference, but takes no reference
for a prediction whose best score is 0.
"""

from __future__ import annotations

from itertools import chain
from math import exp, fsum, inf, log
from typing import NamedTuple

from ..counting.chrf import ChrfMatcher
from ..counting.corpus import read_corpus, rows_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

#: The smallest number that torchmetrics divides by.
_LEAST = 1e-16


def corpus_score(row: Sequence[int], weights: Sequence[float], smooth: bool) -> float:
    """Compute BLEU as torchmetrics 1.9.0 does, in float64.

    Args:
        row: 2 + 2N counts: length of the predictions, of the closest references, matched n-grams of the orders 1..N,
            candidate n-grams of these orders.
        weights: N weights, taken as they are.
        smooth: Add 1 to both counts of every order above 1.

    Returns:
        The score; 0..1 where the weights are not negative. 0.0 where an order has no match, smoothed or not.

    Example:
        >>> corpus_score([6, 6, 5, 4, 6, 5], [0.5, 0.5], False), corpus_score([6, 6, 5, 4, 6, 5], [0.5, 0.5], True)
        (0.816496580927726, 0.8333333333333334)
        >>> corpus_score([6, 6, 5, 0, 6, 5], [0.5, 0.5], True)
        0.0
    """
    orders = (len(row) - 2) // 2
    preds_len, target_len, matches, candidates = row[0], row[1], row[2 : 2 + orders], row[2 + orders :]
    if not preds_len or 0 in matches or 0 in candidates:
        return 0.0
    precisions = [count / total for count, total in zip(matches, candidates, strict=True)]
    if smooth:
        precisions[1:] = [
            (count + 1) / (total + 1) for count, total in zip(matches[1:], candidates[1:], strict=True)
        ]
    mean = fsum(weight * log(precision) for weight, precision in zip(weights, precisions, strict=True))
    penalty = 1.0 if preds_len > target_len else exp(1 - target_len / preds_len)
    try:
        return penalty * exp(mean)
    except OverflowError:  # negative weights
        return penalty * inf


class ChrfOptions(NamedTuple):
    """The options of torchmetrics' chrF, checked."""

    n_char_order: int
    n_word_order: int
    beta: float
    lowercase: bool
    whitespace: bool


def chrf_scores(counts: NDArray[Any], options: ChrfOptions, dtype: type) -> NDArray[Any]:
    """Compute chrF of counts.

    Args:
        counts: int64 [n, orders, 3], as `count_chrf` returns them.
        options: Checked.
        dtype: NumPy's float32 or float64, for every operation.

    Returns:
        [n] of that dtype, 0..1.
    """
    import numpy as np

    preds, target, matches = np.moveaxis(counts.astype(dtype), -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):  # a quotient by 0 is replaced
        precision = np.where(preds > 0, matches / preds, dtype(0))
        recall = np.where(target > 0, matches / target, dtype(0))
    factor = options.beta**2
    denominator = np.maximum(factor * precision + recall, dtype(_LEAST))
    of_orders = np.moveaxis((1 + factor) * precision * recall / denominator, -1, 0)
    of_characters, of_words = of_orders[: options.n_char_order], of_orders[options.n_char_order :]
    scores: NDArray[Any] = (sum(of_characters) + sum(of_words)) / dtype(len(of_orders))
    return scores


def count_chrf(
    preds: list[str], target: Sequence[Sequence[str]], options: ChrfOptions, dtype: type
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Count a corpus.

    Args:
        preds: n texts.
        target: For each its references, at least one.
        options: Checked.
        dtype: As for `chrf_scores`.

    Returns:
        int64 [orders, 3], for each order of characters, then of words, n-grams of the predictions, of their best
        references, and matches; and the score of each prediction, [n].

    Example:
        >>> import numpy as np
        >>> options = ChrfOptions(2, 0, 2.0, lowercase=False, whitespace=False)
        >>> counts, scores = count_chrf(["a cat"], [["a cat", "cats"]], options, np.float32)
        >>> counts.tolist(), scores.tolist()
        ([[4, 4, 4], [3, 3, 3]], [1.0])
    """
    import numpy as np

    numbers = list(map(len, target))
    repeated = ([text] * number for text, number in zip(preds, numbers, strict=True))
    pairs = [list(chain.from_iterable(each)) for each in (repeated, target)]
    if options.lowercase:
        pairs = [[text.lower() for text in texts] for texts in pairs]
    of_words = _count_pairs(pairs, 0, options.n_word_order)
    if not options.whitespace:
        pairs = [[text.strip().replace(" ", "") for text in texts] for texts in pairs]
    counts = np.concatenate([_count_pairs(pairs, options.n_char_order, 0), of_words], axis=1)
    scores = chrf_scores(counts, options, dtype)
    first = np.cumsum([0, *numbers])
    total, best = counts[first[:-1]].sum(axis=0), []
    values = scores.tolist()
    for i, number in enumerate(numbers):
        of_pred = values[first[i] : first[i] + number]
        best.append(int(first[i]) + of_pred.index(max(of_pred)))
    chosen = np.array([k for k in best if values[k] > 0], dtype=np.int64)
    total[:, 1:] = counts[chosen, :, 1:].sum(axis=0)
    return total, scores[np.array(best, dtype=np.int64)]


def _count_pairs(pairs: list[list[str]], char_order: int, word_order: int) -> NDArray[Any]:
    """Count predictions with one reference each: int64 [pairs, orders, 3]."""
    import numpy as np

    orders = char_order + word_order
    matcher = ChrfMatcher(char_order, word_order, True, False, 1, False, 1)

    def counted(hypotheses: list[str], references: list[str]) -> NDArray[Any]:
        rows = np.zeros((len(hypotheses), 3 * orders), dtype=np.int64)
        if orders:
            read_corpus(matcher, hypotheses, [references]).count(rows_of(rows))
        return rows.reshape(len(hypotheses), orders, 3)

    own, others = pairs
    counts = counted(own, others)
    if orders:
        # The kernel leaves out the n-grams of a hypothesis where its reference has none: count those as references.
        lengths, empty = counts[:, 0, 0].copy(), np.flatnonzero(counts[:, 0, 1] == 0)
        if len(empty):
            swapped = counted([others[i] for i in empty], [own[i] for i in empty])
            lengths[empty] = swapped[:, 0, 1]
        counts[:, :, 0] = np.maximum(lengths[:, np.newaxis] - np.arange(orders), 0)
    return counts
