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
