"""The layout of a row of sufficient statistics, and checks of rows that users pass.

A row is int64 [2 + 2N]: sys_len, ref_len, correct_1..N, total_1..N. The rows of segments can be added in any order.
"""

from __future__ import annotations

from operator import gt

from ..errors import ArgumentValueError, Location, locate, wrong_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import int64
    from numpy.typing import ArrayLike, NDArray


def row_width(order: int) -> int:
    """Return the length of a row of statistics for n-grams up to `order`."""
    return 2 + 2 * order


def column_name(k: int, order: int) -> str:
    """Return the name of column k of a row for n-grams up to `order`."""
    if k < 2:
        return ("sys_len", "ref_len")[k]
    return f"correct_{k - 1}" if k < 2 + order else f"total_{k - 1 - order}"


def empty_table(segments: int, width: int) -> NDArray[int64]:
    """Return an uninitialized table for the rows of any metric: int64 [segments, width]."""
    import numpy as np

    return np.empty((segments, width), dtype=np.int64)


def check_matches(row: list[int], order: int, where: Location) -> None:
    """Check that a row does not have more matches than n-grams of any order.

    Args:
        row: 2 + 2N counts.
        order: N.
        where: The location of the row, for the error message.

    Raises:
        ValueError: The row has more matches than n-grams of an order.
    """
    correct, total = row[2 : 2 + order], row[2 + order :]
    if any(map(gt, correct, total)):
        i = next(i for i in range(order) if correct[i] > total[i])
        excess = f"has {correct[i]} correct n-grams of order {i + 1} among {total[i]}"
        raise ArgumentValueError(where, excess, value=row)


def check_rows(statistics: ArrayLike, order: int, name: str | Location, fewest: int = 0) -> NDArray[Any]:
    """Check statistics that a user has stored.

    Args:
        statistics: Non-negative integers: a row [2 + 2N], or rows [n, 2 + 2N].
        order: N.
        name: The name of the argument in errors.
        fewest: The smallest valid n, 0 or 1.

    Returns:
        The rows [n, 2 + 2N], in the integer dtype of `statistics`.

    Raises:
        TypeError: The statistics are not integers.
        ValueError: The shape is wrong, a count is negative, or a row has more matches than n-grams.

    Example:
        >>> check_rows([3, 4, 2, 3], 1, "statistics").tolist(), len(check_rows([], 1, "statistics"))
        ([[3, 4, 2, 3]], 0)
    """
    import numpy as np

    width = row_width(order)
    if isinstance(statistics, np.ndarray) and statistics.shape == (width,) and statistics.dtype.kind in "iu":
        # Check a single row as a list, which is faster. Rewards compute scores from single rows.
        row: list[int] = statistics.tolist()
        if min(row) >= 0 and not any(map(gt, row[2 : 2 + order], row[2 + order :])):
            return statistics[np.newaxis]
    rows = check_table(statistics, width, f"max_ngram_order={order}", name, fewest)
    excess = (rows[:, 2 : 2 + order] > rows[:, 2 + order :]).any(axis=1)
    if excess.any():
        i = int(excess.argmax())
        check_matches(rows[i].tolist(), order, locate(name, i))
    return rows


def check_table(
    statistics: ArrayLike, width: int, options: str, name: str | Location, fewest: int = 0
) -> NDArray[Any]:
    """Check that statistics are rows of `width` non-negative integers.

    Args:
        statistics: A row [width], or rows [n, width].
        width: The length of a row.
        options: The options on which the width depends, for error messages.
        name: The name of the argument in errors.
        fewest: The smallest valid n, 0 or 1.

    Returns:
        The rows [n, width], in the integer dtype of `statistics`.

    Raises:
        TypeError: The statistics are not integers.
        ValueError: The shape is wrong, or a count is negative.

    Example:
        >>> check_table([[1, 2], [3, 4]], 2, "n=2", "statistics").tolist()
        [[1, 2], [3, 4]]
    """
    import numpy as np

    try:
        rows = np.asarray(statistics)
    except ValueError as error:
        raise ArgumentValueError(
            name, f"cannot be converted to an array: {error}", value=statistics
        ) from None
    if not fewest and rows.shape in ((0,), (0, width)):
        return np.empty((0, width), dtype=np.int64)
    if rows.size and rows.dtype.kind not in "iu":
        raise wrong_type(name, "integers", statistics)
    if rows.ndim not in (1, 2) or rows.shape[-1] != width or not rows.size:
        raise ArgumentValueError(
            name,
            f"must have the shape [{width}] or [n, {width}], n >= {fewest}, for {options}, not {list(rows.shape)}",
            value=statistics,
        )
    rows = rows.reshape(-1, width)
    if rows.min() < 0:
        i, k = np.argwhere(rows < 0)[0].tolist()
        count = rows[i, k].item()
        raise ArgumentValueError(locate(name)[i, k], f"must not be negative, got {count}", value=count)
    return rows
