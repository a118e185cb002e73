"""Sums of the rows of several systems over chosen segments, for many choices at once.

It is a product of matrices, [systems x columns, segments] statistics times [segments, choices] zeros and ones, made
from the bits themselves. Segments are taken in blocks, small enough that every sum over some of a block's segments is a
whole number below 2^24. Float32 adds these exactly, in any order; the sums of the blocks are added in float64.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy import float64, int64, uint8
    from numpy.typing import NDArray

#: Segments in a block, at most.
_BLOCK_SEGMENTS = 1 << 12

#: Whole numbers up to this one add exactly in float32.
_MOST_EXACT = 1 << 24

#: Columns of a table are padded to a multiple of this number, so that the kernel works on whole vectors.
_COLUMNS = 16

#: The kernel reads on for eight bytes, and up to the next multiple of its rows.
_BYTES_BEHIND = 16


class MaskedSums:
    """The statistics of several systems, ready to be summed. It never changes, so threads may share it.

    Args:
        rows: Of each system, integers [segments, columns], not negative, that add up to less than 2^53.

    Example:
        >>> import numpy as np
        >>> rows = np.array([[[3, 3, 2, 3], [5, 4, 1, 5]], [[4, 3, 3, 4], [6, 4, 2, 6]]])
        >>> MaskedSums(rows)(np.array([0b1110], dtype=np.uint8), 2).tolist()
        [[5.0, 8.0], [4.0, 7.0], [1.0, 3.0], [5.0, 8.0], [6.0, 10.0], [4.0, 7.0], [2.0, 5.0], [6.0, 10.0]]

    Memory: about a quarter of what the rows take as int64.
    """

    __slots__ = ("_block", "_rows", "_tables")

    def __init__(self, rows: Sequence[NDArray[Any]]) -> None:
        from ._masked_sums import ROWS

        self._rows = rows
        most = max(int(each.max()) for each in rows)
        self._block = min(_BLOCK_SEGMENTS, _MOST_EXACT // max(most, 1)) // ROWS * ROWS
        starts = range(0, len(rows[0]), self._block) if self._block else ()
        self._tables = [_make_table([each[start : start + self._block] for each in rows]) for start in starts]

    def __call__(self, bits: NDArray[uint8], choices: int) -> NDArray[float64]:
        """Sum the chosen rows.

        Args:
            bits: Choice c takes segment s if the bit c * segments + s is set, the lowest bit of a byte first.
            choices: How many choices the bits make.

        Returns:
            float64 [systems * columns, choices].
        """
        import numpy as np

        from ._masked_sums import add_masked_sums

        segments, width = self._rows[0].shape
        sums = np.zeros((len(self._rows) * width, choices))
        padded = np.concatenate([bits, np.zeros(_BYTES_BEHIND, dtype=np.uint8)])
        for k, (table, places) in enumerate(self._tables):
            add_masked_sums(table, table.shape[1], padded, k * self._block, segments, places, sums)
        if not self._tables:  # no text has such counts
            masks = np.unpackbits(bits, count=choices * segments, bitorder="little").reshape(
                choices, segments
            )
            for k, rows in enumerate(self._rows):
                np.matmul(rows.T.astype(float), masks.T.astype(float), out=sums[k * width : (k + 1) * width])
        return sums


def _make_table(rows: list[NDArray[Any]]) -> tuple[NDArray[Any], NDArray[int64]]:
    """The distinct columns of some segments, [segments, distinct columns], and which of them each column is.

    In the second half of a row, where BLEU has the candidates of each order, a column has how many more they are than
    those of the order before: -1 in nearly every segment. So about half of all columns of BLEU are equal to another one
    and need not be summed again; other metrics' are summed as they are, since that costs them nothing. A negative
    place, ~k, says that the column before must be added to column k.
    """
    import numpy as np

    from ._masked_sums import ROWS

    columns: NDArray[Any] = np.stack([each.T for each in rows]).astype(np.float32)
    _, width, segments = columns.shape
    first = width // 2 + 1
    columns[:, first + 1 :] = np.diff(columns[:, first:], axis=1)
    numbers: dict[bytes, int] = {}
    distinct: list[NDArray[Any]] = []
    places: list[int] = []
    for k, column in enumerate(columns.reshape(-1, segments)):
        place = numbers.setdefault(column.tobytes(), len(distinct))
        if place == len(distinct):
            distinct.append(column)
        places.append(~place if k % width > first else place)
    shape = -(-segments // ROWS) * ROWS, -(-len(distinct) // _COLUMNS) * _COLUMNS
    table = np.zeros(shape, dtype=np.float32)
    table[:segments, : len(distinct)] = np.stack(distinct, axis=1)
    return table, np.array(places, dtype=np.int64)
