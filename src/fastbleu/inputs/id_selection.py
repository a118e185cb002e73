"""Indices of token ids: the segments, and the part of each row, that an index selects."""

from __future__ import annotations

from ..errors import ArgumentTypeError, ArgumentValueError, Place, wrong_type
from .arrow import ArrowLists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from numpy import int64
    from numpy.typing import NDArray

    #: Numbers of segments.
    Selected: TypeAlias = "slice | NDArray[int64]"

#: What an index may be.
_INDEX = "an int, a slice, integers, or as many bools as there are segments"


def is_number(index: Any) -> bool:
    """Return whether an index asks for a single segment."""
    return not isinstance(index, bool) and hasattr(index, "__index__") and getattr(index, "ndim", 0) == 0


def segment_number(index: Any, number: int) -> int:
    """The segment that an index asks for, 0..number - 1.

    Raises:
        IndexError: There is no such segment.

    Example:
        >>> segment_number(-1, 5)
        4
    """
    i: int = index.__index__()
    if not -number <= i < number:
        raise IndexError(f"index {i} is out of range for {number} segments")
    return i + number if i < 0 else i


def selected_segments(index: Any, number: int) -> Selected:
    """The segments that an index asks for.

    Args:
        index: A slice; an array or list of integers; or as many bools as there are segments.
        number: How many segments there are.

    Returns:
        The slice as it is; or int64, their numbers, none of them negative.

    Raises:
        TypeError: It is something else.
        IndexError: There is no such segment, or there are too many or too few bools.

    Example:
        >>> selected_segments([True, False, True], 3).tolist(), selected_segments([2, -1], 3).tolist()
        ([0, 2], [2, 2])
    """
    if isinstance(index, slice):
        return index
    import numpy as np

    if isinstance(index, (str, bytes, tuple)) or not (
        hasattr(index, "__len__") and hasattr(index, "__getitem__")
    ):
        raise wrong_type("index", _INDEX, index)
    listed = index if isinstance(index, np.ndarray) or not hasattr(index, "tolist") else index.tolist()
    if (
        not isinstance(listed, np.ndarray)
        and len({isinstance(item, (bool, np.bool_)) for item in listed}) > 1
    ):
        raise ArgumentTypeError("index", "mixes integers and bools", value=index)
    try:
        found = np.asarray(listed)
    except ValueError:  # lists of unequal lengths
        raise wrong_type("index", _INDEX, index) from None
    if found.ndim != 1 or (found.size and found.dtype.kind not in "biu"):
        raise wrong_type("index", _INDEX, index)
    if found.dtype.kind == "b":
        if len(found) != number:
            raise IndexError(f"index has {len(found)} bools, but there are {number} segments")
    else:
        outside = (found < -number) | (found >= number)
        if outside.any():
            k = int(outside.argmax())
            raise IndexError(f"index[{k}] is {found[k]}, out of range for {number} segments")
        found = found.astype(np.int64)
    numbers: NDArray[int64] = np.arange(number)[found]
    return numbers


def check_columns(columns: tuple[Any, ...], dimensions: int) -> tuple[slice, ...]:
    """Check the part of an index after the segments.

    Args:
        columns: For each further dimension a slice; for errors, index[1] is the first.
        dimensions: How many of them there are.

    Raises:
        TypeError: One of them is not a slice.
        IndexError: There are more.
    """
    for k, each in enumerate(columns, 1):
        if not isinstance(each, slice):
            raise wrong_type(Place("index")[k], "a slice", each)
    if len(columns) > dimensions:
        raise IndexError(f"index has {len(columns) + 1} dimensions, but ids have {dimensions + 1}")
    return columns


def part_of_array(held: Any, dimension: int, selected: Selected) -> Any:
    """Part of an array along a dimension, an array of its kind.

    A slice shares the memory, as far as the array's kind does so: torch has no slices with negative steps, and JAX no
    shared memory.
    """
    index = (slice(None),) * dimension
    try:
        return held[(*index, selected)] if dimension else held[selected]
    except ValueError:  # torch
        if not isinstance(selected, slice):
            raise
    import numpy as np

    numbers = np.arange(*selected.indices(held.shape[dimension]))
    return held[(*index, numbers)]


def part_of_each_list(lists: ArrowLists, columns: slice) -> ArrowLists | list[Any]:
    """Take one part of each list of an Arrow column; the items are shared if the step is 1."""
    if columns.step not in (None, 1):
        return [None if row is None else row[columns] for row in lists]
    import numpy as np

    sizes = lists.ends - lists.starts

    def places(bound: Any) -> NDArray[int64]:
        found: NDArray[int64] = np.clip(np.where(bound < 0, sizes + bound, bound), 0, sizes)
        return found

    starts = lists.starts
    first = starts + (0 if columns.start is None else places(columns.start))
    after = starts + (sizes if columns.stop is None else places(columns.stop))
    return ArrowLists(lists.flat, first, np.maximum(first, after), lists.absent)


def part_of_length(length: int, width: int, columns: slice) -> int:
    """Return how many of the first `length` ids of a row are among those that a slice of its columns leaves.

    Raises:
        ValueError: The slice goes backwards, so that they would not be the first ones.

    Example:
        >>> part_of_length(4, 6, slice(1, None)), part_of_length(4, 6, slice(0, 6, 3))
        (3, 2)
    """
    start, stop, step = columns.indices(width)
    if step < 0:
        raise ArgumentValueError("index", "has columns in reverse order, where lengths have no meaning")
    return len(range(start, min(stop, length), step))
