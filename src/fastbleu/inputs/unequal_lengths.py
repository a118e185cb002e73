"""Check the number of segments of an argument, and build the messages about unequal numbers."""

from __future__ import annotations

from ..errors import ArgumentValueError, Location, counted, there_are
from .columns import IDS, TEXT, TOKENS
from .ids import TokenIds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .columns import Column


def check_length(where: Location, data: Any, segments: int | None) -> None:
    """Check that an argument has as many segments as there are hypotheses.

    Args:
        where: The location of the argument.
        data: The segments, or the references of each segment.
        segments: The number of hypotheses; None accepts any number.

    Raises:
        ValueError: The numbers differ.
    """
    if segments is not None and len(data) != segments:
        raise ArgumentValueError(
            where, f"has {counted(len(data), 'segment')}, but {there_are(segments, 'hypothesis')}"
        )


def length_message(
    streams: list[Column], s: int, segments: int | None, expected: int, hypotheses: Column | None
) -> str:
    """Return the message for a stream of references that has a wrong number of segments.

    If lists are missing or nested too deep, or the references are given per segment, the message says what to change.

    Args:
        streams: All streams of references.
        s: The index of the wrong stream.
        segments: The number of hypotheses, or None if it is unknown.
        expected: The number of segments that the stream must have.
        hypotheses: The hypotheses, or None if they are unknown.
    """
    data = streams[s].data
    if isinstance(data, TokenIds) and len(data.shape) > 1:
        difference = f"has the shape {list(data.shape)}"
        if data.is_per_segment:
            difference += ", which is [segments, references, tokens]"
    else:
        difference = f"has {counted(len(data), 'segment')}"
    if segments is None:
        return f"{difference}, but references[0] has {expected}"
    message = f"{difference}, but {there_are(segments, 'hypothesis')}"
    if hypotheses is not None and hypotheses.kind == TOKENS and streams[s].kind == TEXT:
        message += f"; if the items of references[{s}] are tokens, pass [references]"
        if segments == 1 and len(hypotheses[0]) == len(data):
            message += "; if they are segments, pass hypotheses[0]"
    elif len(streams) == segments and all(
        stream.kind != IDS and len(stream) not in (0, segments) for stream in streams
    ):
        message += (
            "; references look transposed, they are references[stream][segment]: "
            "pass per-segment lists through the metric's prepare_segments"
        )
    return message
