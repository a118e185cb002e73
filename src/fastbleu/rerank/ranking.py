"""Orderings of pools by their utilities, alone or together with a model's own scores, and the best of each pool."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple, overload

from ..errors import GroupPlace, Place, counted
from ..metric import BLEU
from ..options import check_flag, check_integer, check_number
from ._equal_texts import count_equal
from .evidence_weights import are_sequences, as_numbers, beside, listed
from .pool_chunks import PoolColumns
from .pool_sources import as_pools, one_pool
from .pools import as_offsets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal, TypeVar

    from numpy import float64, int64
    from numpy.typing import ArrayLike, NDArray

    from ..inputs._column import Column
    from .pools import AnyPools

    Found = TypeVar("Found", bound=Any)


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


def with_votes(found: Found, votes: Any) -> Found:
    """Put votes beside what was found, and not into it, so that `indices, scores = rank(utilities)` holds."""
    if votes is not None:
        found.votes = votes
    return found


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
    utilities = listed(utilities)
    is_one, are_lists = False, unique
    form: list[int] | None = None
    shape: tuple[int, ...] = (-1,)
    if offsets is None and getattr(utilities, "ndim", None) == 2:
        values = as_numbers(utilities, "utilities", 2)
        number, size = form = list(values.shape)
        bounds = size * np.arange(number + 1)
        shape = number, min(size, top_k or size)
    elif offsets is None and isinstance(utilities, (list, tuple)) and are_sequences(utilities):
        parts = [as_numbers(pool, f"utilities[{i}]", 1) for i, pool in enumerate(utilities)]
        values, bounds, are_lists = np.concatenate(parts), np.cumsum([0, *map(len, parts)]), True
    else:
        values = as_numbers(utilities, "utilities", 1)
        form = [len(values)]
        if offsets is None:
            bounds, is_one, are_lists = np.array([0, len(values)]), True, False
        else:
            bounds = as_offsets(offsets, len(values), "offsets")
    groups = None if form == [len(values)] else bounds
    values = _finite(values.reshape(-1), "utilities", groups)
    if model_scores is not None:
        scores = beside(model_scores, "model_scores", form, bounds, "utilities")
        values = (1 - share) * values + share * _finite(scores, "model_scores", groups)
    votes = firsts = None
    if pools is not None:
        votes, firsts = _counted(pools, bounds, is_one)
    best, kept = best_first(values, bounds, top_k, firsts if unique else None)

    def shaped(numbers: Any) -> Any:
        return [numbers[i:k] for i, k in pairwise(kept.tolist())] if are_lists else numbers.reshape(shape)

    kind: Any = Rankings if are_lists else Ranking
    found = kind(shaped(best - np.repeat(bounds[:-1], np.diff(kept))), shaped(values[best]))
    return with_votes(found, None if votes is None else shaped(votes[best]))


def _counted(
    pools: Any, bounds: NDArray[int64], is_one: bool = False
) -> tuple[NDArray[int64], NDArray[int64]]:
    """For each candidate: how many candidates of its pool equal it, and the index of the first.

    Args:
        pools: What the user gave.
        bounds: Where the candidates of each pool must begin, and their number.
        is_one: Whether these are the segments of one pool.

    Raises:
        ValueError: Another number of candidates.
    """
    import numpy as np

    found = one_pool(pools, "pools") if is_one else as_pools(pools, "pools")
    if len(found) != len(bounds) - 1:
        raise ValueError(
            f"pools is for {counted(len(found), 'source')}, but there are utilities of {len(bounds) - 1}"
        )
    sizes = zip(np.diff(found.bounds).tolist(), np.diff(bounds).tolist(), strict=True)
    for i, (has, size) in enumerate(sizes):
        if has != size:
            place = "pools" if is_one else f"pools[{i}]"
            raise ValueError(f"{place} has {counted(has, 'candidate')}, but there are utilities of {size}")
    votes, firsts = np.empty((2, int(bounds[-1])), dtype=np.int64)

    def count(columns: list[Any], start: int, stop: int) -> tuple[()]:
        first, last = bounds[start], bounds[stop]
        votes[first:last], firsts[first:last] = count_equal(columns[0], bounds[start : stop + 1] - first)
        firsts[first:last] += first
        return ()

    # It takes text, tokens and ids as they are.
    matcher = BLEU(tokenize="none", effective_order=True).matcher
    PoolColumns(matcher, [found]).for_each_chunk(count, lambda: None, 1, 0, False)
    return votes, firsts


def _check_weight(model_scores: Any, weight: float | None) -> float:
    if model_scores is None:
        if weight is not None:
            raise ValueError(f"weight is {weight!r}, but there are no model_scores")
        return 0.0
    if weight is None:
        raise ValueError("weight must be given for model_scores, 0..1")
    return check_number("weight", weight, lambda share: 0 <= share <= 1, "within 0..1")


def _finite(values: NDArray[float64], name: str, bounds: NDArray[int64] | None) -> NDArray[float64]:
    """Check that numbers are finite, those of several pools within these bounds."""
    import numpy as np

    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        where = Place(name) if bounds is None else GroupPlace(Place(name), bounds)
        raise ValueError(f"{where[int(bad[0])]} must be finite, got {values[bad[0]].item()!r}")
    return values


def best_first(
    values: NDArray[float64], bounds: NDArray[int64], top_k: int | None, firsts: NDArray[int64] | None = None
) -> tuple[NDArray[int64], NDArray[int64]]:
    """Order the candidates of each pool, the best first, and those of the same value as they come.

    Args:
        values: Finite numbers of all candidates, one pool after the other.
        bounds: int64 [n + 1]: pool i is the values bounds[i]..bounds[i + 1] - 1.
        top_k: How many of the best to keep; None: all.
        firsts: Of each candidate the first one of its pool that is equal; one of equal ones is kept. None: all are.

    Returns:
        The numbers of the candidates that are kept, and where those of each pool begin.

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
    if firsts is not None:
        order = order[np.sort(np.unique(firsts[order], return_index=True)[1])]
        sizes = np.bincount(pools[order], minlength=len(sizes))
    kept = np.concatenate(([0], np.cumsum(sizes)))
    if top_k is not None:
        order = order[np.arange(len(order)) - np.repeat(kept[:-1], sizes) < top_k]
        kept = np.concatenate(([0], np.cumsum(np.minimum(sizes, top_k))))
    return order, kept


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


