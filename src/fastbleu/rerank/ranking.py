"""Whole orderings of pools by their utilities, alone or together with a model's own scores."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from ..errors import describe
from ..options import check_integer, check_number
from .evidence_weights import as_numbers
from .pool_bounds import as_offsets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy import float64
    from numpy.typing import ArrayLike, NDArray


class Ranking(NamedTuple):
    """Candidates from the best to the worst, in the form of the utilities that they were ranked by."""

    #: int64: their places in the pool.
    indices: Any
    #: float64: what they were ranked by.
    scores: Any


def rank(
    utilities: ArrayLike | Sequence[ArrayLike],
    model_scores: ArrayLike | Sequence[ArrayLike] | None = None,
    weight: float | None = None,
    *,
    top_k: int | None = None,
    offsets: Sequence[int] | ArrayLike | None = None,
) -> Ranking:
    """Order the candidates of a pool, or of each of many, by utility, the best first.

    Args:
        utilities: Of one pool, a sequence of numbers; or of many: a list of such sequences, a matrix [n, size], or with
            `offsets` a flat sequence. As `expected` returns them, or any others.
        model_scores: The model's own scores in the same form; higher is better.
        weight: What these count, 0..1, required where they are given: candidates are ranked by
            (1 - weight) * utility + weight * model score. Both are taken on the scales that they have.
        top_k: How many of the best to keep, >= 1; a pool with fewer is kept whole. None: all.
        offsets: n + 1 integers: pool i is utilities[offsets[i]] to utilities[offsets[i + 1] - 1].

    Returns:
        The places of the candidates in their pools, and what they were ranked by, on the scale of the utilities: arrays
        [k] for one pool, lists of such arrays for a list, matrices [n, k] for a matrix; for flat utilities flat arrays
        that hold the best of each pool one pool after another, min(k, size) each. Candidates of the same value stay in
        the order in which they came.

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
    if offsets is not None:
        values = _combined(utilities, model_scores, share, 1, "utilities", "model_scores")
        bounds = as_offsets(offsets, len(values), "offsets")
        parts = [_ranked(values[first:last], top_k) for first, last in pairwise(bounds.tolist())]
        if not parts:
            return Ranking(np.empty(0, dtype=np.int64), np.empty(0))
        return Ranking(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    if getattr(utilities, "ndim", None) == 2:
        return Ranking(
            *_ranked(_combined(utilities, model_scores, share, 2, "utilities", "model_scores"), top_k)
        )
    if not _are_pools(utilities):
        return Ranking(
            *_ranked(_combined(utilities, model_scores, share, 1, "utilities", "model_scores"), top_k)
        )
    pools: Sequence[Any] = utilities  # type: ignore[assignment]  # _are_pools has looked
    others: Any = model_scores
    if others is not None and (not hasattr(others, "__len__") or len(others) != len(pools)):
        raise ValueError(
            f"model_scores must be for {len(pools)} sources, as utilities, got {describe(others)}"
        )
    ranked = [
        _ranked(
            _combined(
                pool, None if others is None else others[i], share, 1, f"utilities[{i}]", f"model_scores[{i}]"
            ),
            top_k,
        )
        for i, pool in enumerate(pools)
    ]
    return Ranking([indices for indices, _ in ranked], [scores for _, scores in ranked])


def _check_weight(model_scores: Any, weight: float | None) -> float:
    if model_scores is None:
        if weight is not None:
            raise ValueError(f"weight is {weight!r}, but there are no model_scores")
        return 0.0
    if weight is None:
        raise ValueError("weight must say what model_scores count, 0..1")
    share = check_number("weight", weight)
    if not 0 <= share <= 1:
        raise ValueError(f"weight must be within 0..1, got {weight!r}")
    return share


def _listed(values: Any) -> Any:
    """Columns and arrays of objects as lists: they may hold the numbers of a pool in each place."""
    kind = getattr(getattr(values, "dtype", None), "kind", "O")
    if isinstance(values, (list, tuple, str)) or kind != "O" or not hasattr(values, "__len__"):
        return values
    return (
        list(values) if hasattr(values, "__iter__") and not isinstance(values, (bytes, dict, set)) else values
    )


def _are_pools(utilities: Any) -> bool:
    """Whether utilities are a list of sequences, rather than numbers."""
    if not isinstance(utilities, (list, tuple)) or not len(utilities):
        return False
    first = utilities[0]
    return hasattr(first, "__len__") and getattr(first, "ndim", 1) != 0 and not isinstance(first, str)


def _combined(
    utilities: Any, model_scores: Any, share: float, dimensions: int, name: str, other: str
) -> NDArray[float64]:
    """What to rank by."""
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


def _ranked(values: NDArray[float64], top_k: int | None) -> tuple[NDArray[Any], NDArray[float64]]:
    """The places of the best values along the last axis, the first of equal ones first, and these values."""
    import numpy as np

    best = np.argsort(-values, axis=-1, kind="stable")[..., :top_k].astype(np.int64, copy=False)
    return best, np.take_along_axis(values, best, axis=-1)
