"""Whole sources of an n-best list, read from a file block by block."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any

from ...inputs import files
from ...inputs._text import TextColumn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy import bool_, int64
    from numpy.typing import NDArray


_LONGEST_SHOWN = 60  # characters of a line or a value, in a message


class LineError(ValueError):
    """A line, or a row of a table, is broken.

    Attributes:
        line: Its number among those that were read together, from 0.
    """

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class Records(list[dict[str, Any]]):
    """The objects on lines of JSON."""

    def slice(self, start: int, stop: int) -> Records:
        """Return those from start to stop - 1."""
        return Records(self[start:stop])

    def picked(self, numbers: NDArray[int64]) -> Records:
        """Return those of these numbers."""
        return Records(self[k] for k in numbers.tolist())

    def values(self, field: str) -> list[Any]:
        """Return what each has in a field; None where there is none."""
        return [record.get(field) for record in self]


@dataclass
class Block:
    """Whole sources, as they are in the file; `Reader.parse` adds their candidates.

    Attributes:
        lines: The lines that belong to sources, `Records` of JSON, or the rows of a table.
        bounds: int64 [n + 1]; the lines of source i are those from bounds[i] to bounds[i + 1] - 1; when it is parsed,
            these are candidates.
        ordinals: int64 [n]: the places of these sources in the file, from 0.
        stop: The ordinal after the last.
        used: How many bytes the sources take, with what was left out between them, and how many lines.
        skipped_lines: Lines left out.
        skipped_sources: Sources left out, or without a candidate.
        places: int64: the place of each line in its source, from 0, if lines have been left out between them; or None.
        first_line: Number of the first line in the file, from 1; exact if no line has been left out.
        is_last: Whether no block is known to follow.
        form: The form of the file.
        texts: The text of each candidate.
        names: What each source is called in the output: its number or other id; None where it has none.
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
    first_line: int = 1
    is_last: bool = False
    form: Any = None
    texts: Any = None
    names: list[Any] = field(default_factory=list)
    scores: Any = None

    def __len__(self) -> int:
        return len(self.ordinals)

    @property
    def records(self) -> Any:
        """The lines of JSON or the rows of a table, which have fields, and texts with line breaks; None of others."""
        return None if isinstance(self.lines, TextColumn) else self.lines

    def split(self, stop: int) -> tuple[Block, Block]:
        """The sources before the ordinal `stop`, with all that was left out, and the others; none is parsed yet."""
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
            first_line=self.first_line + start,
        )

    def items(self, field: str) -> list[Any]:
        """Return the value of a field of the records for each candidate; None where there is none."""
        values = [None] * len(self.lines) if self.records is None else self.records.values(field)
        if not self.form.lists:
            return values
        found: list[Any] = []
        for items, size in zip(values, (self.bounds[1:] - self.bounds[:-1]).tolist(), strict=True):
            found += items if isinstance(items, list) and len(items) == size else [None] * size
        return found

    def references(self) -> list[list[str]] | None:
        """The references of each source, if they came with the candidates."""
        if not self.form.reference_fields:
            return None
        parts = [self.records.values(field) for field in self.form.reference_fields]
        return [
            [
                text
                for value in row
                for text in ([value] if isinstance(value, str) else value or ())
                if text is not None
            ]
            for row in zip(*parts, strict=True)
        ]

    def pool_places(self) -> NDArray[int64]:
        """int64: the place of each candidate in its pool as the file has it, lines that were left out included."""
        import numpy as np

        if self.places is None:
            return np.arange(len(self.texts)) - np.repeat(self.bounds[:-1], np.diff(self.bounds))
        return self.places

    def line_of(self, i: int) -> int:
        """Number of the line where source i begins."""
        return int(self.ordinals[i]) + 1 if self.form.lists else self.first_line + int(self.bounds[i])

    def line_of_candidate(self, k: int) -> int:
        """Number of the line that candidate k is on."""
        if not self.form.lists:
            return self.first_line + k
        return self.line_of(int(self.bounds.searchsorted(k, side="right")) - 1)

    def keep_candidates(self, keep: NDArray[bool_]) -> None:
        """Leave out the other candidates, and sources that have none left."""
        self.places = self.pool_places()
        self.skipped_lines += int((~keep).sum())
        self._keep(keep)

    def keep_sources(self, keep: NDArray[bool_]) -> None:
        """Leave out the other sources, with all their candidates."""
        import numpy as np

        if not keep.all():
            self._keep(np.repeat(keep, np.diff(self.bounds)))

    def _keep(self, keep: NDArray[bool_]) -> None:
        import numpy as np

        numbers = np.flatnonzero(keep)
        bounds = np.concatenate(([0], np.cumsum(keep, dtype=np.int64)))[self.bounds]
        left = np.diff(bounds) > 0
        lines = np.flatnonzero(left) if self.form.lists else numbers
        self.lines = self.lines.take(lines) if self.records is None else self.lines.picked(lines)
        self.texts = self.texts.take(numbers)
        if self.scores is not None:
            self.scores = self.scores[numbers]
        if self.places is not None:
            self.places = self.places[numbers]
        self.bounds = np.append(bounds[:-1][left], bounds[-1])
        self.ordinals = self.ordinals[left]
        self.names = list(compress(self.names, left))
        self.skipped_sources += int((~left).sum())


