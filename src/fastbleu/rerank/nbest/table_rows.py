"""Winners -> rows of Parquet or Arrow IPC: what is written of a block, and how batches become a file."""

from __future__ import annotations

from io import BytesIO
from itertools import pairwise

from ...inputs.pyarrow_columns import import_pyarrow
from .parquet import Rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    import pyarrow as pa
    from numpy import int64
    from numpy.typing import NDArray

    from .blocks import Candidates
    from .layout import Layout
    from .winners import Chosen

#: Bytes that the places of strings reach.
_MOST_BYTES = 2**31 - 1

#: Rows of a row group, and bytes of its batches, at most.
_GROUP_ROWS = 131_072
_GROUP_BYTES = 32 << 20


def render_rows(layout: Layout, candidates: Candidates, chosen: Chosen) -> bytes:
    """Return the rows of some sources, as an Arrow IPC stream of one batch."""
    import numpy as np

    pa = import_pyarrow("--output-format")
    fields: list[Any] = []
    columns: list[Any] = []

    def add(name: str, column: Any) -> None:
        fields.append(pa.field(name, column.type))
        columns.append(column)

    kept = layout.parallel_fields[0]
    rows = candidates.records
    if isinstance(rows, Rows):
        for field, column in zip(rows.batch.schema, rows.batch.columns, strict=True):
            if field.name == kept:
                continue
            written = column
            if field.name in layout.parallel_fields and not layout.means:
                written = _picked(column, candidates.bounds, chosen)
            if pa.types.is_dictionary(column.type) and layout.form == "arrow":
                # An Arrow IPC file has one dictionary for all its batches.
                written = column.dictionary_decode()
            fields.append(field.with_type(written.type))
            columns.append(written)
        metadata = rows.batch.schema.metadata
    else:
        is_text = isinstance(candidates.names, list)
        names = layout.names(candidates)
        add(
            layout.options.id_field,
            _strings(map(str, names)) if is_text else _numbers(np.array(names, dtype=np.int64)),
        )
        metadata = None
    if layout.means:
        add(layout.score_name, _numbers(chosen.values))
    else:
        texts, numbers = candidates.texts, chosen.numbers.tolist()
        items = {
            kept if layout.lists_rows else layout.options.text_field: _strings(
                texts[k] or "" for k in numbers
            ),
            layout.score_name: _numbers(chosen.values),
        }
        items |= {name: _numbers(values) for name, values in chosen.beside.items()}
        for name, column in items.items():
            if layout.lists_rows:
                add(name, pa.ListArray.from_arrays(_numbers(chosen.bounds.astype(np.int32)), column))
            else:
                add(name, column)
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


def check_names(layout: Layout, schema: pa.Schema) -> None:
    """Check that no column of a table has the name of one that is written.

    Raises:
        ValueError: One has.
    """
    names = [layout.score_name] if layout.means else [*layout.added_fields]
    if not (layout.means or layout.lists_rows):
        names.append(layout.options.text_field)
    for name in names:
        if name in schema.names and name != layout.parallel_fields[0]:
            raise ValueError(
                f"there is a column {name!r} already, which is to hold what is found; rename that column first, or "
                "name others with --text-field, --index-field and --votes-field"
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
        as_they_come: Make bytes of each batch by itself, and of Arrow IPC a stream.
        form: "parquet" or "arrow".
        is_stream: Make a stream of Arrow IPC.
    """

    def __init__(self, as_they_come: bool, form: str, is_stream: bool = False) -> None:
        self._pa = import_pyarrow("--output-format")
        self._form = form
        self._as_they_come = as_they_come
        self._is_stream = as_they_come or is_stream
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
