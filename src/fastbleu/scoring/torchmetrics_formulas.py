"""torchmetrics' formulas of BLEU and chrF, with the operations of torchmetrics 1.9.0 in their order.

BLEU is computed in float64, and `compat.torchmetrics` rounds it once, to torch's default dtype. chrF is rounded at each
operation, to the dtype that it is given.

chrF removes from a text only U+0020 and the white space at its ends, and averages the scores of orders, where an order
without a match scores 0. It adds up the counts of each prediction with its best reference, but without those of the
reference if the best score is 0.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from math import exp, fsum, inf, log
from typing import NamedTuple

from ..counting.chrf_matcher import ChrfMatcher
from ..counting.corpus import read_corpus, rows_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

#: The smallest number that torchmetrics divides by.
_LEAST = 1e-16

#: Count up to this many pairs one by one, because reading them as a corpus takes longer.
_FEW_PAIRS = 8


def corpus_score(row: Sequence[int], weights: Sequence[float], smooth: bool) -> float:
    """Compute BLEU as torchmetrics 1.9.0 does, in float64.

    Args:
        row: 2 + 2N counts: length of the predictions, of the closest references, matched n-grams of the orders 1..N,
            candidate n-grams of these orders.
        weights: N weights, which are not normalized.
        smooth: Whether to add 1 to both counts of every order above 1.

    Returns:
        The score; 0..1 if no weight is negative. 0.0 if an order has no match, smoothed or not.

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
    except OverflowError:  # Only negative weights lead here.
        return penalty * inf


class ChrfOptions(NamedTuple):
    """The options of torchmetrics' chrF, checked."""

    n_char_order: int
    n_word_order: int
    beta: float
    lowercase: bool
    whitespace: bool


def chrf_scores(counts: NDArray[Any], options: ChrfOptions, dtype: type) -> NDArray[Any]:
    """Compute chrF from counts.

    Args:
        counts: int64 [n, orders, 3], in the layout of `count_chrf`.
        options: The options, checked.
        dtype: NumPy's float32 or float64, for every operation.

    Returns:
        The scores, [n] of that dtype, 0..1.
    """
    import numpy as np

    preds, target, matches = counts.astype(dtype).T
    with np.errstate(divide="ignore", invalid="ignore"):  # Quotients by 0 are replaced.
        precision = np.where(preds > 0, matches / preds, dtype(0))
        recall = np.where(target > 0, matches / target, dtype(0))
    factor = options.beta**2
    denominator = np.maximum(factor * precision + recall, dtype(_LEAST))
    of_orders = (1 + factor) * precision * recall / denominator
    of_characters, of_words = of_orders[: options.n_char_order], of_orders[options.n_char_order :]
    scores: NDArray[Any] = (sum(of_characters) + sum(of_words)) / dtype(len(of_orders))
    return scores


def count_chrf(
    preds: list[str], target: Sequence[Sequence[str]], options: ChrfOptions, dtype: type
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Count a corpus, and score each prediction.

    Args:
        preds: n predictions, texts.
        target: The references of each prediction, at least one.
        options: The options, checked.
        dtype: As for `chrf_scores`.

    Returns:
        int64 [orders, 3]: for each order of characters, then of words, the n-grams of the predictions, those of their
        best references, and the matches. And the score of each prediction with its best reference, [n], 0..1.

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
    """Count predictions with one reference each; `pairs` has both lists. Returns int64 [pairs, orders, 3]."""
    import numpy as np

    orders = char_order + word_order
    matcher = _kept_matcher(char_order, word_order)

    def counted(hypotheses: list[str], references: list[str]) -> NDArray[Any]:
        rows = np.zeros((len(hypotheses), 3 * orders), dtype=np.int64)
        if orders and len(rows) <= _FEW_PAIRS:
            for row, hypothesis, reference in zip(rows, hypotheses, references, strict=True):
                row[:] = matcher.count_one(hypothesis, [reference])[0]
        elif orders:
            read_corpus(matcher, hypotheses, [references]).count(rows_of(rows))
        return rows.reshape(len(hypotheses), orders, 3)

    own, others = pairs
    counts = counted(own, others)
    if orders:
        # The kernel skips the n-grams of a hypothesis if its reference has none: count such hypotheses as references.
        lengths, empty = counts[:, 0, 0].copy(), np.flatnonzero(counts[:, 0, 1] == 0)
        if len(empty):
            swapped = counted([others[i] for i in empty], [own[i] for i in empty])
            lengths[empty] = swapped[:, 0, 1]
        counts[:, :, 0] = np.maximum(lengths[:, np.newaxis] - np.arange(orders), 0)
    return counts


@lru_cache(16)
def _kept_matcher(char_order: int, word_order: int) -> ChrfMatcher:
    return ChrfMatcher(char_order, word_order, True, False, 1, False, 1)
