"""Parquet and Arrow IPC: a row for each source, with a list of its candidates. Read here; `table_rows` writes."""

from __future__ import annotations

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
from .blocks import Block, Candidates
from .json_lines import Fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa
    from numpy import bool_, float64, int64
    from numpy.typing import NDArray

    from ...inputs._text import TextColumn
    from ...inputs.table_files import TableFile


class TableForm:
    """The name of the form, "parquet" or "arrow"."""

    def __init__(self, name: str) -> None:
        self.name = name


class TableBlock:
    """Rows of a table.

    Attributes:
        first: The number of the first one, from 0.
        batch: Them.
    """

    __slots__ = ("batch", "first")

    def __init__(self, first: int, batch: pa.RecordBatch) -> None:
        self.first = first
        self.batch = batch


class TableReader:
    """The sources of a table, batch by batch; what `BlockReader` is for lines.

    Args:
        table: The file.
        fields: What the columns are called: a list of candidates, the id of the source if it has one, the models'
            scores.
        references: Columns with references, of strings or lists of strings.
        with_scores: Whether the models' scores are read.
        skip_bad: Leave out rows that are broken.
        score_option: The option that asks for these scores.
        is_evidence: Whether these are other samples, whose ids may be missing.

    Attributes:
        name: What to call it in a message.
        form: The form.
        stop: The ordinal after the last source that has been read.
        at_end: Whether no source follows those at hand; known when `ready` has returned None.

    Raises:
        ValueError: A column is missing or of a wrong type.
    """

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
        self.name = table.name
        self.form = TableForm("parquet" if table.form == PARQUET else "arrow")
        self.stop = 0
        self.at_end = False
        self.schema = table.schema
        self._fields = fields
        self._references = references
        self._with_scores = with_scores
        self._skip_bad = skip_bad
        self._score_option = score_option
        self._is_evidence = is_evidence
        self._check(table)
        self._batches = table.batches()
        self._start = 0
        self._batch: pa.RecordBatch | None = None

    def _check(self, table: TableFile) -> None:
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
        if fields.id in self.schema.names or (fields.id != Fields().id and not self._is_evidence):
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
                kind = table.check_column(name)
            except ValueError as error:
                raise ValueError(f"{error}; name the column with {option}") from None
            if not is_right(kind):
                raise ValueError(f"{self.name}: expected a column of {expected}, but {name!r} is {kind}")

    def ready(self) -> int | None:
        """The ordinal after the sources at hand, after reading some if there are none; None at the end."""
        while self._batch is None or not self._batch.num_rows:
            found = next(self._batches, None)
            if found is None:
                self.at_end = True
                if not self.stop:
                    raise ValueError(f"{self.name} is empty")
                return None
            self._start, self._batch = found
            self.stop = self._start + self._batch.num_rows
        return self.stop

    def take(self, stop: int) -> TableBlock:
        """The sources at hand before the ordinal `stop`, which is at most what `ready` returned."""
        if self._batch is None:
            raise RuntimeError("nothing has been read")
        number = stop - self._start
        block = TableBlock(self._start, self._batch.slice(0, number))
        self._batch = self._batch.slice(number)
        self._start = stop
        return block

    def parse(self, block: TableBlock) -> TableCandidates:
        """The candidates of some rows; may be called in any thread.

        Raises:
            ValueError: A row is broken.
        """
        import numpy as np

        batch, fields = block.batch, self._fields
        problems: dict[int, str] = {}
        texts, bounds = _items(batch, self.name, fields.candidates)
        _note(problems, np.diff(bounds) == 0, f"expected candidates in {fields.candidates!r}, found none")
        if texts.null_count:
            nulls = _rows_of(np.flatnonzero(~are_valid(texts)), bounds)
            _note(problems, nulls, f"expected strings in {fields.candidates!r}, found null")
        scores = None
        if self._with_scores:
            scores = self._scores(batch, bounds, problems)
        for name in fields.parallel:
            _note_sizes(problems, np.diff(bounds), np.diff(_items(batch, self.name, name)[1]), "items", name)
        for k, name in enumerate(self._references):
            if not k:
                there = np.zeros(len(batch), dtype=np.bool_)
            there |= _has_reference(batch, self.name, name)
        if self._references:
            _note(problems, ~there, f"expected a reference in {self._references[0]!r}, found null")
        names = None
        if fields.id in self.schema.names:
            ids = batch.column(fields.id)
            _note(problems, ~are_valid(ids), f"expected an id in {fields.id!r}, found null")
        keep = np.ones(len(batch), dtype=np.bool_)
        for i in sorted(problems):
            if not self._skip_bad:
                raise ValueError(f"{self.name}: row {block.first + i + 1}: {problems[i]}")
            keep[i] = False
        if problems:
            sizes = np.diff(bounds)
            kept = np.repeat(keep, sizes)
            texts = texts.filter(_mask(kept))
            scores = None if scores is None else scores[kept]
            batch = batch.filter(_mask(keep))
            bounds = np.concatenate(([0], np.cumsum(sizes[keep], dtype=np.int64)))
        ordinals = np.flatnonzero(keep) + block.first
        names = (
            ordinals.tolist() if fields.id not in self.schema.names else batch.column(fields.id).to_pylist()
        )
        column = self._texts(texts, bounds, ordinals)
        plain = Block(column, bounds, ordinals, int(block.first + len(keep)), first_line=block.first + 1)
        plain.skipped_sources = int((~keep).sum())
        return TableCandidates(
            plain, column, bounds, names, scores, batch, self._references, fields.id in self.schema.names
        )

    def _texts(self, texts: pa.Array, bounds: NDArray[int64], ordinals: NDArray[int64]) -> TextColumn:
        """All candidates as a column.

        Raises:
            ValueError: One is not valid UTF-8; says which row it is in.
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
            row = ordinals[bounds.searchsorted(found[0], side="right") - 1] + 1
            raise ValueError(f"{self.name}: row {row}: {name!r} {found[1]}") from None
        return column

    def _scores(
        self, batch: pa.RecordBatch, bounds: NDArray[int64], problems: dict[int, str]
    ) -> NDArray[float64]:
        """The models' score of each candidate; 0 where a row has none that can be used."""
        import numpy as np

        name = self._fields.score
        values, places = _items(batch, self.name, name)
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


