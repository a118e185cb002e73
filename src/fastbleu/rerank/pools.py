"""Pools of candidates, one for each source, in every form that users hold them in."""

from __future__ import annotations

import sys
from itertools import pairwise

from ..errors import describe
from ..inputs._column import concatenate
from ..inputs._text import TextColumn
from ..inputs.id_sources import all_ids, as_ids, is_number_array
from ..inputs.ids import TokenIds
from ..inputs.text import as_segments
from ..options import check_integer
from .pool_bounds import as_offsets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, TypeAlias

    from numpy import float64, int64
    from numpy.typing import ArrayLike, NDArray

    from ..inputs._column import Column
    from ..inputs.text import Segments

    #: Pools as a user may hold them.
    AnyPools: TypeAlias = "Pools | Sequence[Any]"
    #: Numbers of candidates, in the form of the pools that these are in.
    PerCandidate: TypeAlias = list[NDArray[float64]] | NDArray[float64]

#: Candidates of the pools that are read at a time, and their characters or tokens; a pool alone may have more.
CHUNK_CANDIDATES = 1024
CHUNK_VOLUME = 1 << 20

_WHAT = "a list of pools, one for each source, pools[source][candidate]"


class Pools:
    """Pools that lie one behind the other in a flat sequence of candidates.

    What is computed of their candidates comes as a matrix [n, size] if all have one size, and as a list of n arrays if
    they have offsets; weights are taken in the same form, or in one flat sequence where there are offsets. A plain list
    of pools needs no `Pools`.

    Args:
        candidates: All segments: a list of str or of token sequences, a column, token ids (`TokenIds`, or a matrix).
        size: How many candidates each pool has, >= 1.
        offsets: Instead of it, n + 1 integers: pool i is the candidates offsets[i]..offsets[i + 1] - 1. The first is
            0 and the last the number of candidates; pools may be empty.

    Raises:
        TypeError: `candidates` is no sequence of segments, or a number is no integer.
        ValueError: Neither or both of size and offsets are given, or they do not fit the candidates.

    Example:
        >>> pools = Pools(["a b", "b a", "c d", "d c"], size=2)
        >>> len(pools), pools[1]
        (2, ['c d', 'd c'])
        >>> list(Pools(["a b", "b a", "c d"], offsets=[0, 2, 2, 3]))
        [['a b', 'b a'], [], ['c d']]
    """

    __slots__ = ("_bounds", "_candidates", "_size")

    def __init__(
        self, candidates: Any, size: int | None = None, *, offsets: Sequence[int] | ArrayLike | None = None
    ) -> None:
        ids = as_ids(candidates, "candidates")
        if ids is not None and ids.is_per_segment:
            raise ValueError(
                f"candidates must have the shape [candidates, tokens], not {list(ids.shape)}; "
                "reshape it to rows: ids.reshape(-1, ids.shape[-1])"
            )
        self._candidates: Segments | TokenIds = (
            as_segments(candidates, "candidates", "a sequence of candidates") if ids is None else ids
        )
        number = len(self._candidates)
        if (size is None) == (offsets is None):
            raise ValueError(
                f"either size or offsets must be given, got size={size!r} and offsets={offsets!r}"
            )
        self._size = None if size is None else check_integer("size", size, 1)
        if self._size is None:
            self._bounds = as_offsets(offsets, number, "offsets")
            self._bounds.setflags(write=False)
            return
        import numpy as np

        if number % self._size:
            raise ValueError(f"candidates has {number} segments, which is no multiple of size={self._size}")
        self._bounds = np.arange(0, number + 1, self._size, dtype=np.int64)
        self._bounds.setflags(write=False)

    @property
    def size(self) -> int | None:
        """How many candidates each pool has; None where offsets say it."""
        return self._size

    @property
    def bounds(self) -> NDArray[int64]:
        """Where pools begin and end, int64 [n + 1]: pool i is the candidates bounds[i]..bounds[i + 1] - 1."""
        return self._bounds

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def __getitem__(self, index: int) -> list[Any]:
        """The candidates of a pool; token ids as lists of int."""
        check_integer("index", index, -sys.maxsize)
        i = index + len(self) if index < 0 else index
        if not 0 <= i < len(self):
            raise IndexError(f"index {index} is out of range for {len(self)} pools")
        start, stop = self._bounds[i : i + 2].tolist()
        candidates = self._candidates
        if isinstance(candidates, TokenIds):
            return [candidates[k] for k in range(start, stop)]
        return list(
            candidates.slice(start, stop) if isinstance(candidates, TextColumn) else candidates[start:stop]
        )

    def __iter__(self) -> Iterator[list[Any]]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        form = "offsets" if self._size is None else f"size={self._size}"
        return f"<Pools of {len(self)} sources, {len(self._candidates)} candidates, {form}>"

    # What every form of pools can do

    def _first(self) -> Any:
        """The first candidate of all; None if there is none."""
        candidates = self._candidates
        return next(iter(candidates), None)

    def _are_ids(self, name: str) -> bool:  # noqa: ARG002  # as of the other form
        """Whether candidates are ids that mean the same in all pools."""
        return isinstance(self._candidates, TokenIds)

    def _have_unknown(self) -> bool:
        """Whether some ids match nothing."""
        return isinstance(self._candidates, TokenIds) and self._candidates.rule["unk_id"] is not None

    def _segments(self, start: int, stop: int) -> tuple[Segments, int, int]:
        """A sequence that holds the candidates of some pools, where in it they begin and where they end."""
        candidates = self._candidates
        first, last = int(self._bounds[start]), int(self._bounds[stop])
        if isinstance(candidates, TokenIds):
            return [candidates.tokens(k, "candidates") for k in range(first, last)], 0, last - first
        return candidates, first, last

    def _ids(self, start: int, stop: int, name: str, is_reference: bool) -> Column:
        """The candidates of some pools as ids, which they must be."""
        first, last = int(self._bounds[start]), int(self._bounds[stop])
        column: Column = self._candidates.read(first, last, is_reference=is_reference, name=name)[0]  # type: ignore[union-attr]
        return column

    def _with_ids(self, name: str) -> Pools:
        """The same pools, read as ids."""
        if isinstance(self._candidates, TokenIds):
            return self
        return Pools(all_ids(self._candidates, name), offsets=self._bounds)

    def _volume(self, i: int) -> int:
        """How many characters or tokens a pool has, roughly."""
        first, last = int(self._bounds[i]), int(self._bounds[i + 1])
        candidates = self._candidates
        if isinstance(candidates, TokenIds):
            return (last - first) * (candidates.shape[1] if len(candidates.shape) > 1 else 0)
        # A column is not copied.
        return 0 if isinstance(candidates, TextColumn) else _volume(candidates, first, last)

    def is_absent(self, i: int) -> bool:
        """Whether pool i holds nothing but None."""
        """Whether a pool, of references, holds nothing but None."""
        candidates = self._candidates
        if isinstance(candidates, (TextColumn, TokenIds)):
            return False
        first, last = int(self._bounds[i]), int(self._bounds[i + 1])
        return all(candidates[k] is None for k in range(first, last))

    def _shaped(self, values: NDArray[Any]) -> Any:
        """Values of all candidates in the form that belongs to these pools."""
        return _split(values, self._bounds) if self._size is None else values.reshape(len(self), self._size)


