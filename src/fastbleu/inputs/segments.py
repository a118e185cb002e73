"""Names of before, for callers that have not moved to `columns` and `reading`."""

from __future__ import annotations

from .columns import CLASSES, IDS, TEXT, TOKENS, Column, column_of
from .reading import (
    HYPOTHESES,
    NAMES,
    PER_SEGMENT,
    REFERENCES,
    SEGMENTS,
    STREAMS,
    as_list,
    as_sentence,
    as_sentence_references,
    tokens_or_characters,
)
from .reading import read as as_segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..errors import Place
    from .columns import Kind

__all__ = [
    "HYPOTHESES",
    "IDS",
    "NAMES",
    "PER_SEGMENT",
    "REFERENCES",
    "SEGMENTS",
    "STREAMS",
    "TEXT",
    "TOKENS",
    "Segments",
    "as_list",
    "as_segments",
    "as_sentence",
    "as_sentence_references",
    "given_per_segment",
    "tokens_or_characters",
]


def Segments(  # noqa: N802
    held: Any, name: str | Place, are_references: bool = False, kind: Kind | None = None
) -> Column:
    """As `column_of`."""
    return (
        column_of(held, name, are_references) if kind is None else CLASSES[kind](held, name, are_references)
    )


def given_per_segment(streams: Iterable[Any], name: str) -> list[Column]:
    """Streams made of references that were given per segment: errors name references[segment][k]."""
    from ..errors import Place

    where = Place(name)
    return [column_of(stream, where.before(k), True) for k, stream in enumerate(streams)]
