"""Parquet and Arrow IPC: a row for each source, with a list of its candidates; read, and written batch by batch."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from math import nan
from typing import Any

from ...errors import ArgumentValueError
from ...inputs.arrow_columns import read_arrow
from ...inputs.pyarrow_columns import (
    are_valid,
    as_numbers,
    count_marked,
    import_pyarrow,
    is_list,
    is_text,
    is_text_list,
    items_of,
)
from ...inputs.table_files import PARQUET
from .blocks import Block, Form, LineError
from .formats import STREAM_ENDING
from .json_lines import json_score_field
from .options import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from numpy import bool_, float64, int64
    from numpy.typing import NDArray

    from ...inputs.table_files import TableFile
    from .layout import Chosen, Layout

#: Bytes that the places of strings reach.
_MOST_BYTES = 2**31 - 1

#: Rows of a row group, and bytes of its batches, at most.
_GROUP_ROWS = 131_072
_GROUP_BYTES = 32 << 20


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a batch, as a `Block` has them."""

    batch: pa.RecordBatch

    def slice(self, start: int, stop: int) -> Rows:
        """Return the rows from start to stop - 1."""
        return Rows(self.batch.slice(start, stop - start))

    def picked(self, numbers: NDArray[int64]) -> Rows:
        """Return the rows of these numbers."""
        return Rows(self.batch.take(_numbers(numbers)))

    def values(self, field: str) -> list[Any]:
        """Return what each row has in a column; None where there is none."""
        there = field in self.batch.schema.names
        found: list[Any] = self.batch.column(field).to_pylist() if there else [None] * self.batch.num_rows
        return found


class Table(Form):
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
    lists = True

    def __init__(
        self, table: TableFile, options: Options, score_field: str | None = None, is_evidence: bool = False
    ) -> None:
        self.name = "parquet" if table.form == PARQUET else "arrow"
        self._name = table.name
        self._options = options
        self._parallel = [] if is_evidence else options.parallel_field
        self._score_field = None if score_field is None else json_score_field(score_field)
        self.reference_fields = [] if is_evidence else options.references_field
        # Only the usual name of the ids may be that of no column.
        usual = options.id_field == Options().id_field
        self.has_ids = options.id_field in table.schema.names or not (usual or is_evidence)
        ids = [options.id_field] if self.has_ids else []
        scores = [] if self._score_field is None else [self._score_field]
        for names, expected, accepts in (
            ([options.candidates_field], "lists of strings", is_text_list),
            (
                self.reference_fields,
                "strings or of lists of strings",
                lambda kind: is_text(kind) or is_text_list(kind),
            ),
            (scores, "lists of numbers", lambda kind: is_list(kind) and _is_number(kind.value_type)),
            (self._parallel, "lists", is_list),
            (ids, "strings or integers", lambda kind: is_text(kind) or _is_number(kind, floating=False)),
        ):
            for name in names:
                table.check_column(name, expected, accepts)

    def blocks(self, source: Any, _: bytes) -> Iterator[Block]:
        """The batches of the file; see `Form`."""
        import numpy as np

        stop = 0
        for start, batch in source.batches():
            size = batch.num_rows
            if size:
                stop = start + size
                places = np.arange(size + 1)
                yield Block(Rows(batch), places, places[:-1] + start, stop, first_line=start + 1)
        if not stop:
            raise ValueError(f"{source.name} is empty")

    def parse(self, block: Block) -> None:
        """Find the candidates of a block; see `Form`."""
        import numpy as np

        options = self._options
        texts, bounds = self._items(block.lines.batch, options.candidates_field)
        problems = self._problems(block.lines.batch, texts, bounds)
        if problems:
            if not options.skip_bad:
                raise LineError(*min(problems.items()))
            kept = np.delete(np.arange(len(block)), list(problems))
            block.lines, block.ordinals = block.lines.picked(kept), block.ordinals[kept]
            block.skipped_sources += len(problems)
            texts, bounds = self._items(block.lines.batch, options.candidates_field)
        batch = block.lines.batch
        block.bounds = bounds
        block.names = batch.column(options.id_field).to_pylist() if self.has_ids else block.ordinals.tolist()
        if self._score_field is not None:
            block.scores = self._scores(batch)[0]
        try:
            read: Any = read_arrow(texts, options.candidates_field)
            block.texts = read.take(np.arange(len(texts)))
        except ArgumentValueError as error:
            row = int(bounds.searchsorted(error.indices[0], side="right")) - 1
            problem = str(error.at(repr(options.candidates_field)))
            raise LineError(int(block.ordinals[row]) + 1 - block.first_line, problem) from None

    def _problems(self, batch: pa.RecordBatch, texts: pa.Array, bounds: NDArray[int64]) -> dict[int, str]:
        """The rows that are broken, and the first thing that is wrong with each."""
        import numpy as np

        sizes, name = np.diff(bounds), self._options.candidates_field
        # Which rows are broken and why, and how many items each has where these must be as many as candidates.
        checks: list[tuple[NDArray[bool_], str, NDArray[int64] | None]] = [
            (sizes == 0, f"expected candidates in {name!r}, found none", None),
            (count_marked(~are_valid(texts), bounds) > 0, f"expected strings in {name!r}, found null", None),
        ]

        def check_sizes(name: str, what: str, places: NDArray[int64]) -> None:
            found = np.diff(places)
            checks.append((found != sizes, f"expected as many {what} in {name!r} as candidates", found))

        if self._score_field is not None:
            numbers, places = self._scores(batch)
            check_sizes(self._score_field, "numbers", places)
            problem = f"expected finite numbers in {self._score_field!r}, found null, NaN or an infinite one"
            checks.append((count_marked(~np.isfinite(numbers), places) > 0, problem, None))
        for name in self._parallel:
            check_sizes(name, "items", self._items(batch, name)[1])
        if self.reference_fields:
            numbers = np.sum([self._count_references(batch, name) for name in self.reference_fields], axis=0)
            problem = f"expected a reference in {self.reference_fields[0]!r}, found null"
            checks.append((numbers == 0, problem, None))
        if self.has_ids:
            name = self._options.id_field
            checks.append((~are_valid(batch.column(name)), f"expected an id in {name!r}, found null", None))
        problems: dict[int, str] = {}
        for bad, problem, found in checks:
            for i in bad.nonzero()[0].tolist():
                problems.setdefault(
                    i, problem if found is None else f"{problem}, {sizes[i]}, found {found[i]}"
                )
        return problems

    def _items(self, batch: pa.RecordBatch, name: str) -> tuple[pa.Array, NDArray[int64]]:
        """The items of all lists of a column, and where those of each begin.

        Raises:
            ValueError: The column is not what its type says.
        """
        try:
            return items_of(batch.column(name))
        except ValueError as error:
            raise ValueError(f"{self._name}: column {name!r}: {error}") from None

    def _scores(self, batch: pa.RecordBatch) -> tuple[NDArray[float64], NDArray[int64]]:
        """The models' scores, and where those of each row begin; NaN for null."""
        values, places = self._items(batch, str(self._score_field))
        return as_numbers(values.cast("float64", safe=False).fill_null(nan), "float64"), places

    def _count_references(self, batch: pa.RecordBatch, name: str) -> NDArray[int64]:
        """Return how many references each row has in this column."""
        column = batch.column(name)
        if is_text(column.type):
            return are_valid(column).astype("int64")
        texts, bounds = self._items(batch, name)
        return count_marked(are_valid(texts), bounds)


