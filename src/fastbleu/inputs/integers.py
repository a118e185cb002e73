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

#: The formats of Arrow's integers, and what NumPy calls these.
DTYPES = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8"}
#: Stands for a number that int64 does not hold; no rule may name it.
TOO_LARGE = -(1 << 63)


def as_int64(numbers: NDArray[Any]) -> NDArray[int64]:
    """A copy of integers of any size, sign, byte order and strides; those that int64 does not hold are TOO_LARGE."""
    import numpy as np

    found = numbers.astype(np.int64, order="C")
    if numbers.dtype.kind == "u" and numbers.itemsize == found.itemsize:
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
        import numpy as np

        self._starts = list(accumulate(map(len, nodes), initial=0))
        #: The integers of each array; its bits, one for each that is not null, or None; and the first one's number.
        self._arrays: list[tuple[NDArray[Any], Any, int]] = []
        for node in nodes:
            dtype, after = np.dtype(DTYPES[node.letters]), node.start + len(node)
            items = np.frombuffer(node.memory(1, after * dtype.itemsize, where), dtype)
            self._arrays.append((items[node.start :], node.validity(where), node.start))

    def __len__(self) -> int:
        return self._starts[-1]

    def __getitem__(self, index: slice) -> list[int | None]:
        """Some integers, as a list; None for one that is null."""
        found: list[int | None] = []
        for items, valid in self._parts(index.start, index.stop):
            some = items.tolist()
            found += some if valid is None else [each if valid[k] else None for k, each in enumerate(some)]
        return found

    def _parts(self, start: int, stop: int) -> Iterator[tuple[NDArray[Any], NDArray[bool_] | None]]:
        """The integers start..stop - 1 as parts of the arrays, with flags of those that are there, or None."""
        k = bisect_right(self._starts, start) - 1
        while start < stop:
            items, bits, offset = self._arrays[k]
            base, end = self._starts[k], min(stop, self._starts[k + 1])
            valid = None if bits is None else flags(bits, offset + start - base, offset + end - base)
            yield items[start - base : end - base], valid
            start, k = end, k + 1

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """The integers start..stop - 1, in place or copied as `as_int64` does; TOO_LARGE for those that are null."""
        import numpy as np

        parts = list(self._parts(start, stop))
        if len(parts) == 1 and parts[0][1] is None:
            return parts[0][0]
        copies = [as_int64(items) for items, _ in parts]
        for copy, (_, valid) in zip(copies, parts, strict=True):
            if valid is not None:
                copy[~valid] = TOO_LARGE
        return np.concatenate([np.zeros(0, np.int64), *copies])
