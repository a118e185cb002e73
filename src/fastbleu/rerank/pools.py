"""What a pool is: the candidates of one source, in each form in which users hold pools of many sources."""

from __future__ import annotations

import sys
from bisect import bisect_right
from itertools import pairwise
from typing import Generic, TypeVar, overload

from ..errors import (
    ArgumentError,
    ArgumentTypeError,
    ArgumentValueError,
    Place,
    describe,
    wrong_type,
    wrong_value,
)
from ..inputs._column import concatenate
from ..inputs._text import TextColumn
from ..inputs.ids import TokenIds
from ..inputs.segments import (
    IDS,
    TEXT,
    Segments,
    as_list,
    as_segments,
    common_kind,
    flat_ids,
    is_number_array,
)
from ..options import check_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, TypeAlias

    from numpy import float64, int64
    from numpy.typing import ArrayLike, NDArray

    from ..inputs._column import Column
    from ..inputs.segments import Kind
    from ..inputs.text import Listed

    #: Pools as a user may hold them.
    AnyPools: TypeAlias = "Pools[Any] | Sequence[Any]"
    #: Numbers of candidates, in the form of the pools that hold these.
    PerCandidate: TypeAlias = list[NDArray[float64]] | NDArray[float64]
    #: Pools as `as_pools` gives them: checked, and quick to read.
    CheckedPools: TypeAlias = "FlatPools | RaggedPools"

#: The form in which numbers of the candidates of `Pools` are returned.
Form = TypeVar("Form")

_WHAT = "a list of pools, one for each source, pools[source][candidate]"


class Pools(Generic[Form]):
    """Pools that lie one behind the other in a flat sequence of candidates.

    Functions return a number for each candidate as a matrix [n, size] if the pools have one size, and as a list of n
    arrays if they have offsets. They take weights in the same form, or for pools with offsets as one flat sequence. A
    plain list of pools needs no `Pools`.

    Args:
        candidates: All segments: a list of str or of token sequences, a column, token ids (`TokenIds`, or a matrix).
        size: How many candidates each pool has, >= 1.
        offsets: Instead of `size`, n + 1 integers: pool i is the candidates offsets[i]..offsets[i + 1] - 1. The first
            is 0 and the last the number of candidates. Pools may be empty.

    Raises:
        TypeError: `candidates` is no sequence of segments, or a size or offset is no integer.
        ValueError: Neither or both of size and offsets are given, or they do not fit the candidates.

    Example:
        >>> pools = Pools(["a b", "b a", "c d", "d c"], size=2)
        >>> len(pools), pools[1]
        (2, ['c d', 'd c'])
        >>> list(Pools(["a b", "b a", "c d"], offsets=[0, 2, 2, 3]))
        [['a b', 'b a'], [], ['c d']]
    """

    __slots__ = ("_bounds", "_segments", "_size")

    @overload
    def __init__(self: Pools[NDArray[float64]], candidates: Any, size: int) -> None: ...

    @overload
    def __init__(
        self: Pools[list[NDArray[float64]]], candidates: Any, *, offsets: Sequence[int] | ArrayLike
    ) -> None: ...

    def __init__(
        self, candidates: Any, size: int | None = None, *, offsets: Sequence[int] | ArrayLike | None = None
    ) -> None:
        self._segments = as_segments(candidates, "candidates", "a sequence of candidates")
        held, number = self._segments.held, len(self._segments)
        if isinstance(held, TokenIds) and held.is_per_segment:
            raise ArgumentValueError(
                "candidates",
                f"must have the shape [candidates, tokens], not {list(held.shape)}; "
                "reshape it to rows: ids.reshape(-1, ids.shape[-1])",
            )
        if (size is None) == (offsets is None):
            raise ValueError(
                f"either size or offsets must be given, got size={size!r} and offsets={offsets!r}"
            )
        self._size = None if size is None else check_integer("size", size, 1)
        if self._size is None:
            self._bounds = as_offsets(offsets, number, "offsets")
        else:
            import numpy as np

            if number % self._size:
                raise ValueError(
                    f"candidates has {number} segments, which is no multiple of size={self._size}"
                )
            self._bounds = np.arange(0, number + 1, self._size, dtype=np.int64)
        self._bounds.setflags(write=False)

    @property
    def candidates(self) -> Listed | TokenIds:
        """The candidates of all pools."""
        candidates: Listed | TokenIds = self._segments.held
        return candidates

    @property
    def size(self) -> int | None:
        """How many candidates each pool has; None if the pools have offsets."""
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
        held = self._segments.held
        if isinstance(held, TokenIds):
            return [held[k] for k in range(start, stop)]
        return list(held.slice(start, stop) if isinstance(held, TextColumn) else held[start:stop])

    def __iter__(self) -> Iterator[list[Any]]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        form = "offsets" if self._size is None else f"size={self._size}"
        return f"<Pools of {len(self)} sources, {len(self._segments)} candidates, {form}>"


