"""Readers that convert several columns in lockstep for the kernels, one chunk at a time; one reader per kind."""

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

#: Copy this many bytes of text at a time, over all columns. Copies of this size stay in the second-level cache, and the
#: next chunk reuses their memory. With smaller chunks, several threads wait more often for the GIL.
CHUNK_BYTES = 3 << 17

#: Number this many tokens at a time, over all columns; they fit into the second-level cache.
CHUNK_TOKENS = 1 << 14


def ids_reader(columns: Sequence[Column], whole: bool = False) -> Reader:
    """Return a reader of ids, in place where possible.

    Args:
        columns: Columns of the same length.
        whole: Whether to read the whole requested range at once, instead of one chunk.
    """
    sources = [(column.data, column.may_be_missing, column.location) for column in columns]

    def read(start: int, stop: int) -> tuple[list[Any], int]:
        for ids, _, _ in [] if whole else sources:
            stop = ids.stop_after(start, stop, CHUNK_IDS)
        columns_read: list[Any] = []
        for ids, is_reference, where in sources:
            columns_read += ids.read(start, stop, is_reference=is_reference, name=where)
        return columns_read, stop

    return read


def token_reader(
    columns: Sequence[Column],
    vocabulary: Vocabulary | None = None,
    frozen: bool = False,
    whole: bool = False,
    first: int = 0,
) -> Reader:
    """Return a reader of sequences of tokens, which are numbered by Python equality.

    Args:
        columns: Columns of sequences of hashable tokens; those that must have every segment come first.
        vocabulary: The ids of tokens, shared by all segments; None if each segment has its own ids.
        frozen: Whether to leave the vocabulary unchanged; an unknown token then equals none of its tokens.
        whole: Whether to read the whole requested range at once.
        first: The index of segment 0 in errors.
    """
    names = [column.location for column in columns]
    complete = sum([not column.may_be_missing for column in columns])
    max_tokens = maxsize if whole else CHUNK_TOKENS
    data = [column.data for column in columns]
    if vocabulary is None and first == 0 and all(isinstance(source, ArrowLists) for source in data):
        from .arrow_columns import number_tokens

        numbered = [
            Ids(TokenIds(ids, ignore_id=None), column.location, column.may_be_missing)
            for ids, column in zip(number_tokens(data, names), columns, strict=True)
        ]
        return ids_reader(numbered, whole)
    from ._tokens import collect_tokens

    lists = [_listed(source, name) for source, name in zip(data, names, strict=True)]
    return lambda start, stop: collect_tokens(
        lists, names, complete, start, stop, first, vocabulary, frozen, max_tokens
    )


def _listed(source: Any, name: Location) -> Any:
    """Return a source of tokens as a list or tuple. The str of a column of text are rejected when they are read."""
    if isinstance(source, (list, tuple)):
        return source
    try:
        return list(source)
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
    """Return a reader of text: unchanged, for a compiled tokenizer, or through a function.

    Args:
        columns: Columns of str; those that must have every segment come first.
        lowercase: Whether to apply str.lower().
        to_texts: A tokenizer that converts each text to one whose tokens are separated by white space, as str or as
            UTF-8 bytes, and leaves None unchanged; or None.
        to_tokens: A user's tokenizer, which returns a sequence of tokens; or None.
        vocabulary: As for `token_reader`.
        frozen: As for `token_reader`.
        whole: Whether to read the whole requested range at once.

    Raises:
        TypeError: A column consists of Arrow lists.
    """
    complete = sum([not column.may_be_missing for column in columns])
    names = [column.location for column in columns]
    # An Arrow column of lists without any row may be read as text as well as tokens.
    data = [column.data if len(column.data) else [] for column in columns]
    for source, name in zip(data, names, strict=True):
        if isinstance(source, ArrowLists):
            raise ArgumentTypeError(
                name,
                "is a column of lists instead of text; pass the references of each segment without a list around them",
                value=source,
            )
    if to_texts is not None:
        return _reader_of_texts(columns, lowercase, to_texts)
    if to_tokens is not None:
        function = to_tokens

        def read(start: int, stop: int) -> tuple[list[Any], int]:
            made = [tokens_of(column, start, stop, lowercase, function) for column in columns]
            return token_reader(made, vocabulary, frozen, True, start)(0, stop - start)[0], stop

        return read
    max_bytes = maxsize if whole else CHUNK_BYTES
    return lambda start, stop: collect(data, names, start, stop, max_bytes, lowercase, complete)


def _reader_of_texts(
    columns: Sequence[Column],
    lowercase: bool,
    to_texts: Callable[[list[str | None]], list[Any]],
) -> Reader:
    """Return a reader of the tokenized texts that `to_texts` returns for many texts at once."""
    from ._lines import column_of_texts

    def read(start: int, stop: int) -> tuple[list[Any], int]:
        made = []
        for column in columns:
            texts = _texts(column, start, stop, lowercase)
            try:
                tokenized = to_texts(texts)
            except ArgumentValueError as error:
                raise error.at(column.location[start + texts.index(str(error.value))]) from None
            made.append(column_of_texts(tokenized, column.location, start, column.may_be_missing))
        return made, stop

    return read


def _texts(column: Column, start: int, stop: int, lowercase: bool) -> list[str | None]:
    """Return the texts of a range as they are passed to a tokenizer; None remains None where it is allowed."""
    part: Any = column.data[start:stop] if type(column.data) is list else []
    if len(part) == stop - start and set(map(type, part)) == {str}:
        return list(map(str.rstrip, map(str.lower, part) if lowercase else part))
    return _apply(column, start, stop, partial(as_tokenized, lowercase=lowercase))


def tokens_of(
    column: Column, start: int, stop: int, lowercase: bool, to_tokens: Callable[[str], Sequence[Hashable]]
) -> Tokens:
    """Apply a user's tokenizer to each text of a range."""

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
    """Return a text as sacreBLEU passes it to a tokenizer."""
    return (text.lower() if lowercase else text).rstrip()


def _apply(column: Column, start: int, stop: int, function: Callable[[str], Any]) -> list[Any]:
    """Apply a function to each str of a range; None remains None where it is allowed.

    Raises:
        TypeError: An element is neither a str nor an allowed None; the message names its index.
        Exception: The function raised it.
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
