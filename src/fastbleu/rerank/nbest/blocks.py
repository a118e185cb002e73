"""Whole sources of an n-best list, read from a file block by block."""

from __future__ import annotations

from . import stream
from ._lines import LineError, joined, pick

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from numpy import bool_, float64, int64
    from numpy.typing import NDArray

    from ...inputs._text import TextColumn

    class Format(Protocol):
        """A form of n-best list: which bytes are whole sources, and what their candidates are."""

        name: str

        def group(self, data: bytes, at_end: bool, until: int) -> Block:
            """The sources that `data` holds from its first byte on, those up to the ordinal `until`."""

        def commit(self, block: Block) -> None:
            """Told that the next bytes are those behind this block."""

        def parse(self, block: Block) -> Candidates:
            """The candidates of a block; in any thread."""


#: More sources than any file has.
NO_LIMIT = (1 << 62) - 1


class Block:
    """Whole sources, as bytes: which lines they have.

    Attributes:
        first_line: Number of the first line in the file, from 1.
        lines: The lines that belong to sources.
        bounds: int64 [n + 1]; the lines of source i are those from bounds[i] to bounds[i + 1] - 1.
        ordinals: int64 [n]: which sources of the file these are, from 0.
        stop: The ordinal behind the last.
        used: Bytes that the sources take, with what was left out between them, and how many lines.
        reached: Whether the next source is one that was not asked for.
        skipped_lines: Lines left out.
        skipped_sources: Sources left out, or without a candidate.
        records: Of JSON, what each line holds.
    """

    __slots__ = (
        "bounds",
        "first_line",
        "lines",
        "ordinals",
        "reached",
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
        used: tuple[int, int],
        reached: bool,
        skipped_lines: int = 0,
        skipped_sources: int = 0,
        records: list[Any] | None = None,
    ) -> None:
        self.first_line = 1
        self.lines = lines
        self.bounds = bounds
        self.ordinals = ordinals
        self.stop = stop
        self.used = used
        self.reached = reached
        self.skipped_lines = skipped_lines
        self.skipped_sources = skipped_sources
        self.records = records


class Candidates:
    """The candidates of some sources.

    Attributes:
        line_per_source: Whether a line holds all candidates of a source, rather than one.
        lines: The line of each candidate, or of each source.
        texts: The text of each candidate.
        bounds: int64 [n + 1]; the candidates of source i are those from bounds[i] to bounds[i + 1] - 1.
        ordinals: int64 [n]: which sources of the file these are, from 0.
        names: What each source is called in the output: its number or other id; None where it has none.
        has_ids: Whether the file says what its sources are called.
        scores: The models' score of each candidate, or None.
        records: Of JSON, what each line holds.
        first_line: Number of the first line in the file; true as long as no line has been left out.
        skipped_lines: Lines left out.
        skipped_sources: Sources left out.
    """

    __slots__ = (
        "bounds",
        "first_line",
        "has_ids",
        "line_per_source",
        "lines",
        "names",
        "ordinals",
        "records",
        "scores",
        "skipped_lines",
        "skipped_sources",
        "texts",
    )

    def __init__(
        self,
        block: Block,
        texts: TextColumn,
        bounds: NDArray[int64],
        names: list[Any] | NDArray[int64],
        scores: NDArray[float64] | None,
        line_per_source: bool = False,
        has_ids: bool = True,
    ) -> None:
        self.line_per_source = line_per_source
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

    def __len__(self) -> int:
        return len(self.ordinals)

    def ids(self) -> list[Any]:
        """What each source is called by the file, as Python objects."""
        return self.names if isinstance(self.names, list) else self.names.tolist()

    def line_of(self, i: int) -> int:
        """Number of the line where source i begins."""
        return self.first_line + (i if self.line_per_source else int(self.bounds[i]))

    def line_of_candidate(self, k: int) -> int:
        """Number of the line that candidate k is on."""
        if not self.line_per_source:
            return self.first_line + k
        return self.line_of(int(self.bounds.searchsorted(k, side="right")) - 1)

    def keep_candidates(self, keep: NDArray[bool_]) -> None:
        """Leave out the other candidates, and sources that have none left."""
        import numpy as np

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
        if not self.line_per_source:
            self._pick_lines(candidates)

    def _pick_lines(self, numbers: NDArray[int64]) -> None:
        self.lines = pick(self.lines, numbers)
        if self.records is not None:
            self.records = [self.records[k] for k in numbers.tolist()]


class BlockReader:
    """Blocks of whole sources, one after another.

    Args:
        source: The file.
        form: Its format.
        data: What has been read of it already.

    Attributes:
        name: What to call it in a message.
        stop: The ordinal behind the last source that was read.

    Raises:
        ValueError: A line is not what it has to be; says which, and what was expected.
    """

    def __init__(self, source: stream.Input, form: Format, data: bytes = b"") -> None:
        self.name = source.name
        self.stop = 0
        self._source = source
        self._form = form
        self._data = data
        self._line = 1
        self._at_end = False

    def take(self, until: int = NO_LIMIT) -> Block | None:
        """The next sources: about a block of them, or all up to the ordinal `until`; None at the end."""
        if len(self._data) < stream.BLOCK_BYTES:
            self._read(stream.BLOCK_BYTES - len(self._data))
        while self._data:
            try:
                block = self._form.group(self._data, self._at_end, until)
            except LineError as error:
                raise ValueError(f"{self.name}: line {self._line + error.line}: {error}") from None
            used, lines = block.used
            enough = block.reached or self._at_end or (until == NO_LIMIT and used)
            if not enough:
                # A source, or as many as are asked for, may be longer than what is there: twice as much then.
                self._read(len(self._data))
                continue
            block.first_line = self._line
            self._form.commit(block)
            self._data = self._data[used:]
            self._line += lines
            self.stop = block.stop
            return block
        return None

    def parse(self, block: Block) -> Candidates:
        """The candidates of a block; in any thread."""
        try:
            return self._form.parse(block)
        except LineError as error:
            raise ValueError(f"{self.name}: line {block.first_line + error.line}: {error}") from None

    def _read(self, size: int) -> None:
        more = b"" if self._at_end else self._source.read(size)
        self._data = joined(self._data, more)
        self._at_end = self._at_end or len(more) < size
