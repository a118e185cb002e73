"""Arrays of integers, of any library: seen where they lie, or copied from an accelerator."""

from __future__ import annotations

from ..errors import ArgumentTypeError, ArgumentValueError, describe, wrong_type
from .arrow import ArrowLists
from .devices import is_on_host, to_host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import int64
    from numpy.typing import NDArray

    from ..errors import Place


def is_number_array(value: Any, dimensions: tuple[int, ...]) -> bool:
    """Return whether a value is an array of numbers, with one of these numbers of dimensions."""
    if getattr(value, "ndim", None) not in dimensions or hasattr(value, "columns"):
        return False
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    # NumPy's arrays of objects and of text hold tokens of other kinds; other libraries have none.
    return kind not in ("O", "U", "S", "T")


def as_id_array(value: Any, name: Place) -> NDArray[Any]:
    """An array of integers as NumPy sees it in place, or a copy from an accelerator.

    Args:
        value: Anything with the buffer protocol, DLPack or NumPy's `__array__`.
        name: The argument's name in errors.

    Raises:
        TypeError: It is not an array of integers, or cannot be copied from its device.
    """
    return view_of(on_host(value, name), name)


def view_of(value: Any, name: Place) -> NDArray[Any]:
    """`as_id_array` for what lies on the host."""
    if type(value).__name__ == "ndarray" and value.dtype.kind in ("i", "u"):
        return value  # in the shortest way
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


def on_host(value: Any, name: Place) -> Any:
    """Return a value as it is; or, if it is an array of integers on an accelerator, a copy of it.

    Raises:
        TypeError: An array on an accelerator holds no integers, or cannot be copied.
    """
    # torch takes long to say by DLPack where a tensor lies.
    if type(value).__module__ == "numpy" or getattr(value, "is_cpu", False) is True or is_on_host(value):
        return value
    check_integers(value, name)
    return to_host(value, name)


def check_integers(value: Any, name: Place) -> None:
    """Check what an array says of its items.

    Raises:
        TypeError: They are not integers.
    """
    dtype = getattr(value, "dtype", "int")
    # NumPy takes long to name a dtype.
    kind = "int" if getattr(dtype, "kind", None) in ("i", "u") else str(dtype)
    if 0 in getattr(value, "shape", ()):
        return
    if "float" in kind:
        raise ArgumentTypeError(
            name,
            f"must be an array of integers, not of {kind}; of logits take the ids, such as logits.argmax(-1)",
        )
    if "int" not in kind or kind.startswith("torch.q"):  # torch's quantized types have "int" in their names
        raise ArgumentTypeError(name, f"must be an array of integers, not of {kind}")


def seen_by_numpy(value: Any) -> NDArray[Any]:
    """An array of NumPy that shares the memory of one on the host."""
    import numpy as np

    return np.asarray(value) if hasattr(value, "__array__") or _is_buffer(value) else np.from_dlpack(value)


def _is_buffer(value: Any) -> bool:
    """Return whether an object has the buffer protocol."""
    try:
        memoryview(value).release()
    except TypeError:
        return False
    except (ValueError, BufferError):  # an array of NumPy that no buffer can describe
        return True
    return True


def as_int64(integers: Any) -> NDArray[int64]:
    """A copy of integers of any size, sign, byte order and strides; those that int64 does not hold are -2**63."""
    import numpy as np

    numbers = np.asarray(integers)
    found = numbers.astype(np.int64, "C")
    if numbers.itemsize == found.itemsize and numbers.dtype.kind == "u":
        found[found < 0] = -(1 << 63)
    return found


def as_row(row: Any, name: Place, i: int) -> Any:
    """Row i of some ids as a list, a tuple, an array of integers or None."""
    if row is None or isinstance(row, (list, tuple)):
        return row
    seen = as_id_array(row, name[i])
    if seen.ndim != 1:
        raise ArgumentValueError(name[i], f"must have one dimension, not the shape {list(seen.shape)}")
    return seen


def width_of(row: Any) -> int:
    """Return how many ids a row holds."""
    return 0 if row is None else len(row)


def lists_of_integers(value: Any, name: Place) -> ArrowLists:
    """Read an Arrow column of lists of integers.

    Raises:
        TypeError: It is a column of something else.
    """
    from .frames import find_form

    form = find_form(type(value))
    held = None if form is None else form(value, name, "lists of token ids", False)
    if not isinstance(held, ArrowLists) or held.holds != "token ids":
        raise wrong_type(name, "an array of integers, or a column of lists of integers", value)
    return held
