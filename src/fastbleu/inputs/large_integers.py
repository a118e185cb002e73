"""Dict keys that replace large integers, because anyone can choose large integers with equal hashes.

Python's hash of a number is its remainder modulo 2**61 - 1, without a secret seed: every multiple of 2**61 - 1 has the
hash 0. In a dict of n such numbers, each look-up takes up to n comparisons. At most a few 64-bit integers have equal
hashes, so only larger integers are replaced.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Any

_LIMIT = 1 << 63

#: The largest exponent of a `Decimal` that is converted to int. The int of a `Decimal` with a larger exponent could be
#: huge. A float needs no limit, because its exponent is at most 308.
_MAX_DIGITS = 1000


class UnknownToken:
    """A token that matches no token, not even itself. Each occurrence is counted as a different token."""

    __slots__ = ("id",)

    def __init__(self, id_: int) -> None:
        self.id = id_

    def __repr__(self) -> str:
        return f"<unk {self.id}>"


class LargeNumber:
    """The first item of the tuple that replaces a large integer. The second item is a str of its hexadecimal digits.

    Python hashes str with a secret seed.
    """


def key_of_number(token: Any) -> Hashable:
    """Return the dict key of a number: the number itself, or a tuple if it is an integer that does not fit 64 bits.

    Equal numbers of any types have equal keys, except that a `Decimal` of more than a thousand digits has another key
    than the equal int.

    Example:
        >>> key_of_number(7), key_of_number(0.5), key_of_number(2.0**70) == key_of_number(1 << 70)
        (7, 0.5, True)
    """
    # Replace a complex number without an imaginary part by its real part, since it may equal an int. Do not check for
    # the type `complex`, because NumPy's complex numbers have another type.
    real = token.real if getattr(token, "imag", None) == 0 else token
    try:
        if -_LIMIT <= real < _LIMIT or (hasattr(real, "adjusted") and real.adjusted() > _MAX_DIGITS):
            return token
        value = int(real)
    except (ArithmeticError, TypeError, ValueError):
        return token  # This is, for example, infinity.
    return (LargeNumber, hex(value)) if value == real else token
