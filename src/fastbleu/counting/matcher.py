"""The matcher: the options that decide tokens and lengths, without a formula."""

from __future__ import annotations

from array import array
from functools import partial
from operator import attrgetter

from ..errors import ArgumentError, ArgumentValueError, GroupLocation, Location, describe, show, wrong_type
from ..inputs._column import concatenate
from ..inputs._tokens import as_sequence
from ..inputs.column_readers import ids_reader, text_reader, token_reader, tokens_of
from ..inputs.columns import (
    IDS,
    TEXT,
    TOKENS,
    Ids,
    PerSegment,
    Text,
    Tokens,
    common_kind,
    is_text,
)
from ..inputs.ids import TokenIds
from ..inputs.reading import (
    REFERENCES,
    as_sentence_references,
    check_sentence_references,
    read,
    read_per_segment,
    read_references,
)
from ..options import REFERENCE_LENGTHS
from ..tokenizers._tokenize import TOKENIZE_IDS, TOKENIZE_NONE
from ._counter import NgramCounter
from .references import References

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..inputs.columns import Column, Kind, Reader, Vocabulary
    from ..options import ReferenceLength
    from ..tokenizers.names import Tokenizer
    from .references import Identity


_KIND = attrgetter("kind")

#: The kinds of columns that are all text.
_TEXT_ONLY = {TEXT}

#: Cached matchers by their options, and the largest order that is cached.
_kept: dict[tuple[int, int, bool, ReferenceLength], Matcher] = {}
_MAX_CACHED = 16


def kept_matcher(
    tokenizer: Tokenizer,
    lowercase: bool = False,
    max_ngram_order: int = 4,
    reference_length: ReferenceLength = "closest",
) -> Matcher:
    """Return a matcher with these options, which is cached if the tokenizer is compiled.

    Making a matcher takes as long as counting a short segment. A cached matcher holds options and work memory, and no
    data of any call.

    Example:
        >>> from fastbleu.tokenizers.names import get_tokenizer
        >>> kept_matcher(get_tokenizer("13a")) is kept_matcher(get_tokenizer("13a"))
        True
    """
    if tokenizer.compiled is None or max_ngram_order > _MAX_CACHED:
        return Matcher(tokenizer, lowercase, max_ngram_order, reference_length)
    options = tokenizer.compiled, max_ngram_order, lowercase, reference_length
    matcher = _kept.get(options)
    if matcher is None:
        # If several threads do this at the same time, all get the matcher of one of them.
        matcher = _kept.setdefault(options, Matcher(tokenizer, lowercase, max_ngram_order, reference_length))
    return matcher


