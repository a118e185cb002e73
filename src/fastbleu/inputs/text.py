"""Segments and streams of text, checked and read as columns."""

from __future__ import annotations

import sys

from ..errors import describe, place
from ._text import TextColumn, collect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    #: Reads segments from a start up to a stop; may stop earlier, and says where it did.
    Reader: TypeAlias = Callable[[int, int], tuple[list[Any], int]]
    #: Something that holds segments, in a form that reads quickly.
    Segments: TypeAlias = list[Any] | tuple[Any, ...] | TextColumn

#: Text copied at a time, over all streams: it stays at hand, and its memory with the process between chunks.
CHUNK_BYTES = 1 << 16


#: What references are where they stand in streams, and where they are given per segment.
STREAMS = "a list of streams, references[stream][segment]"
PER_SEGMENT = "a sequence that holds the references of each segment, references[segment][k]"


def as_segments(value: Any, name: str, what: str = "a sequence of segments") -> Segments:
    """Checks that a value is a sequence of segments, and gives it in a form that reads quickly.

    Args:
        value: A list, tuple, TextColumn, or any other sized iterable that is no str, mapping or set: NumPy object
            arrays, pandas and datasets columns.
        name: What to call it in an error.
        what: What it must be.

    Raises:
        TypeError: It is none of these.
    """
    if isinstance(value, (list, tuple, TextColumn)):
        return value
    if isinstance(value, (str, bytes, bytearray)):
        cure = f"[[{name}]]" if what in (STREAMS, PER_SEGMENT) else f"[{name}]"
        raise TypeError(f"{name} must be {what}, not a bare {describe(value)}; for one segment pass {cure}")
    if hasattr(value, "__next__"):
        raise TypeError(
            f"{name} must be {what}, not a {type(value).__name__}; make a list of it: list({name})"
        )
    if getattr(value, "ndim", 1) == 2 and hasattr(value, "columns"):
        raise TypeError(f"{name} must be {what}, not a {type(value).__name__}; pass one of its columns")
    if (
        isinstance(value, (dict, set, frozenset, type))
        or getattr(value, "ndim", 1) == 0
        or not hasattr(value, "__len__")
        or not hasattr(value, "__iter__")
    ):
        raise TypeError(f"{name} must be {what}, not {describe(value)}")
    # A memoryview of several dimensions cannot be iterated over.
    return value.tolist() if isinstance(value, memoryview) else list(value)


def as_streams(references: Any, segments: int | None) -> list[Segments]:
    """Checks references as streams, references[stream][segment].

    Args:
        references: A sequence of streams, each a sequence of segments.
        segments: How many segments each must have; None: as many as the first.

    Raises:
        TypeError: A str stands where a stream belongs, or something else that is no sequence.
        ValueError: There is no stream, or one has another number of segments.
    """
    if isinstance(references, TextColumn):
        raise TypeError("references must be a list of streams, not one TextColumn; pass [references]")
    outer = as_segments(references, "references", STREAMS)
    streams: list[Segments] = []
    for s, stream in enumerate(outer):
        if stream is None:
            raise TypeError(f"references[{s}] is None; leave out a stream that is not there")
        if isinstance(stream, str):
            raise TypeError(
                "references must be a list of streams, references[stream][segment], but "
                f"references[{s}] is {describe(stream)}; one stream goes into a list of its own: [references]"
            )
        streams.append(as_segments(stream, f"references[{s}]"))
    if not streams:
        raise ValueError("references is empty; at least one stream of references is needed")
    expected = len(streams[0]) if segments is None else segments
    for s, stream in enumerate(streams):
        if len(stream) != expected:
            raise ValueError(_length_message(streams, s, segments, expected))
    return streams


def _counted(number: int, noun: str) -> str:
    """A number and what it counts."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _length_message(streams: list[Segments], s: int, segments: int | None, expected: int) -> str:
    found = _counted(len(streams[s]), "segment")
    if segments is None:
        return f"references[{s}] has {found}, but references[0] has {expected}"
    hypotheses = "there is 1 hypothesis" if segments == 1 else f"there are {segments} hypotheses"
    message = f"references[{s}] has {found}, but {hypotheses}"
    if len(streams) == segments and all(len(stream) != segments for stream in streams):
        message += (
            "; references look transposed, they are references[stream][segment]: "
            "pass per-segment lists through BLEU.prepare_segments"
        )
    return message


def as_sentence_references(references: Any) -> list[Any] | tuple[Any, ...]:
    """Checks the references of one segment: a sequence of str, at least one of them not None.

    Raises:
        TypeError: A bare str, or no sequence.
        ValueError: There is no reference.
    """
    if isinstance(references, str):
        raise TypeError(
            f"references must be a sequence of references, not a bare {describe(references)}; pass [references]"
        )
    if not isinstance(references, (list, tuple)):
        references = list(as_segments(references, "references", "a sequence of references"))
    if not references or (references[0] is None and all(reference is None for reference in references)):
        raise ValueError(f"references must hold at least one reference, got {references!r}")
    checked: list[Any] | tuple[Any, ...] = references
    return checked


def check_sentence_references(references: list[Any] | tuple[Any, ...], tokens: bool) -> None:
    """Checks that the references of one segment are of the kind that the hypothesis is.

    Raises:
        TypeError: One is not; says which.
    """
    for s, reference in enumerate(references):
        if reference is None:
            continue
        if tokens:
            if isinstance(reference, (str, bytes)) or not hasattr(reference, "__len__"):
                raise TypeError(f"references[{s}] must be a sequence of tokens, not {describe(reference)}")
        elif not isinstance(reference, str):
            raise TypeError(f"references[{s}] must be a str, not {describe(reference)}")


def as_references_of(i: int, references: Any) -> list[Any] | tuple[Any, ...]:
    """The references of segment i, checked."""
    try:
        checked = as_sentence_references(references)
        check_sentence_references(checked, are_tokens(checked))
    except (TypeError, ValueError) as error:
        raise type(error)(str(error).replace("references", f"references[{i}]", 1)) from None
    return checked


def are_tokens(segments: Segments) -> bool:
    """Whether segments are token sequences rather than text; the first one that is there decides."""
    for segment in segments:
        if segment is not None:
            return not isinstance(segment, (str, bytes)) and hasattr(segment, "__len__")
    return False


def text_reader(
    sources: list[Segments], names: list[str], complete: int, lowercase: bool, most_bytes: int = CHUNK_BYTES
) -> Reader:
    """Reads text as it is, or lowercased, for a compiled tokenizer.

    Args:
        sources: Segments of str, or of None where it may be.
        names: What to call each source in an error.
        complete: How many of the first sources must have every segment; in the others None is an absent one.
        lowercase: Whether to read str.lower() of each.
        most_bytes: Stop behind the segment that makes the copies larger.
    """

    def read(start: int, stop: int) -> tuple[list[Any], int]:
        return collect(sources, names, start, stop, most_bytes, lowercase, complete)

    return read


def split_reader(
    sources: list[Segments], names: list[str], complete: int, lowercase: bool, to_text: Callable[[str], str]
) -> Reader:
    """Reads what a tokenizer makes of text: text whose tokens stand between white space. Arguments as text_reader's."""
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
    source: Segments, name: str, start: int, stop: int, may_be_absent: bool, function: Callable[[str], Any]
) -> list[Any]:
    """What a function makes of each str of a range; None stays where it may.

    Raises:
        TypeError: An element is neither; says where.
        Exception: Whatever the function raises.
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
            raise TypeError(f"{place(name, i)} must be a str, not {describe(segment)}")
        else:
            results.append(function(segment))
    return results
