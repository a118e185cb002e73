"""Sources of a block, put together line by line."""

from __future__ import annotations

from ._lines import pick, start_of
from .blocks import NO_LIMIT, Block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...inputs._text import TextColumn


class Sources:
    """Sources as they are found, line by line.

    Args:
        first: The ordinal of the first one.

    Attributes:
        next: The ordinal of the next one.
        starts: How many lines had been kept where each began.
        marks: Where each began: the line, and how many had been left out before.
        skipped: Lines left out.
    """

    def __init__(self, first: int) -> None:
        self.next = first
        self._first = first
        self.starts: list[int] = []
        self.marks: list[tuple[int, int]] = []
        self.skipped = 0
        self._kept: list[int] = []
        self._records: list[dict[str, Any]] = []
        self._stop: int | None = None

    def begin(self, line: int) -> None:
        """Another source begins at this line."""
        self.starts.append(len(self._kept))
        self.marks.append((line, self.skipped))
        self.next += 1

    def add(self, line: int, record: dict[str, Any]) -> None:
        """This line is of the source that began last."""
        self._kept.append(line)
        self._records.append(record)

    def stop_before(self, line: int) -> None:
        """Leaves this line and those that follow to the next block."""
        self._stop = line

    def withdraw(self) -> None:
        """Leaves the last source to the next block."""
        self._stop, self.skipped = self.marks.pop()
        start = self.starts.pop()
        del self._kept[start:], self._records[start:]
        self.next -= 1

    def block(self, lines: TextColumn, used: int, until: int) -> Block:
        """The sources; those without a line are left out.

        Args:
            lines: All lines.
            used: Bytes that they take.
            until: The ordinal that was to be reached.
        """
        import numpy as np

        stop = len(lines) if self._stop is None else self._stop
        if stop < len(lines):
            used = start_of(lines, stop)
        bounds = np.array([*self.starts, len(self._kept)], dtype=np.int64)
        ordinals = np.arange(self._first, self.next, dtype=np.int64)
        filled = np.diff(bounds) > 0
        if not filled.all():
            bounds = np.append(bounds[:-1][filled], bounds[-1])
            ordinals = ordinals[filled]
        return Block(
            pick(lines, np.array(self._kept, dtype=np.int64)),
            bounds,
            ordinals,
            self.next,
            (used, stop),
            until != NO_LIMIT and self.next >= until,
            skipped_lines=self.skipped,
            skipped_sources=self.next - self._first - len(ordinals),
            records=self._records,
        )
