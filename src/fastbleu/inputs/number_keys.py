"""Keys of dicts in place of large numbers, whose own hashes anyone can make equal.

Python hashes a number by its remainder modulo 2**61 - 1, without a secret: i * (2**61 - 1) has the hash 0 for each i.
In a dict of n such numbers each look-up takes n comparisons. Few numbers of 64 bits share a hash, so only larger ones
need keys.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Any

_LIMIT = 1 << 63

#: Digits of the largest decimal number that is made an int; floats have 309 at most.
_MOST_DIGITS = 1000


class LargeNumber:
    """Marks keys: each is a tuple of this class and the hexadecimal digits, which Python hashes with a secret."""


def key_of_number(token: Any) -> Hashable:
    """The key of a number: itself, or one of our own where it is an integer that has not 64 bits.

    Equal numbers have equal keys, of whichever type they are; but for decimal numbers of more than a thousand digits,
    which equal no int then.

    Example:
        >>> key_of_number(7), key_of_number(0.5), key_of_number(2.0**70) == key_of_number(1 << 70)
        (7, 0.5, True)
    """
    # A complex number may equal an int, too, and NumPy's are of other types than Python's.
    real = token.real if getattr(token, "imag", None) == 0 else token
    try:
        if -_LIMIT <= real < _LIMIT or (hasattr(real, "adjusted") and real.adjusted() > _MOST_DIGITS):
            return token
        value = int(real)
    except (ArithmeticError, TypeError, ValueError):
        return token  # infinity, for example
    return (LargeNumber, hex(value)) if value == real else token
