"""The smoothing methods of BLEU by name: the precision of an n-gram order without a match.

A segment that shares no 4-gram with its references would score 0 however good its shorter n-grams are. Each
method here gives such an order a small precision instead. They are those of Chen and Cherry (2014), "A Systematic
Comparison of Smoothing Techniques for Sentence-Level BLEU", https://aclanthology.org/W14-3346, under the names and
with the behaviour of sacreBLEU 2.6.0:

========  ======================================================================================
none      the precision stays 0, and so does the score
floor     a count of 0 becomes `smooth_value` (their method 1)
add-k     `smooth_value` is added to both counts of every order above 1, zero or not (method 2)
exp       the k-th order without a match counts 1 / 2^k (method 3, mteval-v13a.pl)
========  ======================================================================================

An order without any candidate (the hypothesis is shorter than n) ends the series: it and all longer ones keep
precision 0, whatever the method. Under add-k such an order has the candidates that were added to it.

Three more have names of their own. Those that add one go back to Lin and Och (2004), "ORANGE: a Method for Evaluating
Automatic Evaluation Metrics for Machine Translation", https://aclanthology.org/C04-1072, and are taken for each other.
All leave the counts of a score as they were:

===================  ===========================================================================
add-k-all            `smooth_value` is added to both counts of every order, zero or not (neurst adds 0.01)
add-one              1 is added to both counts of every order, zero or not, so that a segment without any match scores
                     above 0 (tensorflow/nmt, Hugging Face)
add-one-above-first  1 is added to both counts of every order above 1, so that only a segment without a matching token
                     scores 0 (Lin and Och's BLEUS, torchmetrics)
===================  ===========================================================================
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Counts = list[int] | list[float]
    Weights = tuple[float, ...]

#: The methods that sacreBLEU has, too.
PEER_METHODS = ("none", "floor", "add-k", "exp")

#: The methods that add to every order, so that a segment without any match scores above 0.
EVERY_ORDER = ("add-one", "add-k-all")

#: The methods that add to the counts of precisions, and leave those of a score as they were.
_ADDING = (*EVERY_ORDER, "add-one-above-first")


def smoothed_precisions(
    correct: Counts, total: Counts, method: str, value: float | None
) -> tuple[Counts, Counts, list[float], int]:
    """Turn the counts of one row into precisions.

    Args:
        correct: Matched n-grams, one count per order from 1 on. Never changed.
        total: Candidate n-grams of the same orders. Never changed.
        method: A name in `options.SMOOTH_DEFAULTS`.
        value: The method's value as `options.check_smoothing` returns it.

    Returns:
        The two lists of counts (new ones if the method adds to them), the precisions (0..100) and the number of
        orders before the first one without candidates.

    Example:
        >>> smoothed_precisions([3, 1, 0, 0], [4, 3, 2, 0], "exp", None)
        ([3, 1, 0, 0], [4, 3, 2, 0], [75.0, 33.333333333333336, 25.0, 0.0], 3)
    """
    added = value if method in ("add-k", "add-k-all") else 1 if method in _ADDING else None
    raised, among = correct, total
    if added is not None and total[0]:  # a series that ends at order 1 is left as it is
        first = added if method in EVERY_ORDER else 0
        raised, among = (
            [counts[0] + first, *(count + added for count in counts[1:])] for counts in (correct, total)
        )
    precisions = [0.0] * len(correct)
    orders = 0
    doubled = 1.0
    for matches, candidates in zip(raised, among, strict=True):
        if not candidates:
            break
        # The order of the operations decides the last bit: it is sacreBLEU's.
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
    return raised, among, precisions, orders
