"""Segments of text, read as columns."""

from __future__ import annotations

import sys

from ..errors import ArgumentTypeError, wrong_type
from ._text import collect
from .arrow import ArrowLists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from ..errors import Place
    from ._text import TextColumn

    #: A sequence of segments that reads quickly.
    Listed: TypeAlias = list[Any] | tuple[Any, ...] | TextColumn
    #: Reads segments from a start up to a stop; may stop earlier, and says where it did.
    Reader: TypeAlias = Callable[[int, int], tuple[list[Any], int]]

#: Bytes of text copied at a time, over all streams. Copies of this size stay in the cache, and the next chunk uses the
#: same memory again.
CHUNK_BYTES = 1 << 16


def text_reader(
    sources: list[Listed], names: list[Place], complete: int, lowercase: bool, most_bytes: int = CHUNK_BYTES
) -> Reader:
    """Reads text as it is, or lowercased, for a compiled tokenizer.

    Args:
        sources: Segments of str, or of None where it may be.
        names: What errors call each source.
        complete: How many of the first sources must have every segment; in the others None is an absent one.
        lowercase: Whether to read str.lower() of each.
        most_bytes: Stop behind the segment that makes the copies larger.

    Raises:
        TypeError: A source is a column of lists.
    """
    held: Any
    for held, name in zip(sources, names, strict=True):
        if isinstance(held, ArrowLists):
            raise ArgumentTypeError(
                name,
                "is a column of lists, where text is expected; references of each segment stand alone as references",
            )

    def read(start: int, stop: int) -> tuple[list[Any], int]:
        return collect(sources, names, start, stop, most_bytes, lowercase, complete)

    return read


def split_reader(
    sources: list[Listed], names: list[Place], complete: int, lowercase: bool, to_text: Callable[[str], str]
) -> Reader:
    """Reads text that a tokenizer has made, in which white space separates the tokens. Arguments as `text_reader`."""
    from functools import partial

    def read(start: int, stop: int) -> tuple[list[Any], int]:
        return collect(
            [
                apply(source, name, start, stop, s >= complete, partial(_split, to_text, lowercase))
                for s, (source, name) in enumerate(zip(sources, names, strict=True))
            ],
            names,
            0,
            stop - start,
            sys.maxsize,
            False,
            complete,
        )[0], stop

    return read


def as_tokenized(text: str, lowercase: bool) -> str:
    """Text as sacreBLEU hands it to a tokenizer."""
    return (text.lower() if lowercase else text).rstrip()


def _split(to_text: Callable[[str], str], lowercase: bool, segment: str) -> str:
    return to_text(as_tokenized(segment, lowercase))


def apply(
    source: Listed, name: Place, start: int, stop: int, may_be_absent: bool, function: Callable[[str], Any]
) -> list[Any]:
    """What a function makes of each str of a range; None stays where it may.

    Raises:
        TypeError: An element is neither; says where.
        Exception: The function raised it.
    """
    results: list[Any] = []
    for i in range(start, stop):
        try:
            segment = source[i]
        except IndexError:
            raise RuntimeError(f"{name} became shorter while it was scored") from None
        if segment is None and may_be_absent:
            results.append(None)
        elif not isinstance(segment, str):
            raise wrong_type(name[i], "a str", segment)
        else:
            results.append(function(segment))
    return results
