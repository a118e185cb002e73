"""Read arrays of integers of any library, in place or copied from an accelerator."""

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
    # NumPy arrays of objects and of text hold other tokens; other libraries have no such arrays.
    return kind not in ("O", "U", "S", "T")


def as_id_array(value: Any, name: Location) -> NDArray[Any]:
    """Return an array of integers as a NumPy array, without a copy, or copied from an accelerator.

    Args:
        value: Anything with the buffer protocol, DLPack or NumPy's `__array__`.
        name: The argument's name in errors.

    Raises:
        TypeError: The value is not an array of integers, or cannot be copied from its device.
    """
    return view_of(on_host(value, name), name)


def view_of(value: Any, name: Location) -> NDArray[Any]:
    """Return an array of integers on the host as a NumPy array, without a copy; raise as `as_id_array`."""
    if type(value).__name__ == "ndarray" and value.dtype.kind in ("i", "u"):
        return value  # The most common case.
    is_array = hasattr(value, "__array__") or hasattr(value, "__dlpack__") or _is_buffer(value)
    if not is_array or isinstance(value, (str, bytes, bytearray)):
        raise wrong_type(name, "an array of integers", value)
    if hasattr(value, "mask") and hasattr(value, "filled"):
        raise ArgumentTypeError(
            name, "is a masked array, whose mask would not be seen; fill it first: ", ".filled(-100)"
        )
    check_integers(value, name)
    try:
        seen = seen_by_numpy(value)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise ArgumentTypeError(
            name, f"must be an array of integers, not {describe(value)}: {error}"
        ) from None
    if seen.dtype.kind not in ("i", "u"):
        check_integers(seen, name)
    return seen


def on_host(value: Any, name: Location) -> Any:
    """Copy an array of integers from an accelerator; return any other value unchanged.

    Raises:
        TypeError: An array on an accelerator does not hold integers, or cannot be copied.
    """
    # Asking torch for a tensor's device by DLPack is slow.
    if type(value).__module__ == "numpy" or getattr(value, "is_cpu", False) is True or is_on_host(value):
        return value
    check_integers(value, name)
    return to_host(value, name)


def check_integers(value: Any, name: Location) -> None:
    """Check the data type of an array.

    Raises:
        TypeError: Its items are not integers.
    """
    dtype = getattr(value, "dtype", "int")
    # Converting NumPy's dtype to str is slow.
    kind = "int" if getattr(dtype, "kind", None) in ("i", "u") else str(dtype)
    if 0 in getattr(value, "shape", ()):
        return
    if "float" in kind:
        raise ArgumentTypeError(
            name,
            f"must be an array of integers, not of {kind}; of logits take the ids, such as logits.argmax(-1)",
        )
    if "int" not in kind or kind.startswith("torch.q"):  # The names of torch's quantized types contain "int".
        raise ArgumentTypeError(name, f"must be an array of integers, not of {kind}")


def seen_by_numpy(value: Any) -> NDArray[Any]:
    """Return a NumPy array that shares the memory of an array on the host."""
    import numpy as np

    return np.asarray(value) if hasattr(value, "__array__") or _is_buffer(value) else np.from_dlpack(value)


def _is_buffer(value: Any) -> bool:
    """Return whether an object has the buffer protocol."""
    try:
        memoryview(value).release()
    except TypeError:
        return False
    except (ValueError, BufferError):  # A NumPy array of a type that no buffer format describes.
        return True
    return True


def as_int64(integers: Any) -> NDArray[int64]:
    """Copy integers of any size, sign, byte order and strides to int64; those that do not fit become -2**63."""
    import numpy as np

    numbers = np.asarray(integers)
    converted = numbers.astype(np.int64, "C")
    if numbers.itemsize == converted.itemsize and numbers.dtype.kind == "u":
        converted[converted < 0] = -(1 << 63)
    return converted


def as_row(row: Any, name: Location, i: int) -> Any:
    """Return row i of ids as a list, a tuple, an array of integers or None."""
    if row is None or isinstance(row, (list, tuple)):
        return row
    seen = as_id_array(row, name[i])
    if seen.ndim != 1:
        raise ArgumentValueError(name[i], f"must have one dimension, not the shape {list(seen.shape)}")
    return seen


def width_of(row: Any) -> int:
    """Return the number of ids in a row."""
    return 0 if row is None else len(row)


def lists_of_integers(value: Any, name: Location) -> ArrowLists:
    """Read an Arrow column of lists of integers.

    Raises:
        TypeError: The value is a column of another type.
    """
    from .frames import find_form

    form = find_form(type(value))
    data = None if form is None else form(value, name, "lists of token ids", False)
    if not isinstance(data, ArrowLists) or data.holds != "token ids":
        raise wrong_type(name, "an array of integers, or a column of lists of integers", value)
    return data
