"""Rank candidates by utility, optionally combined with a model's scores, and find the best candidates of each pool."""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Any, NamedTuple, overload

from ..errors import (
    ArgumentTypeError,
    ArgumentValueError,
    GroupLocation,
    Location,
    suggests_options,
    wrong_value,
)
from ..options import check_integer, check_number
from .evidence_weights import are_sequences, as_numbers, as_numbers_like, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy import float64, int64
    from numpy.typing import ArrayLike, NDArray

#: The largest value allowed for an argument `k`. The limit is arbitrary: larger results would exhaust memory.
MAX_K = 1 << 31


class Ranking(NamedTuple):
    """The candidates of one pool, or of n pools of equal size, from the best to the worst."""

    #: int64 [k], or [n, k] for n pools: the indices of the candidates in their pools.
    indices: NDArray[int64]
    #: float64 [k] or [n, k]: the numbers by which the candidates were ranked.
    scores: NDArray[float64]


class Rankings(NamedTuple):
    """The candidates of each of n pools, from the best to the worst."""

    #: n arrays int64 [k], one per pool: the indices of the candidates in the pool.
    indices: list[NDArray[int64]]
    #: n arrays float64 [k], one per pool: the numbers by which the candidates were ranked.
    scores: list[NDArray[float64]]


@overload
def rank(
    utilities: Sequence[NDArray[Any] | Sequence[float]],
    model_scores: Sequence[NDArray[Any] | Sequence[float]] | None = None,
    interpolate: float | None = None,
    *,
    top_k: int | None = None,
) -> Rankings: ...


@overload
def rank(
    utilities: ArrayLike,
    model_scores: ArrayLike | None = None,
    interpolate: float | None = None,
    *,
    top_k: int | None = None,
) -> Ranking: ...


@suggests_options
def rank(
    utilities: Any, model_scores: Any = None, interpolate: float | None = None, *, top_k: int | None = None
) -> Ranking | Rankings:
    """Order the candidates of one pool, or of each of several pools, by utility, the best first.

    Args:
        utilities: For one pool a sequence of numbers; for several pools a list of sequences or a matrix [n, size].
            They need not be results of `expected`: any finite numbers can be ranked.
        model_scores: The model's scores of the same candidates, in the layout of `utilities`; higher is better.
        interpolate: The weight of the model's scores, 0..1, required with `model_scores`. Candidates are ranked by
            (1 - interpolate) * utility + interpolate * model score. Neither number is rescaled.
        top_k: The number of best candidates to return from each pool, >= 1; a smaller pool is returned whole. None:
            return all candidates.

    Returns:
        The indices of the candidates in their pools, and the numbers by which they were ranked. For one pool, a
        `Ranking` with arrays [k]; for a matrix, a `Ranking` with arrays [n, k]; for a list of pools, `Rankings` with
        lists of n arrays [k]. Candidates with equal numbers stay in the order in which they were passed.

    Raises:
        TypeError: A value is not a number; the error names utilities[j] or utilities[i][j].
        ValueError: A number is NaN or infinite; `utilities` and `model_scores` differ in shape or length; or
            `interpolate` is missing or out of range.

    Example:
        >>> rank([20.0, 50.0, 20.0]).indices.tolist()
        [1, 0, 2]
        >>> indices, scores = rank([[10.0, 30.0], [5.0]], [[-1.0, -41.0], [-2.0]], interpolate=0.5, top_k=1)
        >>> [best.tolist() for best in indices], [best.tolist() for best in scores]
        ([[0], [0]], [[4.5], [1.5]])
    """
    import numpy as np

    if top_k is not None:
        top_k = min(check_integer("top_k", top_k, 1), sys.maxsize)
    share = _check_interpolate(model_scores, interpolate)
    if hasattr(utilities, "_fields"):
        needed = (
            f"must be the utilities of all candidates, not a {type(utilities).__name__}; pass expected(pools)"
        )
        raise ArgumentTypeError("utilities", needed, value=utilities)
    utilities = listed(utilities)
    shape: list[int] | None = None
    if getattr(utilities, "ndim", None) == 2:
        values = as_numbers(utilities, "utilities", 2)
        shape = list(values.shape)
        bounds = shape[1] * np.arange(shape[0] + 1)
    elif isinstance(utilities, (list, tuple)) and are_sequences(utilities):
        pools = [as_numbers(pool, Location("utilities")[i], 1) for i, pool in enumerate(utilities)]
        values, bounds = np.concatenate(pools), np.cumsum([0, *map(len, pools)])
    else:
        values = as_numbers(utilities, "utilities", 1)
        shape = [len(values)]
        bounds = np.array([0, len(values)])
    groups = None if shape is not None and len(shape) == 1 else bounds
    values = _finite(values.reshape(-1), "utilities", groups)
    if model_scores is not None:
        scores = as_numbers_like(model_scores, "model_scores", shape, bounds, "utilities")
        values = (1 - share) * values + share * _finite(scores, "model_scores", groups)
    best, kept = best_first(values, bounds, top_k)
    indices, scores = best - np.repeat(bounds[:-1], np.diff(kept)), values[best]
    if shape is None:
        ranges = list(pairwise(kept.tolist()))
        return Rankings([indices[i:k] for i, k in ranges], [scores[i:k] for i, k in ranges])
    if top_k is not None:
        shape[-1] = min(shape[-1], top_k)
    return Ranking(indices.reshape(shape), scores.reshape(shape))


