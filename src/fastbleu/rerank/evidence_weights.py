"""Read and check the weights of evidence: probabilities, log-probabilities or counts, in any form that users hold."""

from __future__ import annotations

from math import exp, frexp, fsum, inf, isnan, ldexp

from ..errors import (
    ArgumentError,
    ArgumentTypeError,
    ArgumentValueError,
    Location,
    counted,
    describe,
    locate,
    wrong_type,
    wrong_value,
)
from ..options import WEIGHTS_AS, check_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import NDArray

    from .pool_sources import CheckedPools

#: The maximum distance of the sum of probabilities from 1. Rounding to float32 causes errors of this size.
_TOLERANCE = 1e-6

#: Outside this range, sums of counts times scores might underflow or overflow.
_SMALLEST_COUNT, _LARGEST_COUNT = 1e-200, 1e200


def check_weighting(weights: Any, weights_as: str | None, temperature: float | None) -> float | None:
    """Check the arguments that define the kind of weights, and return the temperature as a float, or None.

    Raises:
        TypeError: `weights_as` is not a str, or `temperature` is not a number.
        ValueError: `weights_as` is missing or unknown; the temperature is not above 0 and finite; or one of the two is
            given without weights, or a temperature for weights that are not log-probabilities.
    """
    if weights_as is not None and not isinstance(weights_as, str):
        raise wrong_type("weights_as", "a str", weights_as)
    if weights is None:
        for name, value in (("weights_as", weights_as), ("temperature", temperature)):
            if value is not None:
                raise ArgumentValueError(name, f"is {value!r}, but there are no weights", value=value)
        return None
    if weights_as not in WEIGHTS_AS:
        kinds = f"must say what weights are, one of {', '.join(WEIGHTS_AS)}, got {weights_as!r}"
        raise ArgumentValueError("weights_as", kinds, value=weights_as)
    if temperature is None:
        return None
    number = check_number("temperature", temperature)
    if weights_as != "log-probabilities":
        use = f"is for weights_as='log-probabilities', not {weights_as!r}"
        raise ArgumentValueError("temperature", use, value=temperature)
    if not 0 < number < inf:
        raise wrong_value("temperature", "above 0 and finite", temperature)
    return number


def as_weights(
    numbers: list[float], weights_as: str, temperature: float | None, where: str | Location
) -> list[float]:
    """Convert the numbers that a user gave for the evidence of one pool to weights.

    Args:
        numbers: The user's numbers, at least one.
        weights_as: One of `WEIGHTS_AS`.
        temperature: The temperature of the softmax over log-probabilities, or None.
        where: The name of the numbers in errors.

    Returns:
        One weight >= 0 for each number, not all of them 0. They need not sum to 1.

    Raises:
        ValueError: A number is NaN or out of range; the error names it. Or all are 0 (or -inf), or probabilities do not
            sum to 1.

    Example:
        >>> as_weights([-1000, -1001], "log-probabilities", 1.0, "weights[0]")
        [1.0, 0.36787944117144233]
        >>> as_weights([2, 0, 1], "counts", None, "weights[0]")
        [2, 0, 1]
    """
    if weights_as == "log-probabilities":
        return _softmax(numbers, temperature, locate(where))
    for j, weight in enumerate(numbers):
        if not 0 <= weight < inf:  # Also refuses NaN.
            raise wrong_value(locate(where, j), "finite and not negative", weight)
    if weights_as == "counts":
        largest = max(numbers)
        if not largest:
            raise ArgumentValueError(where, f"must not all be 0, got {describe(numbers)}", value=numbers)
        if not _SMALLEST_COUNT < largest < _LARGEST_COUNT:
            # Scaling by a power of two changes no digit.
            exponent = frexp(largest)[1]
            return [ldexp(weight, -exponent) for weight in numbers]
    else:
        # A sum of large numbers may overflow.
        total = fsum(numbers) if max(numbers, default=0) < _LARGEST_COUNT else inf
        wanted = "probabilities that sum to 1, but they sum to {!r}; else pass weights_as='counts'"
        _check_sum(total, numbers, where, wanted)
    return numbers


def _softmax(numbers: list[float], temperature: float | None, where: Location) -> list[float]:
    """Return exp((number - largest) / temperature) of each log-probability; raises as `as_weights`."""
    for j, number in enumerate(numbers):
        if isnan(number) or number == inf:
            raise wrong_value(where[j], "finite or -inf", number)
        if temperature is None and number > _TOLERANCE:
            raise wrong_value(where[j], "a log-probability, not above 0", number)
    largest = max(numbers)
    if largest == -inf:
        raise ArgumentValueError(where, f"must not all be -inf, got {describe(numbers)}", value=numbers)
    if temperature is None:
        wanted = "log-probabilities, but their exponentials sum to {!r}, not 1; pass temperature=1 to normalize them"
        _check_sum(fsum(map(exp, numbers)), numbers, where, wanted)
        temperature = 1
    return [exp((number - largest) / temperature) for number in numbers]


def _check_sum(total: float, numbers: list[float], where: str | Location, wanted: str) -> None:
    """Check that probabilities, whose sum is `total`, sum to 1 within the tolerance; `wanted` is for the message."""
    if not abs(total - 1) <= _TOLERANCE:
        raise ArgumentValueError(where, f"must be {wanted.format(total)}", value=numbers)


