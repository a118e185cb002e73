"""Recognise Arrow data, and represent Arrow columns of lists. Nothing here needs pyarrow."""

from __future__ import annotations

from ..errors import Location, wrong_type
from ._text import TextColumn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from numpy import int64
    from numpy.typing import NDArray

#: Types that are not results of queries: tables, whose columns are selected by name even if there is only one, and
#: single columns, which may consist of structs.
_NO_RESULTS = ("Table", "DataFrame", "Series", "ChunkedArray")


def is_arrow(value: Any) -> bool:
    """Return whether an object gives Arrow data."""
    return is_arrow_type(type(value))


def is_arrow_type(kind: type) -> bool:
    """Return whether objects of a type give Arrow data."""
    return hasattr(kind, "__arrow_c_array__") or hasattr(kind, "__arrow_c_stream__")


def is_result(value: Any) -> bool:
    """Return whether a table is the result of a query, such as a relation of DuckDB, to be read as its only column."""
    kind = type(value)
    return not hasattr(kind, "__arrow_c_array__") and kind.__name__ not in _NO_RESULTS


class ArrowLists:
    """A column of lists: segments of tokens or of ids, or the references of each segment.

    Args:
        flat: The items of all lists, one list after the other: a TextColumn, int64, or lists.
        bounds: int64 [n + 1], the index of the first item of each list, followed by the number of items.
        missing: n flags, 1 for a null list; None if no list is null.
        strings: The pyarrow array behind `flat`, if it is text.
    """

    __slots__ = ("bounds", "flat", "missing", "strings")

    def __init__(self, flat: Any, bounds: NDArray[int64], missing: bytes | None, strings: Any = None) -> None:
        self.flat = flat
        self.bounds = bounds
        self.missing = missing
        self.strings = strings

    @property
    def holds(self) -> str:
        """Return the kind of the lists: "tokens", "token ids", or "lists"."""
        if isinstance(self.flat, ArrowLists):
            return "lists"
        return "tokens" if isinstance(self.flat, TextColumn) else "token ids"

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def __getitem__(self, index: int) -> list[Any] | None:
        """Return list `index`, or None if it is null."""
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
