"""Columns of pyarrow: its import, what a column's type is, its nulls and lists, and text that is not UTF-8.

`inputs/arrow.py` reads Arrow data of any library without pyarrow. What is here needs pyarrow, which is imported when it
is first asked for. Buffers are read as they are, since pyarrow's `to_numpy` and `array` import pandas where that is
installed.
"""

from __future__ import annotations

from ..errors import ArgumentValueError
from .arrow_columns import import_pyarrow, is_list, is_text, read_arrow  # noqa: F401

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa
    from numpy import bool_, int64
    from numpy.typing import NDArray


def is_view(kind: pa.DataType) -> bool:
    """Return whether a type is that of list views."""
    from pyarrow import types

    return bool(types.is_list_view(kind) or types.is_large_list_view(kind))


def is_text_list(kind: pa.DataType) -> bool:
    """Return whether a type is that of lists of strings."""
    return is_list(kind) and is_text(kind.value_type)


def are_valid(column: pa.Array) -> NDArray[bool_]:
    """Return for each row whether it is not null."""
    return as_numbers(column.is_valid().cast("uint8"), "bool")


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
        ValueError: The places of the lists are not in order, or not among the items.
    """
    import numpy as np
    import pyarrow.compute as pc

    # Views may lie anywhere among the items, so that each must be checked.
    lists.validate(full=is_view(lists.type))
    lengths = pc.list_value_length(lists).cast("int64")
    sizes = as_numbers(lengths, "int64") * are_valid(lengths)
    if (sizes < 0).any():
        raise ValueError("the offsets of the lists fall")
    return pc.list_flatten(lists), np.concatenate(([0], np.cumsum(sizes)))


def count_marked(marks: NDArray[bool_], bounds: NDArray[int64]) -> NDArray[int64]:
    """Count the items of each list that are marked; `bounds` are those of `items_of`.

    Example:
        >>> import numpy as np
        >>> count_marked(np.array([True, False, True]), np.array([0, 2, 2, 3])).tolist()
        [1, 0, 1]
    """
    import numpy as np

    return np.diff(np.concatenate(([0], np.cumsum(marks)))[bounds])


def find_invalid_text(column: pa.Array) -> tuple[int, str] | None:
    r"""Find the first row of a column of strings or of lists of strings that is not valid UTF-8.

    Returns:
        The number of the row, and what is wrong in it; None if all are valid.

    Example:
        >>> import pyarrow as pa
        >>> texts = pa.array([b"a", b"b\xff", b"c"])
        >>> strings = pa.Array.from_buffers(pa.string(), 3, texts.buffers())
        >>> lists = pa.ListArray.from_arrays(pa.array([0, 1, 3], pa.int32()), strings)
        >>> find_invalid_text(lists), find_invalid_text(lists.slice(0, 1))
        ((1, 'is not valid UTF-8: byte 0xff at byte offset 1'), None)
    """
    try:
        read_arrow(column, "column")
    except ArgumentValueError as error:
        return error.indices[0], str(error).partition(" ")[2]
    return None