def _check_interpolate(model_scores: Any, interpolate: float | None) -> float:
    """Check the argument `interpolate` of `rank`, and return it as a float; return 0 without model scores."""
    if model_scores is None:
        if interpolate is not None:
            raise ArgumentValueError(
                "interpolate", f"is {interpolate!r}, but no model_scores are given", value=interpolate
            )
        return 0.0
    if interpolate is None:
        raise ArgumentValueError("interpolate", "must be given with model_scores: their weight, 0..1")
    return check_number("interpolate", interpolate, lambda share: 0 <= share <= 1, "within 0..1")


def _finite(values: NDArray[float64], name: str, bounds: NDArray[int64] | None) -> NDArray[float64]:
    """Check that all numbers are finite, and return them.

    Args:
        values: float64 [candidates]: the numbers of all candidates, pool after pool.
        name: The name of the argument, for error messages.
        bounds: int64 [n + 1]: the bounds of the pools in `values`; None for a single pool.

    Raises:
        ValueError: A number is NaN or infinite; the error names its index.
    """
    import numpy as np

    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        where = Location(name) if bounds is None else GroupLocation(Location(name), bounds)
        raise wrong_value(where[int(bad[0])], "finite", values[bad[0]].item())
    return values


def best_first(
    values: NDArray[float64], bounds: NDArray[int64], top_k: int | None
) -> tuple[NDArray[int64], NDArray[int64]]:
    """Sort the candidates of each pool by value, the highest first; candidates with equal values keep their order.

    Args:
        values: float64 [candidates]: finite numbers of all candidates, pool after pool.
        bounds: int64 [n + 1]: pool i has the values bounds[i] to bounds[i + 1] - 1.
        top_k: The number of best candidates to return from each pool; None: return all.

    Returns:
        The indices in `values` of the returned candidates, int64, pool after pool; and the bounds of the pools in this
        array of indices, int64 [n + 1].

    Example:
        >>> import numpy as np
        >>> order, kept = best_first(np.array([1.0, 3, 2, 5]), np.array([0, 3, 4]), 2)
        >>> order.tolist(), kept.tolist()
        ([1, 2, 3], [0, 2, 3])
    """
    import numpy as np

    sizes = np.diff(bounds)
    pools = np.repeat(np.arange(len(sizes)), sizes)
    if len(values) and (sizes == sizes[0]).all():
        order = np.argsort(-values.reshape(len(sizes), -1), axis=-1, kind="stable").reshape(-1)
        order += bounds[pools]
    else:
        order = np.lexsort((-values, pools))
    if top_k is None:
        return order, bounds
    order = order[np.arange(len(order)) - bounds[pools] < top_k]
    return order, np.concatenate(([0], np.cumsum(np.minimum(sizes, top_k))))


def k_best(
    values: NDArray[float64], bounds: NDArray[int64], k: int
) -> tuple[NDArray[int64], NDArray[float64]]:
    """Find the k best candidates of each pool, the best first; candidates with equal values keep their order.

    Args:
        values: float64 [candidates]: finite numbers of all candidates, pool after pool.
        bounds: int64 [n + 1]: pool i has the values bounds[i] to bounds[i + 1] - 1.
        k: The number of candidates.

    Returns:
        The indices of the candidates in their pools, int64 [n, k], and their values, float64 [n, k]. Where a pool has
        fewer than k candidates, the index is -1 and the value NaN.

    Example:
        >>> import numpy as np
        >>> [matrix.tolist() for matrix in k_best(np.array([1.0, 3, 2, 5]), np.array([0, 3, 4]), 2)]
        [[[1, 2], [0, -1]], [[3.0, 2.0], [5.0, nan]]]
    """
    import numpy as np

    order, kept = best_first(values, bounds, k)
    pools = np.repeat(np.arange(len(bounds) - 1), np.diff(kept))
    cells = pools, np.arange(len(order)) - kept[pools]
    indices = np.full((len(bounds) - 1, k), -1, dtype=np.int64)
    best = np.full(indices.shape, np.nan)
    indices[cells], best[cells] = order - bounds[pools], values[order]
    return indices, best


def first_largest(scores: NDArray[float64], bounds: NDArray[int64]) -> NDArray[int64]:
    """Find the candidate with the largest score in each pool.

    Args:
        scores: float64 [candidates]: the scores of all candidates, pool after pool.
        bounds: int64 [n + 1]: pool i has the scores bounds[i] to bounds[i + 1] - 1, at least one.

    Returns:
        int64 [n]: the index of the candidate in its pool; the lowest index if several have the largest score.

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
    winners = np.flatnonzero(scores == largest)
    indices: NDArray[int64] = winners[winners.searchsorted(starts)] - starts
    return indices