def _is_number(kind: pa.DataType, floating: bool = True) -> bool:
    from pyarrow import types

    return bool(types.is_integer(kind) or (floating and types.is_floating(kind)))


# Written


def render_rows(layout: Layout, block: Block, chosen: Chosen) -> bytes:
    """Return the rows of some sources, as an Arrow IPC stream of one batch."""
    import numpy as np

    pa = import_pyarrow("--output-format")
    fields: list[Any] = []
    columns: list[Any] = []

    def add(name: str, column: Any) -> None:
        fields.append(pa.field(name, column.type))
        columns.append(column)

    kept = layout.parallel_fields[0]
    metadata = None
    if isinstance(block.records, Rows):
        schema = block.records.batch.schema
        metadata = schema.metadata
        for field, column in zip(schema, block.records.batch.columns, strict=True):
            if field.name == kept:
                continue
            written = column
            if field.name in layout.parallel_fields and not layout.means:
                written = _picked(column, block.bounds, chosen)
            if pa.types.is_dictionary(column.type) and layout.form == "arrow":
                # An Arrow IPC file has one dictionary for all its batches.
                written = column.dictionary_decode()
            fields.append(field.with_type(written.type))
            columns.append(written)
    else:
        names = layout.names(block)
        is_text = not block.form.is_numbered
        add(
            layout.options.id_field,
            _strings(map(str, names)) if is_text else _numbers(np.array(names, dtype=np.int64)),
        )
    if layout.means:
        add(layout.score_name, _numbers(chosen.values))
    else:
        texts = _strings(block.texts[k] or "" for k in chosen.numbers.tolist())
        items = {kept if layout.lists_rows else layout.options.text_field: texts}
        items |= {layout.score_name: _numbers(chosen.values)}
        if chosen.indices is not None:
            items[layout.options.index_field] = _numbers(chosen.indices)
        for name, column in items.items():
            lists = layout.lists_rows
            bounds = _numbers(chosen.bounds.astype(np.int32))
            add(name, pa.ListArray.from_arrays(bounds, column) if lists else column)
    schema = pa.schema(fields, metadata)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as stream:
        stream.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _numbers(values: NDArray[Any]) -> pa.Array:
    """NumPy's numbers as an Arrow array, without a copy. `pyarrow.array` would import pandas."""
    import numpy as np
    import pyarrow as pa

    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(np.ascontiguousarray(values))])


