"""Compute NLTK's chrF: the mean of scores over orders and segments, where an order without a match scores almost 0."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

#: The score of an order without a match.
_EPSILON = 1e-16

_FEW_SEGMENTS = 16  # For up to this many segments, a loop in Python takes less time than NumPy.


def mean_chrf(counts: NDArray[Any], beta: float) -> float:
    """Compute the mean chrF of segments, with the operations of NLTK 3.10.4 in their order.

    Args:
        counts: int64 [segments, orders, 3]: n-grams of the hypothesis, n-grams of its reference, and matches.
        beta: The weight of recall relative to precision.

    Returns:
        The score, 0..1.

    Example:
        >>> import numpy as np
        >>> mean_chrf(np.array([[[4, 5, 3], [3, 4, 0]]]), 3.0)
        0.3061224489795919
    """
    factor = beta**2
    if len(counts) <= _FEW_SEGMENTS:
        columns = [
            [_score(hypothesis, reference, matches, factor) for hypothesis, reference, matches in order]
            for order in counts.transpose(1, 0, 2).tolist()
        ]
        return _mean(columns)
    import numpy as np

    hypotheses, references, matches = np.moveaxis(counts.astype(np.float64), 2, 0)
    with np.errstate(divide="ignore", invalid="ignore"):  # Quotients by 0 are replaced below.
        precision, recall = matches / hypotheses, matches / references
        scores = (1 + factor) * (precision * recall) / (factor * precision + recall)
    return _mean(np.where(matches > 0, scores, _EPSILON).T.tolist())


def _score(hypothesis: int, reference: int, matches: int, factor: float) -> float:
    """Return the score (0..1) of an order from its three counts; `factor` is the square of beta."""
    if not matches:
        return _EPSILON
    precision, recall = matches / hypothesis, matches / reference
    return (1 + factor) * (precision * recall) / (factor * precision + recall)


def _mean(columns: list[list[float]]) -> float:
    """Return the mean of scores, [orders][segments], in NLTK's order of operations."""
    of_orders = list(map(sum, columns))
    return float(sum(of_orders) / len(of_orders) / len(columns[0]))
