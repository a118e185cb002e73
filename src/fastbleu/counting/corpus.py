"""Count hypotheses with their references chunk by chunk, on one thread or several.

The rows of segments can be added in any order, so neither the chunks nor the threads can change a result.
"""

from __future__ import annotations

from ..errors import ArgumentError, ArgumentValueError, GroupLocation, Location, counted
from ..inputs.arrow import ArrowLists
from ..inputs.column_readers import token_reader
from ..inputs.columns import IDS, TEXT, Ids, PerSegment, Tokens, column_of
from ..inputs.ids import CHUNK_IDS
from ..inputs.reading import (
    HYPOTHESES,
    NAMES,
    PER_SEGMENT,
    as_list,
    read,
    read_per_segment,
    read_references,
    read_streams,
)
from ..system.threads import (
    CHUNK_COUNTS,
    CHUNK_SEGMENTS,
    CHUNKS_PER_THREAD,
    FEWEST_SEGMENTS,
    chunk_size,
    for_each_chunk,
)
from .references import References
from .row_sums import Totals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, TypeAlias

    from ..inputs.columns import Column, Reader
    from .matcher import Matcher

    #: The names of the hypotheses and of the references in errors.
    Names: TypeAlias = tuple[str, str]
    #: Called with `start` and `stop`; returns int64 [stop - start, width] for the rows of the segments start..stop - 1.
    Rows: TypeAlias = Callable[[int, int], Any]
    #: Called with `start`, `stop` and what `Rows` returned for them, or None, when these segments have been counted.
    Done: TypeAlias = Callable[[int, int, Any], object]


