"""Segments of tokens that a user or a user's own tokenizer has made, read as columns."""

from __future__ import annotations

from sys import maxsize

from ..errors import ArgumentError, ArgumentTypeError, describe
from ._text import TextColumn
from ._tokens import collect_tokens
from .arrow import ArrowTokens, arrow_token_reader
from .text import apply, as_tokenized

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import Any, TypeAlias

    from ..errors import Place
    from .text import Listed, Reader

    #: Tokens of prepared references and their numbers.
    Vocabulary: TypeAlias = dict[Hashable, int]

#: Tokens numbered at a time, over all sources; they fit into a processor's second-level cache.
CHUNK_TOKENS = 1 << 14


def token_reader(
    sources: list[Listed],
    names: list[Place],
    complete: int,
    vocabulary: Vocabulary | None = None,
    frozen: bool = False,
    first: int = 0,
    most_tokens: int = CHUNK_TOKENS,
) -> Reader:
    """Reads token sequences, numbered by Python equality.

    Args:
        sources: Lists or tuples of sequences of hashable tokens.
        names: What errors call each source.
        complete: How many of the first sources must have every segment; in the others None is an absent one.
        vocabulary: Numbers that hold from one segment to the next; None: each segment has its own.
        frozen: Leave the vocabulary as it is; an unknown token equals none of its tokens.
        first: What segment 0 is called in an error.
        most_tokens: Stop behind the segment that makes all tokens together more than this.
    """
    if vocabulary is None and first == 0 and all(isinstance(source, ArrowTokens) for source in sources):
        return arrow_token_reader(sources, names, complete, most_tokens)
    lists = [_as_list(source, name) for source, name in zip(sources, names, strict=True)]

    def read(start: int, stop: int) -> tuple[list[Any], int]:
        return collect_tokens(lists, names, complete, start, stop, first, vocabulary, frozen, most_tokens)

    return read


def _as_list(source: Any, name: Place) -> Any:
    """A source of tokens as a list or tuple. A column of text is one of str, which are refused when they are read."""
    if isinstance(source, (TextColumn, ArrowTokens)):
        try:
            return list(source)
        except ArgumentError as error:
            raise error.at(name[error.indices]) from None
    return source


def callable_reader(
    sources: list[Listed],
    names: list[Place],
    complete: int,
    lowercase: bool,
    to_tokens: Callable[[str], Sequence[Hashable]],
    vocabulary: Vocabulary | None = None,
    frozen: bool = False,
) -> Reader:
    """Reads what a user's tokenizer makes of text, each result taken as it is."""

    def tokens(segment: str) -> Any:
        found = to_tokens(as_tokenized(segment, lowercase))
        if isinstance(found, (str, bytes)) or not hasattr(found, "__len__"):
            raise ArgumentTypeError(
                "tokenize",
                f"must return a sequence of tokens, but made {describe(found)} of {describe(segment)}",
                value=found,
            )
        return found

    def read(start: int, stop: int) -> tuple[list[Any], int]:
        lists: list[Listed] = [
            apply(source, name, start, stop, s >= complete, tokens)
            for s, (source, name) in enumerate(zip(sources, names, strict=True))
        ]
        columns, _ = token_reader(lists, names, complete, vocabulary, frozen, start, maxsize)(0, stop - start)
        return columns, stop

    return read
