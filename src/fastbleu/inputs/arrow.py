"""Columns of Arrow: of anything that has `__arrow_c_array__` or `__arrow_c_stream__`, without pyarrow."""

from __future__ import annotations

from ..errors import ArgumentTypeError, GroupPlace, Place, place, wrong_type
from ._text import TextColumn, text_column
from .integers import DTYPES, ArrowIntegers, flags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Protocol, TypeAlias

    from numpy import int64
    from numpy.typing import NDArray

    from ._arrow import Node

    class HasArray(Protocol):
        """An object that gives one Arrow array."""

        def __arrow_c_array__(self, requested_schema: Any = None, /) -> Any: ...

    class HasStream(Protocol):
        """An object that gives a stream of Arrow arrays."""

        def __arrow_c_stream__(self, requested_schema: Any = None, /) -> Any: ...

    #: What gives Arrow data.
    ArrowColumn: TypeAlias = HasArray | HasStream

#: Formats of the C data interface, and what arrays of them hold.
_TEXT = ("u", "U", "vu")

#: Tables whose columns have names that can be asked for, even where there is only one.
_TABLES = ("Table", "DataFrame")

#: Lists of integers are read together if there are at most this many integers from the first to the last for each that
#: is in one of them.
_MOST_BETWEEN = 4

#: What a column must be made of.
_EXPECTED = "a column of strings, of lists of strings, or of lists of integers"


def is_arrow(value: Any) -> bool:
    """Return whether an object gives Arrow data."""
    return is_arrow_type(type(value))


def is_arrow_type(kind: type) -> bool:
    """Return whether objects of a type give Arrow data."""
    return hasattr(kind, "__arrow_c_array__") or hasattr(kind, "__arrow_c_stream__")