def weight_per_candidate(values: Any, pools: CheckedPools) -> NDArray[float64]:
    """Read one weight for each candidate of n pools.

    Args:
        values: A list of n sequences; for `Pools` of one size a matrix [n, size]; for `Pools` with offsets a list of n
            sequences or a flat sequence [candidates].
        pools: The candidates.

    Returns:
        float64 [candidates]: the weights of all candidates, pool after pool.

    Raises:
        TypeError: Something is not a number.
        ValueError: The form differs from that of the pools, or the number of values does.
    """
    shape = None
    if pools.are_flat and (pools.size is not None or not are_sequences(values)):
        shape = [int(pools.bounds[-1])] if pools.size is None else [len(pools), pools.size]
    return as_numbers_like(values, "weights", shape, pools.bounds, pools.name)


def as_numbers_like(
    values: Any, name: str, shape: list[int] | None, bounds: NDArray[int64], of: str
) -> NDArray[float64]:
    """Read numbers that must have the same form as other values.

    Args:
        values: The user's argument.
        name: Its name.
        shape: The shape that an array must have; None: the numbers are a list of n sequences.
        bounds: int64 [n + 1]: sequence i must have bounds[i + 1] - bounds[i] numbers.
        of: The name of the argument whose form is expected.

    Returns:
        float64: all numbers in one dimension, sequence after sequence.

    Raises:
        TypeError: Something is not a number.
        ValueError: The form or the number of values differs.
    """
    import numpy as np

    if isinstance(values, (str, bytes, dict, set)) or not hasattr(values, "__len__"):
        raise wrong_type(name, f"numbers in the form of {of}", values)
    values = listed(values)
    if shape is not None:
        numbers = as_numbers(values, name, len(shape))
        if list(numbers.shape) != shape and (numbers.size or shape[0]):
            other = f"must have the shape {shape}, as {of}, not {list(numbers.shape)}"
            raise ArgumentValueError(name, other, value=values)
        return numbers.reshape(-1)
    where, sizes = Location(name), np.diff(bounds).tolist()
    if len(values) != len(sizes):
        other = f"is for {counted(len(values), 'source')}, but {of} has {len(sizes)}"
        raise ArgumentValueError(where, other, value=values)
    parts = [np.empty(0)]
    for i, (part, size) in enumerate(zip(values, sizes, strict=True)):
        numbers = as_numbers(part, where[i], 1)
        if len(numbers) != size:
            other = f"has {counted(len(numbers), 'number')}, but {of}[{i}] has {size}"
            raise ArgumentValueError(where[i], other, value=part)
        parts.append(numbers)
    return np.concatenate(parts)


def listed(values: Any) -> Any:
    """Convert columns and arrays of objects to lists, and return other values unchanged.

    An object may hold the numbers of a pool. In a column, `[i]` may select by a label instead of a position.
    """
    kind = getattr(getattr(values, "dtype", None), "kind", "O")
    if isinstance(values, (list, tuple, str, bytes, dict, set)) or kind != "O":
        return values
    return list(values) if hasattr(values, "__len__") and hasattr(values, "__iter__") else values


def are_sequences(values: Any) -> bool:
    """Return whether the first of some values is a sequence rather than a number."""
    if not hasattr(values, "__len__") or not len(values):
        return False
    first = next(iter(values))
    return hasattr(first, "__len__") and getattr(first, "ndim", 1) != 0 and not isinstance(first, str)


def as_numbers(values: Any, where: str | Location, dimensions: int) -> NDArray[float64]:
    """Convert numbers to a float64 array of one or two dimensions.

    Raises:
        TypeError: Something is not a number; the error names it.
        ValueError: The number of dimensions differs, or rows of two dimensions have unequal lengths.
    """
    import numpy as np

    if isinstance(values, (str, bytes, dict, set)) or not hasattr(values, "__len__"):
        raise wrong_type(where, "a sequence of numbers", values)
    if hasattr(values, "mask") and hasattr(values, "filled"):
        masked = "is a masked array, whose mask would not be seen; fill it first: "
        raise ArgumentTypeError(where, masked, ".filled(0)", value=values)
    try:
        array = None if _hold_bools(values) else np.asarray(values)
    except (TypeError, ValueError, RuntimeError):
        array = None
    if array is None or (array.dtype.kind not in "iuf" and array.size):
        raise _no_numbers(values, locate(where), dimensions)
    if array.ndim != dimensions and array.size:
        other = f"must have {counted(dimensions, 'dimension')}, not the shape {list(array.shape)}"
        raise ArgumentValueError(where, other, value=values)
    return array.astype(np.float64, copy=False)


def _hold_bools(values: Any) -> bool:
    """Return whether a list of numbers, or of lists of numbers, holds a bool, which NumPy would read as a number."""
    if not isinstance(values, (list, tuple)):
        return False
    kinds = set(map(type, values))
    return bool in kinds or any(
        bool in set(map(type, row)) for row in values if isinstance(row, (list, tuple))
    )


def _no_numbers(values: Any, where: Location, dimensions: int) -> ArgumentError:
    """Return the error for values that NumPy cannot convert to an array of numbers."""
    for i, value in enumerate(values):
        if dimensions > 1:
            row = as_numbers(value, where[i], 1)
            if len(row) != len(values[0]):
                other = f"has {counted(len(row), 'number')}, but {where[0]} has {len(values[0])}"
                return ArgumentValueError(where[i], other, value=value)
        elif isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
            return wrong_type(where[i], "a number", value)
    return wrong_type(where, "numbers", values)
