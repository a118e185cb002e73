"""Fractions that keep the numerator and the denominator that they were created with, as NLTK's do."""

from __future__ import annotations

import fractions
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import Self


class Fraction(fractions.Fraction):
    """A fraction whose `numerator` and `denominator` are not reduced: 4 of 8 candidates are 4/8.

    Its value and the results of arithmetic equal those of `fractions.Fraction`. As in NLTK (3.10.4), `==` and `repr`
    use the unreduced numbers before Python 3.12, so 0/7 does not equal 0 in these versions.

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

    # These slots replace the properties of fractions.Fraction.
    __slots__ = ("denominator", "numerator")

    def __new__(cls, numerator: int, denominator: int) -> Self:
        """Create the fraction, which is immutable."""
        self = super().__new__(cls, numerator, denominator)
        self.numerator = numerator  # type: ignore[misc]
        self.denominator = denominator  # type: ignore[misc]
        if sys.version_info < (3, 12):
            self._numerator = numerator  # type: ignore[attr-defined]
            self._denominator = denominator  # type: ignore[attr-defined]
        return self

    @classmethod
    def from_float(cls, f: float) -> Self:
        """Return the value of a float as a fraction; `fractions` calls this to compare with a float."""
        return cls(*f.as_integer_ratio())

    def __reduce__(self) -> tuple[Any, ...]:
        return Fraction, (self.numerator, self.denominator)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self
