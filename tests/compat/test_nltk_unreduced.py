"""Fractions that are not reduced."""

from __future__ import annotations

import copy
import fractions
import pickle

import pytest

from fastbleu.compat.nltk.unreduced import Fraction


@pytest.mark.parametrize(("numerator", "denominator"), [(4, 8), (0, 7), (3, 4), (6, 3), (0, 1)])
def test_keeps_its_numbers_and_its_value(numerator: int, denominator: int) -> None:
    reduced = fractions.Fraction(numerator, denominator)
    found = Fraction(numerator, denominator)
    for same in (found, copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert (same.numerator, same.denominator) == (numerator, denominator)
        assert float(same) == float(reduced)
        assert bool(same) == bool(reduced)
        assert isinstance(same, fractions.Fraction)
    for other in (1, fractions.Fraction(2, 5), Fraction(3, 9), 0.75):
        assert float(found + other) == float(reduced + other)
        assert float(other - found) == float(other - reduced)
        assert float(found * other) == float(reduced * other)
        assert float(found / other) == float(reduced / other)
        assert (found > other) == (reduced > other)
    assert float(found**2) == float(reduced**2)


def test_needs_a_denominator() -> None:
    with pytest.raises(ZeroDivisionError):
        Fraction(0, 0)
