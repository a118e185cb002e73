"""Define fractions that are not reduced, like those that NLTK returns."""

from __future__ import annotations

import fractions
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import Self


class Fraction(fractions.Fraction):
    """A fraction whose `numerator` and `denominator` are not reduced: 4/8 remains 4/8.

    Its value and the results of arithmetic equal those of `fractions.Fraction`. Before Python 3.12, `==` and `repr` use
    the unreduced numbers, as in NLTK (3.10.4), so 0/7 does not equal 0.

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
        """Convert a float exactly; `fractions` calls this for comparisons with floats."""
        return cls(*f.as_integer_ratio())

    def __reduce__(self) -> tuple[Any, ...]:
        return Fraction, (self.numerator, self.denominator)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self
