"""Convert arrays of integers of any library to NumPy arrays: without a copy if they are on the host."""

from __future__ import annotations

from ..errors import ArgumentTypeError, ArgumentValueError, describe, wrong_type
from .arrow import ArrowLists
from .devices import is_on_host, to_host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import int64
    from numpy.typing import NDArray

    from ..errors import Location


def is_number_array(value: Any, dimensions: tuple[int, ...]) -> bool:
    """Return whether a value is an array of numbers with one of the given numbers of dimensions."""
    if getattr(value, "ndim", None) not in dimensions or hasattr(value, "columns"):
        return False
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    # Exclude NumPy's arrays of objects and of text. Other libraries have no such arrays.
    return kind not in ("O", "U", "S", "T")


def as_id_array(value: Any, name: Location) -> NDArray[Any]:
    """Convert an array of integers to a NumPy array, which shares its memory unless it is on an accelerator.

    Args:
        value: An object that supports the buffer protocol, DLPack or NumPy's `__array__`.
        name: The argument's name in errors.

    Raises:
        TypeError: The value is not an array of integers, or cannot be copied from its device.
    """
    return as_host_array(on_host(value, name), name)


def as_host_array(value: Any, name: Location) -> NDArray[Any]:
    """Convert an array of integers on the host to a NumPy array that shares its memory.

    Raises:
        TypeError: The value is not an array of integers, or is a masked array.
    """
    if type(value).__name__ == "ndarray" and value.dtype.kind in ("i", "u"):
        return value  # This is the most common case.
    is_array = hasattr(value, "__array__") or hasattr(value, "__dlpack__") or _is_buffer(value)
    if not is_array or isinstance(value, (str, bytes, bytearray)):
        raise wrong_type(name, "an array of integers", value)
    if hasattr(value, "mask") and hasattr(value, "filled"):
        raise ArgumentTypeError(
            name, "is a masked array, whose mask would be ignored; fill it first: ", ".filled(-100)"
        )
    check_integers(value, name)
    try:
        array = as_numpy(value)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise ArgumentTypeError(
            name, f"must be an array of integers, not {describe(value)}: {error}"
        ) from None
    if array.dtype.kind not in ("i", "u"):
        check_integers(array, name)
    return array


def on_host(value: Any, name: Location) -> Any:
    """Copy an array of integers from an accelerator; return any other value unchanged.

    Raises:
        TypeError: An array on an accelerator does not contain integers, or cannot be copied.
    """
    # Check the attribute `is_cpu` of torch's tensors first, because finding their device through DLPack is slow.
    if type(value).__module__ == "numpy" or getattr(value, "is_cpu", False) is True or is_on_host(value):
        return value
    check_integers(value, name)
    return to_host(value, name)


def check_integers(value: Any, name: Location) -> None:
    """Check that an array contains integers, or is empty.

    Raises:
        TypeError: The items of the array are not integers.
    """
    dtype = getattr(value, "dtype", "int")
    # Check the attribute `kind` of NumPy's dtypes first, because converting a dtype to str is slow.
    kind = "int" if getattr(dtype, "kind", None) in ("i", "u") else str(dtype)
    if 0 in getattr(value, "shape", ()):
        return
    if "float" in kind:
        raise ArgumentTypeError(
            name,
            f"must be an array of integers, not of {kind}; convert logits to ids, as by logits.argmax(-1)",
        )
    if "int" not in kind or kind.startswith("torch.q"):  # The names of torch's quantized types contain "int".
        raise ArgumentTypeError(name, f"must be an array of integers, not of {kind}")


def as_numpy(value: Any) -> NDArray[Any]:
    """Convert any array on the host to a NumPy array that shares its memory."""
    import numpy as np

    return np.asarray(value) if hasattr(value, "__array__") or _is_buffer(value) else np.from_dlpack(value)


def _is_buffer(value: Any) -> bool:
    """Return whether an object supports the buffer protocol."""
    try:
        memoryview(value).release()
    except TypeError:
        return False
    except (ValueError, BufferError):  # This is a NumPy array whose dtype has no buffer format.
        return True
    return True


def as_int64(integers: Any) -> NDArray[int64]:
    """Convert an array of integers of any type, byte order and strides to C-contiguous int64.

    Unsigned integers that do not fit int64 become -2**63.
    """
    import numpy as np

    numbers = np.asarray(integers)
    converted = numbers.astype(np.int64, "C")
    if numbers.itemsize == converted.itemsize and numbers.dtype.kind == "u":
        converted[converted < 0] = -(1 << 63)
    return converted


def as_row(row: Any, name: Location, i: int) -> Any:
    """Convert a row of ids that is an array to a NumPy array; return a list, a tuple or None unchanged.

    Args:
        row: The row.
        name: The location of all rows.
        i: The index of the row in errors.

    Raises:
        TypeError: The row is not an array of integers.
        ValueError: The array does not have one dimension.
    """
    if row is None or isinstance(row, (list, tuple)):
        return row
    array = as_id_array(row, name[i])
    if array.ndim != 1:
        raise ArgumentValueError(name[i], f"must have one dimension, not the shape {list(array.shape)}")
    return array


def width_of(row: Any) -> int:
    """Return the number of ids in a row, which is 0 for None."""
    return 0 if row is None else len(row)


def lists_of_integers(value: Any, name: Location) -> ArrowLists:
    """Read a column of lists of integers from Arrow data.

    Raises:
        TypeError: The value is not such a column.
    """
    from .frames import find_frame_reader

    frame_reader = find_frame_reader(type(value))
    data = None if frame_reader is None else frame_reader(value, name, "lists of token ids", False)
    if not isinstance(data, ArrowLists) or data.holds != "token ids":
        raise wrong_type(name, "an array of integers, or a column of lists of integers", value)
    return data
