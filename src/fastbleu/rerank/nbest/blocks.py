"""Whole sources of an n-best list, read from a file block by block."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod

from ...inputs import files
from ...inputs._lines import pick

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol

    from numpy import bool_, float64, int64
    from numpy.typing import NDArray

    from ...inputs._text import TextColumn

    class Form(Protocol):
        """A form of n-best list: which bytes are whole sources, and what their candidates are."""

        name: str

        def group(self, data: bytes, at_end: bool) -> Block:
            """The sources that `data` holds from its first byte on.

            Raises:
                LineError: A line is broken.
            """

        def commit(self, block: Block) -> None:
            """Take note that the next bytes are those after this block."""

        def parse(self, block: Block) -> Candidates:
            """The candidates of a block; called in any thread.

            Raises:
                LineError: A line is broken.
            """


_LONGEST_SHOWN = 60  # characters of a line or a value, in a message


class LineError(ValueError):
    """A line is broken.

    Attributes:
        line: Its number among the lines that were read together, from 0.
    """

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class Block:
    """Whole sources, as bytes.

    Attributes:
        first_line: Number of the first line in the file, from 1; exact if no line has been left out.
        lines: The lines that belong to sources.
        bounds: int64 [n + 1]; the lines of source i are those from bounds[i] to bounds[i + 1] - 1.
        ordinals: int64 [n]: the places of these sources in the file, from 0.
        stop: The ordinal after the last.
        used: How many bytes the sources take, with what was left out between them, and how many lines.
        skipped_lines: Lines left out.
        skipped_sources: Sources left out, or without a candidate.
        records: Of JSON, the object on each line.
        places: int64: the place of each line in its source, from 0, if lines have been left out between them; or None.
    """

    __slots__ = (
        "bounds",
        "first_line",
        "lines",
        "ordinals",
        "places",
        "records",
        "skipped_lines",
        "skipped_sources",
        "stop",
        "used",
    )

    def __init__(
        self,
        lines: TextColumn,
        bounds: NDArray[int64],
        ordinals: NDArray[int64],
        stop: int,
        used: tuple[int, int] = (0, 0),
        skipped_lines: int = 0,
        skipped_sources: int = 0,
        records: Any = None,
        first_line: int = 1,
        places: NDArray[int64] | None = None,
    ) -> None:
        self.first_line = first_line
        self.lines = lines
        self.bounds = bounds
        self.ordinals = ordinals
        self.stop = stop
        self.used = used
        self.skipped_lines = skipped_lines
        self.skipped_sources = skipped_sources
        self.records = records
        self.places = places

    def split(self, stop: int) -> tuple[Block, Block]:
        """The sources before the ordinal `stop`, with all that was left out, and the others."""
        k = int(self.ordinals.searchsorted(stop))
        line = int(self.bounds[k])
        records = (None, None) if self.records is None else (self.records[:line], self.records[line:])
        front = Block(
            self.lines.slice(0, line),
            self.bounds[: k + 1],
            self.ordinals[:k],
            stop,
            skipped_lines=self.skipped_lines,
            skipped_sources=self.skipped_sources,
            records=records[0],
            first_line=self.first_line,
            places=None if self.places is None else self.places[:line],
        )
        rest = Block(
            self.lines.slice(line, len(self.lines)),
            self.bounds[k:] - line,
            self.ordinals[k:],
            self.stop,
            records=records[1],
            first_line=self.first_line + line,
            places=None if self.places is None else self.places[line:],
        )
        return front, rest


class Candidates:
    """The candidates of a block.

    Args:
        block: The block, whose lines, ordinals, records and counts these are.
        line_per_source: Whether a line holds all candidates of a source, rather than one.
        has_ids: Whether the file says what its sources are called.
        reference_fields: Fields of the records with the references of the source, strings or lists of them.
        noun: See the attributes.

    Attributes:
        lines: The line of each candidate, or of each source.
        texts: The text of each candidate.
        bounds: int64 [n + 1]; the candidates of source i are those from bounds[i] to bounds[i + 1] - 1.
        ordinals: int64 [n]: the places of these sources in the file, from 0.
        names: What each source is called in the output: its number or other id; None where it has none.
        scores: The models' score of each candidate, or None.
        records: Of JSON the object on each line, of tables the row of each source; None: there are only lines. With
            records a text may have a line break in it.
        noun: What a message calls the place of a source in the file, a line or a row.
        first_line: Number of the first line in the file; exact if no line has been left out.
        skipped_lines: Lines left out.
        skipped_sources: Sources left out.
    """

    def __init__(
        self,
        block: Block,
        texts: TextColumn,
        bounds: NDArray[int64],
        names: list[Any] | NDArray[int64],
        scores: NDArray[float64] | None,
        line_per_source: bool = False,
        has_ids: bool = True,
        reference_fields: Sequence[str] = (),
        noun: str = "line",
    ) -> None:
        self.line_per_source = line_per_source
        self.noun = noun
        self._reference_fields = reference_fields
        self.lines = block.lines
        self.texts = texts
        self.bounds = bounds
        self.ordinals = block.ordinals
        self.names = names
        self.has_ids = has_ids
        self.scores = scores
        self.records = block.records
        self.first_line = block.first_line
        self.skipped_lines = block.skipped_lines
        self.skipped_sources = block.skipped_sources
        self._places = block.places

    def __len__(self) -> int:
        return len(self.ordinals)

    def items(self, field: str) -> list[Any]:
        """Return the value of a field of the records for each candidate; None where there is none."""
        if not self.line_per_source:
            return [record.get(field) for record in self.records or ()]
        found: list[Any] = []
        for record, size in zip(
            self.records or (), (self.bounds[1:] - self.bounds[:-1]).tolist(), strict=True
        ):
            items = record.get(field)
            found += items if isinstance(items, list) and len(items) == size else [None] * size
        return found

    def of_sources(self, field: str) -> list[Any] | None:
        """Return the value of a field of the records for each source, or None; None if no source has the field."""
        if self.records is None:
            return None
        starts = range(len(self)) if self.line_per_source else self.bounds[:-1].tolist()
        records = [self.records[k] for k in starts]
        return [record.get(field) for record in records] if any(field in each for each in records) else None

    def references(self) -> list[list[str]] | None:
        """The references of each source, if they came with the candidates."""
        if not self._reference_fields or self.records is None:
            return None
        parts = [[record.get(field) for record in self.records] for field in self._reference_fields]
        return [
            [
                text
                for value in row
                for text in ([value] if isinstance(value, str) else value or ())
                if text is not None
            ]
            for row in zip(*parts, strict=True)
        ]

    def ids(self) -> list[Any]:
        """Return the name of each source in the file, as Python objects."""
        return self.names if isinstance(self.names, list) else self.names.tolist()

    @property
    def places(self) -> NDArray[int64]:
        """int64: the place of each candidate in its pool as the file has it, lines that were left out included."""
        import numpy as np

        if self._places is None:
            return np.arange(len(self.texts)) - np.repeat(self.bounds[:-1], np.diff(self.bounds))
        return self._places

    def line_of(self, i: int) -> int:
        """Number of the line where source i begins."""
        return int(self.ordinals[i]) + 1 if self.line_per_source else self.first_line + int(self.bounds[i])

    def line_of_candidate(self, k: int) -> int:
        """Number of the line that candidate k is on."""
        if not self.line_per_source:
            return self.first_line + k
        return self.line_of(int(self.bounds.searchsorted(k, side="right")) - 1)

    def keep_candidates(self, keep: NDArray[bool_]) -> None:
        """Leave out the other candidates, and sources that have none left."""
        import numpy as np

        self._places = self.places
        self._pick(np.flatnonzero(keep))
        self.skipped_lines += int(len(keep) - keep.sum())
        self.bounds = np.concatenate(([0], np.cumsum(keep, dtype=np.int64)))[self.bounds]
        self.keep_sources(np.diff(self.bounds) > 0)

    def keep_sources(self, keep: NDArray[bool_]) -> None:
        """Leave out the other sources, with all their candidates."""
        import numpy as np

        if keep.all():
            return
        sizes = np.diff(self.bounds)
        self._pick(np.flatnonzero(np.repeat(keep, sizes)))
        if self.line_per_source:
            self._pick_lines(np.flatnonzero(keep))
        self.bounds = np.concatenate(([0], np.cumsum(sizes[keep], dtype=np.int64)))
        self.ordinals = self.ordinals[keep]
        if isinstance(self.names, list):
            self.names = [name for name, kept in zip(self.names, keep, strict=True) if kept]
        else:
            self.names = self.names[keep]
        self.skipped_sources += int(len(keep) - keep.sum())

    def _pick(self, candidates: NDArray[int64]) -> None:
        self.texts = pick(self.texts, candidates)
        if self.scores is not None:
            self.scores = self.scores[candidates]
        if self._places is not None:
            self._places = self._places[candidates]
        if not self.line_per_source:
            self._pick_lines(candidates)

    def _pick_lines(self, numbers: NDArray[int64]) -> None:
        self.lines = pick(self.lines, numbers)
        if self.records is not None:
            # A list, or rows of a table.
            is_list = isinstance(self.records, list)
            self.records = (
                [self.records[k] for k in numbers.tolist()] if is_list else self.records.picked(numbers)
            )


class Reader(ABC):
    """The sources of a file, some of them at hand at a time.

    Args:
        name: What to call the file in a message.
        form: Its form, which has a name.

    Attributes:
        name: What to call the file in a message.
        form: Its form.
        stop: The ordinal after the last source that has been read.
        at_end: Whether no source follows those at hand; of a table known when `ready` has returned None.
    """

    def __init__(self, name: str, form: Any) -> None:
        self.name = name
        self.form = form
        self.stop = 0
        self.at_end = False
        self._block: Any = None
        self._is_taken = True  # all of that block

    def ready(self) -> int | None:
        """The ordinal after the sources at hand, after reading some if there are none; None at the end."""
        if self._is_taken:
            block = self._read_block()
            if block is None:
                return None
            self._block, self._is_taken, self.stop = block, False, block.stop
        return self.stop

    def take(self, stop: int) -> Any:
        """The sources at hand before the ordinal `stop`, which is at most what `ready` returned."""
        if self._block is None:
            raise RuntimeError("nothing has been read")
        front, self._block = self._block.split(stop)
        self._is_taken = stop >= self.stop
        return front

    @abstractmethod
    def _read_block(self) -> Any:
        """The next sources; None at the end."""

    @abstractmethod
    def parse(self, block: Any) -> Candidates:
        """The candidates of a block; may be called in any thread."""


class BlockReader(Reader):
    """The sources of a file of lines, about `files.BLOCK_BYTES` of them at hand at a time.

    Args:
        source: The file.
        form: Its form.
        data: What has been read of it already.

    Raises:
        ValueError: A line is broken; says which, and what was expected.
    """

    def __init__(self, source: files.Input, form: Form, data: bytes = b"") -> None:
        super().__init__(source.name, form)
        self.form: Form = form
        self._source = source
        self._data = data
        self._line = 1
        self._is_read = False

    def _read_block(self) -> Block | None:
        self._read(files.BLOCK_BYTES - len(self._data))
        while self._data:
            try:
                block = self.form.group(self._data, self._is_read)
            except LineError as error:
                raise ValueError(f"{self.name}: line {self._line + error.line}: {error}") from None
            used, lines = block.used
            if not used and not self._is_read:
                # A source may be longer than what is there: twice as much then.
                self._read(len(self._data))
                continue
            block.first_line = self._line
            self.form.commit(block)
            self._data = self._data[used:]
            self._line += lines
            self.at_end = self._is_read and not self._data
            return block
        self.at_end = True
        return None

    def parse(self, block: Block) -> Candidates:
        """The candidates of a block; may be called in any thread."""
        try:
            return self.form.parse(block)
        except LineError as error:
            raise ValueError(f"{self.name}: line {block.first_line + error.line}: {error}") from None

    def _read(self, size: int) -> None:
        if size > 0 and not self._is_read:
            more = self._source.read(size)
            self._data += more
            self._is_read = len(more) < size


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
