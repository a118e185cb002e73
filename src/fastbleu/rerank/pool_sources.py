"""Check the pools that a caller passes, as `Pools` or as a list of pools, and read them as text, tokens or ids."""

from __future__ import annotations

from itertools import chain, pairwise

from ..errors import ArgumentError, ArgumentTypeError, ArgumentValueError, GroupLocation, Location, describe
from ..inputs._column import concatenate
from ..inputs._text import TextColumn
from ..inputs._tokens import types_of
from ..inputs.arrow import ArrowLists
from ..inputs.columns import CLASSES, IDS, TEXT, Ids, column_of, common_kind
from ..inputs.id_arrays import is_number_array
from ..inputs.ids import TokenIds
from ..inputs.reading import as_readable, read
from .pools import Pools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from numpy.typing import NDArray

    from ..inputs._column import Column
    from ..inputs.columns import Column as Segments
    from ..inputs.columns import Kind
    from .pools import Listed

#: `CheckedPools.estimate_length` looks at about this many pools, or at this many candidates of a flat sequence.
_SAMPLED = 16

#: The description of valid pools in error messages.
_WHAT = "a list of pools, one for each source, pools[source][candidate]"


def as_pools(value: Any, name: str, are_references: bool = False) -> CheckedPools:
    """Check an argument that has one pool of candidates, or one list of references, per source.

    Args:
        value: `Pools`, or a sequence of pools.
        name: The name of the argument, for error messages.
        are_references: Whether the argument has references. An entry may then also be a str, which is the only
            reference of its source, or None for a source without references.

    Raises:
        TypeError: The value is neither `Pools` nor a sequence of pools.
    """
    import numpy as np

    if isinstance(value, Pools):
        return CheckedPools(value, name, are_references)
    what = "a list with the references of each source, references[source]" if are_references else _WHAT
    if isinstance(value, (str, bytes, bytearray)):
        raise ArgumentTypeError(name, f"must be {what}, not a bare {describe(value)}", value=value)
    is_array = isinstance(value, TokenIds) or is_number_array(value, (1, 2, 3))
    data = value if is_array else as_readable(value, Location(name), what)
    is_text = isinstance(data, TextColumn)
    if are_references and (is_text or types_of(data) == {str}):
        return CheckedPools(Pools(data, offsets=np.arange(len(data) + 1)), name, True)
    if is_text or is_array or (isinstance(data, ArrowLists) and data.holds == IDS):
        shape, rows = (
            (f" of the shape {list(value.shape)}", ", one candidate in each row") if is_array else ("", "")
        )
        problem = f"must be {what}, not one {type(value).__name__}{shape}; pass Pools("
        raise ArgumentTypeError(name, problem, f", size=...){rows}", value=value)
    if not isinstance(data, ArrowLists):
        return CheckedPools(data, name, are_references)
    try:
        return CheckedPools(Pools(data.flat, offsets=data.bounds), name, are_references)
    except ArgumentError as error:
        raise error.renamed(candidates=name) from None


def one_pool(segments: Any, name: str) -> CheckedPools:
    """Check segments, and return them as a single pool, whose errors say `name[j]` instead of `name[0][j]`.

    Raises:
        TypeError, ValueError: The value is not a sequence of segments.
    """
    column = read(segments, name)
    if isinstance(column, Ids):
        column.flat()
    return CheckedPools(Pools(column, offsets=[0, len(column)]), name, are_one=True)