class RaggedPools:
    """A list of pools, each a sequence of candidates of its own.

    Args:
        pools: n sequences of segments; as references, also str and arrays for one of them, and None for none.
        name: What to call them in an error.
        are_references: Whether they are references, of which some may be None.

    Raises:
        TypeError: One of them is no sequence of segments.
    """

    __slots__ = ("_are_references", "_bounds", "_name", "_pools")

    size = None

    def __init__(self, pools: Segments, name: str, are_references: bool = False) -> None:
        import numpy as np

        self._pools = pools
        self._name = name
        self._are_references = are_references
        if set(map(type, pools)) <= {list, tuple}:
            sizes: Iterable[int] = map(len, pools)
        else:
            sizes = (len(self._pool(i)) for i in range(len(pools)))
        self._bounds = np.zeros(len(pools) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(sizes, dtype=np.int64, count=len(pools)), out=self._bounds[1:])

    @property
    def bounds(self) -> NDArray[int64]:
        """As of `Pools`, were the pools one behind the other."""
        return self._bounds

    def __len__(self) -> int:
        return len(self._pools)

    def _pool(self, i: int) -> Segments | TokenIds:
        """A pool in a form that reads quickly."""
        pool = self._pools[i]
        if isinstance(pool, (list, tuple, TextColumn)):
            return pool
        if self._are_references:
            if pool is None:
                return ()
            if isinstance(pool, str) or is_number_array(pool, (1,)):
                return (pool,)
        name = f"{self._name}[{i}]"
        if isinstance(pool, str):
            raise TypeError(
                f"{self._name} must be {_WHAT}, but {name} is {describe(pool)}; candidates of all sources in one list "
                f"go into Pools({self._name}, size=...), those of one source into a list of their own: [{self._name}]"
            )
        ids = as_ids(pool, name)
        if ids is None:
            return as_segments(pool, name, "a sequence of segments")
        if ids.is_per_segment:
            raise ValueError(f"{name} must have the shape [candidates, tokens], not {list(ids.shape)}")
        return ids

    def _first(self) -> Any:
        for i in range(len(self)):
            for segment in self._pool(i):
                if segment is not None:
                    return segment
        return None

    def _are_ids(self, name: str) -> bool:
        # Ids are not looked at before they have a name.
        if set(map(type, self._pools)) <= {list, tuple, str, type(None)} and isinstance(self._first(), str):
            return False
        return any(as_ids(self._pool(i), f"{name}[{i}]") is not None for i in range(len(self)))

    def _have_unknown(self) -> bool:
        return any(isinstance(pool, TokenIds) and pool.rule["unk_id"] is not None for pool in self._pools)

    def _segments(self, start: int, stop: int) -> tuple[Segments, int, int]:
        flat: list[Any] = []
        for i in range(start, stop):
            flat.extend(self._pool(i))
        if len(flat) != self._bounds[stop] - self._bounds[start]:
            raise RuntimeError(f"{self._name} changed while it was scored")
        return flat, 0, len(flat)

    def _ids(self, start: int, stop: int, name: str, is_reference: bool) -> Column:
        columns = []
        for i in range(start, stop):
            place = f"{name}[{i}]"
            ids = as_ids(self._pool(i), place)
            if ids is None:
                ids = all_ids(self._pool(i), place)
            columns.append(_read_ids(ids, is_reference, place))
        column = columns[0] if len(columns) == 1 else concatenate(columns)
        if len(column) != self._bounds[stop] - self._bounds[start]:
            raise RuntimeError(f"{self._name} changed while it was scored")
        return column

    def _volume(self, i: int) -> int:
        pool = self._pools[i]
        if isinstance(pool, (list, tuple)):
            return _volume(pool, 0, len(pool))
        shape: tuple[int, ...] = getattr(pool, "shape", ())
        return shape[0] * shape[1] if len(shape) == 2 else 0

    def is_absent(self, i: int) -> bool:
        """Whether pool i holds nothing but None."""
        pool = self._pool(i)
        return isinstance(pool, (list, tuple)) and all(each is None for each in pool)

    def _shaped(self, values: NDArray[Any]) -> Any:
        return _split(values, self._bounds)


