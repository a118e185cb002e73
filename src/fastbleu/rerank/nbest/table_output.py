"""Writes winners as rows of Parquet or Arrow IPC. The output file appears only when it is complete.

A Parquet file cannot be read before its end is written, so rows are collected in a file of parts beside the output. At
the end the parts become the output, under another name first, which is then exchanged for the right one. A run that was
killed leaves the parts, and `--resume` goes on after the last whole one.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from itertools import pairwise
from stat import S_ISREG

from ...inputs.files import STDOUT_NAME, named
from ...inputs.pyarrow_columns import import_pyarrow
from ...system.saving import UNFINISHED_ENDING
from .forms import STREAM_ENDING
from .parquet import TableCandidates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, BinaryIO

    import pyarrow as pa
    from numpy import int64
    from numpy.typing import NDArray
    from typing_extensions import Self

    from .blocks import Candidates
    from .winners import Chosen, Figures, Job, Prepared
    from .writer import Layout

#: What the name of the file of parts ends in.
PARTS_ENDING = ".part"

#: How the file of parts begins; each part has its size in front of it.
_PARTS_MAGIC = b"fastbleu parts 1\n"
_SIZE_BYTES = 8

#: Bytes that the places of strings reach.
_MOST_BYTES = 2**31 - 1

#: Rows of a row group, and bytes of its parts, at most.
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
    if isinstance(candidates, TableCandidates):
        for field, column in zip(candidates.batch.schema, candidates.batch.columns, strict=True):
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
        metadata = candidates.batch.schema.metadata
    else:
        is_text = isinstance(candidates.names, list)
        names = layout.names(candidates)
        add(
            layout.id_field,
            _strings(map(str, names)) if is_text else _numbers(np.array(names, dtype=np.int64)),
        )
        metadata = None
    if layout.means:
        add(layout.score_name, _numbers(chosen.values))
    else:
        texts, numbers = candidates.texts, chosen.numbers.tolist()
        items = {
            kept if layout.lists_rows else layout.text_field: _strings(texts[k] or "" for k in numbers),
            layout.score_name: _numbers(chosen.values),
        }
        if layout.has_winners:
            # Of a batch without sources there are none.
            counted = chosen.places, chosen.votes
            for name, column in zip((layout.index_field, layout.votes_field), counted, strict=True):
                items[name] = _numbers(np.zeros(0, dtype=np.int64) if column is None else column)
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
    return len(data).to_bytes(_SIZE_BYTES, "little") + data


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


def _new_names(layout: Layout) -> dict[str, str | None]:
    """The columns that are added, and the option that gives each another name, if there is one."""
    found: dict[str, str | None] = {}
    if not (layout.means or layout.lists_rows):
        found[layout.text_field] = "--text-field"
    found[layout.score_name] = None
    if layout.has_winners and not layout.means:
        found |= {layout.index_field: "--index-field", layout.votes_field: "--votes-field"}
    return found


def check_names(layout: Layout, schema: pa.Schema) -> None:
    """Check that no column of a table has the name of one that is written.

    Raises:
        ValueError: One has.
    """
    for name, option in _new_names(layout).items():
        if name in schema.names and name != layout.parallel_fields[0]:
            remedy = f"give it another name with {option}" if option else "rename that column first"
            raise ValueError(f"there is a column {name!r} already, which is to hold what is found; {remedy}")


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


class TableWriter:
    """Writes rows to a table, or to standard output as they come.

    Args:
        path: The file, an Arrow IPC stream if its name says so; None for standard output, which takes such a stream or
            Parquet.
        form: "parquet" or "arrow".
        append: Keep the parts that are there.
        on_left: Gets the name of the file of parts if an error leaves it.

    Raises:
        OSError: The file cannot be opened.
        ValueError: Standard output is closed.
    """

    def __init__(
        self,
        path: str | None,
        form: str,
        append: bool = False,
        on_left: Callable[[str], object] | None = None,
    ) -> None:
        self._pa = import_pyarrow("--output-format")
        # A link stays one: the file that it points to is exchanged.
        path = os.path.realpath(path) if path is not None and os.path.islink(path) else path
        self._path = path
        self._form = form
        self._on_left = on_left
        self._sink: _Sink | None = None
        self._file: Any = None
        if path is None or not _is_regular(path):
            if path is None and sys.stdout is None:
                raise ValueError("standard output is closed; name a file with -o/--output")
            # A pipe cannot be exchanged at the end.
            if path is None:
                sys.stdout.flush()
            self._file = sys.stdout.buffer if path is None else open(path, "wb", buffering=0)  # noqa: SIM115
            self._sink = _Sink(self._file, form, is_stream=True)
            return
        self._parts = f"{path}{PARTS_ENDING}"
        self._file = open(self._parts, "ab" if append else "wb", buffering=0)  # noqa: SIM115  # closed by __exit__
        if not append:
            try:
                self.write(_PARTS_MAGIC)
            except BaseException:
                self._file.close()
                self._leave()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self._finish()
            elif self._sink is not None:
                self._sink.abandon()
        except BaseException:
            self._leave()
            raise
        else:
            if kind is not None:
                self._leave()
        finally:
            if self._file is not None and self._path is not None:
                self._file.close()

    def _leave(self) -> None:
        """Report that parts are left; without one, the file is removed."""
        if self._sink is not None:
            return
        with suppress(OSError):
            if os.stat(self._parts).st_size > len(_PARTS_MAGIC):
                if self._on_left is not None:
                    self._on_left(self._parts)
            else:
                os.unlink(self._parts)

    def write(self, data: bytes) -> None:
        """Writes what `render_rows` made, or nothing.

        Raises:
            OSError: It cannot be done; names the file.
        """
        if self._sink is not None:
            with named(self._path or STDOUT_NAME):
                for batch in _batches(data):
                    self._sink.write([batch])
            return
        size = os.fstat(self._file.fileno()).st_size
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self._file.write(rest) or 0 :]
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._file.fileno(), size)
            error.filename = self._parts
            raise

    def _finish(self) -> None:
        """Makes the output of the parts."""
        if self._sink is not None:
            with named(self._path or STDOUT_NAME):
                self._sink.close()
            return
        path = f"{self._path}{UNFINISHED_ENDING}"
        try:
            with open(path, "wb") as file:
                is_stream = os.fspath(self._path or "").lower().endswith(STREAM_ENDING)
                sink = _Sink(file, self._form, is_stream)
                waiting: list[pa.RecordBatch] = []
                rows = size = 0
                for data in parts(self._parts):
                    for batch in _batches(data):
                        waiting.append(batch)
                        rows += batch.num_rows
                        size += len(data)
                    if rows >= _GROUP_ROWS or size >= _GROUP_BYTES:
                        sink.write(waiting)
                        waiting, rows, size = [], 0, 0
                sink.write(waiting)
                sink.close()
            os.replace(path, os.fspath(self._path or ""))
        except BaseException as error:
            with suppress(OSError):
                os.unlink(path)
            if isinstance(error, OSError) and error.filename is None and error.errno is not None:
                error.filename = path
            raise
        self._file.close()
        os.unlink(self._parts)


class _Gate:
    """A file that takes nothing more once it is shut."""

    closed = False

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.is_shut = False

    def write(self, data: Any) -> int:
        """Writes all bytes, or none if it is shut."""
        rest = memoryview(data)
        size = rest.nbytes
        while rest and not self.is_shut:
            rest = rest[self._file.write(rest) or 0 :]
        return size

    def flush(self) -> None:
        """Has what was written reach its reader."""
        if not self.is_shut:
            self._file.flush()

    def close(self) -> None:
        """Leaves the file to its owner."""


class _Sink:
    """Batches -> a file."""

    def __init__(self, file: BinaryIO, form: str, is_stream: bool) -> None:
        self._pa = import_pyarrow("--output-format")
        self._file = _Gate(file)
        self._form = form
        self._is_stream = is_stream
        self._writer: Any = None

    def write(self, batches: list[pa.RecordBatch]) -> None:
        """Writes batches, together as one row group."""
        if not batches:
            return
        table = self._pa.Table.from_batches(batches)
        if self._writer is None:
            self._writer = self._open(table.schema)
        if self._form == "parquet":
            self._writer.write_table(table, row_group_size=max(len(table), 1))
        else:
            self._writer.write_table(table)
        if self._is_stream:
            self._file.flush()

    def _open(self, schema: pa.Schema) -> Any:
        if self._form == "parquet":
            import pyarrow.parquet

            return pyarrow.parquet.ParquetWriter(self._pa.PythonFile(self._file, mode="w"), schema)
        open_ = self._pa.ipc.new_stream if self._is_stream else self._pa.ipc.new_file
        return open_(self._pa.PythonFile(self._file, mode="w"), schema)

    def abandon(self) -> None:
        """Leaves the file without an end, so that nobody takes it for a whole one."""
        # pyarrow writes the end of Parquet also when a writer that was not closed is deleted.
        self._file.is_shut = True

    def close(self) -> None:
        """Writes the end."""
        if self._writer is not None:
            self._writer.close()
        self._file.flush()


def _batches(data: bytes) -> Iterator[pa.RecordBatch]:
    """The batches of what `render_rows` made."""
    if data:
        pa = import_pyarrow("--output-format")
        yield from pa.ipc.open_stream(pa.py_buffer(data)[_SIZE_BYTES:])


def parts(path: str, found: list[int] | None = None) -> Iterator[bytes]:
    """The whole parts of a file of them, each with its size in front.

    Args:
        path: The file.
        found: Gets the number of bytes after which nothing is whole, at each part.

    Raises:
        ValueError: It is another file.
    """
    with open(path, "rb") as file:

        def read(size: int) -> bytes:
            with named(path):
                return file.read(size)

        if read(len(_PARTS_MAGIC)) != _PARTS_MAGIC:
            raise ValueError(f"{path}: expected what an interrupted run has left, found another file")
        if found is not None:
            found[:] = [file.tell()]
        while len(head := read(_SIZE_BYTES)) == _SIZE_BYTES:
            size = int.from_bytes(head, "little")
            data = read(min(size, os.fstat(file.fileno()).st_size))
            if len(data) < size:
                return
            if found is not None:
                found[:] = [file.tell()]
            yield head + data


def has_parts(path: str) -> bool:
    """Return whether a run has begun to collect parts for this output; not if it was stopped in the first bytes."""
    try:
        name = f"{path}{PARTS_ENDING}"
        with open(name, "rb") as file, named(name):
            start = file.read(len(_PARTS_MAGIC))
    except FileNotFoundError:
        return False
    return start == _PARTS_MAGIC or not _PARTS_MAGIC.startswith(start)


def skip_parts(
    path: str,
    jobs: Iterator[Job],
    prepare: Callable[[Job], Prepared],
    finish: Callable[[Prepared], tuple[bytes, Figures]],
) -> int:
    """Pass over the blocks that a file of parts holds already, and cut the bytes after its last whole part.

    The first and the last part are scored again, to see that they are those of this input and these options.

    Args:
        path: The output.
        jobs: All blocks; those that are left over are still to be written.
        prepare: Reads the candidates of a block.
        finish: Scores them and makes a part of them.

    Returns:
        How many sources the parts have.

    Raises:
        ValueError: The parts are of something else.
    """
    name = f"{path}{PARTS_ENDING}"
    whole: list[int] = []
    sources = 0
    latest: tuple[Prepared, bytes] | None = None
    for data in parts(name, whole):
        job = next(jobs, None)
        if job is None:
            raise ValueError(_foreign(name))
        prepared = prepare(job)
        if latest is None and finish(prepared)[0] != data:
            raise ValueError(_foreign(name))
        sources += len(prepared.candidates)
        latest = prepared, data
    if latest is not None and finish(latest[0])[0] != latest[1]:
        raise ValueError(_foreign(name))
    os.truncate(name, whole[0])
    return sources


def _foreign(name: str) -> str:
    return f"{name}: --resume: the file is not of this input with these options"


def _is_regular(path: str) -> bool:
    try:
        return S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True
