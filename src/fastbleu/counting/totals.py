"""Sums of rows, which never overflow: Python's integers hold any size."""

from __future__ import annotations

from operator import add

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

#: In the place of a number of references: it is not known, or segments differ in it.
UNKNOWN = 0
DIFFERING = -1

#: What sacreBLEU logs of this number of hypotheses that end in " ." or more, which look tokenized.
TOKENIZED_LOOKING = 100
LOOKS_TOKENIZED = (
    "That's 100 lines that end in a tokenized period ('.')",
    "It looks like you forgot to detokenize your test data, which may hurt your score.",
    "If you insist your data is detokenized, or don't care, you can suppress this message with the `force` parameter.",
)

#: What sacreBLEU logs for scores of single segments without effective order.
ORDER = "It is recommended to enable `effective_order` for sentence-level BLEU."

#: Sums up to this size are made in 64 bits.
_MOST_SUMMED = 1 << 62


class Totals:
    """The sums of the segments counted so far.

    Attributes:
        row: The sum of their rows, 2 + 2N int.
        tokenized: How many hypotheses end in " .".
        num_references: References of a segment; -1 where segments differ; 0 before the first.
    """

    __slots__ = ("num_references", "row", "tokenized")

    def __init__(self, row: list[int], tokenized: int = 0, num_references: int = 0) -> None:
        self.row = row
        self.tokenized = tokenized
        self.num_references = num_references

    def add(self, row: list[int], tokenized: int, num_references: int) -> None:
        """Adds the sums of a chunk."""
        self.tokenized += tokenized
        if not self.num_references:  # nothing has been added so far
            self.row = row
            self.num_references = num_references
            return
        self.row = list(map(add, self.row, row))
        if self.num_references != num_references:
            self.num_references = -1


def sum_rows(rows: NDArray[Any]) -> list[int]:
    """Adds up rows of integers, n of them.

    Example:
        >>> import numpy as np
        >>> sum_rows(np.array([[3, 4, 2, 3], [5, 5, 5, 5]])), sum_rows(np.full((2, 1), 2**63 - 1))
        ([8, 9, 7, 8], [18446744073709551614])
    """
    import numpy as np

    if len(rows) == 1:
        row: list[int] = rows[0].tolist()
        return row
    fits = not rows.size or int(rows.max()) <= _MOST_SUMMED // len(rows)
    total: list[int] = rows.sum(axis=0, dtype=np.int64 if fits else object).tolist()
    return total


class Sums:
    """The sums of some segments. Never changed once made, so that any thread may read it.

    Args:
        row: The sum of their rows, 2 + 2N int of any size.
        segments: How many there are, by their number of references: -1 where it differs within a batch, 0 where it is
            unknown.

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
        """Return how many segments there are; like `len()`, but may exceed `sys.maxsize`."""
        return sum(self.segments.values())

    def plus(self, row: list[int], segments: dict[int, int]) -> Sums:
        """Return the sums with those of some more segments."""
        numbers = self.segments.copy()
        for number, count in segments.items():
            if count:
                numbers[number] = numbers.get(number, 0) + count
        return Sums(list(map(add, self.row, row)), numbers)

    def num_references(self) -> int | None:
        """Return the references per segment: -1 if segments differ in it, None if it is unknown."""
        if UNKNOWN in self.segments:
            return None
        return next(iter(self.segments)) if len(self.segments) == 1 else DIFFERING
