"""Hypotheses and their references, ready to be counted chunk by chunk, on one thread or several.

Rows add up over segments in any order, so neither the chunks nor the threads can change a result.
"""

from __future__ import annotations

from itertools import zip_longest
from operator import add

from ..errors import ArgumentError, ArgumentValueError, Place
from ..inputs.arrow import is_arrow
from ..inputs.frames import as_column
from ..inputs.ids import CHUNK_IDS, BareIds, is_number_array
from ..inputs.samples import join_samples, sample_reader
from ..inputs.segments import (
    HYPOTHESES,
    IDS,
    NAMES,
    REFERENCES,
    STREAMS,
    TEXT,
    TOKENS,
    Segments,
    arrow_references,
    as_list,
    as_reference_lists,
    as_segments,
    as_streams,
    common_kind,
    flat_ids,
    given_per_segment,
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
from .rows import row_width
from .totals import Totals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeAlias

    from ..inputs.segments import Kind, Names
    from ..inputs.text import Reader
    from ._counter import NgramCounter
    from .matcher import Matcher

    Rows: TypeAlias = Callable[[int, int], Any]
    Done: TypeAlias = Callable[[int, int, Any], object]

#: Calls of at most this many segments are counted one by one, which is shorter than reading them as columns.
_FEW = 16

#: Types of segments that are counted so.
_FEW_KINDS = (str, list, tuple)

#: References given per segment are read as streams if these have at most this number of places for each reference.
_MOST_PLACES = 4


class Corpus:
    """Hypotheses and their references under given options. They are checked when they are first counted or read.

    Args:
        matcher: The options that decide tokens and lengths.
        hypotheses: n segments.
        references: Streams of n references each, or prepared references of n segments.
        shape: B and K, if the hypotheses are K of each of B segments, one behind the other; the references are of B
            segments then.

    Attributes:
        shape: n; or B and K.

    Raises:
        TypeError: Something is no sequence, or hypotheses are text and references ids.
        ValueError: Hypotheses are not what the references are, streams have another length, the options would change
            tokens, or references were prepared with other options.

    Example:
        >>> from fastbleu.counting.matcher import Matcher
        >>> from fastbleu.tokenizers.names import get_tokenizer
        >>> matcher = Matcher(get_tokenizer("none"), max_ngram_order=2)
        >>> corpus = read_corpus(matcher, ["the cat sat", "it rains"], [["the cat is here", "it rained"]])
        >>> corpus.count().row, list(corpus.rows())
        ([5, 6, 3, 1, 5, 3], [([3, 4, 2, 1, 3, 2], 1), ([2, 2, 1, 0, 2, 1], 1)])
    """

    def __init__(
        self, matcher: Matcher, hypotheses: Segments, references: Any, shape: tuple[int, int] | None = None
    ) -> None:
        self.prepared = references if isinstance(references, References) else None
        self._matcher = matcher
        self._hypotheses = hypotheses
        self._number = len(hypotheses.held)
        self.shape: tuple[int, ...] = (self._number,) if shape is None else shape
        #: Hypotheses that have the same references, one behind the other.
        self.samples = 1 if shape is None else max(1, shape[1])
        self._references = references
        self._sources: list[Segments] = []
        self._kind: Kind = TEXT

    def __len__(self) -> int:
        return self._number

    def _open(self) -> list[Segments]:
        """What is to be read: the hypotheses and, unless they are prepared, each stream of references."""
        if self._sources:
            return self._sources
        segments, prepared = self._hypotheses, self.prepared
        kind = segments.kind or TEXT
        self._matcher.check_kind(kind, [segments])
        if kind == IDS:
            flat_ids(segments)
        if prepared is None:
            if len(self.shape) == 1:
                streams = as_streams(self._references, self._number, segments.kind)
            else:
                streams = self._streams_of_samples()
            sources = [segments, *streams]
            kind = common_kind(sources)
        else:
            sources = [segments]
            kind = common_kind([segments, prepared])
        if kind not in (segments.kind, TEXT):
            self._matcher.check_kind(kind, sources)
        if kind == IDS:
            self._hypotheses = sources[0] = flat_ids(segments)
            sources[1:] = [source if source.kind == IDS else source.as_ids() for source in sources[1:]]
        if prepared is not None:
            prepared.check(self._matcher.identity, self.shape[0])
            if len(segments) and (kind == TEXT) != (prepared.kind == TEXT):
                raise ArgumentValueError(
                    segments.place, f"are {kind}, but references were prepared from {prepared.kind}"
                )
            if prepared.vocabulary is not None and kind == IDS:
                # Tokens that were numbered keep their numbers.
                kind, sources = TOKENS, [self._hypotheses.as_tokens()]
        self._kind, self._sources = kind, sources
        return sources

    def undeclared_padding(self) -> tuple[Place, int] | None:
        """A matrix that stands beside hypotheses of ids and seems to be padded, and its padding; None if none is."""
        if self._hypotheses.kind == IDS:
            for source in self._open():
                if type(source.held) is BareIds:
                    found = source.held.repeated_end()
                    if found is not None:
                        return source.place, found
        return None

    def _streams_of_samples(self) -> list[Segments]:
        streams = as_streams(self._references, None, IDS)
        number, samples = self.shape
        if len(streams[0]) != number:
            raise ArgumentValueError(
                streams[0].place,
                f"has {len(streams[0])} segment{'s'[: len(streams[0]) != 1]}, but hypotheses has {samples} samples for "
                f"each of {number}; references stand there once for all samples of a segment",
            )
        return streams

    @property
    def hypotheses(self) -> Segments:
        """The hypotheses; ids where the references are ids."""
        self._open()
        return self._hypotheses

    @property
    def counter(self) -> NgramCounter:
        """What counts the columns."""
        self._open()
        return self._matcher.counter_for(self._kind)

    @property
    def threads(self) -> int:
        """How many threads may count at the same time."""
        return self._matcher.threads

    def reader(self) -> Reader:
        """Reads columns: the hypotheses, then, unless they are prepared, each stream of references."""
        sources = self._sources or self._open()
        matcher, kind, prepared = self._matcher, self._kind, self.prepared
        if self.samples == 1:
            if prepared is None:
                return matcher.reader(kind, sources)
            return matcher.reader(kind, sources, prepared.vocabulary, frozen=True)
        references = None
        if prepared is None:
            read = matcher.reader(kind, sources[:1], whole=True)
            references = matcher.reader(kind, sources[1:], whole=True)
        else:
            read = matcher.reader(kind, sources, prepared.vocabulary, frozen=True, whole=True)
        return sample_reader(self._hypotheses.held, read, references, self.samples, CHUNK_IDS)

    def chunk_size(self, width: int) -> int:
        """How many hypotheses to put into a chunk. The samples of a segment stay together.

        Args:
            width: Numbers in the row of one hypothesis.
        """
        matcher, samples = self._matcher, self.samples
        tokens = 0
        # Many segments make chunks of more than the fewest anyway.
        many = matcher.threads * CHUNKS_PER_THREAD * FEWEST_SEGMENTS
        if matcher.threads > 1 and self._number < many and self._kind == IDS:
            tokens = self._hypotheses.held.tokens_per_segment()
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
            done: Told start, stop and the rows when these have been written, in any thread; or None.
            advance: Told how many more segments have been counted, in any thread.

        Returns:
            The sums.

        Raises:
            TypeError: A segment is neither what the others are nor (in references) None.
            ValueError: A segment has no reference. Of several errors, the first segment's.
        """
        if self._number == 1 and rows is None and advance is None:
            single = count_single(self._matcher, self._hypotheses.held, self._references)
            if single is not None:
                return single
        totals = self._count_range(self.reader(), 0, self._number, rows, done, advance)
        if self._matcher.tokenizer.compiled is None:
            # The kernel has seen what the tokenizer made of the text.
            texts = (text for text in self._hypotheses.held if isinstance(text, str))
            totals.tokenized = sum(text.endswith(" .") for text in texts)
        return totals

    def rows(self) -> Iterator[tuple[list[int], int]]:
        """Counts in chunks, and gives the row of each segment with its number of references."""
        from array import array

        read, width = self.reader(), row_width(self.counter.order)
        block = max(1, min(CHUNK_SEGMENTS * CHUNKS_PER_THREAD, CHUNK_COUNTS // width)) * self.threads
        for first in range(0, len(self), block):
            stop = min(first + block, len(self))
            flat = memoryview(array("q", bytes(8 * width * (stop - first))))
            totals = self._count_range(read, first, stop, _rows_in(flat.cast("B"), first, width))
            counts = flat.tolist()
            for start in range(0, len(counts), width):
                yield counts[start : start + width], totals.num_references

    def _count_range(
        self,
        read: Reader,
        first: int,
        stop: int,
        rows: Rows | None,
        done: Done | None = None,
        advance: Callable[[int], object] | None = None,
    ) -> Totals:
        matcher, prepared, samples = self._matcher, self.prepared, self.samples
        counter = matcher.counter_for(self._kind)
        width = row_width(counter.order)
        totals = Totals([0] * width)

        def count(columns: Any, start: int, stop: int) -> tuple[list[int], int, int]:
            part = None if rows is None else rows(start, stop)
            segment = start // samples
            if prepared is None:
                sums = counter.count(columns[0], columns[1:], segment, part, samples)
            else:
                block = prepared.block(segment, stop // samples)
                sums = counter.count_prepared(columns[0], *block, segment, part, samples)
            if done is not None:
                done(start, stop, part)
            if advance is not None:
                advance(stop - start)
            return sums

        try:
            # Text is read by copying it, and nothing is remembered from one chunk to the next, but for lists of Arrow.
            at_once = self._kind == TEXT and matcher.tokenizer.compiled is not None
            at_once = at_once and not any(
                getattr(source.held, "shares_parts", False) for source in self._sources
            )
            step = self.chunk_size(width)
            for_each_chunk(read, count, totals.add, first, stop, step, matcher.threads, at_once)
        except ArgumentError as error:
            if prepared is not None:
                raise
            # The kernel knows references by one name only.
            raise error.renamed(references=self._sources[-1].place.argument) from None
        return totals


def count_single(matcher: Matcher, hypotheses: Any, streams: Any) -> Totals | None:
    """Count one plain segment with streams of one reference each, in the short way.

    Args:
        matcher: The options that decide tokens and lengths.
        hypotheses: A list or tuple of one text, or of one list of tokens.
        streams: A list of lists or tuples.

    Returns:
        What it comes to. None if it is anything else, or if anything is wrong with it: the long way counts it, or says
        what is wrong, and where.

    Example:
        >>> from fastbleu.counting.matcher import kept_matcher
        >>> from fastbleu.tokenizers.names import get_tokenizer
        >>> matcher = kept_matcher(get_tokenizer("none"), max_ngram_order=2)
        >>> count_single(matcher, ["the cat sat"], [["the cat is here"]]).row
        [3, 4, 2, 1, 3, 2]
        >>> count_single(matcher, ["the cat sat"], ["the cat is here"])
    """
    if not isinstance(hypotheses, (list, tuple)) or len(hypotheses) != 1 or type(streams) is not list:
        return None
    counter = matcher.counter_of_one(hypotheses[0])
    if counter is None:
        return None
    references = []
    for stream in streams:
        if not isinstance(stream, (list, tuple)) or len(stream) != 1:
            return None
        if counter is matcher.id_counter and type(stream[0]) not in (list, tuple):
            return None  # an array has ids that are no tokens
        references.append(stream[0])
    try:
        return Totals(*counter.count_one(hypotheses[0], references, matcher.lowercase))
    except (TypeError, ValueError):
        return None


def count_few(matcher: Matcher, segments: Any, lists: Any) -> list[int] | None:
    """Count a few plain segments with their references, in the short way.

    Args:
        matcher: The options that decide tokens and lengths.
        segments: Segments of text, or lists or tuples of tokens.
        lists: For each a sequence of references.

    Returns:
        The sum of their rows. None if there are many, if they are anything else, or if anything is wrong with them: the
        long way counts them, or says what is wrong, and where.

    Example:
        >>> from fastbleu.counting.matcher import kept_matcher
        >>> from fastbleu.tokenizers.names import get_tokenizer
        >>> matcher = kept_matcher(get_tokenizer("none"), max_ngram_order=2)
        >>> count_few(matcher, ["the cat sat", "it rains"], [["the cat is here"], ["it rained"]])
        [5, 6, 3, 1, 5, 3]
    """
    if not 0 < len(segments) <= _FEW or len(segments) != len(lists):
        return None
    kind = type(segments[0])
    total: list[int] = []
    try:
        for segment, references in zip(segments, lists, strict=True):
            if type(segment) is not kind or kind not in _FEW_KINDS:
                return None
            row, number = matcher.count_one(segment, references)
            if number != len(references):
                return None  # a reference is None
            total = list(map(add, total, row)) if total else row
    except (TypeError, ValueError):
        return None
    return total


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
    """Hypotheses with prepared references or with streams.

    Args:
        matcher: The options that decide tokens and lengths.
        hypotheses: n segments: text, tokens or token ids.
        samples: Whether the hypotheses may be ids [B, K, T], K for each of B segments.
        references: Streams of n references each (`references[stream][segment]`), an Arrow column of lists with the
            references of each segment, or prepared `References`.

    Raises:
        TypeError: A bare str where a list is expected, or something that is no sequence.
        ValueError: Streams of another length; or as `Corpus`.
    """
    segments = as_segments(hypotheses, HYPOTHESES)
    if not isinstance(references, (list, tuple, References)) and not is_number_array(references, (2, 3)):
        references = as_column(references, REFERENCES, STREAMS, True)
        if is_arrow(references):
            references = arrow_references(references)
            if segments.kind == TEXT and len(segments) == len(references) and _is_sparse(references.sizes):
                references = matcher.prepare_segments(references)
    if segments.kind == IDS and segments.held.is_per_segment:
        if not samples:
            raise ArgumentValueError(
                segments.place,
                f"must have the shape [segments, tokens], not {list(segments.held.shape)}; of several samples of each "
                "segment there are sentence_scores, prefix_scores and statistics",
            )
        joined, shape = join_samples(segments)
        return Corpus(matcher, joined, references, shape)
    return Corpus(matcher, segments, references)


def _is_sparse(numbers: Any) -> bool:
    """Whether most places of streams would be empty, given the number of references of each segment."""
    return bool(len(numbers) * max(numbers, default=0) > _MOST_PLACES * sum(numbers))


def read_corpus_per_segment(
    matcher: Matcher, hypotheses: Any, references: Any, names: Names = NAMES
) -> Corpus:
    """Hypotheses with references that are given per segment; arrays in them are sequences of tokens.

    Args:
        matcher: The options that decide tokens and lengths.
        hypotheses: n segments: text or tokens.
        references: For each of them a sequence of at least one reference, `references[segment][k]`.
        names: What errors call the two.

    Raises:
        TypeError, ValueError: As `read_corpus`.
    """
    segments = Segments(as_list(hypotheses, names[0]), names[0])
    lists = as_reference_lists(references, len(segments), names[1])
    if _is_sparse(list(map(len, lists))):
        return Corpus(matcher, segments, matcher.prepare_segments(lists, Place(names[1])))
    return Corpus(matcher, segments, given_per_segment(zip_longest(*lists) if len(lists) else [()], names[1]))
