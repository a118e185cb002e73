"""Fractions that keep the numerator and the denominator they were made of, as NLTK's do."""

from __future__ import annotations

import fractions
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import Self


class Fraction(fractions.Fraction):
    """A fraction whose `numerator` and `denominator` are not reduced: 4 matches among 8 candidates stay 4/8.

    Its value, and that of what arithmetic makes of it, is the same as with `fractions.Fraction`. As with NLTK's
    (3.10.4), `==` and `repr` go by the unreduced numbers before Python 3.12, so that 0/7 does not equal 0 there.

    Args:
        numerator: An int.
        denominator: An int other than 0.

    Raises:
        ZeroDivisionError: The denominator is 0.

    Example:
        >>> half = Fraction(4, 8)
        >>> half.numerator, half.denominator, float(half)
        (4, 8, 0.5)
        >>> float(half + 1)
        1.5
    """

    # These take the place of the properties of fractions.Fraction.
    __slots__ = ("denominator", "numerator")

    def __new__(cls, numerator: int, denominator: int) -> Self:
        """Make the fraction, which never changes."""
        self = super().__new__(cls, numerator, denominator)
        self.numerator = numerator  # type: ignore[misc]
        self.denominator = denominator  # type: ignore[misc]
        if sys.version_info < (3, 12):
            self._numerator = numerator  # type: ignore[attr-defined]
            self._denominator = denominator  # type: ignore[attr-defined]
        return self

    @classmethod
    def from_float(cls, f: float) -> Self:
        """The value of a float as a fraction; `fractions` calls this to compare with a float."""
        return cls(*f.as_integer_ratio())

    def __reduce__(self) -> tuple[Any, ...]:
        return Fraction, (self.numerator, self.denominator)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self
