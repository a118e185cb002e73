"""Blocks of whole sources of an n-best list, and the candidates of a block that are written."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import compress
from typing import Any, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import bool_, float64, int64
    from numpy.typing import NDArray


_LONGEST_SHOWN = 60  # The most characters of a line or value in a message.


class LineError(ValueError):
    """An error in a line.

    Attributes:
        line: The number of the line in its block, from 0.
    """

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass
class Block:
    """Whole sources of a file; `Reader.parse` adds their candidates.

    Attributes:
        lines: The lines of the sources: a `TextColumn`, or `Records` of JSON.
        bounds: int64 [n + 1]. Source i has the lines from bounds[i] to bounds[i + 1] - 1; in a parsed block, the
            candidates with these numbers.
        ordinals: int64 [n]: the positions of the sources in the file, from 0.
        stop: The ordinal after the last one.
        used: The size of the sources in bytes and in lines, including the skipped lines among them.
        skipped_lines: The number of skipped lines.
        skipped_sources: The number of skipped sources, and of sources without a candidate.
        positions: int64: the index of each line in its source, from 0, if lines have been skipped; else None.
        lists: Whether a line has all candidates of a source, rather than one.
        first_line: The number of the first line in the file, from 1; exact if no line has been skipped.
        texts: The text of each candidate.
        names: The number or id of each source in the output, None for a source without one.
        scores: The model's score of each candidate, or None.
    """

    lines: Any
    bounds: NDArray[int64]
    ordinals: NDArray[int64]
    stop: int
    used: tuple[int, int] = (0, 0)
    skipped_lines: int = 0
    skipped_sources: int = 0
    positions: NDArray[int64] | None = None
    lists: bool = False
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
        """Split an unparsed block at the ordinal `stop`; the first part has the counts of skipped lines and sources."""
        k = int(self.ordinals.searchsorted(stop))
        front, rest = self._part(0, k), self._part(k, len(self.ordinals))
        front.stop = stop
        front.skipped_lines, front.skipped_sources = self.skipped_lines, self.skipped_sources
        return front, rest

    def _part(self, first: int, last: int) -> Block:
        start, stop = int(self.bounds[first]), int(self.bounds[last])
        return Block(
            self.lines.slice(start, stop),
            self.bounds[first : last + 1] - start,
            self.ordinals[first:last],
            self.stop,
            positions=None if self.positions is None else self.positions[start:stop],
            lists=self.lists,
            first_line=self.first_line + start,
        )

    def indices(self) -> NDArray[int64]:
        """Return the index of each candidate in its pool in the file, where skipped lines count; int64 [candidates]."""
        import numpy as np

        if self.positions is None:
            return np.arange(len(self.texts)) - np.repeat(self.bounds[:-1], self.sizes)
        return self.positions

    def line_of(self, i: int) -> int:
        """Return the number of the first line of source i."""
        return int(self.ordinals[i]) + 1 if self.lists else self.first_line + int(self.bounds[i])

    def keep_candidates(self, keep: NDArray[bool_]) -> None:
        """Keep the candidates, one a line, where `keep`, bool [candidates], is true; skip sources without any."""
        self.positions = self.indices()
        self.skipped_lines += int((~keep).sum())
        self._keep(keep)

    def keep_sources(self, keep: NDArray[bool_]) -> None:
        """Keep the sources where `keep`, bool [n], is true."""
        self._keep(keep.repeat(self.sizes))

    def _keep(self, keep: NDArray[bool_]) -> None:
        import numpy as np

        numbers = np.flatnonzero(keep)
        bounds = np.concatenate(([0], np.cumsum(keep, dtype=np.int64)))[self.bounds]
        is_left = np.diff(bounds) > 0
        self.lines = self.lines.take(np.flatnonzero(is_left) if self.lists else numbers)
        self.texts = self.texts.take(numbers)
        if self.scores is not None:
            self.scores = self.scores[numbers]
        if self.positions is not None:
            self.positions = self.positions[numbers]
        self.bounds = np.append(bounds[:-1][is_left], bounds[-1])
        self.ordinals = self.ordinals[is_left]
        self.names = list(compress(self.names, is_left))
        self.skipped_sources += int((~is_left).sum())


class Chosen(NamedTuple):
    """The candidates of a block that are written.

    Attributes:
        numbers: int64 [k]: the candidates, in the order of the output. Ignored where means are written.
        bounds: int64 [n + 1]: the candidates of source i are numbers[bounds[i]:bounds[i + 1]].
        values: float64 [k]: the score of each candidate; or float64 [n]: the mean of each source.
        indices: int64 [k]: the index of each candidate in its pool, if the command chooses among candidates; else None.
        ranks: int64 [k]: the rank of each candidate in its pool, from 1, if several are chosen; else None.
    """

    numbers: NDArray[int64]
    bounds: NDArray[int64]
    values: NDArray[float64]
    indices: NDArray[int64] | None = None
    ranks: NDArray[int64] | None = None


def utf8_problem(line: bytes, error: UnicodeDecodeError) -> str:
    """Describe the invalid byte of a line."""
    return f"expected UTF-8, found byte 0x{line[error.start]:02x} where it is not valid"


def shown(text: bytes) -> str:
    r"""Return the start of a text, for a message.

    Example:
        >>> shown(b"caf\xc3\xa9"), len(shown(bytes(1000)))
        ("'café'", 245)
    """
    return repr(_start(text.decode("utf-8", "replace")))


def shown_json(value: Any) -> str:
    """Return the start of a value as JSON, for a message.

    Example:
        >>> shown_json({"id": None})
        '{"id": null}'
    """
    return _start(json.dumps(value, ensure_ascii=False))


def _start(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "..."