def as_offsets(offsets: Any, number: int, name: str) -> NDArray[int64]:
    """Check offsets of pools.

    Args:
        offsets: What a user gave.
        number: How many candidates all pools have.
        name: What errors call the offsets.

    Returns:
        int64 [n + 1], a copy.

    Raises:
        TypeError: They are no sequence of integers.
        ValueError: They do not begin with 0, do not end with `number`, or fall.
    """
    import numpy as np

    if isinstance(offsets, (str, bytes, dict, set)) or not hasattr(offsets, "__len__"):
        raise wrong_type(name, "a sequence of integers", offsets)
    found = np.asarray(offsets)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        raise wrong_type(name, "a sequence of integers", offsets)
    bounds = found.astype(np.int64)
    if not len(bounds) or bounds[0] != 0:
        raise ArgumentValueError(name, f"must begin with 0, got {describe(offsets)}", value=offsets)
    falls = np.flatnonzero(np.diff(bounds) < 0)
    if len(falls):
        i = int(falls[0]) + 1
        raise wrong_value(Place(name)[i], f"at least {bounds[i - 1]}, the one before", int(bounds[i]))
    if bounds[-1] != number:
        raise ArgumentValueError(name, f"must end with {number}, the number of candidates, got {bounds[-1]}")
    return bounds


def as_pools(value: Any, name: str, are_references: bool = False) -> CheckedPools:
    """Check pools, or references per source.

    Args:
        value: `Pools`, or a sequence of pools.
        name: What errors call them.
        are_references: Whether they are references. A source's references may then be a str, which is its only one, or
            None, which is none.

    Raises:
        TypeError: It is neither.
    """
    if isinstance(value, Pools):
        return FlatPools(value, name, are_references)
    what = "a list with the references of each source, references[source]" if are_references else _WHAT
    if isinstance(value, (str, bytes, bytearray)):
        raise ArgumentTypeError(name, f"must be {what}, not a bare {describe(value)}", value=value)
    if not are_references:
        one = f"must be {what}, not one {type(value).__name__}"
        if isinstance(value, TextColumn):
            raise ArgumentTypeError(name, f"{one}; pass Pools(", ", size=...)", value=value)
        if isinstance(value, TokenIds) or is_number_array(value, (1, 2, 3)):
            shape = f" of the shape {list(value.shape)}"
            raise ArgumentTypeError(
                name, f"{one}{shape}; pass Pools(", ", size=...), one candidate in each row", value=value
            )
    return RaggedPools(as_list(value, name, what), name, are_references)


def one_pool(segments: Any, name: str) -> FlatPools:
    """Segments as the only pool.

    Raises:
        TypeError, ValueError: They are no sequence of segments.
    """
    found = as_segments(segments, name)
    if found.kind == IDS:
        found = flat_ids(found)
    return FlatPools(Pools(found, offsets=[0, len(found)]), name)


