"""Readers that convert columns to input for the kernels, chunk by chunk. Each kind of segment has its own reader.

A reader takes a range of segments, and reads the same segments from hypotheses and references.
"""

from __future__ import annotations

from functools import partial
from sys import maxsize

from ..errors import ArgumentError, ArgumentTypeError, ArgumentValueError, Location, describe, wrong_type
from ._text import collect
from .arrow import ArrowLists
from .columns import Ids, Tokens
from .ids import CHUNK_IDS, TokenIds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import Any

    from .columns import Column, Reader, Vocabulary

#: The number of bytes of text in a chunk, summed over all columns. A chunk of this size stays in the second-level
#: cache, and the next chunk reuses its memory. With smaller chunks, several threads would wait more often for the GIL.
CHUNK_BYTES = 3 << 17

#: The number of tokens in a chunk, summed over all columns. Their ids fit in the second-level cache.
CHUNK_TOKENS = 1 << 14


def ids_reader(columns: Sequence[Column], whole: bool = False) -> Reader:
    """Return a reader of token ids, which copies the ids of a row only if necessary.

    Args:
        columns: Columns of the same length.
        whole: Whether to read the requested range in one chunk.
    """

    def read(start: int, stop: int) -> tuple[list[Any], int]:
        for column in [] if whole else columns:
            stop = column.data.stop_after(start, stop, CHUNK_IDS)
        columns_read: list[Any] = []
        for column in columns:
            columns_read += column.data.read(
                start, stop, is_reference=column.may_be_missing, name=column.location
            )
        return columns_read, stop

    return read


def token_reader(
    columns: Sequence[Column],
    vocabulary: Vocabulary | None = None,
    frozen: bool = False,
    whole: bool = False,
    first: int = 0,
) -> Reader:
    """Return a reader of sequences of tokens. It gives the same number to tokens that are equal in Python.

    Args:
        columns: Columns of sequences of hashable tokens. Columns that may have missing segments come last.
        vocabulary: The ids of tokens, shared by all segments; None if each segment has its own ids.
        frozen: Whether the vocabulary remains unchanged. A token that is not in the vocabulary then matches none in it.
        whole: Whether to read the requested range in one chunk.
        first: The index of segment 0 in errors.
    """
    names = [column.location for column in columns]
    complete = sum([not column.may_be_missing for column in columns])
    max_tokens = maxsize if whole else CHUNK_TOKENS
    data = [column.data for column in columns]
    if vocabulary is None and first == 0 and all(isinstance(segments, ArrowLists) for segments in data):
        from .arrow_columns import number_tokens

        numbered = [
            Ids(TokenIds(ids, ignore_id=None), column.location, column.may_be_missing)
            for ids, column in zip(number_tokens(data, names), columns, strict=True)
        ]
        return ids_reader(numbered, whole)
    from ._tokens import collect_tokens

    lists = [_as_list(segments, name) for segments, name in zip(data, names, strict=True)]
    return lambda start, stop: collect_tokens(
        lists, names, complete, start, stop, first, vocabulary, frozen, max_tokens
    )


def _as_list(segments: Any, name: Location) -> Any:
    """Return segments as a list or tuple. Segments that are text are rejected later, when their tokens are read."""
    if isinstance(segments, (list, tuple)):
        return segments
    try:
        return list(segments)
    except ArgumentError as error:
        raise error.at(name[error.indices]) from None


