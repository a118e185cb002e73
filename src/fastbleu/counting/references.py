"""References that are tokenized, numbered and indexed once, and scored against many times."""

from __future__ import annotations

from array import array

from ..errors import ArgumentValueError
from ..inputs._column import spread
from ..system.threads import CHUNK_SEGMENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import Any, TypeAlias

    from numpy.typing import NDArray

    from ..inputs._column import Column
    from ..inputs.columns import Kind, Vocabulary
    from ._chrf import ChrfCounter
    from ._counter import NgramCounter

    #: What decides tokens: the tokenizer's signature, whether case is ignored, the largest order, and the user's own
    #: tokenizer, if there is one.
    Identity: TypeAlias = tuple[str, bool, int, Callable[[str], Sequence[Hashable]] | None]


class TextIndex:
    """References of segments, kept as text: to number its n-grams takes less time than to read an index of them.

    As `ReferenceIndex`, for `ChrfCounter.index` to fill and `ChrfCounter.count` to read.
    """

    def __init__(self) -> None:
        self._column: Any = None
        #: Three numbers for each segment: where its references begin and end in the column, and how many are there.
        self._segments = array("q")

    def append(self, column: Column, start: int, stop: int, number: int) -> None:
        """Append a segment, whose references in the column are those from `start` to `stop - 1`."""
        self._column = column
        self._segments.extend((start, stop, number))

    def __len__(self) -> int:
        return len(self._segments) // 3

    def trim(self) -> None:
        """Give back no memory: there is none for further segments."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory held beside the column."""
        return 8 * len(self._segments)

    def _of(self, segments: Any) -> NDArray[Any]:
        import numpy as np

        table: NDArray[Any] = np.asarray(self._segments).reshape(-1, 3)[segments]
        return table

    def number_of_references(self, segments: Any) -> int:
        """Return how many references each of these segments has; -1 if segments differ, 0 if there are no segments."""
        numbers = set(self._of(segments)[:, 2].tolist())
        return numbers.pop() if len(numbers) == 1 else -bool(numbers)

    def columns(self, first: int, number: int, segments: Any) -> list[Column]:
        """The references of some segments as streams, over the same memory.

        Args:
            first: The first of these, if they follow each other.
            number: How many there are.
            segments: int64 [number], these; None: `first` and those after it.
        """
        import numpy as np

        table = self._of(slice(first, first + number) if segments is None else segments)
        if not len(table):
            return [self._column.slice(0, 0)] if self._column is not None else []
        starts, sizes = table[:, 0], table[:, 1] - table[:, 0]
        bounds = np.concatenate(([0], np.cumsum(sizes)))
        numbers = np.repeat(starts - bounds[:-1], sizes) + np.arange(bounds[-1])
        return spread(self._column.take(numbers), bounds)