def _strings(texts: Iterable[str]) -> pa.Array:
    """Texts as an Arrow array."""
    import numpy as np
    import pyarrow as pa

    parts = [text.encode("utf-8") for text in texts]
    data = b"".join(parts)
    if len(data) > _MOST_BYTES:
        raise ValueError(f"texts of {len(data):,} bytes do not fit into one batch")
    bounds = np.cumsum([0, *map(len, parts)]).astype(np.int32)
    return pa.Array.from_buffers(pa.string(), len(parts), [None, pa.py_buffer(bounds), pa.py_buffer(data)])


def check_names(layout: Layout, table: TableFile) -> None:
    """Check that no column of a table has the name of one that is written.

    Raises:
        ValueError: One has.
    """
    names = [layout.score_name] if layout.means else [*layout.added_fields]
    if not (layout.means or layout.lists_rows):
        names.append(layout.options.text_field)
    for name in names:
        if name in table.schema.names and name != layout.parallel_fields[0]:
            raise ValueError(
                f"{table.name}: there is a column {name!r} already, which is to hold what is found; rename that column "
                "first, or name others with --text-field and --index-field"
            )


def _picked(column: pa.Array, bounds: NDArray[int64], chosen: Chosen) -> pa.Array:
    """A column of lists with an item for each candidate, shortened and reordered as these; other lists stay."""
    import pyarrow as pa

    if not isinstance(column, (pa.ListArray, pa.LargeListArray, pa.FixedSizeListArray)):
        return column
    lists = column.to_pylist()
    for i, (start, stop) in enumerate(pairwise(bounds.tolist())):
        if lists[i] is not None and len(lists[i]) == stop - start:
            places = chosen.numbers[chosen.bounds[i] : chosen.bounds[i + 1]] - start
            lists[i] = [lists[i][place] for place in places.tolist()]
    kind = column.type
    return pa.array(lists, pa.list_(kind.value_type) if pa.types.is_fixed_size_list(kind) else kind)


class TableEncoder:
    """Makes a Parquet or an Arrow IPC file of batches; used by `output.Output`.

    Args:
        form: "parquet" or "arrow".
        path: The name of the file, which says whether Arrow IPC is a stream.
        as_they_come: Make bytes of each batch by itself, and of Arrow IPC a stream.
    """

    def __init__(self, form: str, path: str | None, as_they_come: bool) -> None:
        self._pa = import_pyarrow("--output-format")
        self._form = form
        self._as_they_come = as_they_come
        self._is_stream = as_they_come or (path or "").lower().endswith(STREAM_ENDING)
        #: What the writer has written since bytes were last returned. pyarrow counts those before by itself.
        self._buffer = BytesIO()
        self._writer: Any = None
        #: Batches that are to be written together, as one row group.
        self._waiting: list[pa.RecordBatch] = []
        self._rows = self._size = 0

    def write(self, block: bytes) -> bytes:
        """Take what `render_rows` made; return the next bytes of the file, none if the block waits for further ones."""
        self._waiting += self._pa.ipc.open_stream(self._pa.py_buffer(block))
        self._rows += self._waiting[-1].num_rows
        self._size += len(block)
        if self._as_they_come or self._rows >= _GROUP_ROWS or self._size >= _GROUP_BYTES:
            self._write_waiting()
        return self._taken()

    def end(self) -> bytes:
        """Return the bytes of the blocks that wait, and the end of the form."""
        if self._waiting:
            self._write_waiting()
        if self._writer is not None:
            self._writer.close()
        return self._taken()

    def _taken(self) -> bytes:
        data = self._buffer.getvalue()
        self._buffer.seek(0)
        self._buffer.truncate()
        return data

    def _write_waiting(self) -> None:
        table = self._pa.Table.from_batches(self._waiting)
        self._waiting, self._rows, self._size = [], 0, 0
        if self._writer is None:
            self._writer = self._open(table.schema)
        options = {"row_group_size": max(len(table), 1)} if self._form == "parquet" else {}
        self._writer.write_table(table, **options)

    def _open(self, schema: pa.Schema) -> Any:
        file = self._pa.PythonFile(self._buffer, mode="w")
        if self._form == "parquet":
            import pyarrow.parquet

            return pyarrow.parquet.ParquetWriter(file, schema)
        return (self._pa.ipc.new_stream if self._is_stream else self._pa.ipc.new_file)(file, schema)
