"""Hold blocks of consecutive sources of an n-best list, and the candidates of a block that are written."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import compress
from typing import Any, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import bool_, float64, int64
    from numpy.typing import NDArray


#: The largest number of characters of a line or a value that a message quotes.
_MAX_SHOWN = 60


class LineError(ValueError):
    """An error in a line of a block.

    Attributes:
        line: The index of the line in its block, from 0.
    """

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass
class Block:
    """The lines of n complete sources of an n-best list, and after `Reader.parse` their candidates.

    Attributes:
        lines: The lines of the sources, without skipped lines: a `TextColumn`, or `Records` of JSON.
        bounds: int64 [n + 1]: source i has the lines bounds[i] to bounds[i + 1] - 1; after parsing, it has the
            candidates with these indexes.
        ordinals: int64 [n]: the ordinal of each source in the file, from 0. Skipped sources have ordinals as well.
        stop: The ordinal of the first source after the block.
        consumed: The number of bytes and the number of lines of the block in the file, including skipped lines.
        skipped_lines: The number of skipped lines.
        skipped_sources: The number of skipped sources, including those without a candidate.
        positions: int64 [lines]: the index of each line in its source, from 0, counting skipped lines; None if no line
            has been skipped.
        has_lists: Whether each line has all candidates of a source, rather than one candidate.
        first_line: The number of the block's first line in the file, from 1; exact if no line has been skipped.
        texts: A column with the text of each candidate; None before parsing.
        names: The id of each source, which the output shows; None for a source without an id.
        scores: float64 [candidates]: the model's scores; None if they are not read.
    """

    lines: Any
    bounds: NDArray[int64]
    ordinals: NDArray[int64]
    stop: int
    consumed: tuple[int, int] = (0, 0)
    skipped_lines: int = 0
    skipped_sources: int = 0
    positions: NDArray[int64] | None = None
    has_lists: bool = False
    first_line: int = 1
    texts: Any = None
    names: list[Any] = field(default_factory=list)
    scores: Any = None

    def __len__(self) -> int:
        return len(self.ordinals)

    @property
    def sizes(self) -> NDArray[int64]:
        """Return the number of candidates of each source, int64 [n]."""
        return self.bounds[1:] - self.bounds[:-1]

    def split(self, stop: int) -> tuple[Block, Block]:
        """Split an unparsed block into two: the sources with ordinals below `stop`, and the remaining sources.

        The first of the two blocks keeps the numbers of skipped lines and sources.
        """
        k = int(self.ordinals.searchsorted(stop))
        front, rest = self._slice(0, k), self._slice(k, len(self.ordinals))
        front.stop = stop
        front.skipped_lines, front.skipped_sources = self.skipped_lines, self.skipped_sources
        return front, rest

    def _slice(self, first: int, last: int) -> Block:
        start, stop = int(self.bounds[first]), int(self.bounds[last])
        return Block(
            self.lines.slice(start, stop),
            self.bounds[first : last + 1] - start,
            self.ordinals[first:last],
            self.stop,
            positions=None if self.positions is None else self.positions[start:stop],
            has_lists=self.has_lists,
            first_line=self.first_line + start,
        )

    def indices(self) -> NDArray[int64]:
        """Return the index of each candidate among the candidates of its source in the file, int64 [candidates].

        Skipped lines are counted.
        """
        import numpy as np

        if self.positions is None:
            return np.arange(len(self.texts)) - np.repeat(self.bounds[:-1], self.sizes)
        return self.positions

    def line_of(self, i: int) -> int:
        """Return the number of the first line of source i in the file, from 1."""
        return int(self.ordinals[i]) + 1 if self.has_lists else self.first_line + int(self.bounds[i])

    def keep_candidates(self, keep: NDArray[bool_]) -> None:
        """Skip the candidates for which `keep`, bool [candidates], is false, and sources that then have no candidate.

        Each line must have one candidate.
        """
        self.positions = self.indices()
        self.skipped_lines += int((~keep).sum())
        self.keep(keep)

    def keep(self, keep: NDArray[bool_]) -> None:
        """Remove the candidates for which `keep` is false, and sources that then have no candidate."""
        import numpy as np

        kept = np.flatnonzero(keep)
        bounds = np.concatenate(([0], np.cumsum(keep, dtype=np.int64)))[self.bounds]
        is_filled = np.diff(bounds) > 0
        self.lines = self.lines.take(np.flatnonzero(is_filled) if self.has_lists else kept)
        self.texts = self.texts.take(kept)
        if self.scores is not None:
            self.scores = self.scores[kept]
        if self.positions is not None:
            self.positions = self.positions[kept]
        self.bounds = np.append(bounds[:-1][is_filled], bounds[-1])
        self.ordinals = self.ordinals[is_filled]
        self.names = list(compress(self.names, is_filled))
        self.skipped_sources += int((~is_filled).sum())


class Chosen(NamedTuple):
    """The k candidates of a block of n sources that are written, or the mean scores that are written instead.

    Attributes:
        numbers: int64 [k]: the indexes of the candidates in the block, in the order of the output. Ignored if means
            are written.
        bounds: int64 [n + 1]: the candidates of source i are numbers[bounds[i]:bounds[i + 1]].
        values: float64 [k]: the score of each candidate; if means are written, float64 [n]: the mean of each source.
        indices: int64 [k]: the index of each candidate in its pool; None if it is not written.
        ranks: int64 [k]: the rank of each candidate in its pool, from 1; None if it is not written.
    """

    numbers: NDArray[int64]
    bounds: NDArray[int64]
    values: NDArray[float64]
    indices: NDArray[int64] | None = None
    ranks: NDArray[int64] | None = None


def utf8_problem(line: bytes, error: UnicodeDecodeError) -> str:
    """Return the message for a line that is not valid UTF-8."""
    return f"expected UTF-8, found byte 0x{line[error.start]:02x} where it is not valid"


def shown(text: bytes) -> str:
    r"""Return the start of a text in quotation marks, for a message.

    Example:
        >>> shown(b"caf\xc3\xa9"), len(shown(bytes(1000)))
        ("'café'", 245)
    """
    return repr(_start(text.decode("utf-8", "replace")))


def shown_json(value: Any) -> str:
    """Return the start of a value in the notation of JSON, for a message.

    Example:
        >>> shown_json({"id": None})
        '{"id": null}'
    """
    return _start(json.dumps(value, ensure_ascii=False))


def _start(text: str) -> str:
    """Return a text; if it is longer than _MAX_SHOWN characters, shorten it and append "..."."""
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "..."
