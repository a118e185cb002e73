"""Whole sources of an n-best list, and which of their candidates are written."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import compress
from typing import Any, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import bool_, float64, int64
    from numpy.typing import NDArray


_LONGEST_SHOWN = 60  # Characters of a line or a value in a message.


class LineError(ValueError):
    """A line is broken.

    Attributes:
        line: Its number among those that were read together, from 0.
    """

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class Records(list[dict[str, Any]]):
    """The objects on lines of JSON, with the methods of a column of lines."""

    def slice(self, start: int, stop: int) -> Records:
        """Return those from start to stop - 1."""
        return Records(self[start:stop])

    def take(self, numbers: NDArray[int64]) -> Records:
        """Return those of these numbers."""
        return Records(self[k] for k in numbers.tolist())


@dataclass
class Block:
    """Whole sources, as they are in the file; `Reader.parse` adds their candidates.

    Attributes:
        lines: The lines that belong to sources: a `TextColumn`, or `Records` of JSON.
        bounds: int64 [n + 1]; the lines of source i are those from bounds[i] to bounds[i + 1] - 1; once the block is
            parsed, these are candidates.
        ordinals: int64 [n]: the positions of these sources in the file, from 0.
        stop: The ordinal after the last.
        used: How many bytes the sources take, with what was left out between them, and how many lines.
        skipped_lines: Lines left out.
        skipped_sources: Sources left out, or without a candidate.
        places: int64: the index of each line in its source, from 0, if lines have been left out between them; or None.
        lists: Whether a line holds all candidates of a source, rather than one.
        first_line: Number of the first line in the file, from 1; exact if no line has been left out.
        texts: The text of each candidate.
        names: The number or id of each source in the output; None where it has none.
        scores: The models' score of each candidate, or None.
    """

    lines: Any
    bounds: NDArray[int64]
    ordinals: NDArray[int64]
    stop: int
    used: tuple[int, int] = (0, 0)
    skipped_lines: int = 0
    skipped_sources: int = 0
    places: NDArray[int64] | None = None
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
        """Split into the sources before the ordinal `stop`, with all that was left out, and the others, not parsed."""
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
            places=None if self.places is None else self.places[start:stop],
            lists=self.lists,
            first_line=self.first_line + start,
        )

    def indices(self) -> NDArray[int64]:
        """Return the index of each candidate in its pool as the file has it, counting lines that were left out."""
        import numpy as np

        if self.places is None:
            return np.arange(len(self.texts)) - np.repeat(self.bounds[:-1], self.sizes)
        return self.places

    def line_of(self, i: int) -> int:
        """Return the number of the line where source i begins."""
        return int(self.ordinals[i]) + 1 if self.lists else self.first_line + int(self.bounds[i])

    def keep_candidates(self, keep: NDArray[bool_]) -> None:
        """Leave out the other candidates, each of which is a line, and sources that have none left."""
        self.places = self.indices()
        self.skipped_lines += int((~keep).sum())
        self._keep(keep)

    def keep_sources(self, keep: NDArray[bool_]) -> None:
        """Leave out the other sources, with all their candidates."""
        self._keep(keep.repeat(self.sizes))

    def _keep(self, keep: NDArray[bool_]) -> None:
        import numpy as np

        numbers = np.flatnonzero(keep)
        bounds = np.concatenate(([0], np.cumsum(keep, dtype=np.int64)))[self.bounds]
        left = np.diff(bounds) > 0
        self.lines = self.lines.take(np.flatnonzero(left) if self.lists else numbers)
        self.texts = self.texts.take(numbers)
        if self.scores is not None:
            self.scores = self.scores[numbers]
        if self.places is not None:
            self.places = self.places[numbers]
        self.bounds = np.append(bounds[:-1][left], bounds[-1])
        self.ordinals = self.ordinals[left]
        self.names = list(compress(self.names, left))
        self.skipped_sources += int((~left).sum())


class Chosen(NamedTuple):
    """The candidates of a block that are written.

    Attributes:
        numbers: int64: the candidates, in the order in which they are written; means are written without them.
        bounds: int64 [n + 1]: those of source i are the numbers from bounds[i] to bounds[i + 1] - 1.
        values: float64: the score of each; or the mean of each source.
        indices: int64: the index of each in its pool, where candidates compete; else None.
    """

    numbers: NDArray[int64]
    bounds: NDArray[int64]
    values: NDArray[float64]
    indices: NDArray[int64] | None = None


def utf8_problem(line: bytes, error: UnicodeDecodeError) -> str:
    """Describe a byte of a line that is not valid."""
    return f"expected UTF-8, found byte 0x{line[error.start]:02x} where it is not valid"


def shown(text: bytes) -> str:
    r"""Return the start of a text, as a message shows it.

    Example:
        >>> shown(b"caf\xc3\xa9"), len(shown(bytes(1000)))
        ("'café'", 245)
    """
    return repr(_start(text.decode("utf-8", "replace")))


def shown_json(value: Any) -> str:
    """Return the start of a value as JSON, as a message shows it.

    Example:
        >>> shown_json({"id": None})
        '{"id": null}'
    """
    return _start(json.dumps(value, ensure_ascii=False))


def _start(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "..."
