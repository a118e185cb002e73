"""Read Arrow columns of strings, of lists of strings and of lists of integers, with pyarrow.

pyarrow is imported when the first column is read. Strings are cast to large strings, and integers to int64. Each
column's type is checked before the cast, which would also accept binary, integers and dates as text, or floats and
bools as ids. Buffers are read directly, because pyarrow's `to_numpy` imports pandas if it is installed.
"""

from __future__ import annotations

from ..errors import ArgumentTypeError, ArgumentValueError, GroupLocation, Location, locate, wrong_type
from ..system.extras import imports_of
from ._text import text_column, text_over
from .arrow import ArrowLists, is_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol, TypeAlias

    import pyarrow as pa
    from numpy import int64
    from numpy.typing import NDArray

    from ._text import TextColumn

    class HasArray(Protocol):
        """An object that exports one Arrow array."""

        def __arrow_c_array__(self, requested_schema: Any = None, /) -> Any: ...

    class HasStream(Protocol):
        """An object that exports a stream of Arrow arrays."""

        def __arrow_c_stream__(self, requested_schema: Any = None, /) -> Any: ...

    #: An object that exports Arrow data.
    ArrowColumn: TypeAlias = HasArray | HasStream

_MAX_ID = (1 << 63) - 1


def read_arrow(value: Any, name: str | Location) -> TextColumn | ArrowLists:
    """Read an Arrow column.

    Args:
        value: An Arrow array or a stream of arrays, such as a pyarrow array, a polars series or a nanoarrow array; or
            the result of a query with one column, such as a relation of DuckDB or a stream of record batches. The type
            of the column is `string`, `large_string`, `string_view`, a dictionary of one of these three types, or a
            list of strings or of integers.
        name: The argument's name in errors.

    Raises:
        TypeError: The column has another type, or a token id is null; the message names the Arrow type or the index.
        ValueError: The stream failed, an array is not valid, or a token id does not fit int64.
        ImportError: pyarrow is not installed.
    """
    where = locate(name)
    kind = type(value).__name__
    with imports_of("arrow", f"{where}: a column of Arrow ({kind})"):
        import pyarrow as pa
        import pyarrow.compute as pc

    column = value
    if not isinstance(value, pa.ChunkedArray):
        try:
            column = pa.chunked_array([value] if isinstance(value, pa.Array) else value)
        except (pa.ArrowException, TypeError, ValueError, OSError) as error:
            reason = str(error).partition("\n")[0]
            raise ArgumentValueError(
                where, f"cannot be read as a column of Arrow: {reason}", value=value
            ) from None
    if (
        column is not value
        and is_result(value)
        and pa.types.is_struct(column.type)
        and column.type.num_fields == 1
    ):
        column = pc.struct_field(column, [0])
    if not _is_readable(column.type):
        expected = "a column of strings, of lists of strings, or of lists of integers"
        raise ArgumentTypeError(where, f"must be {expected}, not a {kind} of {column.type}", value=value)
    try:
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        # Ignore invalid UTF-8 here, because reading the text reports it with the index of the row.
        if "UTF8" not in str(error):
            reason = str(error).partition("\n")[0]
            raise ArgumentValueError(where, f"is not a valid Arrow array: {reason}", value=value) from None
    data: TextColumn | ArrowLists = _read(column, where)[0]
    return data


def _is_readable(kind: pa.DataType) -> bool:
    """Return whether an Arrow type can be read.

    It must be a string type, the null type, whose columns are read as missing strings, or a list type, of any depth,
    with strings or integers.
    """
    from pyarrow import types

    if hasattr(kind, "value_field"):  # Only list types have this attribute.
        return bool(types.is_integer(kind.value_type)) or _is_readable(kind.value_type)
    kind = kind.value_type if types.is_dictionary(kind) else kind
    checks = (types.is_string, types.is_large_string, types.is_string_view, types.is_null)
    return any(check(kind) for check in checks)