class References:
    """References of a number of segments, prepared by `BLEU.prepare` or `BLEU.prepare_segments`.

    They belong to the options they were prepared with (tokenizer, case, order); a BLEU with others refuses them. They
    have a length, and slices and index arrays give the references of a mini-batch, sharing the memory: with k samples
    per prompt, `references[numpy.repeat(batch, k)]`. They never change, so any number of threads may score against
    them. They pickle as text and are indexed again when loaded.

    Memory: about 1.4 kB per segment for one reference of 28 tokens, its text included, and more per token as
    references grow (up to 180 bytes each beyond 128 tokens); see `nbytes`.

    Args:
        identity: What decides their tokens: the options that they belong to.
        kind: Whether they are text, tokens or ids.
        counter: The tokenizer's number and the largest order.
        column: The references' text (or ids), ready to be tokenized, those of a segment next to each other.
        ranges: int64 [n + 1]; the references of segment i are those from ranges[i] to ranges[i + 1] - 1.
        vocabulary: The tokens that ids stand for, if they do.

    Attributes:
        num_references: References of each segment; -1 where segments differ in it, 0 where there are no segments.
        kind: Text, tokens or ids; for the other modules of this package only, as are `vocabulary`, `check` and `block`.
        vocabulary: The numbers of their tokens, unless they are ids.

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
        "_column",
        "_counter",
        "_identity",
        "_index",
        "_ranges",
        "_segments",
        "kind",
        "num_references",
        "vocabulary",
    )

    def __init__(
        self,
        identity: Identity,
        kind: Kind,
        counter: NgramCounter | ChrfCounter,
        column: Column,
        ranges: Any,
        vocabulary: Vocabulary | None = None,
    ) -> None:
        self._identity = identity
        self._counter = counter
        self._column = column
        self._ranges = ranges
        self._segments: Any = None
        self._index: Any = counter.new_index()
        self.kind: Kind = kind
        self.vocabulary = vocabulary
        self.num_references = 0
        segments = len(ranges) - 1
        for start in range(0, segments, CHUNK_SEGMENTS):
            stop = min(start + CHUNK_SEGMENTS, segments)
            number = counter.index(self._index, column, memoryview(ranges)[start : stop + 1], start)
            self.num_references = number if start == 0 or number == self.num_references else -1
        self._index.trim()

    def __len__(self) -> int:
        return len(self._index) if self._segments is None else len(self._segments)

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

        numbers = np.arange(len(self)) if self._segments is None else np.asarray(self._segments)
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
        for name in ("_identity", "_counter", "_column", "_ranges", "_index", "kind", "vocabulary"):
            setattr(part, name, getattr(self, name))
        part._segments = chosen
        part.num_references = self._index.number_of_references(chosen)
        return part

    @property
    def nbytes(self) -> int:
        """Bytes of memory held, shared with all that was sliced from the same references."""
        index: int = self._index.nbytes
        return index + self._column.nbytes + 8 * len(self._ranges)

    def __repr__(self) -> str:
        number = "var" if self.num_references < 0 else self.num_references
        segments = "1 segment" if len(self) == 1 else f"{len(self)} segments"
        return f"<References of {segments}, nrefs:{number}>"

    def __reduce__(self) -> tuple[Any, ...]:
        column, ranges = self._column, self._ranges
        if self._segments is not None:
            numbers: list[int] = []
            ranges = array("q", [0])
            for segment in self._segments.tolist():
                numbers.extend(range(self._ranges[segment], self._ranges[segment + 1]))
                ranges.append(len(numbers))
            column = column.take(array("q", numbers))
        return References, (self._identity, self.kind, self._counter, column, ranges, self.vocabulary)

    # For the other modules of this package

    def check(self, identity: Identity, segments: int | None = None) -> None:
        """Check that they were prepared with these options and, unless that is None, for a number of segments.

        Raises:
            ValueError: They were not.
        """
        if self._identity != identity:
            theirs, ours = (
                f"tokenizer {options[0]}, lowercase={options[1]}, max_ngram_order={options[2]}"
                for options in (self._identity, identity)
            )
            if theirs == ours:
                ours = "another tokenizer of that name"
            raise ArgumentValueError("references", f"were prepared with {theirs}, but this metric has {ours}")
        if segments is not None and len(self) != segments:
            raise ArgumentValueError(
                "references", f"were prepared for {len(self)} segments, but hypotheses holds {segments}"
            )

    def block(self, start: int, stop: int) -> tuple[Any, Any]:
        """The index, and the numbers in it of the segments start..stop - 1; None where both count alike."""
        return self._index, None if self._segments is None else self._segments[start:stop]

    def held(self, segment: int) -> list[Any]:
        """The references of a segment as they are held: str, ready to be tokenized, or the numbers of their tokens.

        Text is in lower case if case is ignored, and what a tokenizer of third parties made of it. None is an absent
        reference.
        """
        number = segment if self._segments is None else int(self._segments[segment])
        column: Any = self._column
        return [column[k] for k in range(self._ranges[number], self._ranges[number + 1])]
