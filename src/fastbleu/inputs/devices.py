"""Arrays on accelerators: brought to the host in one transfer, and results made arrays like them.

No framework is imported here. An array says by DLPack where it lies, and by its methods how it is copied; the module of
its type, which is loaded if there is such an array, makes arrays like it.
"""

from __future__ import annotations

import sys

from ..errors import ArgumentTypeError, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

#: The kinds of memory of DLPack that this processor reads: its own, and what it shares with accelerators.
_READABLE_DEVICES = (1, 3, 11, 13)


def is_on_host(value: Any) -> bool:
    """Return whether this processor can read the memory of an array, which says so by DLPack; True if it does not say.

    Example:
        >>> import numpy as np
        >>> is_on_host(np.arange(3))
        True
    """
    where = getattr(value, "__dlpack_device__", None)
    if where is None:
        return True
    try:
        return int(where()[0]) in _READABLE_DEVICES
    except (ValueError, RuntimeError, BufferError, TypeError):  # torch's "meta" device has no number
        return False


def to_host(value: Any, name: Place) -> Any:
    """Copy an array from an accelerator, in one transfer.

    Args:
        value: An array of torch, CuPy, JAX or another framework that copies by DLPack.
        name: What errors call it.

    Returns:
        An array of the same shape and type that `numpy.asarray` sees in place.

    Raises:
        TypeError: It has no data, or the framework does not copy it.
    """
    try:
        if callable(getattr(value, "cpu", None)):  # torch
            return value.cpu()
        if callable(getattr(value, "get", None)):  # CuPy
            return value.get()
        import numpy as np

        if hasattr(value, "__array__"):  # JAX
            return np.asarray(value)
        return np.from_dlpack(value, device="cpu", copy=True)
    except (TypeError, ValueError, RuntimeError, BufferError, NotImplementedError) as error:
        where = getattr(value, "device", "unknown")
        raise ArgumentTypeError(
            name, f"is on the device {where}, from which it cannot be copied: {error}"
        ) from None


class ArrayKind:
    """The kind of an array and its device, without its data: what results are made like.

    Args:
        value: An array, or anything else, which is taken as an array of NumPy.

    Example:
        >>> import numpy as np
        >>> ArrayKind(np.arange(3)).make(np.zeros(2))
        array([0., 0.])
    """

    __slots__ = ("_device", "_framework", "_name")

    def __init__(self, value: Any) -> None:
        self._name = f"{type(value).__module__}.{type(value).__name__}"
        #: None: an array of a framework that nothing is made like.
        self._framework: str | None = "numpy"
        self._device: Any = None
        for framework, array in (("torch", "Tensor"), ("jax", "Array"), ("cupy", "ndarray")):
            # An array of a framework that is not loaded cannot be here.
            found = getattr(sys.modules.get(framework), array, None)
            if found is not None and isinstance(value, found):
                self._framework = framework
                self._device = value.devices() if framework == "jax" else value.device
                return
        if hasattr(value, "__dlpack__") and not hasattr(value, "__array_interface__"):
            self._framework = None

    def make(self, result: NDArray[Any]) -> Any:
        """Make an array of this kind, on its device.

        Args:
            result: float64, or int64. MPS has no float64, so that it gets float32; JAX turns 64 bits to 32 unless it
                was told to use 64.

        Raises:
            TypeError: Nothing is made like arrays of this framework.
        """
        if self._framework == "numpy":
            return result
        if self._framework is None:
            found = f"is a {self._name}; like=True knows arrays of torch, JAX, CuPy and NumPy"
            raise ArgumentTypeError("hypotheses", found)
        host = sys.modules[self._framework]
        if self._framework == "torch":
            if self._device.type == "mps" and result.dtype == "float64":
                result = result.astype("float32")
            return host.from_numpy(result).to(self._device)
        if self._framework == "cupy":
            with self._device:
                return host.asarray(result)
        # An array that is spread over several devices has no device of its own.
        return host.device_put(result, *self._device if len(self._device) == 1 else ())


def as_like(result: NDArray[Any], hypotheses: Any) -> Any:
    """Make a result an array of the kind of the hypotheses, on their device.

    Args:
        result: float64 or int64.
        hypotheses: As a door takes them; of a list, its first row decides.

    Raises:
        TypeError: They are an array of a framework that nothing is made like.
    """
    kind = getattr(hypotheses, "array_kind", None)  # that of TokenIds
    return (kind if isinstance(kind, ArrayKind) else array_kind(hypotheses)).make(result)


def array_kind(value: Any) -> ArrayKind:
    """The kind of an array, or of the first one in a list."""
    return ArrayKind(value[0] if isinstance(value, (list, tuple)) and value else value)