def _split(values: NDArray[Any], bounds: NDArray[int64]) -> list[NDArray[Any]]:
    return [values[start:stop] for start, stop in pairwise(bounds.tolist())]


def as_pools(value: Any, name: str, are_references: bool = False) -> Pools | RaggedPools:
    """Pools, or references per source, in a form that reads quickly.

    Args:
        value: `Pools`, or a sequence of pools.
        name: What to call it in an error.
        are_references: Whether it is references: a str then is one reference of its source, None none.

    Raises:
        TypeError: It is neither.
    """
    if isinstance(value, Pools):
        return value
    what = "a list with the references of each source, references[source]" if are_references else _WHAT
    if isinstance(value, (str, bytes, bytearray)):
        raise TypeError(f"{name} must be {what}, not a bare {describe(value)}")
    if not are_references:
        if isinstance(value, TextColumn):
            raise TypeError(f"{name} must be {what}, not one TextColumn; pass Pools({name}, size=...)")
        if isinstance(value, TokenIds) or is_number_array(value, (1, 2, 3)):
            shape = f" of the shape {list(value.shape)}"
            raise TypeError(
                f"{name} must be {what}, not one {type(value).__name__}{shape}; pass Pools({name}, size=...), one "
                "candidate in each row"
            )
    return RaggedPools(as_segments(value, name, what), name, are_references)


def _read_ids(ids: TokenIds, is_reference: bool, name: str) -> Column:
    column: Column = ids.read(0, len(ids), is_reference=is_reference, name=name)[0]
    return column


def _volume(segments: Sequence[Any], first: int, last: int) -> int:
    """How many characters or tokens a pool has, from a look at three candidates: they say the same, or should.

    What has no length is for the reader to refuse.
    """
    if first == last:
        return 0
    try:
        return (last - first) * max(len(segments[k]) for k in (first, (first + last) // 2, last - 1))
    except (TypeError, IndexError):
        return 0
