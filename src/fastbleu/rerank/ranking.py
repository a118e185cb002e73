"""Orderings of pools by their utilities, alone or together with a model's own scores, and the best of each pool."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple, overload

from ..errors import ArgumentError, describe
from ..metric import BLEU
from ..options import check_flag, check_integer, check_number
from ._equal_texts import count_equal
from .evidence_weights import are_sequences, as_numbers
from .pool_chunks import PoolColumns, outside_pools
from .pool_sources import as_pools, one_pool
from .pools import as_offsets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

    from numpy import bool_, float64, int64
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self

    from .pools import AnyPools


class _Ordered(NamedTuple):
    indices: NDArray[int64]
    scores: NDArray[float64]


class Ranking(_Ordered):
    """The candidates of one pool, of a matrix of pools, or of flat utilities, from the best to the worst.

    Attributes:
        indices: int64 [k], or [n, k] of a matrix: their places in the pool.
        scores: float64 of the same shape: the numbers that they were ranked by.
        votes: int64 of the same shape: how many candidates of the pool are the same text, itself included; not
            there if `pools` was not given.
    """

    votes: NDArray[int64]

    def __new__(
        cls, indices: NDArray[int64], scores: NDArray[float64], votes: NDArray[int64] | None = None
    ) -> Self:
        """Votes are not part of the pair, so that `indices, scores = rank(utilities)` holds."""
        self = super().__new__(cls, indices, scores)
        if votes is not None:
            self.votes = votes
        return self


class _AllOrdered(NamedTuple):
    indices: list[NDArray[int64]]
    scores: list[NDArray[float64]]


class Rankings(_AllOrdered):
    """The candidates of each pool of a list, from the best to the worst.

    Attributes:
        indices: int64 [k] for each pool: their places in the pool.
        scores: float64 [k] for each pool: the numbers that they were ranked by.
        votes: int64 [k] for each pool: how many of its candidates are the same text; not there if `pools` was not
            given.
    """

    votes: list[NDArray[int64]]

    def __new__(
        cls,
        indices: list[NDArray[int64]],
        scores: list[NDArray[float64]],
        votes: list[NDArray[int64]] | None = None,
    ) -> Self:
        """Votes are not part of the pair, so that `indices, scores = rank(utilities)` holds."""
        self = super().__new__(cls, indices, scores)
        if votes is not None:
            self.votes = votes
        return self


@overload
def rank(
    utilities: Sequence[NDArray[Any] | Sequence[float]],
    model_scores: Sequence[NDArray[Any] | Sequence[float]] | None = None,
    weight: float | None = None,
    *,
    top_k: int | None = None,
    offsets: None = None,
    pools: AnyPools | None = None,
    unique: bool = False,
) -> Rankings: ...


@overload
def rank(
    utilities: ArrayLike,
    model_scores: ArrayLike | None = None,
    weight: float | None = None,
    *,
    top_k: int | None = None,
    offsets: Sequence[int] | ArrayLike | None = None,
    pools: AnyPools | None = None,
    unique: Literal[False] = False,
) -> Ranking: ...


@overload
def rank(
    utilities: ArrayLike,
    model_scores: ArrayLike | None = None,
    weight: float | None = None,
    *,
    top_k: int | None = None,
    offsets: Sequence[int] | ArrayLike | None = None,
    pools: AnyPools | None = None,
    unique: bool,
) -> Ranking | Rankings: ...


def rank(
    utilities: Any,
    model_scores: Any = None,
    weight: float | None = None,
    *,
    top_k: int | None = None,
    offsets: Sequence[int] | ArrayLike | None = None,
    pools: AnyPools | None = None,
    unique: bool = False,
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
        pools: The candidates whose utilities these are: pools, as `expected` takes them, or the segments of one pool.
            The ranking then says how many of the pool are equal to each: the same text, or the same tokens.
        unique: Of equal candidates, keep the one that ranks highest; needs `pools`. Pools may then be left with
            different numbers of candidates, and many pools in any form give `Rankings`.

    Returns:
        The places of the candidates in their pools, and the numbers that they were ranked by: a `Ranking` with arrays
        [k] for one pool and [n, k] for a matrix, `Rankings` with a list of arrays [k] for a list of pools. For flat
        utilities it is a `Ranking` with flat arrays, which hold min(k, size) candidates of each pool, one pool after
        another. Candidates of the same value stay in their order.

    Raises:
        TypeError: Something is not a number; names utilities[j] or utilities[i][j].
        ValueError: A number is NaN or infinite; numbers of utilities, model scores and candidates differ; a weight is
            missing or out of range; `unique` without pools.

    Example:
        >>> rank([20.0, 50.0, 20.0]).indices.tolist()
        [1, 0, 2]
        >>> indices, scores = rank([[10.0, 30.0], [5.0]], [[-1.0, -41.0], [-2.0]], weight=0.5, top_k=1)
        >>> [best.tolist() for best in indices], [best.tolist() for best in scores]
        ([[0], [0]], [[4.5], [1.5]])
        >>> ranking = rank([20.0, 50.0, 20.0], pools=["no", "yes", "no"], unique=True)
        >>> ranking.indices.tolist(), ranking.votes.tolist()
        ([1, 0], [1, 2])
    """
    import numpy as np

    if top_k is not None:
        top_k = check_integer("top_k", top_k, 1)
    unique = check_flag("unique", unique)
    if unique and pools is None:
        raise ValueError("unique=True needs pools: the candidates whose utilities these are")
    share = _check_weight(model_scores, weight)
    if hasattr(utilities, "_fields"):
        raise TypeError(
            f"utilities must be those of all candidates, not a {type(utilities).__name__}; pass expected(pools)"
        )
    utilities, model_scores = _listed(utilities), _listed(model_scores)
    if offsets is not None:
        values = _combined(utilities, model_scores, share, 1, "utilities", "model_scores")
        bounds = as_offsets(offsets, len(values), "offsets")
        values_of_pools = [values[first:last] for first, last in pairwise(bounds.tolist())]
        ranked = _ranked_pools(values_of_pools, top_k, pools, unique)
        if unique:
            return ranked
        if not values_of_pools:
            nothing = np.empty(0, dtype=np.int64)
            return Ranking(nothing, np.empty(0), None if pools is None else nothing)
        votes = None if pools is None else np.concatenate(ranked.votes)
        return Ranking(np.concatenate(ranked.indices), np.concatenate(ranked.scores), votes)
    if getattr(utilities, "ndim", None) == 2:
        values = _combined(utilities, model_scores, share, 2, "utilities", "model_scores")
        if unique:
            return _ranked_pools(list(values), top_k, pools, True)
        indices, scores = ordered(values, top_k)
        if pools is None:
            return Ranking(indices, scores)
        counts = _counted(pools, [values.shape[1]] * len(values))[0].reshape(values.shape)
        return Ranking(indices, scores, np.take_along_axis(counts, indices, axis=-1))
    if not isinstance(utilities, (list, tuple)) or not are_sequences(utilities):
        values = _combined(utilities, model_scores, share, 1, "utilities", "model_scores")
        one = _ranked_pools([values], top_k, pools, unique, is_one=True)
        return Ranking(one.indices[0], one.scores[0], None if pools is None else one.votes[0])
    if model_scores is None:
        model_scores = [None] * len(utilities)
    elif not hasattr(model_scores, "__len__") or len(model_scores) != len(utilities):
        raise ValueError(
            f"model_scores must be for {len(utilities)} sources, as utilities, got {describe(model_scores)}"
        )
    values_of_pools = [
        _combined(pool, model_scores[i], share, 1, f"utilities[{i}]", f"model_scores[{i}]")
        for i, pool in enumerate(utilities)
    ]
    return _ranked_pools(values_of_pools, top_k, pools, unique)


