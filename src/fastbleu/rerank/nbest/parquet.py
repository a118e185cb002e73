"""Parquet and Arrow IPC: a row for each source, with a list of its candidates. Read here; `table_rows` writes."""

from __future__ import annotations

from math import nan
from typing import NamedTuple

from ...errors import ArgumentValueError
from ...inputs.arrow import read_arrow
from ...inputs.pyarrow_columns import (
    are_valid,
    as_numbers,
    is_list,
    is_text,
    is_text_list,
    items_of,
)
from ...inputs.table_files import PARQUET
from .blocks import Block, Candidates, LineError
from .json_lines import json_score_field
from .options import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    import pyarrow as pa
    from numpy import bool_, float64, int64
    from numpy.typing import NDArray

    from ...inputs._text import TextColumn
    from ...inputs.table_files import TableFile


class Rows:
    """The rows of a batch as records: each says what the columns hold there."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        self.batch = batch

    def __len__(self) -> int:
        return int(self.batch.num_rows)

    def __getitem__(self, i: int) -> Row:
        return Row(self.batch, range(len(self))[i])

    def slice(self, start: int, stop: int) -> Rows:
        """Return the rows from start to stop - 1."""
        return Rows(self.batch.slice(start, stop - start))

    def picked(self, numbers: NDArray[int64]) -> Rows:
        """Return some of the rows."""
        return Rows(self.batch.take(_array(numbers)))


class Row(NamedTuple):
    """One of them; its fields are read when they are asked for."""

    batch: pa.RecordBatch
    number: int

    def __contains__(self, name: object) -> bool:
        return name in self.batch.schema.names

    def get(self, name: str) -> Any:
        """Return what a column holds; None if there is no such column."""
        return self.batch.column(name)[self.number].as_py() if name in self else None


class Table:
    """Reads a table.

    Args:
        table: The file.
        options: What the columns are called: a list of candidates, the id of the source if it has one, references,
            lists with an item for each candidate; and whether rows that are broken are left out.
        score_field: The column of the models' scores; None: they are not read.
        is_evidence: Whether these are other samples, whose ids may be missing.

    Raises:
        ValueError: A column is missing or of a wrong type.
    """

    noun = "row"

    def __init__(
        self, table: TableFile, options: Options, score_field: str | None = None, is_evidence: bool = False
    ) -> None:
        self.name = "parquet" if table.form == PARQUET else "arrow"
        self._table = table
        self._options = options
        self._references = [] if is_evidence else options.references_field
        self._parallel = [] if is_evidence else options.parallel_field
        self._score_field = None if score_field is None else json_score_field(score_field)
        # Only the usual name of the ids may be that of no column.
        usual = options.id_field == Options().id_field
        self._has_ids = options.id_field in table.schema.names or not (usual or is_evidence)
        wanted = [(options.candidates_field, "lists of strings", is_text_list)]
        wanted += [(name, "strings or of lists of strings", _is_text_or_list) for name in self._references]
        if self._score_field is not None:
            wanted.append((self._score_field, "lists of numbers", _is_number_list))
        wanted += [(name, "lists", is_list) for name in self._parallel]
        if self._has_ids:
            wanted.append((options.id_field, "strings or integers", _is_id))
        for name, expected, is_right in wanted:
            kind = table.check_column(name)
            if not is_right(kind):
                raise ValueError(f"{table.name}: expected a column of {expected}, but {name!r} is {kind}")

    def blocks(self) -> Iterator[Block]:
        """The batches of the file.

        Raises:
            ValueError: It has no rows, or cannot be read.
        """
        import numpy as np

        stop = 0
        for start, batch in self._table.batches():
            size = batch.num_rows
            if size:
                stop = start + size
                places = np.arange(size + 1)
                yield Block(Rows(batch), places, places[:-1] + start, stop, first_line=start + 1)
        if not stop:
            raise ValueError(f"{self._table.name} is empty")

    def parse(self, block: Block) -> Candidates:
        """Return the candidates of a block; any thread may ask."""
        import numpy as np

        batch, options = block.lines.batch, self._options
        texts, bounds = self._items(batch, options.candidates_field)
        problems = self._problems(batch, texts, bounds)
        if problems:
            if not options.skip_bad:
                raise self._broken(block, min(problems), problems[min(problems)])
            keep = np.ones(len(batch), dtype=np.bool_)
            keep[list(problems)] = False
            rows, ordinals = Rows(batch.filter(_array(keep))), block.ordinals[keep]
            left = Block(rows, block.bounds, ordinals, block.stop, first_line=block.first_line)
            left.skipped_sources = block.skipped_sources + len(problems)
            return self.parse(left)
        names = batch.column(options.id_field).to_pylist() if self._has_ids else block.ordinals.tolist()
        scores = None
        if self._score_field is not None:
            scores = self._scores(batch)[0]
        found = Block(
            block.lines,
            bounds,
            block.ordinals,
            block.stop,
            skipped_sources=block.skipped_sources,
            records=block.lines,
        )
        own = {"has_ids": self._has_ids, "reference_fields": self._references}
        column = self._texts(block, texts, bounds)
        return Candidates.of(found, column, names, scores, line_per_source=True, noun=self.noun, **own)

    def _problems(self, batch: pa.RecordBatch, texts: pa.Array, bounds: NDArray[int64]) -> dict[int, str]:
        """The rows that are broken, and the first thing that is wrong with each."""
        import numpy as np

        problems: dict[int, str] = {}

        def note(bad: NDArray[bool_], problem: str) -> None:
            for i in bad.nonzero()[0].tolist():
                problems.setdefault(i, problem)

        def note_items(bad: NDArray[bool_], places: NDArray[int64], problem: str) -> None:
            if bad.any():
                note(np.diff(np.concatenate(([0], np.cumsum(bad)))[places]) > 0, problem)

        def note_sizes(places: NDArray[int64], what: str, name: str) -> None:
            for i in (np.diff(places) != sizes).nonzero()[0].tolist():
                found = f"as many as candidates, found {places[i + 1] - places[i]}"
                problems.setdefault(i, f"expected {sizes[i]} {what} in {name!r}, {found}")

        sizes, name = np.diff(bounds), self._options.candidates_field
        note(sizes == 0, f"expected candidates in {name!r}, found none")
        if texts.null_count:
            note_items(~are_valid(texts), bounds, f"expected strings in {name!r}, found null")
        if self._score_field is not None:
            numbers, places = self._scores(batch)
            note_sizes(places, "numbers", self._score_field)
            problem = f"expected finite numbers in {self._score_field!r}, found null, NaN or an infinite one"
            note_items(~np.isfinite(numbers), places, problem)
        for name in self._parallel:
            note_sizes(self._items(batch, name)[1], "items", name)
        if self._references:
            there = [self._have_reference(batch, name) for name in self._references]
            note(~np.any(there, axis=0), f"expected a reference in {self._references[0]!r}, found null")
        if self._has_ids:
            name = self._options.id_field
            note(~are_valid(batch.column(name)), f"expected an id in {name!r}, found null")
        return problems

    def _texts(self, block: Block, texts: pa.Array, bounds: NDArray[int64]) -> TextColumn:
        """All candidates as a column.

        Raises:
            LineError: One is not valid UTF-8.
        """
        import numpy as np

        name = self._options.candidates_field
        try:
            read: Any = read_arrow(texts, name)
            column: TextColumn = read.take(np.arange(len(texts)))
        except ArgumentValueError as error:
            row = int(bounds.searchsorted(error.indices[0], side="right")) - 1
            problem = str(error.at(repr(name)))
            raise self._broken(block, row, problem) from None
        return column

    @staticmethod
    def _broken(block: Block, row: int, problem: str) -> LineError:
        return LineError(int(block.ordinals[row]) + 1 - block.first_line, problem)

    def _items(self, batch: pa.RecordBatch, name: str) -> tuple[pa.Array, NDArray[int64]]:
        """The items of all lists of a column, and where those of each begin.

        Raises:
            ValueError: The column is not what its type says.
        """
        try:
            return items_of(batch.column(name))
        except ValueError as error:
            raise ValueError(f"{self._table.name}: column {name!r}: {error}") from None

    def _scores(self, batch: pa.RecordBatch) -> tuple[NDArray[float64], NDArray[int64]]:
        """The models' scores, and where those of each row begin; NaN for null."""
        values, places = self._items(batch, str(self._score_field))
        return as_numbers(values.cast("float64", safe=False).fill_null(nan), "float64"), places

    def _have_reference(self, batch: pa.RecordBatch, name: str) -> NDArray[bool_]:
        """Which rows have a reference in this column."""
        import numpy as np

        column = batch.column(name)
        if is_text(column.type):
            return are_valid(column)
        texts, bounds = self._items(batch, name)
        return np.diff(np.concatenate(([0], np.cumsum(are_valid(texts))))[bounds]) > 0


def _is_text_or_list(kind: pa.DataType) -> bool:
    return is_text(kind) or is_text_list(kind)


def _is_number_list(kind: pa.DataType) -> bool:
    from pyarrow import types

    return is_list(kind) and (types.is_floating(kind.value_type) or types.is_integer(kind.value_type))


def _is_id(kind: pa.DataType) -> bool:
    from pyarrow import types

    return is_text(kind) or bool(types.is_integer(kind))


def _array(keep: NDArray[Any]) -> pa.Array:
    import pyarrow as pa

    return pa.array(keep)
