"""Corrections of p-values for the number of comparisons."""

from __future__ import annotations

from ...errors import Place, wrong_type, wrong_value
from ...options import CORRECTIONS, check_choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...options import Correction


def correct_p_values(p_values: Iterable[float], correction: Correction) -> list[float]:
    """Correct p-values for the number of comparisons.

    Args:
        p_values: n numbers, 0..1.
        correction: "none"; "bonferroni" (the family-wise error rate, p times n); "holm" (the same rate and never less
            power; Holm 1979); or "benjamini-hochberg" (the false discovery rate; Benjamini and Hochberg 1995).

    Returns:
        n corrected p-values, 0..1, in the order of the given ones. A difference is significant at a level if its
        corrected p-value is at most that level.

    Raises:
        TypeError: A p-value is not a number.
        ValueError: A p-value is NaN or outside of 0..1, or the correction is unknown.

    Example:
        >>> correct_p_values([0.01, 0.04, 0.03], "holm")
        [0.03, 0.06, 0.06]
        >>> correct_p_values([0.01, 0.04, 0.03], "benjamini-hochberg")
        [0.03, 0.04, 0.04]
    """
    check_choice("correction", correction, CORRECTIONS)
    given: list[float] = []
    for i, p in enumerate(p_values):
        if isinstance(p, (bool, str)) or not hasattr(p, "__float__"):
            raise wrong_type(Place("p_values")[i], "a number", p)
        if not 0 <= p <= 1:  # false for NaN too
            raise wrong_value(Place("p_values")[i], "from 0 to 1", p)
        given.append(float(p))
    n = len(given)
    if correction == "none":
        return given
    if correction == "bonferroni":
        return [min(1.0, n * p) for p in given]
    corrected = [0.0] * n
    order = sorted(range(n), key=given.__getitem__)
    if correction == "holm":
        bound = 0.0
        for rank, i in enumerate(order):
            bound = corrected[i] = max(bound, min(1.0, (n - rank) * given[i]))
        return corrected
    bound = 1.0
    for rank, i in zip(range(n, 0, -1), reversed(order), strict=True):
        bound = corrected[i] = min(bound, n * given[i] / rank)
    return corrected