class TableCandidates(Candidates):
    """The candidates of some rows.

    Attributes:
        batch: These rows, with all their columns.
    """

    noun = "row"

    @property
    def may_have_breaks(self) -> bool:
        """Return whether a text may have a line break in it."""
        return True

    def __init__(
        self,
        block: Block,
        texts: TextColumn,
        bounds: NDArray[int64],
        names: list[Any],
        scores: NDArray[float64] | None,
        batch: pa.RecordBatch,
        references: list[str],
        has_ids: bool,
    ) -> None:
        super().__init__(block, texts, bounds, names, scores, line_per_source=True, has_ids=has_ids)
        self.batch = batch
        self._references = references

    def line_of(self, i: int) -> int:
        """The number of the row that source i is, from 1."""
        return int(self.ordinals[i]) + 1

    def keep_sources(self, keep: NDArray[bool_]) -> None:
        """Leave out the other sources, with all their candidates."""
        if not keep.all():
            self.batch = self.batch.filter(_mask(keep))
        super().keep_sources(keep)

    def source_record(self, i: int, names: tuple[str, ...]) -> dict[str, Any]:
        """Return the values of these columns for source i; only those that are there."""
        return {name: self.batch.column(name)[i].as_py() for name in names if name in self.batch.schema.names}

    def references(self) -> list[list[str | None]] | None:
        """The references of each source, if they are columns of the same table."""
        if not self._references:
            return None
        columns = [self.batch.column(name) for name in self._references]
        if len(columns) == 1 and not is_text(columns[0].type):
            return [[text for text in texts if text is not None] for texts in columns[0].to_pylist()]
        parts = [
            [[text] for text in column.to_pylist()] if is_text(column.type) else column.to_pylist()
            for column in columns
        ]
        return [
            [text for texts in row for text in texts or () if text is not None]
            for row in zip(*parts, strict=True)
        ]


def _is_text_or_list(kind: pa.DataType) -> bool:
    return is_text(kind) or is_text_list(kind)


def _is_number_list(kind: pa.DataType) -> bool:
    from pyarrow import types

    return is_list(kind) and (types.is_floating(kind.value_type) or types.is_integer(kind.value_type))


def _mask(keep: NDArray[bool_]) -> pa.Array:
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
