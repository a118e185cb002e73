"""Integers of any type as int64: those of NumPy's arrays, and those of Arrow's."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from numpy import bool_, int64
    from numpy.typing import NDArray

    from ..errors import Place
    from ._arrow import Node

#: The formats of Arrow's integers, and those of memoryviews of them.
FORMATS = dict(zip("cCsSiIlL", "bBhHiIqQ", strict=True))

#: Stands for a number that int64 does not hold; no rule may name it.
TOO_LARGE = -(1 << 63)


def as_int64(integers: Any) -> NDArray[int64]:
    """A copy of integers of any size, sign, byte order and strides; those that int64 does not hold are TOO_LARGE."""
    import numpy as np

    numbers = np.asarray(integers)
    found = numbers.astype(np.int64, "C")
    if numbers.itemsize == found.itemsize and numbers.dtype.kind == "u":
        found[found < 0] = TOO_LARGE
    return found


def flags(bits: Any, first: int, after: int) -> NDArray[bool_]:
    """The bits first..after - 1, counted as Arrow does."""
    import numpy as np

    found = np.unpackbits(np.frombuffer(bits, np.uint8)[first // 8 : -(-after // 8)], bitorder="little")
    return found[first % 8 :][: after - first].view(np.bool_)


class ArrowIntegers:
    """Integers in Arrow arrays, one array after the other.

    Args:
        nodes: Some rows of arrays of one type of integer.
        where: What errors call them.
    """

    def __init__(self, nodes: list[Node], where: Place) -> None:
        self._starts = list(accumulate(map(len, nodes), initial=0))
        #: The integers of each array; its bits, one for each that is not null, or None; and the first one's number.
        self._arrays: list[tuple[memoryview[int], Any, int]] = []
        for node in nodes:
            letter: Any = FORMATS[node.letters]
            start, size = node.start, memoryview(bytes(8)).cast(letter).itemsize
            items = node.memory(1, (start + len(node)) * size, where).cast(letter)
            self._arrays.append((items[start:], node.validity(where), start))

    def __len__(self) -> int:
        return self._starts[-1]

    def __getitem__(self, index: slice) -> list[int | None]:
        """Some integers, as a list; None for one that is null."""
        found: list[int | None] = []
        for items, valid in self._parts(index.start, index.stop):
            some = items.tolist()
            found += some if valid is None else [each if valid[k] else None for k, each in enumerate(some)]
        return found

    def _parts(self, start: int, stop: int) -> Iterator[tuple[memoryview[int], NDArray[bool_] | None]]:
        """The integers start..stop - 1 as parts of the arrays, with flags of those that are there, or None."""
        k = bisect_right(self._starts, start) - 1
        while start < stop:
            items, bits, offset = self._arrays[k]
            base, end = self._starts[k], min(stop, self._starts[k + 1])
            valid = None if bits is None else flags(bits, offset + start - base, offset + end - base)
            yield items[start - base : end - base], valid
            start, k = end, k + 1

    def read(self, start: int, stop: int) -> memoryview[int] | NDArray[int64]:
        """The integers start..stop - 1, in place or copied as `as_int64` does; TOO_LARGE for those that are null."""
        if len(self._arrays) == 1 and self._arrays[0][1] is None:
            return self._arrays[0][0][start:stop]
        import numpy as np

        found: list[Any] = []
        for items, valid in self._parts(start, stop):
            found.append(as_int64(items))
            if valid is not None:
                found[-1][~valid] = TOO_LARGE
        return np.concatenate(found) if found else np.zeros(0, np.int64)