class FlatPools:
    """The candidates of `Pools`, which lie one behind the other.

    Attributes:
        name: What errors call the pools.
        are_references: Whether they are references.
        size: How many candidates each pool has; None if the pools have offsets.
        bounds: int64 [n + 1]: pool i is the candidates bounds[i]..bounds[i + 1] - 1.
    """

    __slots__ = ("_segments", "are_references", "bounds", "name", "size")

    def __init__(self, pools: Pools[Any], name: str, are_references: bool = False) -> None:
        self.name = name
        self.are_references = are_references
        self.size = pools.size
        self.bounds = pools.bounds
        self._segments = Segments(pools.candidates, name)

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def kind(self) -> Kind | None:
        """What the candidates are; None if there is none."""
        return self._segments.kind

    def have_unknown(self) -> bool:
        """Whether an id stands for unknown tokens, which match nothing."""
        held = self._segments.held
        return isinstance(held, TokenIds) and held.rule["unk_id"] is not None

    def segments(self, start: int, stop: int) -> tuple[Listed, int, int, int]:
        """The candidates of the pools start..stop - 1.

        Returns:
            A sequence; where in it these candidates begin and end; and which candidate of all is its first.
        """
        first, last = int(self.bounds[start]), int(self.bounds[stop])
        held = self._segments.held
        if isinstance(held, TokenIds):
            return [held.tokens(k, self._segments.place) for k in range(first, last)], 0, last - first, first
        return held, first, last, 0

    def ids(self, start: int, stop: int) -> Column:
        """The candidates of the pools start..stop - 1 as ids.

        Raises:
            TypeError, ValueError: They are none; names pools[i][j].
        """
        first, last = int(self.bounds[start]), int(self.bounds[stop])
        try:
            self._segments = self._segments.as_ids()
            return _read_ids(self._segments, first, last, self.are_references)
        except ArgumentError as error:
            raise in_pools(error, self) from None

    def volume(self, i: int) -> int:
        """How many characters or tokens pool i has, roughly; 0 if reading it copies nothing."""
        first, last = int(self.bounds[i]), int(self.bounds[i + 1])
        held = self._segments.held
        if isinstance(held, TokenIds):
            return (last - first) * (held.shape[1] if len(held.shape) > 1 else 0)
        return 0 if isinstance(held, TextColumn) else _volume(held, first, last)

    def is_absent(self, i: int) -> bool:
        """Whether pool i, the references of a source, holds nothing but None."""
        held = self._segments.held
        if isinstance(held, (TextColumn, TokenIds)):
            return False
        return all(held[k] is None for k in range(int(self.bounds[i]), int(self.bounds[i + 1])))

    def shaped(self, values: NDArray[Any]) -> Any:
        """Numbers of all candidates in the form of these pools."""
        return _split(values, self.bounds) if self.size is None else values.reshape(len(self), self.size)


