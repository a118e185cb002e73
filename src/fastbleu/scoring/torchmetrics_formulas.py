"""Compute torchmetrics' BLEU and chrF, by the operations of torchmetrics 1.9.0 in the same order.

BLEU is computed in float64, and `compat.torchmetrics` rounds it to torch's default dtype. chrF is computed in float32
or float64, so that each operation rounds as in torchmetrics.

torchmetrics' chrF differs from sacreBLEU's. It removes spaces (U+0020), but other white space only at the ends of a
text. The score is the mean of the scores of the orders, and an order without a match scores 0. The counts of a corpus
are the sums over predictions with their best references. If the best reference of a prediction has the score 0, the
n-grams of this reference and the matches are excluded, but not the n-grams of the prediction.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from math import exp, fsum, inf, log
from typing import Any, NamedTuple

from ..counting.chrf_matcher import ChrfMatcher
from ..counting.corpus import read_corpus, rows_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

#: The smallest number by which torchmetrics divides.
_MIN_DENOMINATOR = 1e-16

#: Up to this many pairs of a prediction and a reference are counted one by one, which is faster than reading them as a
#: corpus.
_FEW_PAIRS = 8


def corpus_score(row: Sequence[int], weights: Sequence[float], smooth: bool) -> float:
    """Compute the BLEU of a row in float64.

    Args:
        row: [2 + 2N] int: sys_len, ref_len, correct_1..N, total_1..N.
        weights: N weights. As in torchmetrics, they are not divided by their sum.
        smooth: Add 1 to both counts of every order above 1.

    Returns:
        The score, 0..1 if no weight is negative; 0.0 if an order has no match, even with smoothing.

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
    except OverflowError:  # This requires negative weights.
        return penalty * inf


class ChrfOptions(NamedTuple):
    """The checked options of torchmetrics' chrF."""

    n_char_order: int
    n_word_order: int
    beta: float
    lowercase: bool
    whitespace: bool


def chrf_scores(counts: NDArray[Any], options: ChrfOptions, dtype: type) -> NDArray[Any]:
    """Compute chrF from counts.

    Args:
        counts: int64 [n, orders, 3]: for each order of character and then of word n-grams, the n-grams of the
            prediction, the n-grams of the reference, and the matches.
        options: The options.
        dtype: NumPy's float32 or float64, the type of all operations.

    Returns:
        The scores, [n] of that dtype, 0..1.
    """
    import numpy as np

    preds, target, matches = counts.astype(dtype).T
    with np.errstate(divide="ignore", invalid="ignore"):  # Quotients by 0 are replaced by 0.
        precision = np.where(preds > 0, matches / preds, dtype(0))
        recall = np.where(target > 0, matches / target, dtype(0))
    factor = options.beta**2
    denominator = np.maximum(factor * precision + recall, dtype(_MIN_DENOMINATOR))
    of_orders = (1 + factor) * precision * recall / denominator
    of_characters, of_words = of_orders[: options.n_char_order], of_orders[options.n_char_order :]
    scores: NDArray[Any] = (sum(of_characters) + sum(of_words)) / dtype(len(of_orders))
    return scores


def count_chrf(
    preds: list[str], target: Sequence[Sequence[str]], options: ChrfOptions, dtype: type
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Count a corpus, and score each prediction.

    Args:
        preds: The texts of n predictions.
        target: The references of each prediction, at least one.
        options: The options.
        dtype: NumPy's float32 or float64, the type of all operations.

    Returns:
        The sums of the counts, int64 [orders, 3]: for each order of character and then of word n-grams, the n-grams of
        the predictions, the n-grams of their best references, and the matches. And the scores, [n], 0..1, of each
        prediction with its best reference.

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
    """Count predictions with one reference each.

    Args:
        pairs: A list of n predictions, and a list of their n references.
        char_order: The largest order of character n-grams.
        word_order: The largest order of word n-grams.

    Returns:
        int64 [n, orders, 3]: for each order, the n-grams of the prediction, those of the reference, and the matches.
    """
    import numpy as np

    orders = char_order + word_order
    matcher = _cached_matcher(char_order, word_order)

    def counted(hypotheses: list[str], references: list[str]) -> NDArray[Any]:
        rows = np.zeros((len(hypotheses), 3 * orders), dtype=np.int64)
        if orders and len(rows) <= _FEW_PAIRS:
            for row, hypothesis, reference in zip(rows, hypotheses, references, strict=True):
                row[:] = matcher.count_one(hypothesis, [reference])[0]
        elif orders:
            read_corpus(matcher, hypotheses, [references]).count(rows_of(rows))
        return rows.reshape(len(hypotheses), orders, 3)

    preds, target = pairs
    counts = counted(preds, target)
    if orders:
        # The kernel does not count the n-grams of a hypothesis if its reference has none. To count them, such pairs are
        # counted again, with the texts swapped.
        lengths, empty = counts[:, 0, 0].copy(), np.flatnonzero(counts[:, 0, 1] == 0)
        if len(empty):
            swapped = counted([target[i] for i in empty], [preds[i] for i in empty])
            lengths[empty] = swapped[:, 0, 1]
        counts[:, :, 0] = np.maximum(lengths[:, np.newaxis] - np.arange(orders), 0)
    return counts


@lru_cache(16)
def _cached_matcher(char_order: int, word_order: int) -> ChrfMatcher:
    return ChrfMatcher(char_order, word_order, True, False, 1, False, 1)
