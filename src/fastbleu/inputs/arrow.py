"""Arrow: which values give Arrow data, and lists that lie in its arrays."""

from __future__ import annotations

from ..errors import Place, wrong_type
from ._text import TextColumn
from .integers import ArrowIntegers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from numpy import int64
    from numpy.typing import NDArray

#: Tables whose columns have names that can be asked for, even where there is only one.
_TABLES = ("Table", "DataFrame")

#: Lists of integers are read together if there are at most this many integers from the first to the last for each that
#: is in one of them.
_MOST_BETWEEN = 4


def is_arrow(value: Any) -> bool:
    """Return whether an object gives Arrow data."""
    return is_arrow_type(type(value))


def is_arrow_type(kind: type) -> bool:
    """Return whether objects of a type give Arrow data."""
    return hasattr(kind, "__arrow_c_array__") or hasattr(kind, "__arrow_c_stream__")


def is_result(value: Any) -> bool:
    """Return whether a table is the result of a query, such as a relation of DuckDB, whose only column is meant."""
    kind = type(value)
    return not hasattr(kind, "__arrow_c_array__") and kind.__name__ not in _TABLES


class ArrowLists:
    """Lists in Arrow arrays: segments of tokens or of ids, or references of each segment.

    Args:
        flat: Their items: a TextColumn, integers, or lists.
        starts: int64 [n], where each list begins in it; one after the other, where the items are not integers.
        ends: int64 [n], where it ends.
        absent: n flags, 1 for a list that is null; None if none is.
        bounds: int64 [n + 1], where each list begins, and the last one ends, if they lie one after the other; None:
            they do not.
    """

    __slots__ = ("absent", "are_in_order", "bounds", "ends", "flat", "starts")

    def __init__(
        self,
        flat: Any,
        starts: NDArray[int64],
        ends: NDArray[int64],
        absent: Any,
        bounds: NDArray[int64] | None = None,
    ) -> None:
        import numpy as np

        self.flat = flat
        self.starts = starts
        self.ends = ends
        self.absent = absent
        self.are_in_order = bounds is not None
        #: Where lists in another order would lie, if they lay one after the other.
        self.bounds: Any = np.concatenate(([0], np.cumsum(ends - starts))) if bounds is None else bounds

    @property
    def holds(self) -> str:
        """The kind of a list: "tokens", "token ids", or "lists"."""
        if isinstance(self.flat, ArrowLists):
            return "lists"
        return "tokens" if isinstance(self.flat, TextColumn) else "token ids"

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, index: int) -> list[Any] | None:
        """A list, or None."""
        i = range(len(self))[index]
        if self.absent is not None and self.absent[i]:
            return None
        flat, start, end = self.flat, self.starts[i], self.ends[i]
        if isinstance(flat, TextColumn):
            items = list(flat.slice(start, end))
            if None in items:
                raise wrong_type(Place("column")[i][items.index(None)], "a str", None)
            return items
        return flat[start:end] if isinstance(flat, ArrowIntegers) else [flat[k] for k in range(start, end)]

    def __iter__(self) -> Iterator[list[Any] | None]:
        return (self[i] for i in range(len(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)

    def take(self, numbers: Any) -> ArrowLists:
        """The lists of these numbers (int64, or a slice), in this order; what stands in them is shared."""
        import numpy as np

        starts, ends = (np.ascontiguousarray(each[numbers]) for each in (self.starts, self.ends))
        absent = None if self.absent is None else np.frombuffer(self.absent, np.uint8)[numbers].tobytes()
        return ArrowLists(self.flat, starts, ends, absent)

    def integers(
        self, start: int, stop: int
    ) -> tuple[NDArray[Any], tuple[NDArray[int64], NDArray[int64], int]]:
        """The integers of the lists start..stop - 1.

        Returns:
            Integers as `ArrowIntegers.read` gives them; where each list begins and ends, and the number of the first
            of the integers.
        """
        starts, ends, bounds = self.starts[start:stop], self.ends[start:stop], self.bounds[start : stop + 1]
        first, last = (int(starts[0]), int(ends[-1])) if len(starts) else (0, 0)
        if self.are_in_order or (
            last - first <= _MOST_BETWEEN * (bounds[-1] - bounds[0]) and (starts[1:] >= ends[:-1]).all()
        ):
            return self.flat.read(first, last), (starts, ends, first)
        import numpy as np

        lists = [self.flat.read(*each) for each in zip(starts.tolist(), ends.tolist(), strict=True)]
        return np.concatenate(lists), (bounds[:-1], bounds[1:], int(bounds[0]))