class CheckedPools:
    """Pools that have been checked, and whose candidates can be read as columns, for a range of pools at a time.

    Args:
        pools: `Pools`, or n sequences of segments. With `are_references`, an entry may also be a str or an array, which
            is the only reference of its source, or None for a source without references.
        name: The name of the argument, for error messages.
        are_references: Whether the pools are references, some of which may be None.
        are_one: Whether there is a single pool. Error messages then name its candidates by one index, as in `name[j]`.

    Attributes:
        location: The names of candidates in error messages: location[k] names candidate k, counted over all pools.
        size: The number of candidates in every pool; None if pools may differ in size.
        bounds: int64 [n + 1]: pool i has the candidates bounds[i] to bounds[i + 1] - 1.

    Raises:
        TypeError: A pool is not a sequence of segments.
    """

    __slots__ = ("_flat", "_pools", "are_references", "bounds", "location", "name", "size")

    def __init__(
        self,
        pools: Pools[Any] | Iterable[Any],
        name: str,
        are_references: bool = False,
        are_one: bool = False,
    ) -> None:
        import numpy as np

        self.name = name
        self.are_references = are_references
        self._pools: list[Listed | TokenIds] = []
        self._flat: Segments | None = None
        self.size: int | None = None
        if isinstance(pools, Pools):
            self.size, self.bounds = pools.size, pools.bounds
            self.location = Location(name) if are_one else GroupLocation(Location(name), self.bounds)
            self._flat = column_of(pools.candidates, self.location)
            return
        self._pools = list(pools)
        if not types_of(self._pools) <= {list, tuple}:
            self._pools = [self._listed(i, pool) for i, pool in enumerate(self._pools)]
        self.bounds = np.zeros(len(self._pools) + 1, dtype=np.int64)
        np.cumsum(list(map(len, self._pools)), out=self.bounds[1:])
        self.location = GroupLocation(Location(name), self.bounds)

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def are_flat(self) -> bool:
        """Return whether the caller passed all candidates in one flat sequence, as `Pools`."""
        return self._flat is not None

    def _listed(self, i: int, pool: Any) -> Listed | TokenIds:
        """Convert pool i to a sequence whose items can be read quickly by index.

        Raises:
            TypeError: The pool is a str, or not a sequence of segments.
            ValueError: The pool is an array of ids with more than two dimensions.
        """
        if isinstance(pool, (list, tuple, TextColumn)):
            return pool
        if self.are_references:
            if pool is None:
                return ()
            if isinstance(pool, str) or is_number_array(pool, (1,)):
                return (pool,)
        location = Location(self.name)[i]
        if isinstance(pool, str):
            raise ArgumentTypeError(
                self.name,
                f"must be {_WHAT}, but {location} is {describe(pool)}; if the list has the candidates of all sources, "
                "pass Pools(",
                ", size=...); if it has those of one source, pass [",
                "]",
                value=pool,
            )
        data: Listed | TokenIds = read(pool, location).data
        if isinstance(data, TokenIds) and data.is_per_segment:
            raise ArgumentValueError(
                location, f"must have the shape [candidates, tokens], not {list(data.shape)}", value=pool
            )
        return data

    def _pool(self, i: int) -> tuple[Any, int, int]:
        """Return the sequence that contains pool i, and the start and stop index of the pool in this sequence."""
        if self._flat is None:
            return self._pools[i], 0, len(self._pools[i])
        return self._flat.data, int(self.bounds[i]), int(self.bounds[i + 1])

    @property
    def kind(self) -> Kind | None:
        """Return IDS if a pool has token ids, else the kind of the first candidate; None if there are no candidates."""
        if self._flat is not None:
            return self._flat.kind
        if types_of(self._pools) <= {list, tuple}:
            # Most pools are lists of str: if the first candidate is text, the other pools need not be examined.
            first = next(filter(None, (pool.kind for pool in self._typed())), None)
            if first in (TEXT, None):
                return first
        return common_kind(self._typed())

    def _typed(self) -> Iterator[Segments]:
        """Yield the pools one by one, as columns with a `kind`: text, tokens or ids."""
        return (read(pool, Location(self.name)[i]) for i, pool in enumerate(self._pools))

    def have_unknown(self) -> bool:
        """Return whether a pool is `TokenIds` with an `unk_id`, which represents unknown tokens and matches nothing."""
        pools = self._pools if self._flat is None else [self._flat.data]
        return any(isinstance(pool, TokenIds) and pool.rule["unk_id"] is not None for pool in pools)

    def segments(self, start: int, stop: int, kind: Kind) -> tuple[Segments, int, int]:
        """Return the candidates of the pools start..stop - 1 as a column of text or tokens.

        Returns:
            A column that contains the candidates, possibly among others, and their start and stop index in the column.
        """
        first, last = int(self.bounds[start]), int(self.bounds[stop])
        if self._flat is None:
            data = list(chain.from_iterable(self._pools[start:stop]))
            self._check_number(len(data), start, stop)
        elif isinstance(self._flat.data, (list, tuple, TextColumn)):
            return CLASSES[kind](self._flat.data, self.location, self.are_references), first, last
        else:
            data = [self._flat[k] for k in range(first, last)]
        where = self.location
        if first:
            where = GroupLocation(Location(self.name), self.bounds[start : stop + 1] - first, start)
        return CLASSES[kind](data, where, self.are_references), 0, last - first

    def ids(self, start: int, stop: int) -> Column:
        """Read the candidates of the pools start..stop - 1 as a column of token ids.

        Raises:
            TypeError, ValueError: A candidate is not a sequence of token ids; the error names pools[i][j].
        """
        if self._flat is not None:
            self._flat = self._flat.as_kind(IDS)
            return self._read_ids(self._flat, int(self.bounds[start]), int(self.bounds[stop]))
        columns = []
        for i in range(start, stop):
            ids = read(self._pools[i], Location(self.name)[i]).as_kind(IDS)
            columns.append(self._read_ids(ids, 0, len(ids)))
        column = columns[0] if len(columns) == 1 else concatenate(columns)
        self._check_number(len(column), start, stop)
        return column

    def _read_ids(self, segments: Segments, first: int, last: int) -> Column:
        data: Any = segments.data
        column: Column = data.read(first, last, is_reference=self.are_references, name=segments.location)[0]
        return column

    def _check_number(self, number: int, start: int, stop: int) -> None:
        if number != self.bounds[stop] - self.bounds[start]:
            raise RuntimeError(f"{self.name} changed while it was scored")

    def estimate_length(self, start: int, stop: int) -> int:
        """Estimate from a sample how many characters or tokens are copied when the pools start..stop - 1 are read.

        Adding up the lengths of all strings would be slow, because the strings are scattered in memory.
        """
        first, last = int(self.bounds[start]), int(self.bounds[stop])
        data: Any = None if self._flat is None else self._flat.data
        sample: list[Any]
        if isinstance(data, TextColumn):
            return 0
        if isinstance(data, ArrowLists):
            return int(data.bounds[last] - data.bounds[first])
        if isinstance(data, TokenIds):
            sample = [data]
        elif data is None:
            sample = self._pools[start : stop : max(1, (stop - start) // _SAMPLED)]
        else:
            sample = [data[k : k + 1] for k in range(first, last, max(1, (last - first) // _SAMPLED))]
        volume = sum(len(part) * _usual_length(part) for part in sample)
        return (last - first) * volume // max(1, sum(map(len, sample)))

    def is_missing(self, i: int) -> bool:
        """Return whether every entry of pool i is None; the pool must not be empty."""
        data, first, last = self._pool(i)
        if isinstance(data, TokenIds) or data[first] is not None:
            return False
        return all(data[k] is None for k in range(first, last))

    def shaped(self, values: NDArray[Any]) -> Any:
        """Split an array [candidates] by pool: return a matrix [n, size], or a list of n arrays if `size` is None."""
        if self.size is not None:
            return values.reshape(len(self), self.size)
        return [values[start:stop] for start, stop in pairwise(self.bounds.tolist())]


def check_candidates(pools: CheckedPools) -> None:
    """Check that each pool has a candidate.

    Raises:
        ValueError: A pool is empty; the error names the first empty pool.
    """
    empty = (pools.bounds[1:] == pools.bounds[:-1]).nonzero()[0]
    if len(empty):
        raise ArgumentValueError(Location(pools.name)[int(empty[0])], "has no candidates", value=[])


def _usual_length(candidates: Any) -> int:
    """Return the length of the middle candidate of a pool, as an estimate of the average.

    It is 0 if the pool is empty, the candidate has no length, or reading the pool copies nothing.
    """
    if isinstance(candidates, TokenIds):
        return candidates.shape[1] if len(candidates.shape) > 1 else 0
    if not isinstance(candidates, (list, tuple)) or not candidates:
        return 0
    candidate = candidates[len(candidates) // 2]
    return len(candidate) if hasattr(candidate, "__len__") else 0
