"""Read and check the weights of evidence: probabilities, log-probabilities or counts, as lists, arrays or columns."""

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

#: The largest difference from 1 that the sum of probabilities may have. Rounding to float32 causes errors of this size.
_TOLERANCE = 1e-6

#: Counts whose maximum is outside this range are scaled, because sums of counts times scores might over- or underflow.
_SMALLEST_COUNT, _LARGEST_COUNT = 1e-200, 1e200


def check_weighting(weights: Any, weights_as: str | None, temperature: float | None) -> float | None:
    """Check `weights_as` and `temperature`, and return the temperature as a float, or None if there is none.

    Raises:
        TypeError: `weights_as` is not a str, or `temperature` is not a number.
        ValueError: `weights_as` is unknown, or missing although `weights` is given; `weights_as` or `temperature` is
            given without weights; the temperature is not above 0 and finite; or a temperature is given for weights that
            are not log-probabilities.
    """
    if weights_as is not None and not isinstance(weights_as, str):
        raise wrong_type("weights_as", "a str", weights_as)
    if weights is None:
        for name, value in (("weights_as", weights_as), ("temperature", temperature)):
            if value is not None:
                raise ArgumentValueError(name, f"is {value!r}, but no weights are given", value=value)
        return None
    if weights_as not in WEIGHTS_AS:
        kinds = f"must say which kind of numbers weights has: {', '.join(WEIGHTS_AS)}; got {weights_as!r}"
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
    """Convert the numbers that a user passed for the evidence of one pool to weights.

    Args:
        numbers: One number per piece of evidence, at least one.
        weights_as: One of `WEIGHTS_AS`, the kind of the numbers.
        temperature: The temperature of the softmax over log-probabilities; None: no softmax.
        where: The name of the list of numbers, for error messages.

    Returns:
        One weight >= 0 for each number. At least one weight is above 0, and they need not sum to 1.

    Raises:
        ValueError: A number is NaN or out of range, and the error names its index; all weights are 0; or probabilities
            do not sum to 1.

    Example:
        >>> as_weights([-1000, -1001], "log-probabilities", 1.0, "weights[0]")
        [1.0, 0.36787944117144233]
        >>> as_weights([2, 0, 1], "counts", None, "weights[0]")
        [2, 0, 1]
    """
    if weights_as == "log-probabilities":
        return _softmax(numbers, temperature, locate(where))
    for j, weight in enumerate(numbers):
        if not 0 <= weight < inf:  # NaN fails this comparison as well.
            raise wrong_value(locate(where, j), "finite and not negative", weight)
    if weights_as == "counts":
        largest = max(numbers)
        if not largest:
            raise ArgumentValueError(where, f"must not all be 0, got {describe(numbers)}", value=numbers)
        if not _SMALLEST_COUNT < largest < _LARGEST_COUNT:
            # Scaling by a power of two does not round.
            exponent = frexp(largest)[1]
            return [ldexp(weight, -exponent) for weight in numbers]
    else:
        # `fsum` raises an error if the sum overflows, so it is not called for large numbers.
        total = fsum(numbers) if max(numbers, default=0) < _LARGEST_COUNT else inf
        wanted = (
            "probabilities that sum to 1, but they sum to {!r}; for other numbers pass weights_as='counts'"
        )
        _check_sum(total, numbers, where, wanted)
    return numbers


def _softmax(numbers: list[float], temperature: float | None, where: Location) -> list[float]:
    """Convert log-probabilities to weights, exp((number - largest) / temperature); errors are those of `as_weights`."""
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
    """Raise a ValueError if the sum of probabilities, `total`, is not 1 within the tolerance.

    Args:
        total: The sum.
        numbers: The numbers that the user passed.
        where: The name of the list of numbers, for the message.
        wanted: The text of the message after "must be", in which {!r} is replaced by the sum.
    """
    if not abs(total - 1) <= _TOLERANCE:
        raise ArgumentValueError(where, f"must be {wanted.format(total)}", value=numbers)


def weight_per_candidate(values: Any, pools: CheckedPools) -> NDArray[float64]:
    """Read one weight for each candidate of n pools.

    Args:
        values: The argument `weights`: for `Pools` of one size a matrix [n, size]; for `Pools` with offsets a list of n
            sequences or a flat sequence [candidates]; for a list of pools a list of n sequences.
        pools: The candidates, or the evidence if it is separate.

    Returns:
        float64 [candidates]: the weights of all candidates, pool after pool.

    Raises:
        TypeError: A value is not a number.
        ValueError: The shape or the number of values does not fit the pools.
    """
    shape = None
    if pools.are_flat and (pools.size is not None or not are_sequences(values)):
        shape = [int(pools.bounds[-1])] if pools.size is None else [len(pools), pools.size]
    return as_numbers_like(values, "weights", shape, pools.bounds, pools.name)


