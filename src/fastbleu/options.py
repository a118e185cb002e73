"""Checks of options that several modules share; each error names the argument and the value."""

from __future__ import annotations

from .errors import describe

#: Beyond it memory ends before any use does.
_MOST_THREADS = 1 << 12


def check_flag(name: str, value: object) -> bool:
    """Returns a bool as it is; NumPy's, 0, 1 and None as Python's.

    Raises:
        TypeError: It is neither.
    """
    if value is None or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    if getattr(value, "dtype", None) == "bool":
        return bool(value)
    raise TypeError(f"{name} must be True or False, not {describe(value)}")


def check_integer(name: str, value: int, least: int, most: int | None = None) -> int:
    """Returns an integer of any kind as an int.

    Raises:
        TypeError: It is a bool, or no integer.
        ValueError: It is below `least`, or above `most`.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an int, not {describe(value)}")
    value = value.__index__()
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most}, got {value}")
    return value


def check_threads(threads: int) -> int:
    """Returns how many threads may work at the same time.

    Raises:
        TypeError: It is no integer.
        ValueError: It is below 1, or more than any machine has.
    """
    return check_integer("threads", threads, 1, _MOST_THREADS)


def check_number(name: str, value: object) -> float:
    """Returns a number of any kind as a float; NaN and infinite ones, too.

    Raises:
        TypeError: It is a bool, or no number.
        ValueError: No float is as large.
    """
    if isinstance(value, (bool, str)) or not hasattr(value, "__float__") or getattr(value, "ndim", 0) != 0:
        raise TypeError(f"{name} must be a number, not {describe(value)}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} must be a number that a float can hold, got {describe(value)}") from None
