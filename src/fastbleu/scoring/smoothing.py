"""Compute the n-gram precisions of a row with a smoothing method.

Without smoothing, a segment that shares no 4-gram with its references scores 0, even if all shorter n-grams match. A
smoothing method gives an order without a match a small precision. These methods of Chen and Cherry (2014, "A Systematic
Comparison of Smoothing Techniques for Sentence-Level BLEU", https://aclanthology.org/W14-3346) have the names and the
behavior of sacreBLEU 2.6.0:

========  ======================================================================================
none      the precision is 0, and so is the score
floor     an order without a match counts `smooth_value` matches (method 1)
add-k     `smooth_value` is added to both counts of every order above 1, with or without a match (method 2)
exp       the k-th order without a match counts 1 / 2^k matches (method 3, mteval-v13a.pl)
========  ======================================================================================

If an order has no candidates, because the hypothesis is too short, this and all larger orders have precision 0. Under
add-k, orders above 1 always have candidates, because `smooth_value` is added to them.

Three further methods are not in sacreBLEU. Unlike add-k, they leave the counts that a score reports unchanged, and add
only to the counts from which precisions are computed. Adding one is due to Lin and Och (2004, "ORANGE: a Method for
Evaluating Automatic Evaluation Metrics for Machine Translation", https://aclanthology.org/C04-1072).

===================  ===========================================================================
add-k-all            `smooth_value` is added to both counts of every order (neurst adds 0.01)
add-one              1 is added to both counts of every order, so that a segment without any match scores above 0
                     (tensorflow/nmt, Hugging Face)
add-one-above-first  1 is added to both counts of every order above 1, so that only a segment without a matching token
                     scores 0 (Lin and Och's BLEUS, torchmetrics)
===================  ===========================================================================
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Counts = list[int] | list[float]
    Weights = tuple[float, ...]

#: The smoothing methods that sacreBLEU also has.
PEER_METHODS = ("none", "floor", "add-k", "exp")

#: The methods that add to the counts of every order, so that a segment without any match scores above 0.
EVERY_ORDER = ("add-one", "add-k-all")

#: The methods that add to the counts from which precisions are computed, but not to the counts that a score reports.
_ADDING = (*EVERY_ORDER, "add-one-above-first")


def smoothed_precisions(
    correct: Counts, total: Counts, method: str, value: float | None
) -> tuple[Counts, Counts, list[float], int]:
    """Compute the smoothed precisions of one row.

    Args:
        correct: The matched n-grams of the orders 1..N. Never changed.
        total: The candidate n-grams of the same orders. Never changed.
        method: A name in `options.SMOOTH_DEFAULTS`.
        value: The method's value, as `options.check_smoothing` returns it.

    Returns:
        The counts of matches and of candidates, in new lists under add-k, which adds to them; the precisions of the
        orders 1..N, 0..100; and the number of orders before the first one without candidates.

    Example:
        >>> smoothed_precisions([3, 1, 0, 0], [4, 3, 2, 0], "exp", None)
        ([3, 1, 0, 0], [4, 3, 2, 0], [75.0, 33.333333333333336, 25.0, 0.0], 3)
    """
    added = value if method in ("add-k", "add-k-all") else 1 if method in _ADDING else None
    smoothed, smoothed_total = correct, total
    if added is not None and total[0]:  # A hypothesis without tokens is not smoothed.
        first = added if method in EVERY_ORDER else 0
        smoothed, smoothed_total = (
            [counts[0] + first, *(count + added for count in counts[1:])] for counts in (correct, total)
        )
    precisions = [0.0] * len(correct)
    orders = 0
    doubled = 1.0
    for matches, candidates in zip(smoothed, smoothed_total, strict=True):
        if not candidates:
            break
        # The order of the operations is that of sacreBLEU, because the last bit depends on it.
        if matches:
            precisions[orders] = 100.0 * matches / candidates
        elif method == "exp":
            doubled *= 2
            precisions[orders] = 100.0 / (doubled * candidates)
        elif method == "floor" and value is not None:
            precisions[orders] = 100.0 * value / candidates
        orders += 1
    if method in _ADDING:
        return correct, total, precisions, total.index(0) if 0 in total else len(total)
    return smoothed, smoothed_total, precisions, orders
