"""The pools of a call, `Pools` or a list of pools: checked, and read as segments or as ids."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

from ..errors import ArgumentError, ArgumentTypeError, ArgumentValueError, Place, describe
from ..inputs._column import concatenate
from ..inputs._text import TextColumn
from ..inputs.arrow import ArrowLists
from ..inputs.columns import IDS, TEXT, Ids, column_of, common_kind
from ..inputs.id_arrays import is_number_array
from ..inputs.ids import TokenIds
from ..inputs.reading import hold, read
from .pools import Pools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, TypeAlias

    from numpy import int64
    from numpy.typing import NDArray

    from ..inputs._column import Column
    from ..inputs.columns import Column as Segments
    from ..inputs.columns import Kind

    #: Segments in a form that reads quickly.
    Listed: TypeAlias = list[Any] | tuple[Any, ...] | TextColumn

    #: Pools as `as_pools` gives them.
    CheckedPools: TypeAlias = "FlatPools | RaggedPools"

_WHAT = "a list of pools, one for each source, pools[source][candidate]"


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
    held = hold(value, Place(name), what)
    if isinstance(held, ArrowLists) or (isinstance(held, TextColumn) and held is not value):
        return _arrow_pools(held, value, name, are_references)
    return RaggedPools(
        held if isinstance(held, (list, tuple, TextColumn)) else list(held), name, are_references
    )


def _arrow_pools(held: TextColumn | ArrowLists, value: Any, name: str, are_references: bool) -> FlatPools:
    """Pools in an Arrow column: a list of candidates, or of references, for each source.

    A source's references may also be a string, or null, which is none.

    Raises:
        TypeError: The column holds something else.
    """
    import numpy as np

    if isinstance(held, TextColumn) and are_references:
        return FlatPools(Pools(held, offsets=np.arange(len(held) + 1)), name, True)
    if isinstance(held, TextColumn) or held.holds == IDS:
        kind = type(value).__name__
        raise ArgumentTypeError(
            name, f"must be {_WHAT}, not one {kind}; pass Pools(", ", size=...)", value=value
        )
    try:
        return FlatPools(Pools(held.gathered(), offsets=held.bounds), name, are_references)
    except ArgumentError as error:
        raise error.renamed(candidates=name) from None


def one_pool(segments: Any, name: str) -> FlatPools:
    """Segments as the only pool.

    Raises:
        TypeError, ValueError: They are not a sequence of segments.
    """
    found = read(segments, name)
    if isinstance(found, Ids):
        found.flat()
    return FlatPools(Pools(found, offsets=[0, len(found)]), name)


class FlatPools:
    """The candidates of `Pools`, which lie one after the other.

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
        self._segments = column_of(pools.candidates, name)

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def place(self) -> Place:
        """The name of the pools in errors."""
        return Place(self.name)

    @property
    def kind(self) -> Kind | None:
        """Return the kind of the candidates; None if there is none."""
        return self._segments.kind

    def have_unknown(self) -> bool:
        """Return whether an id stands for unknown tokens, which match nothing."""
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
        if isinstance(held, ArrowLists):
            return [held[k] for k in range(first, last)], 0, last - first, first
        return held, first, last, 0

    def ids(self, start: int, stop: int) -> Column:
        """The candidates of the pools start..stop - 1 as ids.

        Raises:
            TypeError, ValueError: They are none; names pools[i][j].
        """
        first, last = int(self.bounds[start]), int(self.bounds[stop])
        try:
            self._segments = self._segments.as_kind(IDS)
            return _read_ids(self._segments, first, last, self.are_references)
        except ArgumentError as error:
            raise in_pools(error, self) from None

    def volume(self, i: int) -> int:
        """Return how many characters or tokens pool i has, roughly; 0 if reading it copies nothing."""
        first, last = int(self.bounds[i]), int(self.bounds[i + 1])
        held = self._segments.held
        if isinstance(held, TokenIds):
            return (last - first) * (held.shape[1] if len(held.shape) > 1 else 0)
        if isinstance(held, ArrowLists):
            return int(held.ends[last - 1] - held.starts[first]) if first < last else 0
        return 0 if isinstance(held, TextColumn) else _volume(held, first, last)

    def is_absent(self, i: int) -> bool:
        """Return whether pool i, the references of a source, holds nothing but None."""
        held = self._segments.held
        if isinstance(held, TokenIds):
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
        TypeError: One of them is not a sequence of segments.
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

    @property
    def place(self) -> Place:
        """The name of the pools in errors."""
        return Place(self.name)

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
        held: Listed | TokenIds = read(pool, place).held
        if isinstance(held, TokenIds) and held.is_per_segment:
            raise ArgumentValueError(
                place, f"must have the shape [candidates, tokens], not {list(held.shape)}"
            )
        return held

    def _typed(self) -> Iterator[Segments]:
        """The pools one by one, with what their candidates are."""
        return (read(self._pool(i), Place(self.name)[i]) for i in range(len(self)))

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
        """Return whether in some pool an id stands for unknown tokens, which match nothing."""
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
            ids = read(self._pool(i), Place(self.name)[i]).as_kind(IDS)
            columns.append(_read_ids(ids, 0, len(ids), self.are_references))
        column = columns[0] if len(columns) == 1 else concatenate(columns)
        self._check_number(len(column), start, stop)
        return column

    def _check_number(self, number: int, start: int, stop: int) -> None:
        if number != self.bounds[stop] - self.bounds[start]:
            raise RuntimeError(f"{self.name} changed while it was scored")

    def volume(self, i: int) -> int:
        """Return how many characters or tokens pool i has, roughly."""
        pool = self._pools[i]
        if isinstance(pool, (list, tuple)):
            return _volume(pool, 0, len(pool))
        shape: tuple[int, ...] = getattr(pool, "shape", ())
        return shape[0] * shape[1] if len(shape) == 2 else 0

    def is_absent(self, i: int) -> bool:
        """Return whether pool i, the references of a source, holds nothing but None."""
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
