"""Parquet and Arrow IPC: a row for each source, with a list of its candidates. Read here; `table_rows` writes."""

from __future__ import annotations

from typing import NamedTuple

from ...inputs.arrow import read_arrow
from ...inputs.pyarrow_columns import (
    are_valid,
    as_numbers,
    find_invalid_text,
    is_list,
    is_text,
    is_text_list,
    items_of,
)
from ...inputs.table_files import PARQUET
from .blocks import Block, Candidates, LineError
from .json_lines import Fields

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
        fields: What the columns are called: a list of candidates, the id of the source if it has one, the models'
            scores.
        references: Columns with references, of strings or lists of strings.
        with_scores: Whether the models' scores are read.
        skip_bad: Leave out rows that are broken.
        score_option: The option that asks for these scores.
        is_evidence: Whether these are other samples, whose ids may be missing.

    Raises:
        ValueError: A column is missing or of a wrong type.
    """

    noun = "row"

    def __init__(
        self,
        table: TableFile,
        fields: Fields,
        references: list[str],
        with_scores: bool,
        skip_bad: bool,
        score_option: str = "--weights-from",
        is_evidence: bool = False,
    ) -> None:
        self.name = "parquet" if table.form == PARQUET else "arrow"
        self._table = table
        self._names = table.schema.names
        self._fields = fields
        self._references = references
        self._with_scores = with_scores
        self._skip_bad = skip_bad
        self._score_option = score_option
        self._is_evidence = is_evidence
        self._check()

    def _check(self) -> None:
        """Checks the columns."""
        import pyarrow as pa

        fields = self._fields
        wanted = [(fields.candidates, "--candidates", "lists of strings", is_text_list)]
        wanted += [
            (name, "--references-field", "strings or of lists of strings", _is_text_or_list)
            for name in self._references
        ]
        if self._with_scores:
            wanted.append((fields.score, self._score_option, "lists of numbers", _is_number_list))
        wanted += [(name, "--parallel-field", "lists", is_list) for name in fields.parallel]
        # Only the usual name of the ids may be that of no column.
        if fields.id in self._names or (fields.id != Fields().id and not self._is_evidence):
            wanted.append(
                (
                    fields.id,
                    "--id-field",
                    "strings or integers",
                    lambda kind: is_text(kind) or pa.types.is_integer(kind),
                )
            )
        for name, option, expected, is_right in wanted:
            try:
                kind = self._table.check_column(name)
            except ValueError as error:
                raise ValueError(f"{error}; name the column with {option}") from None
            if not is_right(kind):
                raise ValueError(
                    f"{self._table.name}: expected a column of {expected}, but {name!r} is {kind}"
                )

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
        """See `Form`."""
        import numpy as np

        batch, fields = block.lines.batch, self._fields
        has_ids = fields.id in self._names
        problems: dict[int, str] = {}
        texts, bounds = _items(batch, self._table.name, fields.candidates)
        _note(problems, np.diff(bounds) == 0, f"expected candidates in {fields.candidates!r}, found none")
        if texts.null_count:
            nulls = _rows_of(np.flatnonzero(~are_valid(texts)), bounds)
            _note(problems, nulls, f"expected strings in {fields.candidates!r}, found null")
        scores = None
        if self._with_scores:
            scores = self._scores(batch, bounds, problems)
        for name in fields.parallel:
            _note_sizes(
                problems, np.diff(bounds), np.diff(_items(batch, self._table.name, name)[1]), "items", name
            )
        for k, name in enumerate(self._references):
            if not k:
                there = np.zeros(len(batch), dtype=np.bool_)
            there |= _has_reference(batch, self._table.name, name)
        if self._references:
            _note(problems, ~there, f"expected a reference in {self._references[0]!r}, found null")
        if has_ids:
            ids = batch.column(fields.id)
            _note(problems, ~are_valid(ids), f"expected an id in {fields.id!r}, found null")
        keep = np.ones(len(batch), dtype=np.bool_)
        keep[list(problems)] = False
        if problems:
            if not self._skip_bad:
                raise LineError(min(problems), problems[min(problems)])
            sizes = np.diff(bounds)
            kept = np.repeat(keep, sizes)
            texts = texts.filter(_array(kept))
            scores = None if scores is None else scores[kept]
            batch = batch.filter(_array(keep))
            bounds = np.concatenate(([0], np.cumsum(sizes[keep], dtype=np.int64)))
        ordinals = block.ordinals[keep]
        names = batch.column(fields.id).to_pylist() if has_ids else ordinals.tolist()
        rows = Rows(batch)
        column = self._texts(texts, bounds, np.flatnonzero(keep))
        skipped = int((~keep).sum())
        found = Block(rows, bounds, ordinals, block.stop, skipped_sources=skipped, records=rows)
        own = {"has_ids": has_ids, "reference_fields": self._references}
        return Candidates.of(found, column, names, scores, line_per_source=True, noun=self.noun, **own)

    def _texts(self, texts: pa.Array, bounds: NDArray[int64], rows: NDArray[int64]) -> TextColumn:
        """All candidates as a column.

        Raises:
            LineError: One is not valid UTF-8.
        """
        import numpy as np

        name = self._fields.candidates
        try:
            read: Any = read_arrow(texts, name)
            column: TextColumn = read.take(np.arange(len(texts)))
        except ValueError:
            found = find_invalid_text(texts)
            if found is None:
                raise
            row = int(rows[bounds.searchsorted(found[0], side="right") - 1])
            raise LineError(row, f"{name!r} {found[1]}") from None
        return column

    def _scores(
        self, batch: pa.RecordBatch, bounds: NDArray[int64], problems: dict[int, str]
    ) -> NDArray[float64]:
        """The models' score of each candidate; 0 where a row has none that can be used."""
        import numpy as np

        name = self._fields.score
        values, places = _items(batch, self._table.name, name)
        numbers = as_numbers(values.cast("float64", safe=False).fill_null(np.nan), "float64")
        sizes, wanted = np.diff(places), np.diff(bounds)
        bad = sizes != wanted
        _note_sizes(problems, wanted, sizes, "numbers", name)
        finite = np.isfinite(numbers)
        if not finite.all():
            rows = _rows_of(np.flatnonzero(~finite), places)
            _note(problems, rows, f"expected finite numbers in {name!r}, found null, NaN or an infinite one")
        if not bad.any():
            return np.where(finite, numbers, 0)
        scores = np.zeros(int(bounds[-1]))
        for i in np.flatnonzero(~bad).tolist():
            scores[bounds[i] : bounds[i + 1]] = numbers[places[i] : places[i + 1]]
        return scores