def text_reader(
    columns: Sequence[Column],
    lowercase: bool,
    to_texts: Callable[[list[str | None]], list[Any]] | None = None,
    to_tokens: Callable[[str], Sequence[Hashable]] | None = None,
    vocabulary: Vocabulary | None = None,
    frozen: bool = False,
    whole: bool = False,
) -> Reader:
    """Return a reader of text. Without a tokenizer function, the text remains unchanged for a compiled tokenizer.

    Args:
        columns: Columns of str. Columns that may have missing segments come last.
        lowercase: Whether to apply str.lower().
        to_texts: A function that tokenizes a list of texts, or None. It converts each text to a str with white space
            between the tokens, and does not change items that are None.
        to_tokens: A user's tokenizer, or None. It converts a text to a sequence of tokens.
        vocabulary: The ids of the tokens that `to_tokens` returns; see `token_reader`.
        frozen: Whether the vocabulary remains unchanged; see `token_reader`.
        whole: Whether to read the requested range in one chunk.

    Raises:
        TypeError: A column consists of Arrow lists.
    """
    complete = sum([not column.may_be_missing for column in columns])
    names = [column.location for column in columns]
    # Replace an empty Arrow column by an empty list, because the check below rejects every column of lists.
    data = [column.data if len(column.data) else [] for column in columns]
    for segments, name in zip(data, names, strict=True):
        if isinstance(segments, ArrowLists):
            raise ArgumentTypeError(
                name,
                "is a column of lists instead of text; pass the references of each segment without a list around them",
                value=segments,
            )
    if to_texts is not None:
        return _reader_of_texts(columns, lowercase, to_texts)
    if to_tokens is not None:
        function = to_tokens

        def read(start: int, stop: int) -> tuple[list[Any], int]:
            tokenized = [tokens_of(column, start, stop, lowercase, function) for column in columns]
            return token_reader(tokenized, vocabulary, frozen, True, start)(0, stop - start)[0], stop

        return read
    max_bytes = maxsize if whole else CHUNK_BYTES
    return lambda start, stop: collect(data, names, start, stop, max_bytes, lowercase, complete)


def _reader_of_texts(
    columns: Sequence[Column], lowercase: bool, to_texts: Callable[[list[str | None]], list[Any]]
) -> Reader:
    """Return a reader that applies `to_texts` to all texts of a column in a chunk; see `text_reader`."""
    from ._lines import column_of_texts

    def read(start: int, stop: int) -> tuple[list[Any], int]:
        columns_read = []
        for column in columns:
            texts = _texts(column, start, stop, lowercase)
            try:
                tokenized = to_texts(texts)
            except ArgumentValueError as error:
                raise error.at(column.location[start + texts.index(str(error.value))]) from None
            columns_read.append(column_of_texts(tokenized, column.location, start, column.may_be_missing))
        return columns_read, stop

    return read


def _texts(column: Column, start: int, stop: int, lowercase: bool) -> list[str | None]:
    """Prepare the texts of a range for a tokenizer as sacreBLEU does; None remains None if it is allowed."""
    texts: Any = column.data[start:stop] if type(column.data) is list else []
    if len(texts) == stop - start and set(map(type, texts)) == {str}:
        return list(map(str.rstrip, map(str.lower, texts) if lowercase else texts))
    return _apply(column, start, stop, partial(as_tokenized, lowercase=lowercase))


def tokens_of(
    column: Column, start: int, stop: int, lowercase: bool, to_tokens: Callable[[str], Sequence[Hashable]]
) -> Tokens:
    """Apply a user's tokenizer to each text of a range, and return the column of its results.

    Raises:
        TypeError: A result is not a sequence of tokens.
        Exception: Any exception that the tokenizer raises.
    """

    def tokens(segment: str) -> Any:
        result = to_tokens(as_tokenized(segment, lowercase))
        if isinstance(result, (str, bytes)) or not hasattr(result, "__len__"):
            raise ArgumentTypeError(
                "tokenize",
                f"must return a sequence of tokens, but returned {describe(result)} for {describe(segment)}",
                value=result,
            )
        return result

    return Tokens(_apply(column, start, stop, tokens), column.location, column.may_be_missing)


def as_tokenized(text: str, lowercase: bool) -> str:
    """Prepare a text for a tokenizer as sacreBLEU does: lower case if requested, no white space at the end."""
    return (text.lower() if lowercase else text).rstrip()


def _apply(column: Column, start: int, stop: int, function: Callable[[str], Any]) -> list[Any]:
    """Apply a function to each str of a range; None remains None if it is allowed.

    Raises:
        TypeError: An element is neither a str nor an allowed None; the message names its index.
        Exception: Any exception that the function raises.
    """
    results: list[Any] = []
    for i in range(start, stop):
        try:
            segment = column.data[i]
        except IndexError:
            raise RuntimeError(f"{column.location} became shorter while it was scored") from None
        if segment is None and column.may_be_missing:
            results.append(None)
        elif not isinstance(segment, str):
            raise wrong_type(column.location[i], "a str", segment)
        else:
            results.append(function(segment))
    return results