def _ranked_pools(
    values: list[NDArray[float64]], top_k: int | None, pools: Any, unique: bool, is_one: bool = False
) -> Rankings:
    """Each pool by itself.

    Args:
        values: What to rank by.
        top_k: How many of the best to keep; None: all.
        pools: The candidates, or None.
        unique: Whether to keep one of equal candidates.
        is_one: Whether the candidates are the segments of one pool.
    """
    if pools is None:
        best = [ordered(each, top_k) for each in values]
        return Rankings([indices for indices, _ in best], [scores for _, scores in best])
    votes, firsts = _counted(pools, list(map(len, values)), is_one)
    indices, start, counts = [], 0, []
    for each in values:
        places, _ = ordered(each, None if unique else top_k)
        if unique:
            places = places[first_of_equal(firsts[start + places])][:top_k]
        indices.append(places)
        counts.append(votes[start + places])
        start += len(each)
    return Rankings(indices, [each[places] for each, places in zip(values, indices, strict=True)], counts)


def _counted(pools: Any, sizes: list[int], is_one: bool = False) -> tuple[NDArray[int64], NDArray[int64]]:
    """For each candidate: how many candidates of its pool equal it, and the index of the first.

    Args:
        pools: What the user gave.
        sizes: How many candidates each pool must have.
        is_one: Whether these are the segments of one pool.

    Raises:
        ValueError: Another number of candidates.
    """
    import numpy as np

    found = one_pool(pools, "pools") if is_one else as_pools(pools, "pools")
    if is_one and len(found.bounds) == 2 and found.bounds[1] != sizes[0]:
        raise ValueError(f"pools has {found.bounds[1]} candidates, but there are {sizes[0]} utilities")
    if len(found) != len(sizes):
        raise ValueError(f"pools is for {len(found)} sources, but there are utilities of {len(sizes)}")
    for i, (has, size) in enumerate(zip(np.diff(found.bounds).tolist(), sizes, strict=True)):
        if has != size:
            raise ValueError(f"pools[{i}] has {has} candidates, but there are {size} utilities")
    votes, firsts = np.empty((2, int(found.bounds[-1])), dtype=np.int64)

    def count(columns: list[Any], start: int, stop: int) -> tuple[()]:
        first, last = found.bounds[start], found.bounds[stop]
        counts, numbers = count_equal(columns[0], found.bounds[start : stop + 1] - first)
        votes[first:last] = counts
        firsts[first:last] = numbers
        firsts[first:last] += first
        return ()

    # It takes text, tokens and ids as they are.
    matcher = BLEU(tokenize="none", effective_order=True).matcher
    try:
        PoolColumns(matcher, [found]).for_each_chunk(count, lambda: None, 1, 0, False)
    except ArgumentError as error:
        raise (outside_pools(error) if is_one else error) from None
    return votes, firsts


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


