"""The selection with a high corpus BLEU: where to start from, and coordinate ascent from there."""

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

#: Prices of length that are tried, each halving what is left between too short and too long.
_PRICES = 10


def best_selection(
    metric: BLEU, rows: Rows, bounds: Places, sentence_oracle: Places
) -> tuple[Places, BLEUScore]:
    """Look for the selection with the highest corpus BLEU.

    Coordinate ascent stops where no single change helps, which is often where hypotheses are just as long as their
    references: beyond, more matches cost more than they bring only because of length. So it starts from several
    selections: the sentence oracle, the best single system, and the best for a price of length that makes them as long
    as their references, if every candidate is worth what a small share of it would change.

    Args:
        metric: The options.
        rows: int64 [candidates, 2 + 2N] of statistics.
        bounds: int64 [n + 1]: the candidates of source i are the rows from bounds[i] to bounds[i + 1] - 1; at least
            one.
        sentence_oracle: int64 [n]: of each source the candidate with the highest sentence BLEU.

    Returns:
        The selection, int64 [n], and its score: never below that of the sentence oracle, or of any single system.
    """
    from ._ascent import ascend

    formula = metric.formula.compiled
    starts = [sentence_oracle, _best_single_system(metric, rows, bounds)]
    starts.append(_best_at_a_price(metric, rows, bounds, sentence_oracle))
    found = []
    for start in starts:
        end = start.copy()
        ascend(rows, bounds, end, formula)
        # Ends are compared by the scalar formula, and so are starts: the last digit could make a difference.
        found += [start, end]
    scores = [metric.formula.score(_sum_of(rows, bounds, selection)) for selection in found]
    best = max(range(len(found)), key=lambda i: scores[i].score)
    return found[best].copy(), scores[best]


def _best_single_system(metric: BLEU, rows: Rows, bounds: Places) -> Places:
    """The place at which the candidates of all pools together have the highest corpus BLEU, n times."""
    import numpy as np

    smallest = int((bounds[1:] - bounds[:-1]).min())
    sums = [_sum_of(rows, bounds, place) for place in range(smallest)]
    scores = [metric.formula.score(row).score for row in sums]
    return np.full(len(bounds) - 1, scores.index(max(scores)), dtype=np.int64)


def _best_at_a_price(metric: BLEU, rows: Rows, bounds: Places, start: Places) -> Places:
    """The best of the selections that are best for some price of length, found by bisection."""
    from ._ascent import choose_by_gains

    selection = start.copy()
    row = _sum_of(rows, bounds, selection)
    best, highest = selection.copy(), metric.formula.score(row).score
    low, high = 0.0, 1.0
    for _ in range(_PRICES):
        price = (low + high) / 2
        choose_by_gains(rows, bounds, _gains(row, metric.weights, price), selection)
        row = _sum_of(rows, bounds, selection)
        score = metric.formula.score(row).score
        if score > highest:
            best, highest = selection.copy(), score
        if row[0] < row[1]:
            low = price
        else:
            high = price
    return best


def _gains(row: list[int], weights: tuple[float, ...] | None, price: float) -> array[float]:
    """What the logarithm of a corpus' score gains by one more in each place of its row.

    Args:
        row: Its statistics.
        weights: Of the orders; None: all the same.
        price: What share of the brevity penalty's slope counts, 0..1: it has two slopes where lengths are equal.

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


def _sum_of(rows: Rows, bounds: Places, selection: Places | int) -> list[int]:
    total: list[int] = rows[bounds[:-1] + selection].sum(axis=0).tolist()
    return total