class Choice:
    """The best candidate of each pool, chosen chunk by chunk.

    Args:
        bounds: int64 [n + 1]: pool i is the candidates bounds[i]..bounds[i + 1] - 1, at least one.

    Attributes:
        indices: int64 [n]: its place in the pool.
        utilities: float64 [n].
        votes: int64 [n]: how many candidates of the pool are equal to it.
    """

    def __init__(self, bounds: NDArray[int64]) -> None:
        import numpy as np

        self._bounds = bounds
        self.indices, self.votes = np.empty((2, len(bounds) - 1), dtype=np.int64)
        self.utilities = np.empty(len(bounds) - 1)

    def add(
        self, start: int, stop: int, scores: NDArray[float64], candidates: Column
    ) -> tuple[NDArray[int64], NDArray[int64]]:
        """Choose from the pools start..stop - 1.

        Args:
            start: The first pool.
            stop: One after the last.
            scores: float64, of their candidates.
            candidates: These, so that equal ones are equal in the column.

        Returns:
            int64: the numbers of the best in the column; and of each candidate how many of its pool are equal to it.
        """
        import numpy as np

        bounds = self._bounds[start : stop + 1] - self._bounds[start]
        chosen = first_largest(scores, bounds)
        best: NDArray[int64] = bounds[:-1] + chosen
        self.indices[start:stop] = chosen
        self.utilities[start:stop] = scores[best]
        votes = np.asarray(count_equal(candidates, bounds)[0])
        self.votes[start:stop] = votes[best]
        return best, votes
