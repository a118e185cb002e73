"""Rank pools by utilities, optionally combined with a model's own scores, and find the best candidate of each pool."""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import NamedTuple, overload

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
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import ArrayLike, NDArray

#: An arbitrary limit of arguments `k`; more columns of a result would exhaust memory.
MAX_K = 1 << 31


class Ranking(NamedTuple):
    """The candidates of one pool, or of a matrix of pools, from the best to the worst."""

    #: int64 [k], or [n, k] for a matrix of n pools: the indices of the candidates in their pools.
    indices: NDArray[int64]
    #: float64 of the same shape: the numbers by which the candidates were ranked.
    scores: NDArray[float64]


class Rankings(NamedTuple):
    """The candidates of each pool of a list, from the best to the worst."""

    #: int64 [k] for each pool: the indices of the candidates in the pool.
    indices: list[NDArray[int64]]
    #: float64 [k] for each pool: the numbers by which the candidates were ranked.
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
        utilities: For one pool a sequence of numbers; for several pools a list of sequences or a matrix [n, size], as
            `expected` returns them. Any numbers serve.
        model_scores: The model's own scores in the same form; higher is better.
        interpolate: The weight of the model's scores, 0..1, required if they are given: candidates are ranked by
            (1 - interpolate) * utility + interpolate * model score. Neither is scaled.
        top_k: The number of best candidates to keep, >= 1; smaller pools are kept whole. None: all.

    Returns:
        The indices of the candidates in their pools, and the numbers by which they were ranked: a `Ranking` with arrays
        [k] for one pool and [n, k] for a matrix, or `Rankings` with lists of arrays [k] for a list of pools. Candidates
        with equal numbers keep their order.

    Raises:
        TypeError: A value is not a number; the error names utilities[j] or utilities[i][j].
        ValueError: A number is NaN or infinite; the numbers of utilities and of model scores differ; or `interpolate`
            is missing or out of range.

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
        needed = f"must be those of all candidates, not a {type(utilities).__name__}; pass expected(pools)"
        raise ArgumentTypeError("utilities", needed, value=utilities)
    utilities = listed(utilities)
    shape: list[int] | None = None
    if getattr(utilities, "ndim", None) == 2:
        values = as_numbers(utilities, "utilities", 2)
        shape = list(values.shape)
        bounds = shape[1] * np.arange(shape[0] + 1)
    elif isinstance(utilities, (list, tuple)) and are_sequences(utilities):
        parts = [as_numbers(pool, Location("utilities")[i], 1) for i, pool in enumerate(utilities)]
        values, bounds = np.concatenate(parts), np.cumsum([0, *map(len, parts)])
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
    """Return the weight of the model's scores, 0 without them; raises as `rank`."""
    if model_scores is None:
        if interpolate is not None:
            raise ArgumentValueError(
                "interpolate", f"is {interpolate!r}, but there are no model_scores", value=interpolate
            )
        return 0.0
    if interpolate is None:
        raise ArgumentValueError("interpolate", "must be given for model_scores, 0..1")
    return check_number("interpolate", interpolate, lambda share: 0 <= share <= 1, "within 0..1")


def _finite(values: NDArray[float64], name: str, bounds: NDArray[int64] | None) -> NDArray[float64]:
    """Return numbers after a check that all are finite.

    Args:
        values: The numbers of all candidates, pool after pool.
        name: The name of the argument in errors.
        bounds: int64 [n + 1]: the bounds of the pools in `values`; None for a single pool.
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
    """Order the candidates of each pool, the best first; candidates with equal values keep their order.

    Args:
        values: float64 [candidates]: finite numbers of all candidates, pool after pool.
        bounds: int64 [n + 1]: pool i is the values bounds[i]..bounds[i + 1] - 1.
        top_k: The number of best candidates to keep; None: all.

    Returns:
        The positions in `values` of the candidates that are kept, int64, and the bounds of the pools in this array,
        int64 [n + 1].

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
    """Return the indices and the values of the k best candidates of each pool, the best first, as matrices [n, k].

    The first of equal candidates comes first. Where a pool is smaller, the index is -1 and the value NaN. Arguments are
    as for `best_first`.

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
        bounds: int64 [n + 1]: pool i is the scores bounds[i]..bounds[i + 1] - 1, at least one.

    Returns:
        int64 [n]: the index of the candidate in its pool; the first one if several have the largest score.

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
