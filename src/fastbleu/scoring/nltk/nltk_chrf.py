"""NLTK's chrF: an order without a match scores almost 0; the score is the mean over orders and segments."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

#: The score of an order without a match.
_EPSILON = 1e-16


def mean_chrf(counts: NDArray[Any], beta: float) -> float:
    """Compute the mean chrF of segments, with the operations of NLTK 3.10.4 in their order.

    Args:
        counts: int64 [segments, orders, 3]: the n-grams of the hypothesis, those of its reference, and the matches.
        beta: How much more recall counts than precision.

    Returns:
        The score, 0..1.

    Example:
        >>> import numpy as np
        >>> mean_chrf(np.array([[[4, 5, 3], [3, 4, 0]]]), 3.0)
        0.3061224489795919
    """
    import numpy as np

    hypotheses, references, matches = np.moveaxis(counts.astype(np.float64), 2, 0)
    factor = beta**2
    with np.errstate(divide="ignore", invalid="ignore"):  # Quotients by 0 are replaced.
        precision, recall = matches / hypotheses, matches / references
        scores = (1 + factor) * (precision * recall) / (factor * precision + recall)
    of_orders = [sum(column) for column in np.where(matches > 0, scores, _EPSILON).T.tolist()]
    return float(sum(of_orders) / len(of_orders) / len(counts))