class RaggedPools:
    """A list of pools, each a sequence of candidates of its own; read like `FlatPools`.

    Args:
        pools: n sequences of segments; as references, also str and arrays for one of them, and None for none.
        name: What errors call them.
        are_references: Whether they are references, of which some may be None.

    Raises:
        TypeError: One of them is no sequence of segments.
    """

    __slots__ = ("_pools", "are_references", "bounds", "name")

    size = None

    def __init__(self, pools: Listed, name: str, are_references: bool = False) -> None:
        import numpy as np

        self._pools = pools
        self.name = name
        self.are_references = are_references
        if set(map(type, pools)) <= {list, tuple}:
            sizes: Iterable[int] = map(len, pools)
        else:
            sizes = (len(self._pool(i)) for i in range(len(pools)))
        self.bounds = np.zeros(len(pools) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(sizes, dtype=np.int64, count=len(pools)), out=self.bounds[1:])

    def __len__(self) -> int:
        return len(self._pools)

    def _pool(self, i: int) -> Listed | TokenIds:
        """Pool i in a form that reads quickly."""
        pool = self._pools[i]
        if isinstance(pool, (list, tuple, TextColumn)):
            return pool
        if self.are_references:
            if pool is None:
                return ()
            if isinstance(pool, str) or is_number_array(pool, (1,)):
                return (pool,)
        place = Place(self.name)[i]
        if isinstance(pool, str):
            raise ArgumentTypeError(
                self.name,
                f"must be {_WHAT}, but {place} is {describe(pool)}; candidates of all sources in one list go into "
                "Pools(",
                ", size=...), those of one source into a list of their own: [",
                "]",
                value=pool,
            )
        held: Listed | TokenIds = as_segments(pool, place).held
        if isinstance(held, TokenIds) and held.is_per_segment:
            raise ArgumentValueError(
                place, f"must have the shape [candidates, tokens], not {list(held.shape)}"
            )
        return held

    def _typed(self) -> Iterator[Segments]:
        """The pools one by one, with what their candidates are."""
        return (as_segments(self._pool(i), Place(self.name)[i]) for i in range(len(self)))

    @property
    def kind(self) -> Kind | None:
        """Ids if a pool holds ids, else what the first candidate is; None if there is none."""
        if set(map(type, self._pools)) <= {list, tuple, str, type(None)}:
            # Most pools are lists of str; a look at the first candidate spares the others.
            first = next(filter(None, (pool.kind for pool in self._typed())), None)
            if first in (TEXT, None):
                return first
        return common_kind(self._typed())

    def have_unknown(self) -> bool:
        """Whether in some pool an id stands for unknown tokens, which match nothing."""
        return any(isinstance(pool, TokenIds) and pool.rule["unk_id"] is not None for pool in self._pools)

    def segments(self, start: int, stop: int) -> tuple[Listed, int, int, int]:
        """The candidates of the pools start..stop - 1; returns as `FlatPools.segments`."""
        flat: list[Any] = []
        for i in range(start, stop):
            flat.extend(self._pool(i))
        self._check_number(len(flat), start, stop)
        return flat, 0, len(flat), int(self.bounds[start])

    def ids(self, start: int, stop: int) -> Column:
        """The candidates of the pools start..stop - 1 as ids; raises as `FlatPools.ids`."""
        columns = []
        for i in range(start, stop):
            ids = as_segments(self._pool(i), Place(self.name)[i]).as_ids()
            columns.append(_read_ids(ids, 0, len(ids), self.are_references))
        column = columns[0] if len(columns) == 1 else concatenate(columns)
        self._check_number(len(column), start, stop)
        return column

    def _check_number(self, number: int, start: int, stop: int) -> None:
        if number != self.bounds[stop] - self.bounds[start]:
            raise RuntimeError(f"{self.name} changed while it was scored")

    def volume(self, i: int) -> int:
        """How many characters or tokens pool i has, roughly."""
        pool = self._pools[i]
        if isinstance(pool, (list, tuple)):
            return _volume(pool, 0, len(pool))
        shape: tuple[int, ...] = getattr(pool, "shape", ())
        return shape[0] * shape[1] if len(shape) == 2 else 0

    def is_absent(self, i: int) -> bool:
        """Whether pool i, the references of a source, holds nothing but None."""
        pool = self._pool(i)
        return isinstance(pool, (list, tuple)) and all(each is None for each in pool)

    def shaped(self, values: NDArray[Any]) -> Any:
        """Numbers of all candidates as a list of arrays, one for each pool."""
        return _split(values, self.bounds)


def check_candidates(pools: CheckedPools) -> None:
    """Check that each source has a candidate to choose.

    Raises:
        ValueError: A pool is empty; names the first.
    """
    empty = (pools.bounds[1:] == pools.bounds[:-1]).nonzero()[0]
    if len(empty):
        raise ValueError(f"pools[{empty[0]}] has no candidates")


def in_pools(error: ArgumentError, pools: CheckedPools, base: int = 0) -> ArgumentError:
    """An error about candidate k from candidate `base` on, as one about candidate j of pool i."""
    if error.argument != pools.name or not error.indices:
        return error
    k, *rest = error.indices
    i = bisect_right(pools.bounds, base + k) - 1
    return error.at(Place(pools.name, (i, base + k - int(pools.bounds[i]), *rest)))


def _read_ids(segments: Segments, first: int, last: int, is_reference: bool) -> Column:
    read = segments.held.read
    column: Column = read(first, last, is_reference=is_reference, name=segments.place)[0]
    return column


def _split(values: NDArray[Any], bounds: NDArray[int64]) -> list[NDArray[Any]]:
    return [values[start:stop] for start, stop in pairwise(bounds.tolist())]


def _volume(segments: Sequence[Any], first: int, last: int) -> int:
    """Estimate characters or tokens of a pool from three of its candidates.

    Something without a length counts 0; reading it raises the error.
    """
    if first == last:
        return 0
    try:
        return (last - first) * max(len(segments[k]) for k in (first, (first + last) // 2, last - 1))
    except (TypeError, IndexError):
        return 0
