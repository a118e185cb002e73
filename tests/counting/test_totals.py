"""Sums of rows: of any size, and with what is known of the references."""

from __future__ import annotations

import numpy as np
import pytest

from fastbleu.counting.totals import DIFFERING, UNKNOWN, Sums, Totals, sum_rows
from fastbleu.scoring.formula import Formula

LARGEST = 2**63 - 1
FORMULA = Formula(1)


def test_sums_of_any_size() -> None:
    for rows, total in (
        (np.zeros((0, 4), dtype=np.int64), [0, 0, 0, 0]),
        (np.array([[1, 2, 3, 4]], dtype=np.uint8), [1, 2, 3, 4]),
        (np.full((3, 4), 200, dtype=np.uint8), [600] * 4),
        (np.full((4, 4), LARGEST), [4 * LARGEST] * 4),
        (np.full((2, 4), 2**64 - 1, dtype=np.uint64), [2 * (2**64 - 1)] * 4),
    ):
        found = sum_rows(rows)
        assert found == total
        assert all(type(count) is int for count in found)


def test_totals_of_chunks() -> None:
    totals = Totals([0] * 4)
    totals.add([1, 2, 3, LARGEST], 1, 2)
    assert (totals.row, totals.tokenized, totals.num_references) == ([1, 2, 3, LARGEST], 1, 2)
    totals.add([1, 2, 3, LARGEST], 1, 2)
    assert (totals.row, totals.tokenized, totals.num_references) == ([2, 4, 6, 2 * LARGEST], 2, 2)
    totals.add([0, 0, 0, 0], 0, 1)
    assert totals.num_references == -1


def test_sums_that_are_taken_out_again() -> None:
    first, second = Sums([3, 4, 2, 3], {1: 1}), Sums([5, 5, 5, 5], {2: 1})
    both = first.plus(second.row, second.segments)
    assert (both.row, both.size, both.num_references()) == ([8, 9, 7, 8], 2, DIFFERING)
    left = both.minus(first, "other", FORMULA)
    assert (left.row, left.size, left.num_references()) == ([5, 5, 5, 5], 1, 2)
    assert left.minus(Sums([5, 5, 5, 5], {UNKNOWN: 1}), "other", FORMULA).segments == {}
    for less, words in (
        (Sums([0, 0, 0, 0], {1: 3}), "other stands for 3 segments, but there are only 2"),
        (Sums([9, 0, 0, 0], {1: 1}), "other has 9 for sys_len, but the sum is only 8"),
        (Sums([0, 0, 0, 2], {1: 1}), "without other there would be 7 correct n-grams of order 1 among 6"),
        (Sums([8, 8, 7, 8], {1: 2}), "without other there would be 1 for ref_len in no segment"),
    ):
        with pytest.raises(ValueError, match=f"^{words}$"):
            both.minus(less, "other", FORMULA)
