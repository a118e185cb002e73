"""Dict keys that replace large numbers, because anyone can choose large numbers with equal hashes.

Python hashes a number by its remainder modulo 2**61 - 1, without a secret: i * (2**61 - 1) has the hash 0 for each i.
In a dict of n such numbers each look-up takes n comparisons. Few 64-bit numbers share a hash, so only larger ones need
such keys.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Any

_LIMIT = 1 << 63

#: Convert decimal numbers of up to this many digits to int; floats have at most 309.
_MAX_DIGITS = 1000


class UnknownToken:
    """A token that matches no token, not even itself: each occurrence is counted as a token of its own."""

    __slots__ = ("id",)

    def __init__(self, id_: int) -> None:
        self.id = id_

    def __repr__(self) -> str:
        return f"<unk {self.id}>"


class LargeNumber:
    """The first item of a key; the second is a str of hexadecimal digits, which Python hashes with a secret seed."""


def key_of_number(token: Any) -> Hashable:
    """Return the key of a number: the number itself, or a tuple if it is an integer that does not fit 64 bits.

    Equal numbers of any types have equal keys, except for decimal numbers of more than a thousand digits, whose keys
    equal no int's.

    Example:
        >>> key_of_number(7), key_of_number(0.5), key_of_number(2.0**70) == key_of_number(1 << 70)
        (7, 0.5, True)
    """
    # A complex number may also equal an int, and NumPy's numbers have other types than Python's.
    real = token.real if getattr(token, "imag", None) == 0 else token
    try:
        if -_LIMIT <= real < _LIMIT or (hasattr(real, "adjusted") and real.adjusted() > _MAX_DIGITS):
            return token
        value = int(real)
    except (ArithmeticError, TypeError, ValueError):
        return token  # For example, infinity.
    return (LargeNumber, hex(value)) if value == real else token
