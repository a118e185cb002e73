"""Count the matches of hypotheses with their references, chunk by chunk, in one thread or several.

Rows of counts can be added in any order, so results do not depend on the size of the chunks or the number of threads.
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

    #: The names that errors use for the argument of hypotheses and for the argument of references.
    Names: TypeAlias = tuple[str, str]
    #: A function that is called with `start` and `stop`, and returns an int64 array [stop - start, width], to which the
    #: rows of the hypotheses start..stop - 1 are written.
    Rows: TypeAlias = Callable[[int, int], Any]
    #: A function that is called when the hypotheses start..stop - 1 have been counted, with `start`, `stop` and the
    #: array of their rows, or None if the rows are not stored.
    Done: TypeAlias = Callable[[int, int, Any], object]


class Corpus:
    """Hypotheses and their references, ready to be counted by a matcher.

    Args:
        matcher: A matcher with the options of tokenizing and counting.
        hypotheses: A column of n hypotheses.
        references: Streams of n references each; a list of references for each of n segments; or prepared references of
            n segments.
        shape: None if each hypothesis has its own references. (B, K) if the B * K hypotheses are K consecutive samples
            for each of B segments; `references` then has B segments instead of n.

    Attributes:
        hypotheses: The column of hypotheses. It is converted to ids if the references are ids.
        prepared: The prepared references; None if the references are streams.
        counter: The compiled counter for the kind of the columns.
        shape: (n,) or (B, K).
        group_size: The number of consecutive hypotheses that share references: K, or 1 if `shape` is (n,).

    Raises:
        TypeError: The hypotheses are text and the references are ids.
        ValueError: References that were prepared from tokens are used for text, or the reverse; the tokenizer or
            `lowercase` would change tokens or ids; or the references were prepared with other options.

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
        self.group_size = 1 if shape is None else max(1, shape[1])
        if isinstance(references, PerSegment):
            references = self._convert_per_segment(references)
        self.prepared = references if isinstance(references, References) else None
        if isinstance(references, References):
            columns = self._convert_hypotheses(hypotheses, references)
        else:
            columns = matcher.as_one_kind([hypotheses, *references])
            if isinstance(columns[0], Ids):
                columns[0].flat()
        self.hypotheses = columns[0]
        if self.prepared is not None and self.prepared.are_tokens and isinstance(columns[0], Ids):
            columns = [Tokens([columns[0][i] for i in range(self._number)], columns[0].location)]
            # Repeat the references, because the tokens of each hypothesis are numbered together with its references.
            self.prepared = self.prepared[[i // self.group_size for i in range(self._number)]]
            self.group_size = 1
        self._columns = columns
        self.counter = matcher.counter_for(columns[0].kind or TEXT)

    def __len__(self) -> int:
        return self._number

    def _convert_per_segment(self, references: PerSegment) -> Sequence[Column] | References:
        """Convert a list of references per segment to streams, or to prepared references if counting is then faster."""
        if references.is_sparse() or isinstance(references.lists, ArrowLists):
            return self._matcher.prepare_groups(references)
        return references.streams()

    def _convert_hypotheses(self, hypotheses: Column, prepared: References) -> list[Column]:
        """Convert the hypotheses to the kind of the prepared references, and return them as a list of one column."""
        column = self._matcher.as_one_kind([hypotheses], prepared)[0]
        if isinstance(column, Ids):
            column.flat()
        prepared.check(self._matcher.identity, self.shape[0])
        if len(hypotheses) and (column.kind == TEXT) != (prepared.kind == TEXT):
            raise ArgumentValueError(
                hypotheses.location, f"are {column.kind}, but references were prepared from {prepared.kind}"
            )
        return [column]

    def undeclared_padding(self) -> tuple[Location, int] | None:
        """Return the location of the first id matrix that seems to be padded, and the padding id; or None."""
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
        """Return a reader of a column of hypotheses, followed by a column for each stream of references.

        If prepared references are text or ids, they already are a column, so only the hypotheses are read.
        """
        matcher, columns, group_size, prepared = self._matcher, self._columns, self.group_size, self.prepared
        if prepared is not None and prepared.are_tokens:
            return self._token_reader(prepared)
        if group_size == 1:
            return matcher.reader(columns)
        hypotheses = matcher.reader(columns[:1], whole=True)
        references = matcher.reader(columns[1:], whole=True) if prepared is None else None

        def read_groups(start: int, stop: int) -> tuple[list[Any], int]:
            segments = -(-(self.hypotheses.data.stop_after(start, stop, CHUNK_IDS) - start) // group_size)
            stop = min(stop, start + segments * group_size)
            chunk, stop = hypotheses(start, stop)
            if references is not None:
                chunk += references(start // group_size, stop // group_size)[0]
            return chunk, stop

        return read_groups

    def _token_reader(self, prepared: References) -> Reader:
        """Return a reader of hypotheses together with prepared references that are stored as sequences of tokens."""
        first = after = 0  # The current `read_block` can read the segments first..after - 1.
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
        """Return the arguments `references` and `ranges` of `NgramCounter.count` for a chunk.

        Args:
            columns: The columns of the chunk, read by `reader`.
            start: The index of the chunk's first hypothesis.
            stop: One after the index of its last hypothesis.

        Returns:
            For streams, a list of columns with one reference per segment; and None. For prepared references, a list of
            one column; and two arrays: the index in the column of each segment's first reference, and one after the
            index of its last reference.
        """
        prepared, group_size = self.prepared, self.group_size
        if prepared is None or prepared.are_tokens:
            return columns[1:], None
        return [prepared.data], prepared.ranges(start // group_size, stop // group_size)

    def chunk_size(self, width: int) -> int:
        """Return the number of hypotheses per chunk, a multiple of `group_size`, for rows of `width` counts."""
        matcher, group_size = self._matcher, self.group_size
        tokens = 0
        # The number of tokens affects the size of chunks only if there are fewer segments than `limit`.
        limit = matcher.threads * CHUNKS_PER_THREAD * FEWEST_SEGMENTS
        if matcher.threads > 1 and self._number < limit and self.hypotheses.kind == IDS:
            tokens = self.hypotheses.data.tokens_per_segment()
        step = chunk_size(self._number, width, matcher.threads, tokens)
        return step if group_size == 1 else -(-step // group_size) * group_size

    def count(
        self,
        rows: Rows | None = None,
        done: Done | None = None,
        advance: Callable[[int], object] | None = None,
    ) -> Totals:
        """Count all hypotheses.

        Args:
            rows: A function that returns the array to which the rows of a chunk are written; None to write no rows.
            done: A function that is called in any thread when a chunk has been counted; or None.
            advance: A function that is called in any thread with the number of hypotheses in a counted chunk; or None.

        Returns:
            The sums over all hypotheses.

        Raises:
            TypeError: A segment is of another kind than the first one (but references may be None).
            ValueError: A segment has no reference. If several segments have errors, the first of them is reported.
        """
        totals = Totals([0] * self.counter.width)
        self._count_range(totals, self.reader(), 0, self._number, rows, done, advance)
        if self._matcher.tokenizer.compiled is None:
            # Count the hypotheses that end in " ." here, since the kernel has read only the output of the tokenizer.
            texts = self.hypotheses.data
            totals.tokenized = sum([isinstance(text, str) and text.endswith(" .") for text in texts])
        return totals

    def rows(self) -> Iterator[tuple[list[int], int]]:
        """Yield the row of each hypothesis, and the number of references per segment (-1 if segments differ in it)."""
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
        """Count the hypotheses first..stop - 1, and add their sums to `totals`; see `count` for the arguments."""
        matcher, group_size, counter = self._matcher, self.group_size, self.counter

        def count(columns: Any, start: int, stop: int) -> tuple[list[int], int, int]:
            chunk_rows = None if rows is None else rows(start, stop)
            references, ranges = self.references_of(columns, start, stop)
            sums = counter.count(columns[0], references, start // group_size, chunk_rows, group_size, ranges)
            if done is not None:
                done(start, stop, chunk_rows)
            if advance is not None:
                advance(stop - start)
            return sums

        try:
            # Several threads may read text at the same time, since it is copied and chunks share no state.
            concurrent_reads = self.hypotheses.kind == TEXT and matcher.tokenizer.compiled is not None
            step = self.chunk_size(counter.width)
            for_each_chunk(read, count, totals.add, first, stop, step, matcher.threads, concurrent_reads)
        except ArgumentError as error:
            if self.prepared is not None:
                raise
            # The kernel's errors name the argument "references"; replace this name by the one that the caller uses.
            raise error.renamed(references=self._columns[-1].location.argument) from None


def _rows_in(table: memoryview, first: int, width: int) -> Rows:
    """Return a function that slices the bytes of a table of rows. The first row is that of hypothesis `first`."""

    def slice_rows(start: int, stop: int) -> Any:
        rows = table[8 * width * (start - first) : 8 * width * (stop - first)]
        return rows.cast("q", (stop - start, width))

    return slice_rows


def rows_of(array: Any) -> Rows:
    """Return a function that slices an int64 array [segments, width] by segment."""
    return lambda start, stop: array[start:stop]


def read_corpus(matcher: Matcher, hypotheses: Any, references: Any, samples: bool = False) -> Corpus:
    """Read hypotheses with streams of references or prepared references.

    Args:
        matcher: A matcher with the options of tokenizing and counting.
        hypotheses: n segments: text, tokens or token ids.
        references: Streams of n references each (`references[stream][segment]`), an Arrow column of lists with the
            references of each segment, or prepared `References`.
        samples: Whether the hypotheses may be ids [B, K, T], K samples for each of B segments.

    Raises:
        TypeError: A bare str is given where a list is expected, or an argument is not a sequence.
        ValueError: A stream and the hypotheses differ in length, or `Corpus` rejects the arguments.
    """
    column = read(hypotheses, HYPOTHESES)
    shape = None
    if isinstance(column, Ids) and column.data.is_per_segment:
        if not samples:
            raise ArgumentValueError(
                column.location,
                f"must have the shape [segments, tokens], not {list(column.data.shape)}; for several samples per "
                "segment, call sentence_scores, prefix_scores or statistics",
            )
        # Treat K samples for each of B segments as B * K hypotheses; the samples of a segment are consecutive.
        shape = number, group_size = column.data.shape[0], column.data.shape[1]
        bounds = range(0, number * group_size + 1, max(1, group_size))
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
            f"has {counted(len(streams[0]), 'segment')}, but hypotheses has {group_size} samples for "
            f"each of {number}; give the references once for all samples of a segment",
        )
    return Corpus(matcher, column, streams, shape)


def read_corpus_per_segment(
    matcher: Matcher, hypotheses: Any, references: Any, names: Names = NAMES
) -> Corpus:
    """Read hypotheses with a sequence of references per segment. An array in a list is a sequence of tokens.

    Args:
        matcher: A matcher with the options of tokenizing and counting.
        hypotheses: n segments: text or tokens.
        references: n sequences of at least one reference each, `references[segment][k]`.
        names: The names of the two arguments in errors.

    Raises:
        TypeError, ValueError: An argument is invalid; the errors are those of `read_corpus`.
    """
    column = column_of(as_list(hypotheses, names[0]), names[0])
    groups = read_per_segment(as_list(references, names[1], PER_SEGMENT), len(column), names[1])
    return Corpus(matcher, column, [groups] if isinstance(groups, Ids) else groups)