class Matcher:
    """Counts clipped matches of hypotheses with their references.

    A row is sys_len, ref_len, correct_1..N, total_1..N. A matcher holds work memory, but no text between calls, and may
    be used from several threads at the same time. `corpus.Corpus` counts many segments with it.

    Args:
        tokenizer: The tokenizer of text.
        lowercase: Whether case is ignored.
        max_ngram_order: N, the largest n.
        reference_length: The rule for ref_len: "closest" to the hypothesis' length (the shorter of two equally close
            ones), "closest-first" (the first of two equally close ones), or "shortest".
        threads: The number of threads that may count at the same time.

    Example:
        >>> from fastbleu.tokenizers.names import get_tokenizer
        >>> matcher = Matcher(get_tokenizer("none"), max_ngram_order=2)
        >>> matcher.count_one("the cat sat", ["the cat is here"])
        ([3, 4, 2, 1, 3, 2], 0, 1)
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        lowercase: bool = False,
        max_ngram_order: int = 4,
        reference_length: ReferenceLength = "closest",
        threads: int = 1,
    ) -> None:
        self.tokenizer = tokenizer
        self.lowercase = lowercase
        self.max_ngram_order = max_ngram_order
        self.reference_length = reference_length
        self.threads = threads
        compiled = tokenizer.compiled
        if compiled is None:
            # The output of a third-party tokenizer is split at white space; the tokens of a callable are numbered.
            compiled = TOKENIZE_NONE if tokenizer.to_tokens is None else TOKENIZE_IDS
        self._is_compiled = tokenizer.compiled is not None
        self._takes_tokens = tokenizer.compiled == TOKENIZE_NONE and not lowercase
        rule = REFERENCE_LENGTHS.index(reference_length)
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

    @property
    def identity(self) -> Identity:
        """Return the options that decide the tokens of prepared references, and so which matchers can use them."""
        # It includes the callable, since two callables may have the same name, and so the same signature.
        return (self.tokenizer.signature, self.lowercase, self.max_ngram_order, self.tokenizer.to_tokens)

    @property
    def named_options(self) -> dict[str, Any]:
        """Return the options that decide rows, as plain Python values."""
        return {
            "tokenizer": self.tokenizer.signature,
            "lowercase": self.lowercase,
            "max_ngram_order": self.max_ngram_order,
            "reference_length": self.reference_length,
        }

    def counter_for(self, kind: Kind) -> NgramCounter:
        """Return the counter for columns of this kind."""
        return self.counter if kind == TEXT else self.id_counter

    def counter_of_one(self, segment: Any) -> NgramCounter | None:
        """Return the counter for a str or a list of tokens, or None if it cannot be counted directly."""
        if isinstance(segment, str):
            return self.counter if self._is_compiled else None
        return self.id_counter if type(segment) is list and self._takes_tokens else None

    def check_kind(self, columns: Sequence[Any], kind: Kind) -> None:
        """Check that these options would not change segments that are tokens or ids.

        Args:
            columns: All columns.
            kind: The kind as which they will be read.

        Raises:
            ValueError: The options would change tokens or ids, or need text.
        """
        if kind == TEXT or self._takes_tokens:
            return
        if kind == IDS:
            name = next((column.location.argument for column in columns if column.kind == IDS), "references")
            raise ArgumentValueError(name, f"are token ids, which {self._needed()}")
        for column in columns:
            for i, segment in enumerate(column.data):
                if segment is not None:
                    raise self._refused(column.location[i], segment)

    def alike(self, columns: list[Column], other: Any = None) -> list[Column]:
        """Convert all columns to one kind: ids if any column is ids, else the kind of the first that has a segment.

        Args:
            columns: The columns.
            other: An object with a kind that is used together with them, such as prepared references; or None.

        Returns:
            The converted columns.

        Raises:
            TypeError: Ids are mixed with something that is not ids.
            ValueError: The options would change tokens or ids.
        """
        kinds = set(map(_KIND, columns))
        if other is None and (
            kinds == _TEXT_ONLY or (self._takes_tokens and len(kinds) == 1 and None not in kinds)
        ):
            return columns
        kind = common_kind(columns if other is None else [*columns, other])
        self.check_kind(columns, kind)
        return [column.as_kind(kind) for column in columns]

    def _refused(self, where: Location | str, segment: Any) -> ArgumentValueError:
        """Return the error for a segment of tokens that these options would change."""
        message = f"is {describe(segment)}, where a str is expected; sequences of tokens {self._needed()}"
        only = segment[0] if isinstance(segment, (list, tuple)) and len(segment) == 1 else None
        if isinstance(only, str) and len(only.split()) > 1:
            message = f"is a {type(segment).__name__} of one text, {show(only)}; pass the text itself"
        return ArgumentValueError(where, message, value=segment)

    def _needed(self) -> str:
        """Return the end of the message for tokens or ids: the options that they need."""
        return (
            f"need tokenize='none' and lowercase=False, not tokenize={self.tokenizer.name!r} and "
            f"lowercase={self.lowercase}"
        )

    def reader(
        self,
        columns: Sequence[Column],
        vocabulary: Vocabulary | None = None,
        frozen: bool = False,
        whole: bool = False,
    ) -> Reader:
        """Return the reader of columns.

        Args:
            columns: Columns of the same kind and length; hypotheses, if there are any, before references.
            vocabulary: The numbers of tokens, shared by all segments; None if each segment has its own.
            frozen: Whether the vocabulary must not change.
            whole: Whether to read the whole requested range, even if it is more than a chunk.
        """
        kind = columns[0].kind
        if kind == IDS:
            return ids_reader(columns, whole)
        if kind == TOKENS:
            return token_reader(columns, vocabulary, frozen, whole)
        tokenizer = self.tokenizer
        to_texts = None if tokenizer.to_text is None else partial(tokenizer.to_texts, threads=self.threads)
        return text_reader(columns, self.lowercase, to_texts, tokenizer.to_tokens, vocabulary, frozen, whole)

    def count_one(self, hypothesis: Any, references: Any) -> tuple[list[int], int, int]:
        """Count a single segment.

        Args:
            hypothesis: The segment: a str, or a sequence of tokens.
            references: A list of its references, at least one that is not None; None is skipped.

        Returns:
            The row, as a list of int; 1 if the hypothesis ends in " .", otherwise 0; and the number of references.

        Raises:
            TypeError: `hypothesis` or a reference is not a segment, or `references` is a bare str.
            ValueError: There is no reference.
        """
        if type(references) is not list or not references or references[0] is None:
            references = as_sentence_references(references)
        is_plain = type(hypothesis) is str and self._is_compiled
        counter = self.counter if is_plain else self.counter_of_one(hypothesis)
        if counter is not None:
            return counter.count_one(hypothesis, references, self.lowercase)
        if isinstance(hypothesis, TokenIds):
            raise wrong_type("hypothesis", "one segment, such as ids[0]", hypothesis)
        if not is_text(hypothesis):
            if not self._takes_tokens:
                raise self._refused("hypothesis", hypothesis)
            return self.id_counter.count_one(hypothesis, references)
        if not isinstance(hypothesis, str):
            raise wrong_type("hypothesis", "a str", hypothesis)
        check_sentence_references(references, are_tokens=False)
        streams = [Text([each], REFERENCES[s], True) for s, each in enumerate(references)]
        columns, _ = self.reader([Text([hypothesis], "hypothesis"), *streams])(0, 1)
        return self.counter.count(columns[0], columns[1:])

    # References

    def prepare(self, streams: Any) -> References:
        """Check and read streams of references; see `BLEU.prepare`."""
        columns = read_references(streams, None)
        return self.prepare_groups(columns) if isinstance(columns, PerSegment) else self.index(columns)

    def prepare_segments(self, references: Any) -> References:
        """Check and read references that are given per segment; see `BLEU.prepare_segments`."""
        groups = read_per_segment(references, None, REFERENCES)
        return self.index([groups]) if isinstance(groups, Ids) else self.prepare_groups(groups)

    def prepare_groups(self, references: PerSegment) -> References:
        """Prepare references that are given per segment."""
        flat, bounds = references.flat()
        try:
            return self.index(
                [read(flat, GroupLocation(references.location, bounds), may_be_missing=True)], bounds
            )
        except ArgumentError as error:
            # The kernel always names the argument "references".
            raise error.renamed(references=references.location.argument) from None

    def tokens(self, column: Column, start: int, stop: int) -> Tokens:
        """Return the tokens of the segments start..stop - 1, which are tokens, or text for a callable tokenizer."""
        if self.tokenizer.to_tokens is not None and column.kind == TEXT:
            return tokens_of(column, start, stop, self.lowercase, self.tokenizer.to_tokens)
        data: Any = column.data
        segments = (
            data[start:stop] if isinstance(data, (list, tuple)) else [data[i] for i in range(start, stop)]
        )
        return Tokens(segments, column.location, column.may_be_missing)

    def index(self, columns: list[Column], bounds: Any = None) -> References:
        """Make `References` from columns.

        Args:
            columns: A column for each stream, or a single column of all references, those of a segment adjacent.
            bounds: None for streams. For a single column, int64 [segments + 1]: the references of segment i are
                bounds[i]..bounds[i + 1] - 1.

        Raises:
            TypeError, ValueError: A reference is not a segment, or a segment has no reference.
        """
        columns = self.alike(columns)
        kind = columns[0].kind or TEXT
        segments, streams = len(columns[0]), len(columns)
        if kind == TOKENS or (kind == TEXT and self.tokenizer.to_tokens is not None):
            streams_of_tokens = [self.tokens(column, 0, segments) for column in columns]
            token_reader(streams_of_tokens, whole=True)(0, segments)  # Raises if an item is not a token.
            data: Any = [
                None if each[i] is None else tuple(as_sequence(each[i], each.location, i))
                for i in range(segments)
                for each in streams_of_tokens
            ]
        else:
            chunk, _ = self.reader(columns, whole=True)(0, segments)
            if not chunk:  # Ids of the shape [0, 0, tokens] have no column.
                chunk, _ = ids_reader([Ids(TokenIds([]), REFERENCES)])(0, 0)
            streams = len(chunk)
            # Ids may be read in the caller's memory, which may change, so they are copied.
            data = concatenate(chunk, interleaved=True) if kind == IDS or streams > 1 else chunk[0]
            data.trim()
        if bounds is None:
            bounds = array("q", range(0, streams * segments + 1, streams))
        return References(self.identity, kind, data, bounds[:-1], bounds[1:])
