"""Where pools that lie one behind the other begin and end, and what follows from it."""

from __future__ import annotations

from ..errors import describe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import NDArray


def as_offsets(offsets: Any, number: int, name: str) -> NDArray[int64]:
    """Offsets of pools of so many candidates, checked."""
    import numpy as np

    if isinstance(offsets, (str, bytes, dict, set)) or not hasattr(offsets, "__len__"):
        raise TypeError(f"{name} must be a sequence of integers, not {describe(offsets)}")
    found = np.asarray(offsets)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        raise TypeError(f"{name} must be a sequence of integers, not {describe(offsets)}")
    bounds = found.astype(np.int64)
    if not len(bounds) or bounds[0] != 0:
        raise ValueError(f"{name} must begin with 0, got {describe(offsets)}")
    falls = np.flatnonzero(np.diff(bounds) < 0)
    if len(falls):
        i = int(falls[0]) + 1
        raise ValueError(f"{name}[{i}] must be at least {bounds[i - 1]}, the one before, got {bounds[i]}")
    if bounds[-1] != number:
        raise ValueError(f"{name} must end with {number}, the number of candidates, got {bounds[-1]}")
    return bounds


def check_candidates(bounds: NDArray[int64]) -> None:
    """Checks that there is something to choose from for each source.

    Args:
        bounds: int64 [n + 1] of the pools.

    Raises:
        ValueError: A pool is empty; names the first.
    """
    empty = (bounds[1:] == bounds[:-1]).nonzero()[0]
    if len(empty):
        raise ValueError(f"pools[{empty[0]}] has no candidates")


def first_largest(scores: NDArray[float64], bounds: NDArray[int64]) -> NDArray[int64]:
    """The place of the first largest score in each pool, none of them empty; int64 [n].

    Example:
        >>> import numpy as np
        >>> first_largest(np.array([1.0, 3, 3, 2]), np.array([0, 3, 4])).tolist()
        [1, 0]
    """
    import numpy as np

    if not len(scores):
        return np.empty(0, dtype=np.int64)
    starts = bounds[:-1]
    largest = np.repeat(np.maximum.reduceat(scores, starts), bounds[1:] - starts)
    places = np.flatnonzero(scores == largest)
    found: NDArray[int64] = places[places.searchsorted(starts)] - starts
    return found
