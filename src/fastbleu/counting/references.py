"""References that are tokenized, numbered and indexed once, and scored against many times."""

from __future__ import annotations

from ..threads import CHUNK_SEGMENTS
from ._reference_index import ReferenceIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from typing import Any

    from ..inputs._column import Column
    from ..inputs.tokens import Vocabulary
    from ._counter import NgramCounter


class References:
    """References of a number of segments, prepared by `BLEU.prepare` or `BLEU.prepare_segments`.

    They belong to the options they were prepared with (tokenizer, case, order); a BLEU with others refuses them. They
    have a length, and slices and index arrays give the references of a mini-batch, sharing the memory: with k samples
    per prompt, `references[numpy.repeat(batch, k)]`. They never change, so any number of threads may score against
    them. They pickle as text and are indexed again when loaded.

    Memory: about 1.4 kB per segment for one reference of 28 tokens, its text included, and more per token as
    references grow (up to 150 bytes each at 1,000 tokens); `nbytes` tells.

    Args:
        options: What they belong to: the tokenizer, the case, and what else decides tokens.
        counter: The tokenizer's number and the largest order.
        column: The references' text (or ids), ready to be tokenized, those of a segment next to each other.
        ranges: int64 [n + 1]; the references of segment i are those from ranges[i] to ranges[i + 1] - 1.
        vocabulary: The tokens that ids stand for, if they do.

    Example:
        >>> from fastbleu import BLEU
        >>> bleu = BLEU()
        >>> references = bleu.prepare([["the cat sat on the mat", "it rained all day"]])
        >>> len(references), len(references[:1])
        (2, 1)
        >>> round(bleu.corpus_score(["it rained the whole day"], references[[1]]).score, 2)
        23.64
    """

    __slots__ = (
        "column",
        "counter",
        "index",
        "num_references",
        "options",
        "ranges",
        "segments",
        "vocabulary",
    )

    #: References of each segment; -1 where segments differ in it, 0 where there are no segments.
    num_references: int

    def __init__(
        self,
        options: tuple[Hashable, ...],
        counter: NgramCounter,
        column: Column,
        ranges: Any,
        vocabulary: Vocabulary | None = None,
    ) -> None:
        self.options = options
        self.counter = counter
        self.column = column
        self.ranges = ranges
        self.vocabulary = vocabulary
        self.segments: Any = None
        self.index = ReferenceIndex(counter.tokenizer, counter.order)
        self.num_references = 0
        segments = len(ranges) - 1
        for start in range(0, segments, CHUNK_SEGMENTS):
            stop = min(start + CHUNK_SEGMENTS, segments)
            number = counter.index(self.index, column, memoryview(ranges)[start : stop + 1], start)
            self.num_references = number if start == 0 or number == self.num_references else -1
        self.index.trim()

    @property
    def are_tokens(self) -> bool:
        """Whether they are tokens or ids rather than text."""
        return bool(self.options[3])

    def __len__(self) -> int:
        return len(self.index) if self.segments is None else len(self.segments)

    def __getitem__(self, key: int | slice | Sequence[int] | Any) -> References:
        """The references of some segments.

        Args:
            key: A slice, an array or sequence of segment numbers (repetitions allowed), a bool array as long as
                these references, or one number, for the references of that segment alone.

        Raises:
            IndexError: A number is out of range.
            TypeError: The key is none of these.
        """
        import numpy as np

        numbers = np.arange(len(self)) if self.segments is None else np.asarray(self.segments)
        if isinstance(key, (list, tuple)):
            key = np.asarray(key, dtype=None if key else np.int64)
        if not isinstance(key, slice):
            kind = np.asarray(key)
            if kind.dtype.kind not in "iub" or kind.ndim > 1 or isinstance(key, bool):
                raise TypeError(
                    f"references take a slice, a number, or an array of numbers with one dimension, not {key!r}"
                )
        try:
            chosen = np.ascontiguousarray(np.atleast_1d(numbers[key]), dtype=np.int64)
        except IndexError as error:
            raise IndexError(f"references[{key!r}] of {len(self)} segments: {error}") from None
        part = References.__new__(References)
        part.options = self.options
        part.counter = self.counter
        part.column = self.column
        part.ranges = self.ranges
        part.vocabulary = self.vocabulary
        part.index = self.index
        part.segments = chosen
        part.num_references = self.index.number_of_references(chosen)
        return part

    @property
    def nbytes(self) -> int:
        """Bytes of memory held, shared with all that was sliced from the same references."""
        return self.index.nbytes + self.column.nbytes + 8 * len(self.ranges)

    def __repr__(self) -> str:
        number = "var" if self.num_references < 0 else self.num_references
        segments = "1 segment" if len(self) == 1 else f"{len(self)} segments"
        return f"<References of {segments}, nrefs:{number}>"

    def __reduce__(self) -> tuple[Any, ...]:
        from array import array

        column, ranges = self.column, self.ranges
        if self.segments is not None:
            numbers: list[int] = []
            ranges = array("q", [0])
            for segment in self.segments.tolist():
                numbers.extend(range(self.ranges[segment], self.ranges[segment + 1]))
                ranges.append(len(numbers))
            column = column.take(array("q", numbers))
        return References, (self.options, self.counter, column, ranges, self.vocabulary)

    def count(
        self, counter: NgramCounter, hypotheses: Column, start: int, stop: int, rows: Any
    ) -> tuple[list[int], int, int]:
        """Counts hypotheses against the segments start..stop - 1."""
        segments = None if self.segments is None else self.segments[start:stop]
        return counter.count_prepared(hypotheses, self.index, segments, start, rows)
