"""Pools as columns, whose tokens have the same numbers as long as they are compared."""

from __future__ import annotations

import re
from bisect import bisect_right

from ..inputs._column import rebuild
from ..inputs.id_sources import as_ids
from ..inputs.reading import reader
from ..inputs.text import are_tokens, as_segments
from ..metric import BLEU
from .pools import CHUNK_CANDIDATES, CHUNK_VOLUME, Pools, RaggedPools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import int64
    from numpy.typing import NDArray

    from ..counting.matcher import Matcher
    from ..inputs._column import Column
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
        kind: "text", "tokens" or "ids"; None: what the first candidate is.

    Attributes:
        kind: "text", "tokens" or "ids".
        tokenizer: The compiled tokenizer's number for the columns.

    Raises:
        TypeError, ValueError: A source is an array of something else, or ids that the options would change.
    """

    def __init__(
        self,
        matcher: Matcher,
        sources: list[tuple[Pools | RaggedPools, str, bool]],
        vocabulary: Vocabulary | None = None,
        kind: str | None = None,
    ) -> None:
        self._matcher = matcher
        self._sources = sources
        self._vocabulary = vocabulary
        self.kind = self._find_kind() if kind is None else kind
        if self.kind == "ids":
            self._sources = [(_with_ids(pools, name), name, of) for pools, name, of in sources]
        self.counter = matcher.counter if self.kind == "text" else matcher.id_counter
        #: Whether some tokens match nothing, not even themselves.
        self.have_unknown = self.kind == "ids" and any(pools._have_unknown() for pools, _, _ in sources)

    @property
    def tokenizer(self) -> int:
        """The compiled tokenizer's number."""
        return self.counter.tokenizer

    def _find_kind(self) -> str:
        for pools, name, _ in self._sources:
            if pools._are_ids(name):
                self._matcher.check_ids_allowed(name)
                return "ids"
        first = next(
            (each for each in (pools._first() for pools, _, _ in self._sources) if each is not None), ""
        )
        return "tokens" if are_tokens([first]) else "text"

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
        if not frozen and (self.kind == "tokens" or self._matcher.tokenizer.to_tokens is not None):
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
            if self.kind == "ids":
                return pools._ids(start, stop, name, is_reference)
            segments, first, last = pools._segments(start, stop)
            read = reader(
                self._matcher.tokenizer,
                self._matcher.lowercase,
                [segments],
                [name],
                0 if is_reference else 1,
                self.kind == "tokens",
                vocabulary,
                frozen,
                whole=True,
            )
            columns, _ = read(first, last)
        except (TypeError, ValueError) as error:
            if self.kind == "ids" and isinstance(pools, RaggedPools):
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
    except (TypeError, ValueError) as error:
        raise in_pools(error, name, pools.bounds) from None


def in_pools(error: Exception, name: str, bounds: NDArray[int64], base: int = 0) -> Exception:
    """An error about candidate k of many, as one about candidate j of pool i."""
    found = re.match(rf"{name}\[(\d+)\]", str(error))
    if found is None or type(error) not in (TypeError, ValueError):
        return error
    k = base + int(found[1])
    i = bisect_right(bounds, k) - 1
    return type(error)(f"{name}[{i}][{k - int(bounds[i])}]{str(error)[found.end() :]}")


def one_pool(segments: Any, name: str) -> Pools:
    """Segments as a pool of their own."""
    ids = as_ids(segments, name)
    if ids is None:
        flat = as_segments(segments, name)
        return Pools(flat, offsets=[0, len(flat)])
    if ids.is_per_segment:
        raise ValueError(f"{name} must have the shape [segments, tokens], not {list(ids.shape)}")
    return Pools(ids, offsets=[0, len(ids)])


def outside_pools(error: Exception, name: str) -> Exception:
    """An error about candidate j of pool 0, as one about segment j."""
    return type(error)(re.sub(rf"^({name})\[0\](?=\[)", r"\1", str(error)))