class Corpus:
    """Hypotheses and their references, ready to be counted by a matcher.

    Args:
        matcher: The options that decide tokens and lengths.
        hypotheses: n hypotheses.
        references: Streams of n references each, the references of each of n segments, or prepared references of n
            segments.
        shape: None; or (B, K) if the hypotheses are K adjacent samples of each of B segments. The references are then
            those of B segments.

    Attributes:
        hypotheses: The hypotheses; ids if the references are ids.
        prepared: The prepared references; None for streams.
        counter: The counter of the columns.
        shape: (n,) or (B, K).
        samples: The number of adjacent hypotheses with the same references.

    Raises:
        TypeError: The hypotheses are text and the references ids.
        ValueError: The hypotheses and the references are of different kinds, the options would change tokens, or the
            references were prepared with other options.

    Example:
        >>> from fastbleu.counting.matcher import Matcher
        >>> from fastbleu.tokenizers.names import get_tokenizer
        >>> matcher = Matcher(get_tokenizer("none"), max_ngram_order=2)
        >>> corpus = read_corpus(matcher, ["the cat sat", "it rains"], [["the cat is here", "it rained"]])
        >>> corpus.count().row, list(corpus.rows())
        ([5, 6, 3, 1, 5, 3], [([3, 4, 2, 1, 3, 2], 1), ([2, 2, 1, 0, 2, 1], 1)])
    """

    def __init__(
        self,
        matcher: Matcher,
        hypotheses: Column,
        references: Sequence[Column] | PerSegment | References,
        shape: tuple[int, int] | None = None,
    ) -> None:
        self._matcher = matcher
        self._number = len(hypotheses.data)
        self.shape: tuple[int, ...] = (self._number,) if shape is None else shape
        self.samples = 1 if shape is None else max(1, shape[1])
        if isinstance(references, PerSegment):
            references = self._opened(references)
        self.prepared = references if isinstance(references, References) else None
        if isinstance(references, References):
            columns = self._beside_prepared(hypotheses, references)
        else:
            columns = matcher.alike([hypotheses, *references])
            if isinstance(columns[0], Ids):
                columns[0].flat()
        self.hypotheses = columns[0]
        if self.prepared is not None and self.prepared.are_tokens and isinstance(columns[0], Ids):
            columns = [Tokens([columns[0][i] for i in range(self._number)], columns[0].location)]
            # Each hypothesis is counted by itself, since its tokens are numbered together with those of its references.
            self.prepared = self.prepared[[i // self.samples for i in range(self._number)]]
            self.samples = 1
        self._columns = columns
        self.counter = matcher.counter_for(columns[0].kind or TEXT)

    def __len__(self) -> int:
        return self._number

    def _opened(self, references: PerSegment) -> Sequence[Column] | References:
        """Convert references that are given per segment to the form that is counted fastest."""
        if references.is_sparse() or isinstance(references.lists, ArrowLists):
            return self._matcher.prepare_groups(references)
        return references.streams()

    def _beside_prepared(self, hypotheses: Column, prepared: References) -> list[Column]:
        """Convert the hypotheses to the kind of the prepared references; return them as a list of one column."""
        column = self._matcher.alike([hypotheses], prepared)[0]
        if isinstance(column, Ids):
            column.flat()
        prepared.check(self._matcher.identity, self.shape[0])
        if len(hypotheses) and (column.kind == TEXT) != (prepared.kind == TEXT):
            raise ArgumentValueError(
                hypotheses.location, f"are {column.kind}, but references were prepared from {prepared.kind}"
            )
        return [column]

    def undeclared_padding(self) -> tuple[Location, int] | None:
        """Return the first matrix of ids that seems to be padded, and the id of its padding; None if there is none."""
        for column in self._columns:
            padding = column.data.undeclared_padding(column.location) if isinstance(column, Ids) else None
            if padding is not None:
                return column.location, padding
        return None

    @property
    def threads(self) -> int:
        """Return the number of threads that may count at the same time."""
        return self._matcher.threads

    def reader(self) -> Reader:
        """Return a reader of the hypotheses, and of each stream of references unless these are prepared."""
        matcher, columns, samples, prepared = self._matcher, self._columns, self.samples, self.prepared
        if prepared is not None and prepared.are_tokens:
            return self._token_reader(prepared)
        if samples == 1:
            return matcher.reader(columns)
        hypotheses = matcher.reader(columns[:1], whole=True)
        references = matcher.reader(columns[1:], whole=True) if prepared is None else None

        def read_samples(start: int, stop: int) -> tuple[list[Any], int]:
            segments = -(-(self.hypotheses.data.stop_after(start, stop, CHUNK_IDS) - start) // samples)
            stop = min(stop, start + segments * samples)
            chunk, stop = hypotheses(start, stop)
            if references is not None:
                chunk += references(start // samples, stop // samples)[0]
            return chunk, stop

        return read_samples

    def _token_reader(self, prepared: References) -> Reader:
        """Return a reader of tokens and of prepared references that are tokens."""
        first = after = 0  # `read_block` reads the segments first..after - 1.
        read_block: Reader

        def read(start: int, stop: int) -> tuple[list[Any], int]:
            nonlocal first, after, read_block
            if not first <= start < after:
                first, after = start, stop
                tokens = self._matcher.tokens(self._columns[0], first, after)
                read_block = token_reader([tokens, *prepared.streams(first, after)], first=first)
            columns, end = read_block(start - first, min(stop, after) - first)
            return columns, first + end

        return read

    def references_of(self, columns: list[Any], start: int, stop: int) -> tuple[list[Any], Any]:
        """Return the references of a chunk as `NgramCounter.count` takes them.

        Args:
            columns: The columns of the chunk, as `reader` reads them.
            start: The index of the first hypothesis.
            stop: One after the index of the last hypothesis.

        Returns:
            The columns of references, and None or the ranges of the segments' references in the only column.
        """
        prepared, samples = self.prepared, self.samples
        if prepared is None or prepared.are_tokens:
            return columns[1:], None
        return [prepared.data], prepared.ranges(start // samples, stop // samples)

    def chunk_size(self, width: int) -> int:
        """Return the number of hypotheses per chunk, a multiple of `samples`.

        Args:
            width: The length of a row.
        """
        matcher, samples = self._matcher, self.samples
        tokens = 0
        # With this many segments, chunks are larger than the smallest size anyway.
        many = matcher.threads * CHUNKS_PER_THREAD * FEWEST_SEGMENTS
        if matcher.threads > 1 and self._number < many and self.hypotheses.kind == IDS:
            tokens = self.hypotheses.data.tokens_per_segment()
        step = chunk_size(self._number, width, matcher.threads, tokens)
        return step if samples == 1 else -(-step // samples) * samples

    def count(
        self,
        rows: Rows | None = None,
        done: Done | None = None,
        advance: Callable[[int], object] | None = None,
    ) -> Totals:
        """Count all segments.

        Args:
            rows: None; or a function that returns the array to which the rows of a chunk are written.
            done: None; or a function that is called when a chunk has been counted, in any thread.
            advance: None; or a function that is called with the number of hypotheses of each counted chunk, in any
                thread.

        Returns:
            The sums over all segments.

        Raises:
            TypeError: A segment is neither of the kind of the others nor (in references) None.
            ValueError: A segment has no reference. If there are several errors, that of the first segment is raised.
        """
        totals = Totals([0] * self.counter.width)
        self._count_range(totals, self.reader(), 0, self._number, rows, done, advance)
        if self._matcher.tokenizer.compiled is None:
            # The kernel saw the output of the tokenizer, and not the text.
            texts = self.hypotheses.data
            totals.tokenized = sum([isinstance(text, str) and text.endswith(" .") for text in texts])
        return totals

    def rows(self) -> Iterator[tuple[list[int], int]]:
        """Count in chunks, and yield the row of each hypothesis with its number of references."""
        from array import array

        read, width = self.reader(), self.counter.width
        block = max(1, min(CHUNK_SEGMENTS * CHUNKS_PER_THREAD, CHUNK_COUNTS // width)) * self.threads
        for first in range(0, len(self), block):
            stop = min(first + block, len(self))
            flat = memoryview(array("q", bytes(8 * width * (stop - first))))
            totals = Totals([0] * width)
            self._count_range(totals, read, first, stop, _rows_in(flat.cast("B"), first, width))
            counts = flat.tolist()
            for start in range(0, len(counts), width):
                yield counts[start : start + width], totals.num_references

    def _count_range(
        self,
        totals: Totals,
        read: Reader,
        first: int,
        stop: int,
        rows: Rows | None,
        done: Done | None = None,
        advance: Callable[[int], object] | None = None,
    ) -> None:
        """Count the hypotheses first..stop - 1, and add their sums to `totals`. See `count`."""
        matcher, samples, counter = self._matcher, self.samples, self.counter

        def count(columns: Any, start: int, stop: int) -> tuple[list[int], int, int]:
            part = None if rows is None else rows(start, stop)
            references, ranges = self.references_of(columns, start, stop)
            sums = counter.count(columns[0], references, start // samples, part, samples, ranges)
            if done is not None:
                done(start, stop, part)
            if advance is not None:
                advance(stop - start)
            return sums

        try:
            # Several threads may read text at the same time: it is copied, and chunks share no state.
            at_once = self.hypotheses.kind == TEXT and matcher.tokenizer.compiled is not None
            step = self.chunk_size(counter.width)
            for_each_chunk(read, count, totals.add, first, stop, step, matcher.threads, at_once)
        except ArgumentError as error:
            if self.prepared is not None:
                raise
            # The kernel always names the argument "references".
            raise error.renamed(references=self._columns[-1].location.argument) from None


def _rows_in(table: memoryview, first: int, width: int) -> Rows:
    """Return `Rows` that are parts of a table in memory, whose first row is that of segment `first`."""

    def part(start: int, stop: int) -> Any:
        rows = table[8 * width * (start - first) : 8 * width * (stop - first)]
        return rows.cast("q", (stop - start, width))

    return part


def rows_of(array: Any) -> Rows:
    """Return `Rows` that are parts of an array int64 [segments, width]."""
    return lambda start, stop: array[start:stop]


def read_corpus(matcher: Matcher, hypotheses: Any, references: Any, samples: bool = False) -> Corpus:
    """Read hypotheses with streams of references or prepared references.

    Args:
        matcher: The options that decide tokens and lengths.
        hypotheses: n segments: text, tokens or token ids.
        references: Streams of n references each (`references[stream][segment]`), an Arrow column of lists with the
            references of each segment, or prepared `References`.
        samples: Whether the hypotheses may be ids [B, K, T], K samples of each of B segments.

    Raises:
        TypeError: A bare str is given where a list is expected, or something is not a sequence.
        ValueError: A stream has another length, or an error of `Corpus`.
    """
    column = read(hypotheses, HYPOTHESES)
    shape = None
    if isinstance(column, Ids) and column.data.is_per_segment:
        if not samples:
            raise ArgumentValueError(
                column.location,
                f"must have the shape [segments, tokens], not {list(column.data.shape)}; of several samples of each "
                "segment there are sentence_scores, prefix_scores and statistics",
            )
        # Treat K samples of each of B segments as B * K hypotheses, those of a segment adjacent.
        shape = number, samples_of_each = column.data.shape[0], column.data.shape[1]
        bounds = range(0, number * samples_of_each + 1, max(1, samples_of_each))
        column = Ids(column.data.joined(), GroupLocation(column.location, bounds))
    if isinstance(references, References):
        return Corpus(matcher, column, references, shape)
    if shape is None:
        streams = read_references(references, len(column.data), column.kind, column)
        return Corpus(matcher, column, streams)
    streams = read_streams(references, IDS)
    if len(streams[0]) != number:
        raise ArgumentValueError(
            streams[0].location,
            f"has {counted(len(streams[0]), 'segment')}, but hypotheses has {samples_of_each} samples for "
            f"each of {number}; give the references once for all samples of a segment",
        )
    return Corpus(matcher, column, streams, shape)


def read_corpus_per_segment(
    matcher: Matcher, hypotheses: Any, references: Any, names: Names = NAMES
) -> Corpus:
    """Read hypotheses with references that are given per segment. Arrays in lists are sequences of tokens.

    Args:
        matcher: The options that decide tokens and lengths.
        hypotheses: n segments: text or tokens.
        references: n sequences of at least one reference each, `references[segment][k]`.
        names: The names of the two arguments in errors.

    Raises:
        TypeError, ValueError: As `read_corpus`.
    """
    column = column_of(as_list(hypotheses, names[0]), names[0])
    lists = as_list(references, names[1], PER_SEGMENT)
    groups = read_per_segment(lists, len(column), names[1])
    return Corpus(matcher, column, [groups] if isinstance(groups, Ids) else groups)