def ordered(values: NDArray[float64], top_k: int | None) -> tuple[NDArray[int64], NDArray[float64]]:
    """The places of the best values along the last axis, the first of equal ones first, and these values.

    Args:
        values: float64 [k] or [n, k], finite.
        top_k: How many of the best; None: all.

    Returns:
        int64 and float64, [k] or [n, k].
    """
    import numpy as np

    best = np.argsort(-values, axis=-1, kind="stable")[..., :top_k].astype(np.int64, copy=False)
    return best, np.take_along_axis(values, best, axis=-1)


def first_of_equal(firsts: NDArray[int64]) -> NDArray[bool_]:
    """Find what is left of candidates if one of equal ones is kept.

    Args:
        firsts: int64 [k], in the order of candidates: equal candidates have the same number.

    Returns:
        bool [k]: whether no candidate before it is equal.

    Example:
        >>> import numpy as np
        >>> first_of_equal(np.array([3, 1, 3, 0, 1])).tolist()
        [True, True, False, True, False]
    """
    import numpy as np

    kept = np.zeros(len(firsts), dtype=np.bool_)
    kept[np.unique(firsts, return_index=True)[1]] = True
    return kept


def first_largest(scores: NDArray[float64], bounds: NDArray[int64]) -> NDArray[int64]:
    """Find the best candidate of each pool.

    Args:
        scores: float64, of all candidates, one pool after the other.
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
