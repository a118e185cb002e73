"""Recognise Arrow data, and represent Arrow columns of lists, without importing pyarrow."""

from __future__ import annotations

from ..errors import Location, wrong_type
from ._text import TextColumn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from numpy import int64
    from numpy.typing import NDArray

#: Names of the types of tables and columns with `__arrow_c_stream__`. They are not query results, so a table is not
#: replaced by its only column, nor a column of structs by their only field.
_NOT_QUERY_RESULTS = ("Table", "DataFrame", "Series", "ChunkedArray")


def is_arrow(value: Any) -> bool:
    """Return whether an object exports Arrow data."""
    return is_arrow_type(type(value))


def is_arrow_type(kind: type) -> bool:
    """Return whether objects of a type export Arrow data."""
    return hasattr(kind, "__arrow_c_array__") or hasattr(kind, "__arrow_c_stream__")


def is_result(value: Any) -> bool:
    """Return whether Arrow data are the result of a query, such as a relation of DuckDB.

    A result with only one column is read as this column.
    """
    kind = type(value)
    return not hasattr(kind, "__arrow_c_array__") and kind.__name__ not in _NOT_QUERY_RESULTS


class ArrowLists:
    """An Arrow column of n lists. Each list contains the tokens, the ids or the references of one segment.

    Args:
        flat: The concatenated items of all lists: a TextColumn, an int64 array or, for lists of lists, ArrowLists.
        bounds: int64 [n + 1], the index in `flat` of the first item of each list, followed by the number of items.
        missing: n flags, 1 for a null list; None if no list is null.
        strings: If `flat` is a TextColumn, the pyarrow array of strings that it was read from; else None.
    """

    __slots__ = ("bounds", "flat", "missing", "strings")

    def __init__(self, flat: Any, bounds: NDArray[int64], missing: bytes | None, strings: Any = None) -> None:
        self.flat = flat
        self.bounds = bounds
        self.missing = missing
        self.strings = strings

    @property
    def holds(self) -> str:
        """Return the kind of the items: "tokens", "token ids", or "lists"."""
        if isinstance(self.flat, ArrowLists):
            return "lists"
        return "tokens" if isinstance(self.flat, TextColumn) else "token ids"

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def __getitem__(self, index: int) -> list[Any] | None:
        """Return the list at an index, or None if it is null."""
        i = range(len(self))[index]
        if self.missing is not None and self.missing[i]:
            return None
        flat = self.flat
        start, end = self.bounds[i : i + 2].tolist()
        if isinstance(flat, TextColumn):
            items = list(flat.slice(start, end))
            if None in items:
                raise wrong_type(Location("column")[i][items.index(None)], "a str", None)
            return items
        if isinstance(flat, ArrowLists):
            return [flat[k] for k in range(start, end)]
        integers: list[Any] = flat[start:end].tolist()
        return integers

    def __iter__(self) -> Iterator[list[Any] | None]:
        return (self[i] for i in range(len(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)
