"""Which way segments become columns: it depends on the tokenizer, and on what the segments are."""

from __future__ import annotations

from sys import maxsize

from ..errors import describe, place
from ..tokenizers._tokenize import TOKENIZE_NONE
from .text import CHUNK_BYTES, split_reader, text_reader
from .tokens import CHUNK_TOKENS, callable_reader, token_reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..tokenizers.names import Tokenizer
    from .text import Reader, Segments
    from .tokens import Vocabulary


def check_tokens_allowed(tokenizer: Tokenizer, lowercase: bool, name: str, segment: Any) -> None:
    """Checks that a segment may be tokens rather than text.

    Raises:
        ValueError: The options would change them.
    """
    if tokenizer.compiled != TOKENIZE_NONE or lowercase:
        raise ValueError(
            f"{name} is {describe(segment)}, where a str is expected; sequences of tokens need tokenize='none' and "
            f"lowercase=False, not tokenize={tokenizer.name!r} and lowercase={lowercase}"
        )


def reader(
    tokenizer: Tokenizer,
    lowercase: bool,
    sources: list[Segments],
    names: list[str],
    complete: int,
    tokens: bool,
    vocabulary: Vocabulary | None = None,
    frozen: bool = False,
    whole: bool = False,
) -> Reader:
    """Chooses how to read segments for a tokenizer.

    Args:
        tokenizer: Makes tokens of text.
        lowercase: Whether it gets str.lower() of it.
        sources: Segments, all of them text or all of them tokens.
        names: What to call each source in an error.
        complete: How many of the first sources must have every segment; in the others None is an absent one.
        tokens: Whether they are tokens.
        vocabulary: Numbers of tokens that hold from one segment to the next; None: each segment has its own.
        frozen: Leave the vocabulary as it is.
        whole: Whether to read all that is asked for at once, rather than as much as a chunk holds.

    Raises:
        ValueError: The segments are tokens, but the options would change them.
    """
    if tokens:
        found = (
            (place(name, i), segment)
            for source, name in zip(sources, names, strict=True)
            for i, segment in enumerate(source)
            if segment is not None
        )
        # Another thread may have emptied the lists since.
        check_tokens_allowed(tokenizer, lowercase, *next(found, (names[0], sources[0])))
        most = maxsize if whole else CHUNK_TOKENS
        return token_reader(sources, names, complete, vocabulary, frozen, most_tokens=most)
    if tokenizer.to_tokens is not None:
        return callable_reader(sources, names, complete, lowercase, tokenizer.to_tokens, vocabulary, frozen)
    if tokenizer.to_text is not None:
        return split_reader(sources, names, complete, lowercase, tokenizer.to_text)
    return text_reader(sources, names, complete, lowercase, maxsize if whole else CHUNK_BYTES)
