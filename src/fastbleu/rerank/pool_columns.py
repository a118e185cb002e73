"""Pools as columns, whose tokens have the same numbers as long as they are compared."""

from __future__ import annotations

from bisect import bisect_right

from ..errors import ArgumentError, Place
from ..inputs._column import rebuild
from ..inputs.segments import IDS, TOKENS, Segments, as_segments, common_kind, flat_ids
from ..metric import BLEU
from .pools import CHUNK_CANDIDATES, CHUNK_VOLUME, Pools, RaggedPools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import int64
    from numpy.typing import NDArray

    from ..counting.matcher import Matcher
    from ..inputs._column import Column
    from ..inputs.segments import Kind
    from ..inputs.tokens import Vocabulary


def as_metric(metric: Any, warn: bool = True) -> BLEU:
    """The metric of a call; None is BLEU with effective order.

    Args:
        metric: It, or None.
        warn: Whether to say that single segments ask for effective order.

    Raises:
        TypeError: It is no BLEU.
    """
    if metric is None:
        return BLEU(effective_order=True)
    if not isinstance(metric, BLEU):
        kind: type = type(metric)
        raise TypeError(
            f"metric must be a fastbleu.BLEU, not {kind.__module__}.{kind.__qualname__}: {metric!r}"
        )
    if warn:
        metric.warn_of_order()
    return metric


class PoolColumns:
    """Reads pools from sources with as many of them as columns, whose tokens have the same numbers within a chunk.

    Args:
        matcher: The options that decide tokens.
        sources: Pools, candidates first, with what to call each in an error and whether they are references.
        vocabulary: Numbers of tokens that hold in all chunks, and that no token is added to; or None.
        kind: What the segments are; None: ids if one source holds ids, else what the first candidate is.

    Attributes:
        kind: What the segments are.
        tokenizer: The compiled tokenizer's number for the columns.

    Raises:
        TypeError, ValueError: A source is an array of something else, or ids that the options would change.
    """

    def __init__(
        self,
        matcher: Matcher,
        sources: list[tuple[Pools | RaggedPools, str, bool]],
        vocabulary: Vocabulary | None = None,
        kind: Kind | None = None,
    ) -> None:
        self._matcher = matcher
        self._sources = sources
        self._vocabulary = vocabulary
        self.kind = kind or common_kind(pools for pools, _, _ in sources)
        if self.kind == IDS:
            names = [Segments((), name, kind=pools.kind) for pools, name, _ in sources]
            matcher.check_kind(IDS, names)
            self._sources = [(_with_ids(pools, name), name, of) for pools, name, of in sources]
        self.counter = matcher.counter_for(self.kind)
        #: Whether some tokens match nothing, not even themselves.
        self.have_unknown = self.kind == IDS and any(pools._have_unknown() for pools, _, _ in sources)

    @property
    def tokenizer(self) -> int:
        """The compiled tokenizer's number."""
        return self.counter.tokenizer

    def stop_after(self, start: int, stop: int) -> int:
        """Where to stop reading, at least one pool later, so as not to read much more than a chunk holds."""
        import numpy as np

        bounds = np.sum([pools.bounds[start : stop + 1] for pools, _, _ in self._sources], axis=0)
        stop = max(
            start + 1, start + int(bounds.searchsorted(bounds[0] + CHUNK_CANDIDATES, side="right")) - 1
        )
        volume = 0
        for i in range(start, stop):
            volume += sum(pools._volume(i) for pools, _, _ in self._sources)
            if volume > CHUNK_VOLUME:
                return i + 1
        return stop

    def read(self, start: int, stop: int) -> list[Column]:
        """Reads some pools.

        Returns:
            A column for each source.

        Raises:
            TypeError, ValueError: A segment is none; names pools[i][j].
        """
        vocabulary, frozen = self._vocabulary, self._vocabulary is not None
        if not frozen and (self.kind == TOKENS or self._matcher.tokenizer.to_tokens is not None):
            vocabulary = {}
        return [
            self._read_source(pools, name, is_reference, start, stop, vocabulary, frozen)
            for pools, name, is_reference in self._sources
        ]

    def read_apart(self, start: int, stop: int) -> list[Column]:
        """Reads some pools for kernels that do not know of tokens that match nothing: these become tokens of their own.

        Returns, Raises: As `read`.
        """
        columns = self.read(start, stop)
        return (
            [_apart(column, s, len(columns)) for s, column in enumerate(columns)]
            if self.have_unknown
            else columns
        )

    def _read_source(
        self,
        pools: Pools | RaggedPools,
        name: str,
        is_reference: bool,
        start: int,
        stop: int,
        vocabulary: Vocabulary | None,
        frozen: bool,
    ) -> Column:
        try:
            if self.kind == IDS:
                return pools._ids(start, stop, name, is_reference)
            segments, first, last = pools._segments(start, stop)
            source = Segments(segments, name, is_reference, self.kind)
            self._matcher.check_kind(self.kind, [source])
            columns, _ = self._matcher.reader(self.kind, [source], vocabulary, frozen, whole=True)(
                first, last
            )
        except ArgumentError as error:
            if self.kind == IDS and isinstance(pools, RaggedPools):
                raise
            base = int(pools.bounds[start]) if isinstance(pools, RaggedPools) else 0
            raise in_pools(error, name, pools.bounds, base) from None
        column: Column = columns[0]
        return column


def _apart(column: Column, s: int, columns: int) -> Column:
    """Column s of several, whose unknown tokens become different from each other and from those of all columns."""
    import numpy as np

    kind, data, offsets, absent = column.__reduce__()[1]
    ids = np.frombuffer(data, dtype=np.int64).copy()
    unknown = np.flatnonzero(ids < 0)
    ids[unknown] = -1 - s - columns * np.arange(len(unknown))
    return rebuild(kind, ids.tobytes(), offsets, absent)


def _with_ids(pools: Pools | RaggedPools, name: str) -> Pools | RaggedPools:
    """Pools beside ids, to be read as ids, too."""
    try:
        return pools._with_ids(name) if isinstance(pools, Pools) else pools
    except ArgumentError as error:
        raise in_pools(error, name, pools.bounds) from None


def in_pools(error: ArgumentError, name: str, bounds: NDArray[int64], base: int = 0) -> ArgumentError:
    """An error about candidate k of many, as one about candidate j of pool i."""
    if error.argument != name or not error.indices:
        return error
    k, *rest = error.indices
    i = bisect_right(bounds, base + k) - 1
    return error.at(Place(name, (i, base + k - int(bounds[i]), *rest)))


def one_pool(segments: Any, name: str) -> Pools:
    """Segments as a pool of their own."""
    found = as_segments(segments, name)
    if found.kind == IDS:
        found = flat_ids(found)
    return Pools(found.held, offsets=[0, len(found)])


def outside_pools(error: ArgumentError) -> ArgumentError:
    """An error about candidate j of pool 0, as one about segment j."""
    return error.at(Place(error.argument, error.indices[1:]))
