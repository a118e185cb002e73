"""Copy arrays from accelerators to the host in one transfer, and convert results to the input's kind of array.

This module imports no framework. It finds the device of an array through DLPack, and copies the array by the array's
methods. If an input is an array of a framework, the program has imported this framework, so `sys.modules` has it.
"""

from __future__ import annotations

import sys

from ..errors import ArgumentTypeError, Location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

#: DLPack's device types for memory that the CPU can read: kDLCPU, kDLCUDAHost, kDLROCMHost and kDLCUDAManaged.
_READABLE_DEVICES = (1, 3, 11, 13)


def is_on_host(value: Any) -> bool:
    """Return whether the CPU can read the memory of an array, according to DLPack. Return True without DLPack.

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
    except (ValueError, RuntimeError, BufferError, TypeError):
        return False  # DLPack has no number for torch's device "meta".


def to_host(value: Any, name: Location) -> Any:
    """Copy an array from an accelerator, in one transfer.

    Args:
        value: An array of torch, CuPy, JAX or another framework that copies by DLPack.
        name: The argument's name in errors.

    Returns:
        An array of the same shape and dtype on the host, which `numpy.asarray` converts without a copy.

    Raises:
        TypeError: The framework cannot copy the array, for example because it is on a device without data ("meta").
    """
    try:
        if callable(getattr(value, "cpu", None)):  # This is a torch tensor.
            return value.cpu()
        if callable(getattr(value, "get", None)):  # This is a CuPy array.
            return value.get()
        import numpy as np

        if hasattr(value, "__array__"):  # This is a JAX array.
            return np.asarray(value)
        return np.from_dlpack(value, device="cpu", copy=True)
    except (TypeError, ValueError, RuntimeError, BufferError, NotImplementedError) as error:
        where = getattr(value, "device", "unknown")
        raise ArgumentTypeError(
            name, f"is on the device {where}, from which it cannot be copied: {error}"
        ) from None


class ArrayKind:
    """The framework and the device of an array, without its data, to create results of the same kind.

    Args:
        value: An array. For any other object, results are NumPy arrays.

    Example:
        >>> import numpy as np
        >>> ArrayKind(np.arange(3)).make(np.zeros(2))
        array([0., 0.])
    """

    __slots__ = ("_device", "_framework", "_name")

    def __init__(self, value: Any) -> None:
        self._name = f"{type(value).__module__}.{type(value).__name__}"
        #: The framework that creates results; None if the array's framework is not supported.
        self._framework: str | None = "numpy"
        self._device: Any = None
        for framework, array in (("torch", "Tensor"), ("jax", "Array"), ("cupy", "ndarray")):
            # If a framework is not loaded, the value is not one of its arrays.
            array_type = getattr(sys.modules.get(framework), array, None)
            if array_type is not None and isinstance(value, array_type):
                self._framework = framework
                self._device = value.devices() if framework == "jax" else value.device
                return
        if hasattr(value, "__dlpack__") and not hasattr(value, "__array_interface__"):
            self._framework = None

    def make(self, result: NDArray[Any]) -> Any:
        """Convert a result to an array of this framework on this device.

        Args:
            result: An array of float64 or int64. On MPS, which lacks float64, float64 becomes float32. JAX converts 64
                bits to 32 unless its option `jax_enable_x64` is set.

        Raises:
            TypeError: The framework is not supported.
        """
        if self._framework == "numpy":
            return result
        if self._framework is None:
            unsupported = f"is a {self._name}; like=True supports arrays of torch, JAX, CuPy and NumPy"
            raise ArgumentTypeError("hypotheses", unsupported)
        host = sys.modules[self._framework]
        if self._framework == "torch":
            if self._device.type == "mps" and result.dtype == "float64":
                result = result.astype("float32")
            return host.from_numpy(result).to(self._device)
        if self._framework == "cupy":
            with self._device:
                return host.asarray(result)
        # If the input is sharded over several devices, let JAX choose the device of the result.
        return host.device_put(result, *self._device if len(self._device) == 1 else ())


def as_like(result: NDArray[Any], hypotheses: Any) -> Any:
    """Convert a result to an array of the framework of the hypotheses, on their device.

    Args:
        result: An array of float64 or int64.
        hypotheses: The hypotheses that were passed to a public function. If they are a list, the first
            item determines the framework.

    Raises:
        TypeError: The framework is not supported.
    """
    kind = getattr(hypotheses, "array_kind", None)  # Of all types of hypotheses, only TokenIds have this.
    return (kind if isinstance(kind, ArrayKind) else array_kind(hypotheses)).make(result)


def array_kind(value: Any) -> ArrayKind:
    """Return the `ArrayKind` of an array, or of the first array in a list."""
    return ArrayKind(value[0] if isinstance(value, (list, tuple)) and value else value)
