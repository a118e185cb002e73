"""Sums of rows: of any size, and with what is known of the references."""

import numpy as np

from fastbleu.counting.row_sums import DIFFERING, UNKNOWN, Sums, Totals, sum_rows

LARGEST = 2**63 - 1


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


def test_sums_with_what_is_known_of_the_references() -> None:
    first = Sums([3, 4, 2, 3], {1: 1})
    both = first.plus([5, 5, 5, 5], {2: 1})
    assert (both.row, both.size, both.num_references()) == ([8, 9, 7, 8], 2, DIFFERING)
    assert first.plus([5, 5, 5, 5], {1: 3}).num_references() == 1
    assert first.plus([5, 5, 5, 5], {UNKNOWN: 1}).num_references() is None
    assert first.plus([0, 0, 0, 0], {UNKNOWN: 0}).segments == {1: 1}
