"""All sources of an n-best list, read block by block from bytes as the command line reads them from a file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from fastbleu.inputs import files
from fastbleu.inputs._lines import raw
from fastbleu.rerank.nbest.blocks import Reader, line_blocks

if TYPE_CHECKING:
    from collections.abc import Collection

    from fastbleu.rerank.nbest.blocks import LineForm


class Source(NamedTuple):
    """The data read of a source: its ordinal and name, and its candidates."""

    ordinal: int
    name: Any
    texts: list[str]
    scores: list[float] | None
    places: list[int]
    lines: list[bytes]


class Found(NamedTuple):
    """The data read of a file.

    Attributes:
        sources: Its sources.
        lines: How many lines were left out.
        left: How many sources were.
        stop: The ordinal after the last source.
        error: What ended the reading; None if nothing did.
    """

    sources: list[Source]
    lines: int
    left: int
    stop: int
    error: str | None


class _File:
    """Bytes in memory that are read like a file."""

    name = "list"

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0

    def read(self, size: int) -> bytes:
        self._place += size
        return self._data[self._place - size : self._place]


def lines_of(content: bytes) -> list[bytes]:
    lines = content.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return [line[:-1] if line.endswith(b"\r") else line for line in lines]


def check_strict(found: Found, sources: list[Source], wrong: Collection[int]) -> None:
    """Check a strict reading: all sources; or those before an error, which names one of the wrong lines."""
    if not wrong:
        assert found == Found(sources, 0, 0, len(sources), None)
        return
    assert found.error is not None
    said = re.match(r"list: line (\d+): expected ", found.error)
    assert said is not None, found.error
    assert int(said[1]) in wrong, (found.error, wrong)
    assert found.sources == sources[: len(found.sources)]


def read_blocks(form: LineForm, data: bytes, block_bytes: int = 1 << 20, most: int = 1 << 30) -> Found:
    """All sources of a list.

    Args:
        form: Its form, which has read nothing yet.
        data: The list.
        block_bytes: How many bytes a block has, about.
        most: How many sources to take of a block at a time.
    """
    sources: list[Source] = []
    lines = left = stop = 0
    usual, files.BLOCK_BYTES = files.BLOCK_BYTES, block_bytes
    try:
        file = _File(data)
        reader = Reader(file.name, form, line_blocks(file, form))
        while (ready := reader.ready()) is not None:
            # Where ids are broken, there may be a gap of any size between two of them.
            stop = ready if ready - stop > 1000 * most else min(stop + most, ready)
            found = reader.parse(reader.take(stop))
            lines += found.skipped_lines
            left += found.skipped_sources
            bounds, places = found.bounds.tolist(), found.pool_places().tolist()
            scores = None if found.scores is None else found.scores.tolist()
            texts = list(found.texts)
            for i, (ordinal, name) in enumerate(zip(found.ordinals.tolist(), found.ids(), strict=True)):
                part = slice(bounds[i], bounds[i + 1])
                of_source = slice(i, i + 1) if found.line_per_source else part
                sources.append(
                    Source(
                        ordinal,
                        name,
                        texts[part],
                        None if scores is None else scores[part],
                        places[part],
                        [raw(found.lines, k) for k in range(len(found.lines))[of_source]],
                    )
                )
        stop = reader.stop
    except ValueError as error:
        return Found(sources, lines, left, stop, str(error))
    finally:
        files.BLOCK_BYTES = usual
    return Found(sources, lines, left, stop, None)
