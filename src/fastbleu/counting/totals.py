"""Sums of statistics: what adds up, what can be taken out again, and what is known of the references."""

from __future__ import annotations

from operator import add, gt, neg

from .rows import row_width, sum_statistics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

#: Numbers of references that are none.
UNKNOWN = 0
DIFFERING = -1


class Sums:
    """What some segments come to. Never changed once made, so that any thread may read it.

    Args:
        row: The sum of their rows, 2 + 2N int of any size.
        segments: How many there are, by their number of references: -1 where it differs within a batch, 0 where it is
            unknown. Below 0 where more were taken out under a number than had come in under it.

    Example:
        >>> sums = Sums([3, 4, 2, 3], {1: 1}).plus([5, 5, 5, 5], {2: 1})
        >>> sums.row, sums.size, sums.num_references()
        ([8, 9, 7, 8], 2, -1)
        >>> left = sums.minus(Sums([3, 4, 2, 3], {1: 1}), "other")
        >>> left.row, left.size, left.num_references()
        ([5, 5, 5, 5], 1, 2)
    """

    __slots__ = ("row", "segments")

    def __init__(self, row: list[int], segments: dict[int, int]) -> None:
        self.row = row
        self.segments = segments

    @property
    def size(self) -> int:
        """How many segments there are; a length, but for numbers that are none to `len`."""
        return sum(self.segments.values())

    def plus(self, row: list[int], segments: dict[int, int]) -> Sums:
        """The sums with what some more segments come to."""
        numbers = self.segments.copy()
        for number, count in segments.items():
            numbers[number] = numbers.get(number, 0) + count
            if not numbers[number]:
                del numbers[number]
        return Sums(list(map(add, self.row, row)), numbers)

    def minus(self, other: Sums, name: str) -> Sums:
        """The sums of these without the others.

        Args:
            other: Sums that are part of these.
            name: What to call them in an error.

        Raises:
            ValueError: They cannot be part of these.
        """
        size = self.size - other.size
        if size < 0:
            raise ValueError(f"{name} stands for {other.size} segments, but there are only {self.size}")
        order = len(self.row) // 2 - 1
        left = self.plus(
            list(map(neg, other.row)), {number: -count for number, count in other.segments.items()}
        )
        row = left.row
        if min(row) < 0:
            k = next(k for k, count in enumerate(row) if count < 0)
            raise ValueError(
                f"{name} has {other.row[k]} for {column_name(k, order)}, but the sum is only {self.row[k]}"
            )
        check_matches(row, order, f"without {name} there would be")
        if not size and any(row):
            k = next(k for k, count in enumerate(row) if count)
            raise ValueError(
                f"without {name} there would be {row[k]} for {column_name(k, order)} in no segment"
            )
        return left if size else Sums(row, {})

    def num_references(self) -> int | None:
        """References per segment: -1 if segments differ in it, None if it is unknown."""
        found = [number for number, count in self.segments.items() if count > 0]
        if len(found) == 1 and found[0] > 0:
            return found[0]
        # Where segments were taken out under another number, those of one number may be all that are left.
        certain = UNKNOWN not in found and min(self.segments.values(), default=0) >= 0
        return DIFFERING if certain else None


def column_name(k: int, order: int) -> str:
    """The name of the count in column k of a row."""
    if k < 2:
        return ("sys_len", "ref_len")[k]
    return f"correct_{k - 1}" if k < 2 + order else f"total_{k - 1 - order}"


def check_matches(row: list[int], order: int, subject: str) -> None:
    """Check that a row has no more matches than candidates.

    Raises:
        ValueError: It has; `subject` begins the message.
    """
    correct, total = row[2 : 2 + order], row[2 + order :]
    if any(map(gt, correct, total)):
        i = next(i for i in range(order) if correct[i] > total[i])
        raise ValueError(f"{subject} {correct[i]} correct n-grams of order {i + 1} among {total[i]}")


def sum_rows(statistics: ArrayLike, order: int, name: str) -> tuple[list[int], NDArray[Any]]:
    """Add up a row, or any number of rows, that a user has kept.

    Args:
        statistics: A row of 2 + 2N counts, or rows [n, 2 + 2N], n >= 0.
        order: N.
        name: What to call them in an error.

    Returns:
        The sum, and the rows [n, 2 + 2N].

    Raises:
        TypeError, ValueError: As `counts.sum_statistics`.

    Example:
        >>> sum_rows([[3, 4, 2, 3], [5, 5, 5, 5]], 1, "statistics")[0], sum_rows([], 1, "statistics")[0]
        ([8, 9, 7, 8], [0, 0, 0, 0])
    """
    import numpy as np

    width = row_width(order)
    try:
        rows = np.asarray(statistics)
        if rows.shape == (width,) and rows.dtype.kind in "iu":
            # One row, as in rewards: no arrays where a few numbers will do.
            row: list[int] = rows.tolist()
            if min(row) >= 0 and not any(map(gt, row[2 : 2 + order], row[2 + order :])):
                return row, rows[np.newaxis]
        if rows.shape in ((0,), (0, width)):
            return [0] * width, np.empty((0, width), dtype=np.int64)
        return sum_statistics(statistics, order), rows.reshape(-1, width)
    except (TypeError, ValueError) as error:
        message = str(error)
        ours = message.startswith("statistics")
        raise type(error)(
            name + message.removeprefix("statistics") if ours else f"{name}: {message}"
        ) from None
