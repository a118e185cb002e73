"""The matcher, which has the options of tokenizing and counting. Formulas of scores are in `scoring`."""

from __future__ import annotations

from array import array
from functools import partial
from operator import attrgetter

from ..errors import ArgumentError, ArgumentValueError, GroupLocation, Location, describe, show, wrong_type
from ..inputs._column import concatenate
from ..inputs.column_readers import ids_reader, text_reader, token_reader, tokens_of
from ..inputs.columns import (
    IDS,
    TEXT,
    TOKENS,
    Ids,
    PerSegment,
    Text,
    Tokens,
    as_sequence,
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

#: The set of kinds if all columns are text.
_TEXT_ONLY = {TEXT}

#: The cache of `cached_matcher`, by options.
_matchers: dict[tuple[int, int, bool, ReferenceLength], Matcher] = {}

#: Matchers for larger n-gram orders are not cached.
_MAX_CACHED_ORDER = 16


def cached_matcher(
    tokenizer: Tokenizer,
    lowercase: bool = False,
    max_ngram_order: int = 4,
    reference_length: ReferenceLength = "closest",
) -> Matcher:
    """Return a matcher with these options. It is cached if the tokenizer is compiled.

    Making a matcher takes as long as counting a short segment. A matcher keeps options and buffers between calls, but
    no data.

    Example:
        >>> from fastbleu.tokenizers.names import get_tokenizer
        >>> cached_matcher(get_tokenizer("13a")) is cached_matcher(get_tokenizer("13a"))
        True
    """
    if tokenizer.compiled is None or max_ngram_order > _MAX_CACHED_ORDER:
        return Matcher(tokenizer, lowercase, max_ngram_order, reference_length)
    options = tokenizer.compiled, max_ngram_order, lowercase, reference_length
    matcher = _matchers.get(options)
    if matcher is None:
        # If several threads make a matcher at the same time, all return the one that was stored first.
        matcher = _matchers.setdefault(
            options, Matcher(tokenizer, lowercase, max_ngram_order, reference_length)
        )
    return matcher


class Matcher:
    """Object that counts clipped n-gram matches of hypotheses with their references.

    The counts of a segment are a row: sys_len, ref_len, correct_1..N, total_1..N. Between calls, a matcher keeps
    buffers, but no text. Several threads may use it at the same time. `corpus.Corpus` counts many segments with a
    matcher.

    Args:
        tokenizer: The tokenizer for text.
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
            # The kernel splits the output of a third-party tokenizer at white space. A callable returns tokens, which
            # are converted to ids.
            compiled = TOKENIZE_NONE if tokenizer.to_tokens is None else TOKENIZE_IDS
        self._is_compiled = tokenizer.compiled is not None
        self._takes_tokens = tokenizer.compiled == TOKENIZE_NONE and not lowercase
        rule = REFERENCE_LENGTHS.index(reference_length)
        self.counter = NgramCounter(compiled, max_ngram_order, rule)
        self.id_counter = NgramCounter(TOKENIZE_IDS, max_ngram_order, rule)

    def __reduce__(self) -> tuple[Any, ...]:
        options = (self.tokenizer, self.lowercase, self.max_ngram_order, self.reference_length, self.threads)
        return Matcher, options

    @property
    def identity(self) -> Identity:
        """Return the options that must be equal for a matcher to use references that another matcher has prepared."""
        # The callable is included, since two callables may have the same name and therefore the same signature.
        return (self.tokenizer.signature, self.lowercase, self.max_ngram_order, self.tokenizer.to_tokens)

    @property
    def named_options(self) -> dict[str, Any]:
        """Return the options on which rows depend, by name, as plain Python values."""
        return {
            "tokenizer": self.tokenizer.signature,
            "lowercase": self.lowercase,
            "max_ngram_order": self.max_ngram_order,
            "reference_length": self.reference_length,
        }

    def counter_for(self, kind: Kind) -> NgramCounter:
        """Return the compiled counter for columns of the given kind."""
        return self.counter if kind == TEXT else self.id_counter

    def counter_for_segment(self, segment: Any) -> NgramCounter | None:
        """Return the counter whose `count_one` takes a given str or list of tokens; None if neither counter does."""
        if isinstance(segment, str):
            return self.counter if self._is_compiled else None
        return self.id_counter if type(segment) is list and self._takes_tokens else None

    def check_kind(self, columns: Sequence[Any], kind: Kind) -> None:
        """Check that the tokenizer and `lowercase` do not apply to segments that are already tokens or ids.

        Args:
            columns: All columns of a call.
            kind: The kind to which the columns will be converted.

        Raises:
            ValueError: The segments are tokens or ids, but the options require text.
        """
        if kind == TEXT or self._takes_tokens:
            return
        if kind == IDS:
            name = next((column.location.argument for column in columns if column.kind == IDS), "references")
            raise ArgumentValueError(name, f"are token ids, which {self._required_options()}")
        for column in columns:
            for i, segment in enumerate(column.data):
                if segment is not None:
                    raise self._token_error(column.location[i], segment)

    def as_one_kind(self, columns: list[Column], other: Any = None) -> list[Column]:
        """Convert all columns to one kind: to ids if any column is ids, else to the kind of the first non-empty column.

        Args:
            columns: The columns.
            other: None; or another object with a kind, such as prepared references, that takes part in the choice.

        Returns:
            The converted columns.

        Raises:
            TypeError: Ids are mixed with text or tokens.
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

    def _token_error(self, where: Location | str, segment: Any) -> ArgumentValueError:
        """Make the error for a segment of tokens, which the tokenizer or `lowercase` would change."""
        message = (
            f"is {describe(segment)}, where a str is expected; sequences of tokens {self._required_options()}"
        )
        only = segment[0] if isinstance(segment, (list, tuple)) and len(segment) == 1 else None
        if isinstance(only, str) and len(only.split()) > 1:
            message = f"is a {type(segment).__name__} of one text, {show(only)}; pass the text itself"
        return ArgumentValueError(where, message, value=segment)

    def _required_options(self) -> str:
        """Return the end of an error message: the options that tokens and ids need, and the actual options."""
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
        """Return a reader of columns.

        Args:
            columns: Columns of the same kind and length; hypotheses, if there are any, before references.
            vocabulary: The numbers of tokens, shared by all segments; None to number the tokens of each segment anew.
            frozen: Whether no token may be added to the vocabulary.
            whole: Whether each call of the reader must read all requested segments, even if they exceed a chunk.
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
            references: A list of the segment's references. None is skipped; at least one must not be None.

        Returns:
            The row, as a list of int; 1 if the hypothesis ends in " .", otherwise 0; and the number of references.

        Raises:
            TypeError: `hypothesis` or a reference is not a segment, or `references` is a bare str.
            ValueError: There is no reference.
        """
        if type(references) is not list or not references or references[0] is None:
            references = as_sentence_references(references)
        is_plain = type(hypothesis) is str and self._is_compiled
        counter = self.counter if is_plain else self.counter_for_segment(hypothesis)
        if counter is not None:
            return counter.count_one(hypothesis, references, self.lowercase)
        if isinstance(hypothesis, TokenIds):
            raise wrong_type("hypothesis", "one segment, such as ids[0]", hypothesis)
        if not is_text(hypothesis):
            if not self._takes_tokens:
                raise self._token_error("hypothesis", hypothesis)
            return self.id_counter.count_one(hypothesis, references)
        if not isinstance(hypothesis, str):
            raise wrong_type("hypothesis", "a str", hypothesis)
        check_sentence_references(references, are_tokens=False)
        streams = [Text([each], REFERENCES[s], True) for s, each in enumerate(references)]
        columns, _ = self.reader([Text([hypothesis], "hypothesis"), *streams])(0, 1)
        return self.counter.count(columns[0], columns[1:])

    # References

    def prepare(self, streams: Any) -> References:
        """Check and read streams of references. The argument, result and errors are those of `BLEU.prepare`."""
        columns = read_references(streams, None)
        return self.prepare_groups(columns) if isinstance(columns, PerSegment) else self.index(columns)

    def prepare_segments(self, references: Any) -> References:
        """Check and read a sequence of references per segment.

        The argument, result and errors are those of `BLEU.prepare_segments`.
        """
        groups = read_per_segment(references, None, REFERENCES)
        return self.index([groups]) if isinstance(groups, Ids) else self.prepare_groups(groups)

    def prepare_groups(self, references: PerSegment) -> References:
        """Prepare references that were read as a sequence per segment."""
        flat, bounds = references.flat()
        try:
            return self.index(
                [read(flat, GroupLocation(references.location, bounds), may_be_missing=True)], bounds
            )
        except ArgumentError as error:
            # The kernel's errors name the argument "references"; replace this name by the one that the caller uses.
            raise error.renamed(references=references.location.argument) from None

    def tokens(self, column: Column, start: int, stop: int) -> Tokens:
        """Return the tokens of the segments start..stop - 1 of a column of tokens, or of text to be tokenized."""
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
            columns: A column for each stream of references; or a single column of all references, in which the
                references of a segment are consecutive.
            bounds: None for streams. For a single column, int64 [segments + 1]: the references of segment i have the
                indices bounds[i]..bounds[i + 1] - 1.

        Raises:
            TypeError, ValueError: A reference is not a segment, or a segment has no reference.
        """
        columns = self.as_one_kind(columns)
        kind = columns[0].kind or TEXT
        segments, streams = len(columns[0]), len(columns)
        if kind == TOKENS or (kind == TEXT and self.tokenizer.to_tokens is not None):
            streams_of_tokens = [self.tokens(column, 0, segments) for column in columns]
            # This raises an error if a token is not hashable.
            token_reader(streams_of_tokens, whole=True)(0, segments)
            data: Any = [
                None if each[i] is None else tuple(as_sequence(each[i], each.location, i))
                for i in range(segments)
                for each in streams_of_tokens
            ]
        else:
            chunk, _ = self.reader(columns, whole=True)(0, segments)
            if not chunk:  # There is no stream, since the references are an id array [0, 0, tokens].
                chunk, _ = ids_reader([Ids(TokenIds([]), REFERENCES)])(0, 0)
            streams = len(chunk)
            # Copy ids, since the reader may return a view of the caller's array, which may change later.
            data = concatenate(chunk, interleaved=True) if kind == IDS or streams > 1 else chunk[0]
            data.trim()
        if bounds is None:
            bounds = array("q", range(0, streams * segments + 1, streams))
        return References(self.identity, kind, data, bounds[:-1], bounds[1:])
