"""The corpus oracle: one candidate of each pool, so that all together have a high corpus BLEU."""

from __future__ import annotations

from array import array

from ..counting.rows import row_width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

    from ..metric import BLEU
    from ..scoring.score import BLEUScore

    Rows = NDArray[int64]
    Places = NDArray[int64]

#: Prices of length that are tried; each halves the interval between too short and too long.
_PRICES = 10


def corpus_oracle(
    metric: BLEU, rows: Rows, bounds: Places, sentence_oracle: Places
) -> tuple[Places, BLEUScore]:
    """Choose one candidate of each pool by coordinate ascent, so that the corpus BLEU of all is high.

    The ascent stops where no single change raises the score. That is often where hypotheses are exactly as long as
    their references: a change that brings more matches also changes the length, which costs more than they bring. So
    the ascent starts from several choices: the sentence oracle; the best single system; and the best choice of
    `_best_at_a_price`, for a price of length that makes hypotheses as long as their references.

    Args:
        metric: The options.
        rows: int64 [candidates, 2 + 2N] of statistics.
        bounds: int64 [n + 1]: the candidates of source i are the rows bounds[i]..bounds[i + 1] - 1, at least one.
        sentence_oracle: int64 [n]: the place of the candidate with the highest sentence BLEU in each pool.

    Returns:
        The place of the chosen candidate in each pool, int64 [n], and the score: never below that of the sentence
        oracle or of any single system.
    """
    from ._ascent import ascend

    formula = metric.formula.compiled
    starts = [sentence_oracle, _best_single_system(metric, rows, bounds)]
    starts.append(_best_at_a_price(metric, rows, bounds, sentence_oracle))
    choices = []
    for start in starts:
        end = start.copy()
        ascend(rows, bounds, end, formula)
        # The ascent's shorter formula may differ from the scalar one in the last digit, so starts are compared, too.
        choices += [start, end]
    scores = [metric.formula.score(_sum_of(rows, bounds, places)) for places in choices]
    best = max(range(len(choices)), key=lambda i: scores[i].score)
    return choices[best].copy(), scores[best]


def _best_single_system(metric: BLEU, rows: Rows, bounds: Places) -> Places:
    """The place at which the candidates of all pools together have the highest corpus BLEU, n times."""
    import numpy as np

    smallest = int((bounds[1:] - bounds[:-1]).min())
    sums = [_sum_of(rows, bounds, place) for place in range(smallest)]
    scores = [metric.formula.score(row).score for row in sums]
    return np.full(len(bounds) - 1, scores.index(max(scores)), dtype=np.int64)


def _best_at_a_price(metric: BLEU, rows: Rows, bounds: Places, start: Places) -> Places:
    """Rank candidates by their linearised gain, at prices of length found by bisection; the best choice of all."""
    from ._ascent import choose_by_gains

    places = start.copy()
    row = _sum_of(rows, bounds, places)
    best, highest = places.copy(), metric.formula.score(row).score
    low, high = 0.0, 1.0
    for _ in range(_PRICES):
        price = (low + high) / 2
        choose_by_gains(rows, bounds, _gains(row, metric.weights, price), places)
        row = _sum_of(rows, bounds, places)
        score = metric.formula.score(row).score
        if score > highest:
            best, highest = places.copy(), score
        if row[0] < row[1]:
            low = price
        else:
            high = price
    return best


def _gains(row: list[int], weights: tuple[float, ...] | None, price: float) -> array[float]:
    """The gradient of the logarithm of the corpus score by the numbers of its row.

    Args:
        row: The statistics of the corpus.
        weights: Of the orders; None: all the same.
        price: The share of the brevity penalty's slope that counts, 0..1. At equal lengths the penalty has two slopes,
            0 and the one below; a price between them stands for a subgradient.

    Returns:
        float64 [2 + 2N].
    """
    order = len(row) // 2 - 1
    shares = [1 / order] * order if weights is None else [weight / sum(weights) for weight in weights]
    sys_len, ref_len = max(row[0], 1), row[1]
    gains = array("d", bytes(8 * row_width(order)))
    gains[0] = price * ref_len / sys_len**2
    gains[1] = -price / sys_len
    for n, share in enumerate(shares):
        gains[2 + n] = share / max(row[2 + n], 1)
        gains[2 + order + n] = -share / max(row[2 + order + n], 1)
    return gains


def _sum_of(rows: Rows, bounds: Places, places: Places | int) -> list[int]:
    """The sum of the rows at these places of the pools."""
    total: list[int] = rows[bounds[:-1] + places].sum(axis=0).tolist()
    return total
