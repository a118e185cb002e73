"""Counting a corpus: chunk by chunk, on one thread or several, into sums and rows that add up.

A row of statistics is int64 sys_len, ref_len, correct_1..N, total_1..N. Rows add up over segments in any order, so
neither the chunks nor the threads can change a result.
"""

from __future__ import annotations

from operator import add

from ..errors import describe
from ..threads import CHUNK_COUNTS, CHUNK_SEGMENTS, CHUNKS_PER_THREAD, chunk_size, for_each_chunk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from numpy import int64
    from numpy.typing import ArrayLike, NDArray

    from ..inputs.text import Reader
    from ._counter import NgramCounter
    from .references import References

#: Sums beyond it are made of Python's integers.
MOST_SUMMED = 1 << 62


class Totals:
    """What the segments counted so far come to.

    Attributes:
        row: The sum of their rows, 2 + 2N int.
        tokenized: How many hypotheses end in " .".
        num_references: References of a segment; -1 where segments differ; 0 before the first.
    """

    __slots__ = ("num_references", "row", "tokenized")

    def __init__(self, width: int) -> None:
        self.row = [0] * width
        self.tokenized = 0
        self.num_references = 0

    def add(self, row: list[int], tokenized: int, num_references: int) -> None:
        """Adds the sums of a chunk."""
        self.row = list(map(add, self.row, row))
        self.tokenized += tokenized
        if self.num_references != num_references:
            self.num_references = -1 if self.num_references else num_references


class RowSink:
    """Where the rows of a chunk go: a place to write them to, and what becomes of them then.

    Attributes:
        part: Gives int64 [stop - start, 2 + 2N] for the segments start..stop - 1.
        done: Told that these have been written, in any thread; or None.
    """

    __slots__ = ("done", "part")

    def __init__(
        self, part: Callable[[int, int], Any], done: Callable[[int, int, Any], None] | None = None
    ) -> None:
        self.part = part
        self.done = done


def rows_of(array: Any) -> RowSink:
    """Rows that go to an array int64 [segments, 2 + 2N]."""
    return RowSink(lambda start, stop: array[start:stop])


def empty_rows(segments: int, order: int) -> NDArray[int64]:
    """Rows to be written to: int64 [segments, 2 + 2N]."""
    import numpy as np

    return np.empty((segments, row_width(order)), dtype=np.int64)


def row_width(order: int) -> int:
    """How many numbers a row of statistics has for orders up to `order`."""
    return 2 + 2 * order


def sum_statistics(statistics: ArrayLike, max_ngram_order: int) -> list[int]:
    """Adds up statistics that a user has kept.

    Args:
        statistics: A row of 2 + 2N counts, or rows [n, 2 + 2N], n >= 1; integers, not negative.
        max_ngram_order: N.

    Returns:
        One row.

    Raises:
        TypeError: They are no integers.
        ValueError: They have another shape, or a count is negative, or there are more matches than candidates.

    Example:
        >>> sum_statistics([[3, 4, 2, 1, 3, 2], [2, 2, 1, 0, 2, 1]], 2)
        [5, 6, 3, 1, 5, 3]
    """
    import numpy as np

    rows = np.asarray(statistics)
    width = row_width(max_ngram_order)
    if rows.size and rows.dtype.kind not in "iu":
        raise TypeError(f"statistics must be integers, not {describe(statistics)}")
    if rows.ndim not in (1, 2) or rows.shape[-1] != width or not rows.size:
        raise ValueError(
            f"statistics must have the shape [{width}] or [n, {width}], n >= 1, for max_ngram_order="
            f"{max_ngram_order}, not {list(rows.shape)}"
        )
    rows = rows.reshape(-1, width)
    if rows.min() < 0:
        i, k = np.argwhere(rows < 0)[0].tolist()
        raise ValueError(f"statistics[{i}][{k}] must not be negative, got {rows[i, k]}")
    excess = rows[:, 2 : 2 + max_ngram_order] > rows[:, 2 + max_ngram_order :]
    if excess.any():
        i, k = np.argwhere(excess)[0].tolist()
        raise ValueError(
            f"statistics[{i}] has {rows[i, 2 + k]} correct n-grams of order {k + 1} "
            f"among {rows[i, 2 + max_ngram_order + k]}"
        )
    # Python's integers, where 64 bits might not hold the sum.
    sums = rows.sum(axis=0, dtype=object if int(rows.max()) > MOST_SUMMED // len(rows) else np.int64)
    total: list[int] = sums.tolist()
    return total


def count_segments(
    counter: NgramCounter,
    read: Reader,
    segments: int,
    prepared: References | None,
    rows: RowSink | None,
    threads: int,
    advance: Callable[[int], object] | None = None,
    first: int = 0,
) -> Totals:
    """Counts all segments of a corpus.

    Args:
        counter: Which tokenizer and order to count with.
        read: Gives columns: the hypotheses, then, unless they are prepared, each stream of references.
        segments: How many there are; one behind the last to count.
        prepared: The references, or None where `read` gives them.
        rows: Where each chunk's rows go, or None.
        threads: How many may count at the same time.
        advance: Told how many more segments have been counted.
        first: The first segment to count.

    Returns:
        The sums.

    Raises:
        ValueError: A segment has no reference; whatever `read` raises. Of several errors, the first segment's.
    """
    width = row_width(counter.order)
    totals = Totals(width)

    def count(columns: Any, start: int, stop: int) -> tuple[list[int], int, int]:
        part = None if rows is None else rows.part(start, stop)
        if prepared is None:
            sums = counter.count(columns[0], columns[1:], start, part)
        else:
            sums = prepared.count(counter, columns[0], start, stop, part)
        if rows is not None and rows.done is not None:
            rows.done(start, stop, part)
        if advance is not None:
            advance(stop - start)
        return sums

    step = chunk_size(segments - first, width, threads)
    for_each_chunk(read, count, totals.add, first, segments, step, threads)
    return totals


def iterate_rows(
    counter: NgramCounter, read: Reader, segments: int, prepared: References | None, threads: int
) -> Iterator[tuple[list[int], int]]:
    """Counts a corpus and gives its rows one by one, each with its number of references."""
    from array import array

    width = row_width(counter.order)
    block = max(1, min(CHUNK_SEGMENTS * CHUNKS_PER_THREAD, CHUNK_COUNTS // width)) * threads
    for first in range(0, segments, block):
        stop = min(first + block, segments)
        flat = memoryview(array("q", bytes(8 * width * (stop - first))))
        table = flat.cast("B")
        sink = RowSink(_rows_in(table, first, width))
        totals = count_segments(counter, read, stop, prepared, sink, threads, first=first)
        counts = flat.tolist()
        for start in range(0, len(counts), width):
            yield counts[start : start + width], totals.num_references


def _rows_in(table: memoryview, first: int, width: int) -> Callable[[int, int], Any]:
    """Parts of rows that lie in memory from the segment `first` on."""

    def part(start: int, stop: int) -> Any:
        rows = table[8 * width * (start - first) : 8 * width * (stop - first)]
        return rows.cast("q", (stop - start, width))

    return part
