"""Columns of tables that pyarrow has read: their types, their nulls and lists, and text that is not UTF-8.

Buffers are read as they are, since pyarrow's `to_numpy` and `array` import pandas where that is installed.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa
    from numpy import bool_, int64
    from numpy.typing import NDArray


def is_text(kind: pa.DataType) -> bool:
    """Whether a type is that of strings, in any form; or of nulls alone, which may be strings."""
    from pyarrow import types

    kind = kind.value_type if types.is_dictionary(kind) else kind
    checks = (types.is_string, types.is_large_string, types.is_string_view, types.is_null)
    return any(check(kind) for check in checks)


def is_list(kind: pa.DataType) -> bool:
    """Whether a type is that of lists."""
    from pyarrow import types

    return any(check(kind) for check in (types.is_list, types.is_large_list, types.is_fixed_size_list))


def is_text_list(kind: pa.DataType) -> bool:
    """Whether a type is that of lists of strings."""
    return is_list(kind) and is_text(kind.value_type)


def are_valid(column: pa.Array) -> NDArray[bool_]:
    """Which rows are not null."""
    import numpy as np
    from pyarrow import types

    if types.is_null(column.type):
        return np.zeros(len(column), dtype=np.bool_)
    bits = column.buffers()[0]
    if bits is None or not column.null_count:
        return np.ones(len(column), dtype=np.bool_)
    first, skipped = divmod(column.offset, 8)
    size = -(-(skipped + len(column)) // 8)
    found = np.unpackbits(np.frombuffer(bits, np.uint8, size, first), bitorder="little")
    valid: NDArray[bool_] = found[skipped : skipped + len(column)].astype(np.bool_)
    return valid


def as_numbers(column: pa.Array, dtype: str) -> NDArray[Any]:
    """The numbers of a column of this NumPy type; those that are null are any."""
    import numpy as np

    values = column.buffers()[1]
    if not len(column) or values is None:
        return np.zeros(len(column), dtype=dtype)
    item = np.dtype(dtype).itemsize
    return np.frombuffer(values, dtype, len(column), column.offset * item)


def items_of(lists: pa.Array) -> tuple[pa.Array, NDArray[int64]]:
    """The items of all lists of a column, and int64 [n + 1] where those of each begin; a null list has none.

    Raises:
        ValueError: The places of the lists are not in order.
    """
    import numpy as np
    import pyarrow as pa

    lists = lists.cast(pa.large_list(lists.type.value_type))
    lists.validate(full=False)
    if not len(lists):
        return lists.flatten(), np.zeros(1, dtype=np.int64)
    places = np.frombuffer(lists.buffers()[1], np.int64, len(lists) + 1, 8 * lists.offset)
    sizes = np.diff(places) * are_valid(lists)
    if (sizes < 0).any():
        raise ValueError("the offsets of the lists fall")
    return lists.flatten(), np.concatenate(([0], np.cumsum(sizes)))


def find_invalid_text(texts: pa.Array) -> tuple[int, str] | None:
    """The first text that is not valid UTF-8: its number, and what is wrong with it; None if all are."""
    import pyarrow as pa

    if hasattr(texts, "dictionary_decode"):
        texts = texts.dictionary_decode()
    if pa.types.is_null(texts.type):
        return None
    kinds = {pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}
    for i, text in enumerate(texts.cast(kinds.get(texts.type, pa.binary())).to_pylist()):
        try:
            (text or b"").decode("utf-8")
        except UnicodeDecodeError as error:  # noqa: PERF203  # one of them ends the loop
            return i, f"is not valid UTF-8: byte 0x{text[error.start]:02x} at offset {error.start}"
    return None


def find_invalid_row(column: pa.Array) -> tuple[int, str] | None:
    r"""The same for a column of strings or of lists of strings: the number of the row, and what is wrong in it.

    Example:
        >>> import pyarrow as pa
        >>> texts = pa.array([b"a", b"b\xff", b"c"])
        >>> strings = pa.Array.from_buffers(pa.string(), 3, texts.buffers())
        >>> lists = pa.ListArray.from_arrays(pa.array([0, 1, 3], pa.int32()), strings)
        >>> find_invalid_row(lists), find_invalid_row(lists.slice(0, 1))
        ((1, 'is not valid UTF-8: byte 0xff at offset 1'), None)
    """
    if not is_text_list(column.type):
        return find_invalid_text(column)
    texts, bounds = items_of(column)
    found = find_invalid_text(texts)
    return None if found is None else (int(bounds.searchsorted(found[0], side="right")) - 1, found[1])
