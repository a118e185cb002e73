"""Which way segments become columns: it depends on the tokenizer, and on what the segments are."""

from __future__ import annotations

from .text import CHUNK_BYTES, split_reader, text_reader
from .tokens import are_tokens, callable_reader, token_reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..tokenizers import Tokenizer
    from .text import Reader, Segments
    from .tokens import Vocabulary


def reader(
    tokenizer: Tokenizer,
    lowercase: bool,
    sources: list[Segments],
    names: list[str],
    complete: int,
    vocabulary: Vocabulary | None = None,
    frozen: bool = False,
    most_bytes: int = CHUNK_BYTES,
) -> Reader:
    """Chooses how to read segments for a tokenizer.

    Args:
        tokenizer: Makes tokens of text.
        lowercase: Whether it gets str.lower() of it.
        sources: Segments, all of them text or all of them tokens.
        names: What to call each source in an error.
        complete: How many of the first sources must have every segment; in the others None is an absent one.
        vocabulary: Numbers of tokens that hold from one read to the next; None: each read has its own.
        frozen: Leave the vocabulary as it is.
        most_bytes: Text to read at a time.

    Raises:
        ValueError: The segments are tokens, but the options would change them.
    """
    for source, name in zip(sources, names, strict=True):
        if are_tokens(source):
            if tokenizer.name != "none" or lowercase:
                raise ValueError(
                    f"{name} holds sequences of tokens, which need tokenize='none' and lowercase=False, "
                    f"not tokenize={tokenizer.name!r} and lowercase={lowercase}"
                )
            return token_reader(sources, names, complete, vocabulary, frozen)
    if tokenizer.to_tokens is not None:
        return callable_reader(sources, names, complete, lowercase, tokenizer.to_tokens, vocabulary, frozen)
    if tokenizer.to_text is not None:
        return split_reader(sources, names, complete, lowercase, tokenizer.to_text)
    return text_reader(sources, names, complete, lowercase, most_bytes)
