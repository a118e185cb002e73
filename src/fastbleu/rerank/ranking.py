"""Orderings of pools by their utilities, alone or together with a model's own scores, and the best of each pool."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple, overload

from ..errors import describe
from ..options import check_integer, check_number
from .evidence_weights import are_sequences, as_numbers
from .pools import as_offsets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import ArrayLike, NDArray


class Ranking(NamedTuple):
    """The candidates of one pool, of a matrix of pools, or of flat utilities, from the best to the worst."""

    #: int64 [k], or [n, k] of a matrix: their places in the pool.
    indices: NDArray[int64]
    #: float64 of the same shape: the numbers that they were ranked by.
    scores: NDArray[float64]


class Rankings(NamedTuple):
    """The candidates of each pool of a list, from the best to the worst."""

    #: int64 [k] for each pool: their places in the pool.
    indices: list[NDArray[int64]]
    #: float64 [k] for each pool: the numbers that they were ranked by.
    scores: list[NDArray[float64]]


@overload
def rank(
    utilities: Sequence[NDArray[Any] | Sequence[float]],
    model_scores: Sequence[NDArray[Any] | Sequence[float]] | None = None,
    weight: float | None = None,
    *,
    top_k: int | None = None,
    offsets: None = None,
) -> Rankings: ...


@overload
def rank(
    utilities: ArrayLike,
    model_scores: ArrayLike | None = None,
    weight: float | None = None,
    *,
    top_k: int | None = None,
    offsets: Sequence[int] | ArrayLike | None = None,
) -> Ranking: ...


def rank(
    utilities: Any,
    model_scores: Any = None,
    weight: float | None = None,
    *,
    top_k: int | None = None,
    offsets: Sequence[int] | ArrayLike | None = None,
) -> Ranking | Rankings:
    """Order the candidates of a pool, or of each of many, by utility, the best first.

    Args:
        utilities: Of one pool, a sequence of numbers. Of many, a list of sequences, a matrix [n, size], or with
            `offsets` a flat sequence. As `expected` returns them, or any others.
        model_scores: The model's own scores in the same form; higher is better.
        weight: The weight of the model's scores, 0..1, required where they are given: candidates are ranked by
            (1 - weight) * utility + weight * model score. Neither is scaled.
        top_k: How many of the best to keep, >= 1; all of a pool with fewer. None: all.
        offsets: n + 1 integers: pool i is utilities[offsets[i]] to utilities[offsets[i + 1] - 1].

    Returns:
        The places of the candidates in their pools, and the numbers that they were ranked by: a `Ranking` with arrays
        [k] for one pool and [n, k] for a matrix, `Rankings` with a list of arrays [k] for a list of pools. For flat
        utilities it is a `Ranking` with flat arrays, which hold min(k, size) candidates of each pool, one pool after
        another. Candidates of the same value stay in their order.

    Raises:
        TypeError: Something is no number; names utilities[j] or utilities[i][j].
        ValueError: A number is NaN or infinite; numbers of utilities and model scores differ; a weight is missing or
            out of range.

    Example:
        >>> rank([20.0, 50.0, 20.0]).indices.tolist()
        [1, 0, 2]
        >>> indices, scores = rank([[10.0, 30.0], [5.0]], [[-1.0, -41.0], [-2.0]], weight=0.5, top_k=1)
        >>> [best.tolist() for best in indices], [best.tolist() for best in scores]
        ([[0], [0]], [[4.5], [1.5]])
    """
    import numpy as np

    if top_k is not None:
        top_k = check_integer("top_k", top_k, 1)
    share = _check_weight(model_scores, weight)
    if hasattr(utilities, "_fields"):
        raise TypeError(
            f"utilities must be those of all candidates, not a {type(utilities).__name__}; pass expected(pools)"
        )
    utilities, model_scores = _listed(utilities), _listed(model_scores)

    def ranked(
        values: Any, scores: Any, dimensions: int, place: str = ""
    ) -> tuple[NDArray[int64], NDArray[float64]]:
        names = f"utilities{place}", f"model_scores{place}"
        return _ranked(_combined(values, scores, share, dimensions, *names), top_k)

    if offsets is not None:
        values = _combined(utilities, model_scores, share, 1, "utilities", "model_scores")
        bounds = as_offsets(offsets, len(values), "offsets")
        parts = [_ranked(values[first:last], top_k) for first, last in pairwise(bounds.tolist())]
        if not parts:
            return Ranking(np.empty(0, dtype=np.int64), np.empty(0))
        return Ranking(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    if getattr(utilities, "ndim", None) == 2:
        return Ranking(*ranked(utilities, model_scores, 2))
    if not isinstance(utilities, (list, tuple)) or not are_sequences(utilities):
        return Ranking(*ranked(utilities, model_scores, 1))
    if model_scores is None:
        model_scores = [None] * len(utilities)
    elif not hasattr(model_scores, "__len__") or len(model_scores) != len(utilities):
        raise ValueError(
            f"model_scores must be for {len(utilities)} sources, as utilities, got {describe(model_scores)}"
        )
    best = [ranked(pool, model_scores[i], 1, f"[{i}]") for i, pool in enumerate(utilities)]
    return Rankings([indices for indices, _ in best], [scores for _, scores in best])


def _check_weight(model_scores: Any, weight: float | None) -> float:
    if model_scores is None:
        if weight is not None:
            raise ValueError(f"weight is {weight!r}, but there are no model_scores")
        return 0.0
    if weight is None:
        raise ValueError("weight must be given for model_scores, 0..1")
    share = check_number("weight", weight)
    if not 0 <= share <= 1:
        raise ValueError(f"weight must be within 0..1, got {weight!r}")
    return share


def _listed(values: Any) -> Any:
    """Columns and arrays of objects as lists, since each object may be the numbers of a pool."""
    kind = getattr(getattr(values, "dtype", None), "kind", "O")
    if isinstance(values, (list, tuple, str)) or kind != "O" or not hasattr(values, "__len__"):
        return values
    return (
        list(values) if hasattr(values, "__iter__") and not isinstance(values, (bytes, dict, set)) else values
    )


def _combined(
    utilities: Any, model_scores: Any, share: float, dimensions: int, name: str, other: str
) -> NDArray[float64]:
    """The numbers to rank by."""
    values = _finite(utilities, dimensions, name)
    if model_scores is None:
        return values
    scores = _finite(model_scores, dimensions, other)
    if scores.shape != values.shape:
        raise ValueError(
            f"{other} must have the shape {list(values.shape)}, as {name}, not {list(scores.shape)}"
        )
    return (1 - share) * values + share * scores


def _finite(numbers: Any, dimensions: int, name: str) -> NDArray[float64]:
    import numpy as np

    values = as_numbers(numbers, name, dimensions)
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        place = "".join(f"[{k}]" for k in bad[0].tolist())
        raise ValueError(f"{name}{place} must be finite, got {values[tuple(bad[0])].item()!r}")
    return values


def _ranked(values: NDArray[float64], top_k: int | None) -> tuple[NDArray[int64], NDArray[float64]]:
    """The places of the best values along the last axis, the first of equal ones first, and these values."""
    import numpy as np

    best = np.argsort(-values, axis=-1, kind="stable")[..., :top_k].astype(np.int64, copy=False)
    return best, np.take_along_axis(values, best, axis=-1)


def first_largest(scores: NDArray[float64], bounds: NDArray[int64]) -> NDArray[int64]:
    """Find the best candidate of each pool.

    Args:
        scores: float64, of all candidates, one pool behind the other.
        bounds: int64 [n + 1]: pool i is the scores bounds[i]..bounds[i + 1] - 1, at least one.

    Returns:
        int64 [n]: its place in the pool; of several with the largest score the first one's.

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