def _read(column: pa.ChunkedArray, where: Location) -> tuple[Any, Any]:
    """Read a column whose type has been checked.

    Returns:
        A TextColumn, an int64 array, or ArrowLists; and the pyarrow array of strings if it is a TextColumn, else None.
    """
    import numpy as np
    import pyarrow.compute as pc
    from pyarrow import types

    if types.is_integer(column.type):
        return _read_ids(column, where), None
    if not hasattr(column.type, "value_field"):
        strings = _as_strings(column)
        return _read_text(strings, where), strings
    sizes = pc.fill_null(pc.list_value_length(column), 0).cast("int64")
    bounds = np.zeros(len(column) + 1, np.int64)
    np.cumsum(_numbers(_joined(sizes)), out=bounds[1:])
    # `list_flatten` omits the items of null lists, whose sizes are 0 in `bounds`.
    flat, strings = _read(pc.list_flatten(column), GroupLocation(where, bounds))
    return ArrowLists(flat, bounds, _nulls(column), strings), None


def _as_strings(column: pa.ChunkedArray) -> pa.Array:
    """Convert an Arrow column of any string type to one array of large strings."""
    import pyarrow as pa

    kind = pa.large_string()
    if pa.types.is_dictionary(column.type):
        # Cast each dictionary, because pyarrow cannot cast a dictionary-encoded column of string views.
        chunks = [chunk.dictionary.cast(kind).take(chunk.indices) for chunk in column.chunks]
        return _joined(pa.chunked_array(chunks, kind))
    return _joined(column.cast(kind))


def _read_text(strings: pa.Array, where: Location) -> TextColumn:
    """Return a TextColumn that points to the memory of a pyarrow array of large strings."""
    import numpy as np

    if not len(strings):
        return text_column([])
    _, offsets, data = strings.buffers()
    starts = np.frombuffer(offsets, np.int64, len(strings) + 1, 8 * strings.offset)
    column: TextColumn = text_over(b"" if data is None else data, starts, _nulls(strings), where)
    return column


def _read_ids(column: pa.ChunkedArray, where: Location) -> NDArray[int64]:
    """Read a column of integers as int64.

    Raises:
        TypeError: An integer is null.
        ValueError: An integer does not fit int64.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.null_count:
        raise wrong_type(where[pc.index(column.is_null(), True).as_py()], "an int", None)
    if pa.types.is_uint64(column.type):
        k = pc.index(pc.greater(column, pa.scalar(_MAX_ID, pa.uint64())), True).as_py()
        if k >= 0:
            value = column[k].as_py()
            reason = f"is {value}, more than the {_MAX_ID} that a token id may be"
            raise ArgumentValueError(where[k], reason, value=value)
    return _numbers(_joined(column.cast(pa.int64())))


def number_tokens(columns: Sequence[ArrowLists], names: Sequence[Location]) -> list[ArrowLists]:
    """Replace the tokens in several columns by ids, which are equal in all columns if the tokens are equal.

    Args:
        columns: Columns of lists of strings.
        names: The name of each column in errors.

    Returns:
        A column of lists of ids for each of `columns`.

    Raises:
        TypeError: A token is null.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    for column, name in zip(columns, names, strict=True):
        if column.strings.null_count:
            k = pc.index(column.strings.is_null(), True).as_py()
            raise wrong_type(GroupLocation(name, column.bounds)[k], "a str", None)
    strings = pa.chunked_array([column.strings for column in columns], pa.large_string())
    ids = _numbers(_joined(strings.dictionary_encode()).indices.cast(pa.int64()))
    numbered = []
    for column in columns:
        number = len(column.strings)
        numbered.append(ArrowLists(ids[:number], column.bounds, column.missing))
        ids = ids[number:]
    return numbered


def _joined(column: pa.ChunkedArray) -> pa.Array:
    """Return the chunks of a column as one array."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _numbers(column: pa.Array) -> NDArray[int64]:
    """Convert a pyarrow array of int64 without nulls to a NumPy array that shares its memory."""
    import numpy as np

    values = column.buffers()[1]
    if not len(column) or values is None:
        return np.zeros(0, np.int64)
    return np.frombuffer(values, np.int64, len(column), 8 * column.offset)


def _nulls(column: Any) -> bytes | None:
    """Return a byte for each row of a pyarrow array or column: 1 if it is null, else 0. None if no row is null."""
    import pyarrow as pa

    if not column.null_count:
        return None
    flags = column.is_null().cast(pa.uint8())
    flags = _joined(flags) if isinstance(flags, pa.ChunkedArray) else flags
    return flags.buffers()[1].to_pybytes()[flags.offset : flags.offset + len(flags)]
