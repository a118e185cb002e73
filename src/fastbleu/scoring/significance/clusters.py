"""Ranks of systems, where systems that are not told apart share a rank."""

from __future__ import annotations

from ...errors import Place, wrong_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def clusters(scores: Mapping[str, float], differ: Callable[[str, str], bool]) -> list[list[str]]:
    """Put systems into clusters, as the findings of WMT do.

    A cluster ends where each system so far is significantly better than each one behind it.

    Args:
        scores: The score of each system by its name; higher is better.
        differ: Told the names of two systems, the better one first; whether they differ significantly.

    Returns:
        The clusters, the best one first; the names in each from the highest score to the lowest, equal scores in the
        order given.

    Raises:
        ValueError: A score is NaN.

    Example:
        >>> far = lambda a, b: abs(ord(a) - ord(b)) > 1
        >>> clusters({"a": 31.0, "b": 30.0, "f": 25.0, "e": 26.0, "k": 9.0}, far)
        [['a', 'b'], ['e', 'f'], ['k']]
    """
    for name, score in scores.items():
        if score != score:  # noqa: PLR0124  # NaN
            raise wrong_value(Place("scores")[name], "a number", score)
    order = sorted(scores, key=lambda name: -scores[name])
    found: list[list[str]] = []
    start = 0
    for stop in range(1, len(order) + 1):
        if all(differ(better, worse) for better in order[start:stop] for worse in order[stop:]):
            found.append(order[start:stop])
            start = stop
    return found
