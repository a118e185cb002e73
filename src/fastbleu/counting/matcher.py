"""Matching hypotheses with references: the options that decide tokens and lengths, and no formula."""

from __future__ import annotations

from itertools import zip_longest

from ..errors import describe
from ..inputs._column import interleave
from ..inputs.id_sources import all_ids, as_ids, id_streams, ids_reader
from ..inputs.ids import TokenIds
from ..inputs.reading import check_tokens_allowed, reader
from ..inputs.text import (
    PER_SEGMENT,
    are_tokens,
    as_references_of,
    as_segments,
    as_sentence_references,
    as_streams,
    check_sentence_references,
)
from ..tokenizers._tokenize import TOKENIZE_IDS, TOKENIZE_NONE
from ._counter import NgramCounter
from .reference_length import REFERENCE_LENGTHS
from .references import References
from .rows import Totals, count_segments, iterate_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator
    from typing import Any

    from ..inputs.text import Reader, Segments
    from ..inputs.tokens import Vocabulary
    from ..tokenizers.names import Tokenizer
    from .rows import RowSink

#: Streams of references that are given per segment hold at most so many places for each reference.
_MOST_PLACES = 4


class Matcher:
    """Counts matches of hypotheses with their references, under given options.

    A row is sys_len, ref_len, correct_1..N, total_1..N. A matcher holds work memory, but no text between calls, and
    may be used from several threads at once.

    Args:
        tokenizer: Makes tokens of text.
        lowercase: Whether case is ignored.
        max_ngram_order: N, the longest n-grams counted.
        reference_length: Whose length is ref_len: the "closest" one to the hypothesis' (the shorter of two equally
            close), "closest-first" (the first of two), or the "shortest".
        threads: How many threads may count at the same time.

    Example:
        >>> from fastbleu.tokenizers.names import get_tokenizer
        >>> matcher = Matcher(get_tokenizer("none"), max_ngram_order=2)
        >>> matcher.count_one("the cat sat", ["the cat is here"])
        ([3, 4, 2, 1, 3, 2], 1)
        >>> matcher.count_per_segment(["a", "b c"], [["a"], ["b", "c"]]).row
        [3, 2, 3, 0, 3, 1]
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        lowercase: bool = False,
        max_ngram_order: int = 4,
        reference_length: str = "closest",
        threads: int = 1,
    ) -> None:
        self.tokenizer = tokenizer
        self.lowercase = lowercase
        self.max_ngram_order = max_ngram_order
        self.reference_length = reference_length
        self.threads = threads
        compiled = tokenizer.compiled
        if compiled is None:
            # What third parties return is split at white space; a callable's tokens are numbered.
            compiled = TOKENIZE_NONE if tokenizer.to_tokens is None else TOKENIZE_IDS
        self._takes_tokens = tokenizer.compiled == TOKENIZE_NONE and not lowercase
        rule = REFERENCE_LENGTHS[reference_length]
        self.counter = NgramCounter(compiled, max_ngram_order, rule)
        self.id_counter = NgramCounter(TOKENIZE_IDS, max_ngram_order, rule)

    def __reduce__(self) -> tuple[Any, ...]:
        options = (
            self.tokenizer,
            self.lowercase,
            self.max_ngram_order,
            self.reference_length,
            self.threads,
        )
        return Matcher, options

    def count(
        self,
        hypotheses: Segments | TokenIds,
        references: Any,
        rows: RowSink | None = None,
        advance: Callable[[int], object] | None = None,
    ) -> Totals:
        """Count a corpus.

        Args:
            hypotheses: n segments.
            references: Streams of n references each (`references[stream][segment]`), or prepared `References`.
            rows: Where the rows go, or None.
            advance: Told how many more segments have been counted, in any thread.

        Returns:
            The sums.

        Raises:
            TypeError: A bare str where a list is expected, or a segment that is neither str nor (in references) None.
            ValueError: Streams of another length, or a segment without any reference.
        """
        if rows is None and advance is None and len(hypotheses) == 1:
            single = self._count_single(hypotheses, references)
            if single is not None:
                return single
        counter, read, prepared = self.sources(hypotheses, references)
        totals = count_segments(counter, read, len(hypotheses), prepared, rows, self.threads, advance)
        if self.tokenizer.compiled is None:
            # The kernel has seen what the tokenizer made of the text.
            totals.tokenized = sum(
                1 for segment in hypotheses if isinstance(segment, str) and segment.endswith(" .")
            )
        return totals

    def _count_single(self, hypotheses: Any, references: Any) -> Totals | None:
        """Counts a corpus of one segment of text without the detour over chunks; None if it is nothing so plain."""
        if not isinstance(hypotheses, (list, tuple)) or type(hypotheses[0]) is not str:
            return None
        if self.tokenizer.compiled is None or not isinstance(references, list):
            return None
        streams = [
            stream[0] if isinstance(stream, (list, tuple)) and len(stream) == 1 else references
            for stream in references
        ]
        try:
            row, tokenized, number = self.counter.count_one(hypotheses[0], tuple(streams), self.lowercase)
        except (TypeError, ValueError):  # the long way knows the names of things
            return None
        totals = Totals(len(row))
        totals.add(row, tokenized, number)
        return totals

    def count_per_segment(self, hypotheses: Any, references: Any, rows: RowSink | None = None) -> Totals:
        """Count a corpus whose references are given per segment.

        Args:
            hypotheses: n segments.
            references: For each of them a sequence of at least one reference, `references[segment][k]`.
            rows: Where the rows go, or None.

        Returns:
            The sums.

        Raises:
            TypeError, ValueError: As `count`.
        """
        segments = as_segments(hypotheses, "hypotheses")
        return self.count(segments, self._aligned(references, len(segments)), rows)

    def iterate(self, hypotheses: Segments, references: Any) -> Iterator[tuple[list[int], int]]:
        """Count a corpus in chunks: of each segment its row and its number of references. Arguments as for `count`."""
        counter, read, prepared = self.sources(hypotheses, references)
        return iterate_rows(counter, read, len(hypotheses), prepared, self.threads)

    def iterate_per_segment(self, hypotheses: Any, references: Any) -> Iterator[list[int]]:
        """Count a corpus in chunks: the row of each segment. Arguments as for `count_per_segment`."""
        segments = as_segments(hypotheses, "hypotheses")
        return (row for row, _ in self.iterate(segments, self._aligned(references, len(segments))))

    def count_one(self, hypothesis: Any, references: Any) -> tuple[list[int], int]:
        """Count one segment.

        Args:
            hypothesis: The segment.
            references: Its references, at least one (None is left out).

        Returns:
            Its row, and its number of references.

        Raises:
            TypeError: `hypothesis` or a reference is no segment, or `references` is a bare str.
            ValueError: There is no reference.
        """
        references = as_sentence_references(references)
        if isinstance(hypothesis, TokenIds):
            raise TypeError(f"hypothesis must be one segment, such as ids[0], not {describe(hypothesis)}")
        if self.tokenizer.compiled is not None and isinstance(hypothesis, str):
            row, _, number = self.counter.count_one(hypothesis, tuple(references), self.lowercase)
            return row, number
        if isinstance(hypothesis, (list, tuple)) or are_tokens([hypothesis]):
            if not self._takes_tokens:
                check_tokens_allowed(self.tokenizer, self.lowercase, "hypothesis", hypothesis)
            row, _, number = self.id_counter.count_one(hypothesis, tuple(references))
            return row, number
        if not isinstance(hypothesis, str):
            raise TypeError(f"hypothesis must be a str, not {describe(hypothesis)}")
        check_sentence_references(references, tokens=False)
        read = reader(
            self.tokenizer,
            self.lowercase,
            [[hypothesis], *([reference] for reference in references)],
            ["hypotheses", *(f"references[{s}]" for s in range(len(references)))],
            1,
            tokens=False,
        )
        columns, _ = read(0, 1)
        row, _, number = self.counter.count(columns[0], columns[1:])
        return row, number

    # References

    def prepare(self, streams: Any) -> References:
        """Tokenize, number and index streams of references once; see `BLEU.prepare`."""
        from array import array

        if self._are_ids(streams):
            return self._index_ids(id_streams(streams, None))
        sources = as_streams(streams, None)
        names = [f"references[{s}]" for s in range(len(sources))]
        segments = len(sources[0])
        ranges = array("q", range(0, len(sources) * segments + 1, len(sources)))
        return self._index(sources, names, ranges)

    def prepare_segments(self, references: Any) -> References:
        """Prepare references that are given per segment; see `BLEU.prepare_segments`."""
        from array import array

        if isinstance(references, TokenIds):
            return self.prepare(references)
        flat: list[Any] = []
        ranges = array("q", [0])
        for i, segment in enumerate(as_segments(references, "references", PER_SEGMENT)):
            flat.extend(as_references_of(i, segment))
            ranges.append(len(flat))
        ids = as_ids(flat, "references")
        try:
            if ids is not None:
                return self._index_ids([(ids, "references")], ranges)
            return self._index([flat], ["references"], ranges)
        except (TypeError, ValueError) as error:
            raise _per_segment(error, ranges) from None

    def check_prepared(self, references: References) -> None:
        """Check that references were prepared with these options.

        Raises:
            ValueError: They were not.
        """
        tokens = references.are_tokens
        if references.options == self._options(tokens):
            return
        theirs, ours = (
            f"tokenizer {options[0]}, lowercase={options[1]}, max_ngram_order={options[2]}"
            for options in (references.options, self._options(tokens))
        )
        if theirs == ours:
            ours = "another tokenizer of that name"
        raise ValueError(f"references were prepared with {theirs}, but this BLEU has {ours}")

    def _options(self, tokens: bool) -> tuple[Hashable, ...]:
        """What decides the tokens of prepared references."""
        # Two callables may have one name, and with it one signature.
        source = self.tokenizer.to_tokens
        return (self.tokenizer.signature, self.lowercase, self.max_ngram_order, tokens, source)

    def _index(self, sources: list[Segments], names: list[str], ranges: Any) -> References:
        """Prepares references: the first of each source, the second of each, and so on, in these ranges."""
        tokens = any(are_tokens(source) for source in sources)
        vocabulary: Vocabulary | None = {} if tokens or self.tokenizer.to_tokens is not None else None
        read = reader(self.tokenizer, self.lowercase, sources, names, 0, tokens, vocabulary, whole=True)
        columns, _ = read(0, len(sources[0]))
        column = columns[0] if len(columns) == 1 else interleave(columns)
        column.trim()
        counter = self.id_counter if tokens else self.counter
        return References(self._options(tokens), counter, column, ranges, vocabulary)

    def _index_ids(self, sources: list[tuple[TokenIds, str]], ranges: Any = None) -> References:
        """Prepares references that are ids; of each segment one from each source, or those in these ranges."""
        from array import array

        self.check_ids_allowed("references")
        segments = len(sources[0][0])
        columns = [
            column for ids, name in sources for column in ids.read(0, segments, is_reference=True, name=name)
        ]
        if not columns:  # [0, 0, tokens]
            columns = TokenIds([]).read(0, 0, is_reference=True, name="references")
        if ranges is None:
            ranges = array("q", range(0, len(columns) * segments + 1, len(columns)))
        column = interleave(columns)  # a copy: the caller's array may change
        column.trim()
        return References(self._options(tokens=True), self.id_counter, column, ranges)

    def _aligned(self, references: Any, segments: int) -> Streams | References:
        """References that are given per segment, as streams; prepared where streams would mostly be empty places."""
        lists = as_segments(references, "references", PER_SEGMENT)
        if len(lists) != segments:
            raise ValueError(
                f"references has {len(lists)} segments, but there are {segments} hypotheses"
                if segments != 1
                else f"references has {len(lists)} segments, but there is 1 hypothesis"
            )
        if not set(map(type, lists)) <= {list, tuple} or not all(lists):
            lists = [as_references_of(i, segment) for i, segment in enumerate(lists)]
        numbers = list(map(len, lists))
        most = max(numbers, default=0)
        if min(numbers, default=0) == most:
            return Streams(zip(*lists, strict=True))
        if segments * most > _MOST_PLACES * sum(numbers):
            return self.prepare_segments(lists)
        return Streams(zip_longest(*lists))

    def sources(
        self, hypotheses: Segments | TokenIds, references: Any
    ) -> tuple[NgramCounter, Reader, References | None]:
        """Resolve the references of a call; arguments as for `count`.

        Returns:
            What to count with, how to read columns, and the prepared references, or None where columns are read.
        """
        if isinstance(hypotheses, TokenIds) or self._are_ids(references):
            return self._id_sources(hypotheses, references)
        tokens = are_tokens(hypotheses)
        if tokens and not self._takes_tokens:
            i, segment = next((i, each) for i, each in enumerate(hypotheses) if each is not None)
            check_tokens_allowed(self.tokenizer, self.lowercase, f"hypotheses[{i}]", segment)
        counter = self.id_counter if tokens else self.counter
        if isinstance(references, References):
            self._check_prepared_for(references, len(hypotheses))
            if len(hypotheses) and tokens != references.are_tokens:
                one, other = ("tokens", "text") if tokens else ("text", "tokens")
                raise ValueError(f"hypotheses are {one}, but references were prepared from {other}")
            read = reader(
                self.tokenizer,
                self.lowercase,
                [hypotheses],
                ["hypotheses"],
                1,
                tokens,
                references.vocabulary,
                frozen=True,
            )
            return counter, read, references
        if isinstance(references, Streams):
            streams: list[Segments] = references
            # An error names references[segment][k], as they were given.
            names = [f"references[%d][{k}]" for k in range(len(streams))]
        else:
            streams = as_streams(references, len(hypotheses))
            names = [f"references[{s}]" for s in range(len(streams))]
        read = reader(
            self.tokenizer, self.lowercase, [hypotheses, *streams], ["hypotheses", *names], 1, tokens
        )
        return counter, read, None

    @staticmethod
    def _are_ids(references: Any) -> bool:
        """Whether references are ids that mean the same in all segments."""
        if isinstance(references, TokenIds):
            return True
        if isinstance(references, References):
            return references.are_tokens and references.vocabulary is None
        return isinstance(references, (list, tuple)) and any(
            isinstance(stream, TokenIds) for stream in references
        )

    def _id_sources(self, hypotheses: Any, references: Any) -> tuple[NgramCounter, Reader, References | None]:
        """`sources` where hypotheses or references are ids: what else there is, is read as ids, too."""
        self.check_ids_allowed("hypotheses" if isinstance(hypotheses, TokenIds) else "references")
        hypotheses = all_ids(hypotheses, "hypotheses")
        if hypotheses.is_per_segment:
            raise ValueError(
                f"hypotheses must have the shape [segments, tokens], not {list(hypotheses.shape)}"
            )
        if not isinstance(references, References):
            return self.id_counter, ids_reader(hypotheses, id_streams(references, len(hypotheses))), None
        self._check_prepared_for(references, len(hypotheses))
        if len(hypotheses) and not references.are_tokens:
            raise ValueError("hypotheses are token ids, but references were prepared from text")
        if references.vocabulary is None or not len(hypotheses):
            return self.id_counter, ids_reader(hypotheses, []), references
        # Their tokens have numbers of their own.
        lists = [hypotheses.tokens(i, "hypotheses") for i in range(len(hypotheses))]
        vocabulary = references.vocabulary
        read = reader(self.tokenizer, False, [lists], ["hypotheses"], 1, True, vocabulary, frozen=True)
        return self.id_counter, read, references

    def check_ids_allowed(self, name: str) -> None:
        """Raises ValueError if these options would change token ids; `name` is what the message calls them."""
        if not self._takes_tokens:
            raise ValueError(
                f"{name} are token ids, which need tokenize='none' and lowercase=False, not "
                f"tokenize={self.tokenizer.name!r} and lowercase={self.lowercase}"
            )

    def _check_prepared_for(self, references: References, segments: int) -> None:
        """Checks that references were prepared with these options, for so many segments."""
        self.check_prepared(references)
        if len(references) != segments:
            raise ValueError(
                f"references were prepared for {len(references)} segments, but hypotheses holds {segments}"
            )


class Streams(list["Segments"]):
    """Streams made of references that were given per segment; None where a segment has fewer than others."""


def renamed(error: Exception, names: tuple[str, str]) -> Exception:
    """Return an error of the matcher with the names that its user knows: what it calls hypotheses and references."""
    message = str(error)
    for ours, theirs in zip(("hypotheses", "references"), names, strict=True):
        if message.startswith(ours) and type(error) in (TypeError, ValueError):
            return type(error)(theirs + message.removeprefix(ours))
    return error


def _per_segment(error: Exception, ranges: Any) -> Exception:
    """An error about reference f of many, as one about reference k of segment i."""
    before, bracket, after = str(error).partition("references[")
    number, closing, rest = after.partition("]")
    if (
        before
        or not bracket
        or not closing
        or not number.isdigit()
        or type(error) not in (TypeError, ValueError)
    ):
        return error
    from bisect import bisect_right

    i = bisect_right(ranges, int(number)) - 1
    return type(error)(f"references[{i}][{int(number) - ranges[i]}]{rest}")