class Form:
    """A form of n-best lists: how they are read. There is an object for each file.

    Attributes:
        name: One of `formats.FORMS`.
        noun: What a message calls the place of a source in the file, a line or a row.
        lists: Whether a line holds all candidates of a source, rather than one.
        has_ids: Whether the file says what its sources are called.
        is_numbered: Whether sources are called by numbers, which say nothing of sources that have names elsewhere.
        reference_fields: Fields of the records with the references of the source, strings or lists of them.
        first_id: The number of the first source; -1 if sources are not numbered, or before it has been read.
    """

    name: str
    noun = "line"
    lists = False
    has_ids = True
    is_numbered = False
    reference_fields: Sequence[str] = ()
    first_id = -1

    def blocks(self, source: files.Readable, data: bytes) -> Iterator[Block]:
        """The blocks of a file, of about `files.BLOCK_BYTES` each.

        Args:
            source: The file.
            data: What has been read of it already.

        Raises:
            ValueError: A line is broken; says which, and what was expected.
        """
        line, is_read = 1, False
        size = files.BLOCK_BYTES - len(data)
        while True:
            if size > 0 and not is_read:
                more = source.read(size)
                data += more
                is_read = len(more) < size
            if not data:
                return
            with located(source.name, self.noun, line):
                block = self.group(data, is_read)
            used, lines = block.used
            if not used and not is_read:
                # A source may be longer than what is there: twice as much then.
                size = len(data)
                continue
            data = data[used:]
            block.first_line = line
            block.is_last = is_read and not data
            yield block
            line += lines
            size = files.BLOCK_BYTES - len(data)

    def group(self, data: bytes, at_end: bool) -> Block:
        """Return the sources that `data` holds from its first byte on; if they take no bytes, more is read first."""
        raise NotImplementedError

    def parse(self, block: Block) -> None:
        """Find the candidates of a block; any thread may call it.

        Raises:
            LineError: A line is broken.
        """
        raise NotImplementedError


class Reader:
    """The sources of a file, some of them at hand at a time.

    Args:
        source: The file.
        form: Its form.
        data: What has been read of it already.

    Attributes:
        source: The file.
        name: What to call it in a message.
        form: Its form.
        stop: The ordinal after the last source that has been read.
        at_end: Whether no source follows those at hand; of a table known when `ready` has returned None.
    """

    def __init__(self, source: Any, form: Form, data: bytes = b"") -> None:
        self.source = source
        self.name: str = source.name
        self.form = form
        self.stop = 0
        self.at_end = False
        self._blocks = form.blocks(source, data)
        self._block: Any = None

    def ready(self) -> int | None:
        """The ordinal after the sources at hand, after reading some if there are none; None at the end."""
        if self._block is None:
            self._block = next(self._blocks, None)
            self.at_end = self._block is None or self._block.is_last
            if self._block is None:
                return None
            self.stop = self._block.stop
        return self.stop

    def take(self, stop: int) -> Block:
        """The sources at hand before the ordinal `stop`, which is at most what `ready` returned."""
        front: Block
        front, rest = self._block.split(stop)
        self._block = None if stop >= self.stop else rest
        return front

    def parse(self, block: Block) -> Block:
        """The block with its candidates; may be called in any thread.

        Raises:
            ValueError: A line is broken; says which, and what was expected.
        """
        block = replace(block, form=self.form)  # it may be parsed again
        with located(self.name, self.form.noun, block.first_line):
            self.form.parse(block)
        return block


@contextmanager
def located(name: str, noun: str, first_line: int) -> Iterator[None]:
    """A context in which errors of lines, counted from `first_line`, get the name of the file and their number."""
    try:
        yield
    except LineError as error:
        raise ValueError(f"{name}: {noun} {first_line + error.line}: {error}") from None


def utf8_problem(line: bytes, error: UnicodeDecodeError) -> str:
    """Describe a byte of a line that is not valid."""
    return f"expected UTF-8, found byte 0x{line[error.start]:02x} where it is not valid"


def shown(text: bytes) -> str:
    r"""The start of a text, as a message shows it.

    Example:
        >>> shown(b"caf\xc3\xa9"), len(shown(bytes(1000)))
        ("'café'", 245)
    """
    return repr(_start(text.decode("utf-8", "replace")))


def shown_json(value: Any) -> str:
    """The start of a value as JSON, as a message shows it.

    Example:
        >>> shown_json({"id": None})
        '{"id": null}'
    """
    return _start(json.dumps(value, ensure_ascii=False))


def _start(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "..."