def _is_text_or_list(kind: pa.DataType) -> bool:
    return is_text(kind) or is_text_list(kind)


def _is_number_list(kind: pa.DataType) -> bool:
    from pyarrow import types

    return is_list(kind) and (types.is_floating(kind.value_type) or types.is_integer(kind.value_type))


def _array(keep: NDArray[Any]) -> pa.Array:
    import pyarrow as pa

    return pa.array(keep)


def _items(batch: pa.RecordBatch, file: str, name: str) -> tuple[pa.Array, NDArray[int64]]:
    """The items of all lists of a column, and where those of each begin.

    Raises:
        ValueError: The column is not what its type says.
    """
    try:
        return items_of(batch.column(name))
    except ValueError as error:
        raise ValueError(f"{file}: column {name!r}: {error}") from None


def _rows_of(items: NDArray[int64], bounds: NDArray[int64]) -> NDArray[bool_]:
    """Which rows these items are in."""
    import numpy as np

    rows = np.zeros(len(bounds) - 1, dtype=np.bool_)
    rows[bounds.searchsorted(items, side="right") - 1] = True
    return rows


def _has_reference(batch: pa.RecordBatch, file: str, name: str) -> NDArray[bool_]:
    """Which rows have a reference in this column."""
    import numpy as np

    column = batch.column(name)
    if is_text(column.type):
        return are_valid(column)
    texts, bounds = _items(batch, file, name)
    there = np.concatenate(([0], np.cumsum(are_valid(texts))))[bounds]
    return np.diff(there) > 0


def _note(problems: dict[int, str], bad: NDArray[bool_], problem: str) -> None:
    """Notes what is wrong with rows with which nothing else is."""
    for i in bad.nonzero()[0].tolist():
        problems.setdefault(i, problem)


def _note_sizes(
    problems: dict[int, str], wanted: NDArray[int64], found: NDArray[int64], what: str, name: str
) -> None:
    """Notes the rows whose list has another number of items than there are candidates."""
    for i in (wanted != found).nonzero()[0].tolist():
        problems.setdefault(
            i, f"expected {wanted[i]} {what} in {name!r}, as many as candidates, found {found[i]}"
        )