def as_numbers_like(
    values: Any, name: str, shape: list[int] | None, bounds: NDArray[int64], of: str
) -> NDArray[float64]:
    """Read numbers in the layout of another argument: in the same shape, or as a list of sequences of the same lengths.

    Args:
        values: The argument as the user passed it.
        name: The name of the argument, for error messages.
        shape: The shape that `values` must have as an array; None: `values` must be a list of n sequences.
        bounds: int64 [n + 1]: sequence i of such a list must have bounds[i + 1] - bounds[i] numbers.
        of: The name of the other argument, for error messages.

    Returns:
        float64 [numbers]: all numbers, sequence after sequence.

    Raises:
        TypeError: A value is not a number.
        ValueError: The shape or the number of values differs from that of the other argument.
    """
    import numpy as np

    if isinstance(values, (str, bytes, dict, set)) or not hasattr(values, "__len__"):
        raise wrong_type(name, f"a sequence of numbers, in the layout of {of}", values)
    values = listed(values)
    if shape is not None:
        numbers = as_numbers(values, name, len(shape))
        if list(numbers.shape) != shape and (numbers.size or shape[0]):
            problem = f"must have the shape {shape}, as {of}, not {list(numbers.shape)}"
            raise ArgumentValueError(name, problem, value=values)
        return numbers.reshape(-1)
    where, sizes = Location(name), np.diff(bounds).tolist()
    if len(values) != len(sizes):
        problem = f"is for {counted(len(values), 'source')}, but {of} has {len(sizes)}"
        raise ArgumentValueError(where, problem, value=values)
    arrays = [np.empty(0)]
    for i, (sequence, size) in enumerate(zip(values, sizes, strict=True)):
        numbers = as_numbers(sequence, where[i], 1)
        if len(numbers) != size:
            problem = f"has {counted(len(numbers), 'number')}, but {of}[{i}] has {size}"
            raise ArgumentValueError(where[i], problem, value=sequence)
        arrays.append(numbers)
    return np.concatenate(arrays)


def listed(values: Any) -> Any:
    """Convert data-frame columns and NumPy arrays of objects to lists, and return other values unchanged.

    They are converted because an array of objects may contain one array per pool, and because `[i]` in a pandas column
    selects by label instead of position.
    """
    kind = getattr(getattr(values, "dtype", None), "kind", "O")
    if isinstance(values, (list, tuple, str, bytes, dict, set)) or kind != "O":
        return values
    return list(values) if hasattr(values, "__len__") and hasattr(values, "__iter__") else values


def are_sequences(values: Any) -> bool:
    """Return whether the first item of `values` is a sequence rather than a number; False if there is no item."""
    if not hasattr(values, "__len__") or not len(values):
        return False
    first = next(iter(values))
    return hasattr(first, "__len__") and getattr(first, "ndim", 1) != 0 and not isinstance(first, str)


def as_numbers(values: Any, where: str | Location, dimensions: int) -> NDArray[float64]:
    """Convert numbers to a float64 array.

    Args:
        values: A sequence of numbers, or of sequences of numbers.
        where: The name of the values, for error messages.
        dimensions: The number of dimensions that the array must have, 1 or 2.

    Raises:
        TypeError: A value is not a number, or the array is masked; the error names the index of the value.
        ValueError: The values have another number of dimensions, or the rows of a matrix have unequal lengths.
    """
    import numpy as np

    if isinstance(values, (str, bytes, dict, set)) or not hasattr(values, "__len__"):
        raise wrong_type(where, "a sequence of numbers", values)
    if hasattr(values, "mask") and hasattr(values, "filled"):
        masked = "is a masked array, whose mask would be ignored; fill it first: "
        raise ArgumentTypeError(where, masked, ".filled(0)", value=values)
    try:
        array = None if _hold_bools(values) else np.asarray(values)
    except (TypeError, ValueError, RuntimeError):
        array = None
    if array is None or (array.dtype.kind not in "iuf" and array.size):
        raise _no_numbers(values, locate(where), dimensions)
    if array.ndim != dimensions and array.size:
        problem = f"must have {counted(dimensions, 'dimension')}, not the shape {list(array.shape)}"
        raise ArgumentValueError(where, problem, value=values)
    return array.astype(np.float64, copy=False)


def _hold_bools(values: Any) -> bool:
    """Return whether a list of numbers, or of lists of numbers, contains a bool, which NumPy takes as 0 or 1."""
    if not isinstance(values, (list, tuple)):
        return False
    return bool in set(map(type, values)) or any(
        bool in set(map(type, row)) for row in values if isinstance(row, (list, tuple))
    )


def _no_numbers(values: Any, where: Location, dimensions: int) -> ArgumentError:
    """Return the error for values that NumPy cannot convert to an array; it names the first value that is wrong."""
    for i, value in enumerate(values):
        if dimensions > 1:
            row = as_numbers(value, where[i], 1)
            if len(row) != len(values[0]):
                problem = f"has {counted(len(row), 'number')}, but {where[0]} has {len(values[0])}"
                return ArgumentValueError(where[i], problem, value=value)
        elif isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
            return wrong_type(where[i], "a number", value)
    return wrong_type(where, "numbers", values)
