"""Columns of Arrow: of anything that has `__arrow_c_array__` or `__arrow_c_stream__`, without pyarrow."""

from __future__ import annotations

from ..errors import ArgumentTypeError, GroupPlace, Place, place
from ._arrow import split_lists, take_arrays
from ._arrow_text import ArrowText
from ._text import TextColumn, text_column
from .arrow import ArrowLists, is_result
from .integers import FORMATS, ArrowIntegers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol, TypeAlias

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

#: What a column must be made of.
_EXPECTED = "a column of strings, of lists of strings, or of lists of integers"


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
    where = place(name)
    arrays = take_arrays(value, where)
    named, formats, names = arrays.describe(False)
    is_column = formats == ["+s"] and len(names) == 1 and is_result(value)
    if is_column:
        named, formats, names = arrays.describe(True)
    if formats == ["+s"]:
        columns = ", ".join(map(repr, names)) or "none"
        raise ArgumentTypeError(
            where, f"is a table ({type(value).__name__}); pass one of its columns, which are {columns}"
        )
    if formats[-1] not in (*_TEXT, *FORMATS, "n") or (len(formats) == 1 and formats[0] in FORMATS):
        raise ArgumentTypeError(where, f"must be {_EXPECTED}, not a {type(value).__name__} of {named}")
    held: TextColumn | ArrowLists = _build(arrays.rows(is_column, where), formats, where)
    return held


def _build(rows: list[Node], formats: list[str], where: Place) -> Any:
    letters = formats[0]
    if letters in _TEXT:
        return ArrowText(rows, where)
    if letters in FORMATS:
        return ArrowIntegers(rows, where)
    number = sum(map(len, rows))
    if letters == "n":
        return text_column([None] * number, may_be_absent=True)
    import numpy as np

    starts, bounds = np.empty(number, np.int64), np.zeros(number + 1, np.int64)
    absent, children = split_lists(rows, starts, bounds[1:], where)
    flat = _build(children, formats[1:], GroupPlace(where, bounds))
    return ArrowLists(flat, bounds[:-1], bounds[1:], absent, bounds)
