"""Hypotheses and their references, ready to be counted chunk by chunk, on one thread or several.

Rows add up over segments in any order, so neither the chunks nor the threads can change a result.
"""

from __future__ import annotations

from ..errors import ArgumentError, ArgumentValueError, GroupPlace, Place, counted
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
from .totals import Totals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, TypeAlias

    from ..inputs.columns import Column, Reader
    from .matcher import Matcher

    Names: TypeAlias = tuple[str, str]
    Rows: TypeAlias = Callable[[int, int], Any]
    Done: TypeAlias = Callable[[int, int, Any], object]


class Corpus:
    """Hypotheses and their references under given options.

    Args:
        matcher: The options that decide tokens and lengths.
        hypotheses: n segments.
        references: Streams of n references each, references of each of n segments, or prepared references of them.
        shape: B and K, if the hypotheses are K of each of B segments, one after the other; the references are of B
            segments then.

    Attributes:
        hypotheses: The hypotheses; ids where the references are ids.
        prepared: The prepared references; None if there are streams.
        counter: What counts the columns.
        shape: n; or B and K.
        samples: How many hypotheses have the same references, one after the other.

    Raises:
        TypeError: Hypotheses are text and references ids.
        ValueError: Hypotheses are not what the references are, the options would change tokens, or references were
            prepared with other options.

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
        self._number = len(hypotheses.held)
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
            columns = [Tokens([columns[0][i] for i in range(self._number)], columns[0].place)]
            # Tokens are numbered anew for each hypothesis.
            self.prepared = self.prepared[[i // self.samples for i in range(self._number)]]
            self.samples = 1
        self._columns = columns
        self.counter = matcher.counter_for(columns[0].kind or TEXT)

    def __len__(self) -> int:
        return self._number

    def _opened(self, references: PerSegment) -> Sequence[Column] | References:
        """Return references of each segment in the form that is counted fastest."""
        if references.is_sparse() or isinstance(references.lists, ArrowLists):
            return self._matcher.prepare_groups(references)
        return references.streams()

    def _beside_prepared(self, hypotheses: Column, prepared: References) -> list[Column]:
        """Return the hypotheses as they are counted beside prepared references."""
        found = self._matcher.alike([hypotheses], prepared)[0]
        if isinstance(found, Ids):
            found.flat()
        prepared.check(self._matcher.identity, self.shape[0])
        if len(hypotheses) and (found.kind == TEXT) != (prepared.kind == TEXT):
            raise ArgumentValueError(
                hypotheses.place, f"are {found.kind}, but references were prepared from {prepared.kind}"
            )
        return [found]

    def undeclared_padding(self) -> tuple[Place, int] | None:
        """A matrix that stands beside hypotheses of ids and seems to be padded, and its padding; None if none is."""
        for column in self._columns:
            found = column.held.undeclared_padding(column.place) if isinstance(column, Ids) else None
            if found is not None:
                return column.place, found
        return None

    @property
    def threads(self) -> int:
        """Return how many threads may count at the same time."""
        return self._matcher.threads

    def reader(self) -> Reader:
        """Make what reads columns: the hypotheses, then, unless they are prepared, each stream of references."""
        matcher, columns, samples, prepared = self._matcher, self._columns, self.samples, self.prepared
        if prepared is not None and prepared.are_tokens:
            return self._token_reader(prepared)
        if samples == 1:
            return matcher.reader(columns)
        hypotheses = matcher.reader(columns[:1], whole=True)
        references = matcher.reader(columns[1:], whole=True) if prepared is None else None

        def read_samples(start: int, stop: int) -> tuple[list[Any], int]:
            segments = -(-(self.hypotheses.held.stop_after(start, stop, CHUNK_IDS) - start) // samples)
            stop = min(stop, start + segments * samples)
            found, stop = hypotheses(start, stop)
            if references is not None:
                found += references(start // samples, stop // samples)[0]
            return found, stop

        return read_samples

    def _token_reader(self, prepared: References) -> Reader:
        """Make what reads tokens beside prepared ones."""
        first = after = 0  # Segments that `read_block` has.
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
        """Return the references of a chunk as counters take them.

        Args:
            columns: Those that were read.
            start: The first hypothesis.
            stop: One after the last.

        Returns:
            Columns, and the ranges of segments in them, or None.
        """
        prepared, samples = self.prepared, self.samples
        if prepared is None or prepared.are_tokens:
            return columns[1:], None
        return [prepared.held], prepared.ranges(start // samples, stop // samples)

    def chunk_size(self, width: int) -> int:
        """Return how many hypotheses to put into a chunk. The samples of a segment stay together.

        Args:
            width: Numbers in the row of one hypothesis.
        """
        matcher, samples = self._matcher, self.samples
        tokens = 0
        # Many segments make chunks of more than the fewest anyway.
        many = matcher.threads * CHUNKS_PER_THREAD * FEWEST_SEGMENTS
        if matcher.threads > 1 and self._number < many and self.hypotheses.kind == IDS:
            tokens = self.hypotheses.held.tokens_per_segment()
        step = chunk_size(self._number, width, matcher.threads, tokens)
        return step if samples == 1 else -(-step // samples) * samples

    def count(
        self,
        rows: Rows | None = None,
        done: Done | None = None,
        advance: Callable[[int], object] | None = None,
    ) -> Totals:
        """Counts all segments.

        Args:
            rows: Gives int64 [stop - start, 2 + 2N] to write the rows of the segments start..stop - 1 to; or None.
            done: Called with start, stop and the rows when these have been written, in any thread; or None.
            advance: Called with how many more segments have been counted, in any thread.

        Returns:
            The sums.

        Raises:
            TypeError: A segment is neither what the others are nor (in references) None.
            ValueError: A segment has no reference. Of several errors, the first segment's.
        """
        totals = Totals([0] * self.counter.width)
        self._count_range(totals, self.reader(), 0, self._number, rows, done, advance)
        if self._matcher.tokenizer.compiled is None:
            # The kernel has seen what the tokenizer made of the text.
            texts = self.hypotheses.held
            totals.tokenized = sum([isinstance(text, str) and text.endswith(" .") for text in texts])
        return totals

    def rows(self) -> Iterator[tuple[list[int], int]]:
        """Counts in chunks, and gives the row of each segment with its number of references."""
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
        """Count the segments first..stop - 1, and add their sums to `totals`."""
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
            # Text is read by copying it, and nothing is remembered from one chunk to the next.
            at_once = self.hypotheses.kind == TEXT and matcher.tokenizer.compiled is not None
            step = self.chunk_size(counter.width)
            for_each_chunk(read, count, totals.add, first, stop, step, matcher.threads, at_once)
        except ArgumentError as error:
            if self.prepared is not None:
                raise
            # The kernel knows references by one name only.
            raise error.renamed(references=self._columns[-1].place.argument) from None


def _rows_in(table: memoryview, first: int, width: int) -> Rows:
    """Parts of rows that lie in memory from the segment `first` on."""

    def part(start: int, stop: int) -> Any:
        rows = table[8 * width * (start - first) : 8 * width * (stop - first)]
        return rows.cast("q", (stop - start, width))

    return part


def rows_of(array: Any) -> Rows:
    """Rows that go to an array int64 [segments, 2 + 2N]."""
    return lambda start, stop: array[start:stop]


def read_corpus(matcher: Matcher, hypotheses: Any, references: Any, samples: bool = False) -> Corpus:
    """Read hypotheses with prepared references or with streams.

    Args:
        matcher: The options that decide tokens and lengths.
        hypotheses: n segments: text, tokens or token ids.
        samples: Whether the hypotheses may be ids [B, K, T], K for each of B segments.
        references: Streams of n references each (`references[stream][segment]`), an Arrow column of lists with the
            references of each segment, or prepared `References`.

    Raises:
        TypeError: A bare str where a list is expected, or something that is not a sequence.
        ValueError: Streams of another length; or as `Corpus`.
    """
    column = read(hypotheses, HYPOTHESES)
    shape = None
    if isinstance(column, Ids) and column.held.is_per_segment:
        if not samples:
            raise ArgumentValueError(
                column.place,
                f"must have the shape [segments, tokens], not {list(column.held.shape)}; of several samples of each "
                "segment there are sentence_scores, prefix_scores and statistics",
            )
        # K samples of each of B segments as B * K segments, those of one next to each other.
        shape = number, samples_of_each = column.held.shape[0], column.held.shape[1]
        bounds = range(0, number * samples_of_each + 1, max(1, samples_of_each))
        column = Ids(column.held.joined(), GroupPlace(column.place, bounds))
    if isinstance(references, References):
        return Corpus(matcher, column, references, shape)
    if shape is None:
        return Corpus(matcher, column, read_references(references, len(column.held), column.kind))
    found = read_streams(references, None, IDS)
    if len(found[0]) != number:
        raise ArgumentValueError(
            found[0].place,
            f"has {counted(len(found[0]), 'segment')}, but hypotheses has {samples_of_each} samples for "
            f"each of {number}; references stand there once for all samples of a segment",
        )
    return Corpus(matcher, column, found, shape)


def read_corpus_per_segment(
    matcher: Matcher, hypotheses: Any, references: Any, names: Names = NAMES
) -> Corpus:
    """Read hypotheses with references that are given per segment; arrays in them are sequences of tokens.

    Args:
        matcher: The options that decide tokens and lengths.
        hypotheses: n segments: text or tokens.
        references: For each of them a sequence of at least one reference, `references[segment][k]`.
        names: What errors call the two.

    Raises:
        TypeError, ValueError: As `read_corpus`.
    """
    column = column_of(as_list(hypotheses, names[0]), names[0])
    lists = as_list(references, names[1], PER_SEGMENT)
    found = read_per_segment(lists, len(column), names[1])
    return Corpus(matcher, column, [found] if isinstance(found, Ids) else found)
