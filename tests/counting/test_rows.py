"""The layout of a row, and rows that a user has kept."""

from typing import Any

import numpy as np
import pytest

from fastbleu.counting.rows import check_rows, column_name, empty_table, row_width


def test_layout() -> None:
    names = ["sys_len", "ref_len", "correct_1", "correct_2", "total_1", "total_2"]
    assert [column_name(k, 2) for k in range(row_width(2))] == names
    rows = empty_table(3, row_width(2))
    assert (rows.shape, rows.dtype) == ((3, 6), np.int64)


@pytest.mark.parametrize(
    ("statistics", "rows"),
    [
        ([3, 4, 2, 3], [[3, 4, 2, 3]]),
        ([[3, 4, 2, 3], [5, 5, 5, 5]], [[3, 4, 2, 3], [5, 5, 5, 5]]),
        (np.array([[3, 4, 2, 3]], dtype=np.uint8), [[3, 4, 2, 3]]),
        ([], []),
        (np.empty((0, 4)), []),
    ],
)
def test_good_rows(statistics: Any, rows: list[list[int]]) -> None:
    assert check_rows(statistics, 1, "old").tolist() == rows


@pytest.mark.parametrize(
    ("statistics", "fewest", "kind", "words"),
    [
        ([], 1, ValueError, r"^old must have the shape \[4\] or \[n, 4\], n >= 1, for max_ngram_order=1"),
        ([3, 4, 2], 0, ValueError, r"^old must have the shape \[4\] or \[n, 4\], n >= 0, for .*, not \[3\]$"),
        ([3, 4, 2, 3.0], 0, TypeError, r"^old must be integers, not list: \[3, 4, 2, 3.0\]$"),
        pytest.param(
            [[3, 4, 2, 3], [3]],
            0,
            ValueError,
            "^old cannot be converted to an array: ",
            marks=pytest.mark.skipif(
                np.lib.NumpyVersion(np.__version__) < "1.24.0", reason="this NumPy makes an array of lists"
            ),
        ),
    ],
)
def test_bad_rows(statistics: Any, fewest: int, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        check_rows(statistics, 1, "old", fewest)
