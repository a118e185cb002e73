"""Store the candidates of many sources, one pool per source, in one flat sequence."""

from __future__ import annotations

import sys
from typing import Any, Generic, TypeAlias, TypeVar, overload

from ..errors import (
    ArgumentValueError,
    Location,
    counted,
    describe,
    show,
    suggests_options,
    wrong_type,
    wrong_value,
)
from ..inputs.ids import TokenIds
from ..inputs.reading import read
from ..options import check_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy import float64, int64
    from numpy.typing import ArrayLike, NDArray

    from ..inputs._text import TextColumn
    from ..inputs.arrow_columns import ArrowColumn

    #: A sequence of segments whose items can be read quickly by index.
    Listed: TypeAlias = list[Any] | tuple[Any, ...] | TextColumn

    #: The types in which a caller may pass one pool of candidates per source.
    AnyPools: TypeAlias = "Pools[Any] | Sequence[Any] | ArrowColumn"
    #: One float64 per candidate: a list with an array per pool, or a matrix [n_pools, size] if pools have one size.
    PerCandidate: TypeAlias = list[NDArray[float64]] | NDArray[float64]

#: The type of a result with one number per candidate of `Pools`: a matrix, or a list of arrays.
Layout = TypeVar("Layout")


class Pools(Generic[Layout]):
    """The candidates of n sources, stored pool after pool in one flat sequence.

    Functions return one number per candidate: a matrix [n, size] for pools of one `size`, or a list of n arrays for
    pools with `offsets`. Weights are passed in the same layout; for pools with `offsets`, one flat sequence works as
    well. A plain list of pools can be passed directly, without this class.

    Args:
        candidates: The segments of all n pools: a list of str or of token sequences, a column, or token ids
            (`TokenIds`, or a matrix).
        size: The number of candidates of each pool, >= 1.
        offsets: n + 1 ascending integers, given instead of `size`: pool i has the candidates offsets[i] to
            offsets[i + 1] - 1. The first offset is 0, and the last is the number of candidates. Pools may be empty.

    Raises:
        TypeError: `candidates` is not a sequence of segments, or a size or offset is not an integer.
        ValueError: Neither or both of `size` and `offsets` are given; `size` does not divide the number of candidates;
            or the offsets do not begin with 0, decrease, or do not end with the number of candidates.

    Example:
        >>> pools = Pools(["a b", "b a", "c d", "d c"], size=2)
        >>> len(pools), pools[1]
        (2, ['c d', 'd c'])
        >>> list(Pools(["a b", "b a", "c d"], offsets=[0, 2, 2, 3]))
        [['a b', 'b a'], [], ['c d']]
    """

    __slots__ = ("_bounds", "_segments", "_size")

    @overload
    def __init__(self: Pools[NDArray[float64]], candidates: Any, size: int) -> None: ...

    @overload
    def __init__(
        self: Pools[list[NDArray[float64]]],
        candidates: Any,
        size: None = None,
        *,
        offsets: Sequence[int] | ArrayLike,
    ) -> None: ...

    @suggests_options
    def __init__(
        self, candidates: Any, size: int | None = None, *, offsets: Sequence[int] | ArrayLike | None = None
    ) -> None:
        self._segments = read(candidates, "candidates", "a sequence of candidates")
        data, number = self._segments.data, len(self._segments)
        if isinstance(data, TokenIds) and data.is_per_segment:
            raise ArgumentValueError(
                "candidates",
                f"must have the shape [candidates, tokens], not {list(data.shape)}; "
                "reshape it to rows: ids.reshape(-1, ids.shape[-1])",
                value=candidates,
            )
        if (size is None) == (offsets is None):
            needed = f"or offsets must be given, but not both, got size={size!r} and offsets={show(offsets)}"
            raise ArgumentValueError("size", needed, value=size)
        self._size = None if size is None else check_integer("size", size, 1)
        if self._size is None:
            self._bounds = as_offsets(offsets, number)
        else:
            import numpy as np

            if number % self._size:
                left = f"has {counted(number, 'segment')}, which is not a multiple of size={self._size}"
                raise ArgumentValueError("candidates", left, value=candidates)
            self._bounds = np.arange(0, number + 1, self._size, dtype=np.int64)
        self._bounds.setflags(write=False)

    @property
    def candidates(self) -> Listed | TokenIds:
        """Return the candidates of all pools."""
        candidates: Listed | TokenIds = self._segments.data
        return candidates

    @property
    def size(self) -> int | None:
        """Return the `size` that the pools were created with; None if they were created with `offsets`."""
        return self._size

    @property
    def bounds(self) -> NDArray[int64]:
        """Return the bounds of the pools, int64 [n + 1]: pool i has the candidates bounds[i] to bounds[i + 1] - 1."""
        return self._bounds

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def __getitem__(self, index: int) -> list[Any]:
        """Return a list of the candidates of one pool; a candidate that is token ids becomes a list of int."""
        check_integer("index", index, -sys.maxsize)
        i = index + len(self) if index < 0 else index
        if not 0 <= i < len(self):
            raise IndexError(f"index {index} is out of range for {counted(len(self), 'pool')}")
        start, stop = self._bounds[i : i + 2].tolist()
        data = self._segments.data
        if isinstance(data, (list, tuple)):
            return list(data[start:stop])
        return [data[k] for k in range(start, stop)]

    def __iter__(self) -> Iterator[list[Any]]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        form = "offsets" if self._size is None else f"size={self._size}"
        return (
            f"<Pools of {counted(len(self), 'source')}, {counted(len(self._segments), 'candidate')}, {form}>"
        )


def as_offsets(offsets: Any, number: int) -> NDArray[int64]:
    """Check the offsets that a user passed for n pools, and return a copy as int64 [n + 1].

    Args:
        offsets: The argument as the user passed it.
        number: The number of candidates in all pools, which the last offset must equal.

    Raises:
        TypeError: The offsets are not a sequence of integers.
        ValueError: The offsets do not begin with 0, do not end with `number`, or decrease.
    """
    import numpy as np

    if isinstance(offsets, (str, bytes, dict, set)) or not hasattr(offsets, "__len__"):
        raise wrong_type("offsets", "a sequence of integers", offsets)
    try:
        array = np.asarray(offsets)
    except ValueError:
        array = None
    if array is None or array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise wrong_type("offsets", "a sequence of integers", offsets)
    bounds = array.astype(np.int64)
    if not len(bounds) or bounds[0] != 0:
        raise ArgumentValueError("offsets", f"must begin with 0, got {describe(offsets)}", value=offsets)
    decreases = np.flatnonzero(np.diff(bounds) < 0)
    if len(decreases):
        i = int(decreases[0]) + 1
        raise wrong_value(
            Location("offsets")[i], f"at least {bounds[i - 1]}, the offset before it", int(bounds[i])
        )
    if bounds[-1] != number:
        end = f"must end with {number}, the number of candidates, got {bounds[-1]}"
        raise ArgumentValueError("offsets", end, value=offsets)
    return bounds