class ArrowLists:
    """Lists in Arrow arrays: segments of tokens or of ids, or references of each segment.

    Args:
        flat: Their items: a TextColumn, integers, or lists.
        starts: int64 [n], where each list begins in it; they rise where the items are not integers.
        ends: int64 [n], where it ends.
        absent: n flags, 1 for a list that is null; None if none is.
    """

    __slots__ = ("absent", "ends", "flat", "starts")

    def __init__(self, flat: Any, starts: Any, ends: Any, absent: Any) -> None:
        self.flat = flat
        self.starts = starts
        self.ends = ends
        self.absent = absent

    @property
    def holds(self) -> str:
        """The kind of a list: "tokens", "token ids", or "lists"."""
        if isinstance(self.flat, ArrowLists):
            return "lists"
        return "tokens" if isinstance(self.flat, TextColumn) else "token ids"

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, index: int) -> list[Any] | None:
        """A list, or None."""
        i = range(len(self))[index]
        if self.absent is not None and self.absent[i]:
            return None
        flat, start, end = self.flat, self.starts[i], self.ends[i]
        if isinstance(flat, TextColumn):
            items = list(flat.slice(start, end))
            if None in items:
                raise wrong_type(Place("column")[i][items.index(None)], "a str", None)
            return items
        return flat[start:end] if isinstance(flat, ArrowIntegers) else [flat[k] for k in range(start, end)]

    def __iter__(self) -> Iterator[list[Any] | None]:
        return (self[i] for i in range(len(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)

    @property
    def sizes(self) -> NDArray[int64]:
        """int64 [n], how many items each list has."""
        sizes: NDArray[int64] = self.ends - self.starts
        return sizes

    @property
    def bounds(self) -> NDArray[int64]:
        """int64 [n + 1], where each list begins, and the last one ends, in the numbers that `gathered` returns."""
        import numpy as np

        bounds = np.zeros(len(self) + 1, dtype=np.int64)
        np.cumsum(self.sizes, out=bounds[1:])
        return bounds

    def gathered(self) -> NDArray[int64] | None:
        """The numbers of the items of the lists, one list after the other; None if these are all items in order."""
        import numpy as np

        bounds = self.bounds
        if bounds[-1] == len(self.flat) and np.array_equal(self.starts, bounds[:-1]):
            return None
        numbers: NDArray[int64] = np.arange(bounds[-1])
        numbers += np.repeat(self.starts - bounds[:-1], self.sizes)
        return numbers

    def take(self, numbers: Any) -> ArrowLists:
        """The lists of these numbers (int64, or a slice), in this order; what stands in them is shared."""
        import numpy as np

        starts, ends = (np.ascontiguousarray(each[numbers]) for each in (self.starts, self.ends))
        absent = None if self.absent is None else np.frombuffer(self.absent, np.uint8)[numbers].tobytes()
        return ArrowLists(self.flat, starts, ends, absent)

    def integers(self) -> tuple[NDArray[Any], tuple[NDArray[int64], NDArray[int64]]]:
        """The integers of the lists, as `ArrowIntegers.read` gives them, and where each list begins and ends there."""
        import numpy as np

        starts, ends = self.starts, self.ends
        first, last = (int(starts[0]), int(ends[-1])) if len(self) else (0, 0)
        if (starts[1:] >= ends[:-1]).all() and last - first <= _MOST_BETWEEN * self.sizes.sum():
            return self.flat.read(first, last), (starts - first, ends - first)
        lists = [
            self.flat.read(start, end) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
        ]
        bounds = self.bounds
        return np.concatenate(lists), (bounds[:-1], bounds[1:])


def read_arrow(value: Any, name: str | Place) -> TextColumn | ArrowLists:
    """Describe the contents of an object that gives Arrow data.

    Args:
        value: An array, or a stream of arrays: `string`, `large_string`, `string_view`, a dictionary of these, or lists
            of them or of integers: pyarrow's arrays and columns, series of polars, arrays of nanoarrow. Or the result
            of a query that has one column of these: a relation of DuckDB, a stream of record batches.
        name: What errors call it.

    Raises:
        TypeError: It holds something else; the message names the Arrow type.
        ValueError: It was released before, its stream failed, or an array is not valid.
    """
    from ._arrow import describe_schema, nodes_of, only_column, take_arrays

    where = place(name)
    schema, arrays = take_arrays(value, where)
    named, formats, names = describe_schema(schema)
    rows = nodes_of(arrays)
    if formats == ["+s"] and len(names) == 1 and is_result(value):
        named, formats, rows = only_column(schema, rows, where)
    if formats == ["+s"]:
        columns = ", ".join(map(repr, names)) or "none"
        raise ArgumentTypeError(
            where, f"is a table ({type(value).__name__}); pass one of its columns, which are {columns}"
        )
    if formats[-1] not in (*_TEXT, *DTYPES, "n") or (len(formats) == 1 and formats[0] in DTYPES):
        raise ArgumentTypeError(where, f"must be {_EXPECTED}, not a {type(value).__name__} of {named}")
    held: TextColumn | ArrowLists = _build(rows, formats, where)
    return held


def is_result(value: Any) -> bool:
    """Return whether a table is the result of a query, such as a relation of DuckDB, whose only column is meant."""
    kind = type(value)
    return not hasattr(kind, "__arrow_c_array__") and kind.__name__ not in _TABLES


def _build(rows: list[Node], formats: list[str], where: Place, numbers: Any = None) -> Any:
    """Read the rows of arrays; if `numbers` are given, those of these numbers."""
    from ._arrow_text import ArrowText

    letters = formats[0]
    if letters in _TEXT:
        return ArrowText(rows, where, numbers)
    if letters in DTYPES:
        return ArrowIntegers(rows, where)
    if letters == "n":
        nulls = [None] * (sum(map(len, rows)) if numbers is None else len(numbers))
        return text_column(nulls, may_be_absent=True)
    starts, ends, absent, children = _split(rows, where)
    lists = ArrowLists(range(sum(map(len, children))), starts, ends, absent)
    if numbers is not None:
        lists = lists.take(numbers)
    if formats[1] in DTYPES:  # they are read in any order
        lists.flat = ArrowIntegers(children, where)
        return lists
    # Items between two lists belong to none: text there need not even be UTF-8.
    bounds = lists.bounds
    flat = _build(children, formats[1:], GroupPlace(where, bounds), lists.gathered())
    return ArrowLists(flat, bounds[:-1], bounds[1:], lists.absent)


def _split(rows: list[Node], where: Place) -> tuple[Any, Any, bytes | None, list[Node]]:
    """Find where lists begin and end in arrays of lists of one type.

    Returns:
        int64, where each list begins and ends in the items of all arrays, in order; flags of those that are null, or
        None if none is; and the rows that hold the items.

    Raises:
        ValueError: Offsets point outside the items.
    """
    import numpy as np

    from ._arrow import damaged

    starts, ends, children = [], [], []
    absent, row, base = bytearray(sum(map(len, rows))), 0, 0
    for each in rows:
        first, last = _bounds(each, where)
        low, high = (int(first.min()), int(last.max())) if len(each) else (0, 0)
        wrong = first > last
        if low < 0 or high > each.items or wrong.any():
            i = int((wrong | (first < 0) | (last > each.items)).argmax())
            raise damaged(where[row + i], f"its list goes from {first[i]} to {last[i]} of {each.items} items")
        bits = each.validity(where)
        if bits is not None:
            null = ~flags(bits, each.start, each.start + len(each))
            # What stands in a list that is null may be anything.
            last[null] = first[null]
            absent[row : row + len(each)] = null.tobytes()
        starts.append(first + (base - low))
        ends.append(last + (base - low))
        children.append(each.child(low, high - low))
        row, base = row + len(each), base + high - low
    empty = np.zeros(0, np.int64)
    found, after = (np.concatenate([empty, *parts]) for parts in (starts, ends))
    return found, after, bytes(absent) if 1 in absent else None, children


def _bounds(rows: Node, where: Place) -> tuple[NDArray[int64], NDArray[int64]]:
    """Find where each list of an array begins and ends among the items, not checked, as int64."""
    import numpy as np

    from ._arrow import damaged

    number, start, letters = len(rows), rows.start, rows.letters
    if letters.startswith("+w:"):
        width = int(letters[3:])
        if number and width and start + number > rows.items // width:
            raise damaged(where, f"it has {rows.items} items for {number} lists of {width}")
        first = np.arange(start, start + number) * width
        return first, first + width

    def read(k: int, count: int) -> NDArray[int64]:
        if not number:
            return np.zeros(count, np.int64)
        # Another thread may change them: they are checked as they are copied here.
        dtype = np.dtype(np.int64 if letters.endswith("L") else np.int32)
        memory = rows.memory(k, (start + count) * dtype.itemsize, where)
        found: NDArray[int64] = np.frombuffer(memory, dtype)[-count:].astype(np.int64)
        return found

    if letters.startswith("+v"):
        first = read(1, number)
        return first, first + read(2, number)
    offsets = read(1, number + 1)
    return offsets[:-1], offsets[1:].copy()
