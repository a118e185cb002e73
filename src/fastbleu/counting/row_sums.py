"""Sums of rows of sufficient statistics. They are Python integers, which never overflow."""

from __future__ import annotations

from operator import add

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

#: Represents an unknown number of references per segment.
UNKNOWN = 0
#: Represents the number of references per segment if segments differ in it.
DIFFERING = -1

#: Columns of an array are summed as int64 if no sum can exceed this value.
_MAX_INT64_SUM = 1 << 62


class Totals:
    """The sums over the segments counted so far.

    Attributes:
        row: The sum of the segments' rows, 2 + 2N int.
        tokenized: The number of hypotheses that end in " .".
        num_references: The number of references per segment; -1 if segments differ in it; 0 before the first segment.
    """

    __slots__ = ("num_references", "row", "tokenized")

    def __init__(self, row: list[int], tokenized: int = 0, num_references: int = 0) -> None:
        self.row = row
        self.tokenized = tokenized
        self.num_references = num_references

    def add(self, row: list[int], tokenized: int, num_references: int) -> None:
        """Add the sums of a chunk of segments. The arguments are those of the constructor."""
        self.tokenized += tokenized
        if not self.num_references:  # This is the first chunk.
            self.row = row
            self.num_references = num_references
            return
        self.row = list(map(add, self.row, row))
        if self.num_references != num_references:
            self.num_references = -1


def sum_rows(rows: NDArray[Any]) -> list[int]:
    """Sum the rows of an integer array [n, width], n >= 0, without overflow, and return a list of `width` int.

    Example:
        >>> import numpy as np
        >>> sum_rows(np.array([[3, 4, 2, 3], [5, 5, 5, 5]])), sum_rows(np.full((2, 1), 2**63 - 1))
        ([8, 9, 7, 8], [18446744073709551614])
    """
    import numpy as np

    if len(rows) == 1:
        row: list[int] = rows[0].tolist()
        return row
    fits = not rows.size or int(rows.max()) <= _MAX_INT64_SUM // len(rows)
    total: list[int] = rows.sum(axis=0, dtype=np.int64 if fits else object).tolist()
    return total


class Sums:
    """The sums over a number of segments. The object is immutable, so any thread may read it.

    Args:
        row: The sum of the segments' rows, 2 + 2N int of any size.
        segments: The number of segments for each number of references per segment. The key is -1 for batches whose
            segments differ in that number, and 0 for segments whose number of references is unknown.

    Example:
        >>> sums = Sums([3, 4, 2, 3], {1: 1}).plus([5, 5, 5, 5], {2: 1})
        >>> sums.row, sums.size, sums.num_references()
        ([8, 9, 7, 8], 2, -1)
    """

    __slots__ = ("row", "segments")

    def __init__(self, row: list[int], segments: dict[int, int]) -> None:
        self.row = row
        self.segments = segments

    @property
    def size(self) -> int:
        """Return the number of segments. This is not `__len__`, because it may exceed `sys.maxsize`."""
        return sum(self.segments.values())

    def plus(self, row: list[int], segments: dict[int, int]) -> Sums:
        """Return new sums that include more segments. The arguments are those of the constructor."""
        numbers = self.segments.copy()
        for number, count in segments.items():
            if count:
                numbers[number] = numbers.get(number, 0) + count
        return Sums(list(map(add, self.row, row)), numbers)

    def num_references(self) -> int | None:
        """Return the number of references per segment: -1 if segments differ in it, None if it is unknown."""
        if UNKNOWN in self.segments:
            return None
        return next(iter(self.segments)) if len(self.segments) == 1 else DIFFERING
