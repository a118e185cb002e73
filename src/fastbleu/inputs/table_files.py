"""Parquet and Arrow IPC files, read by pyarrow one bounded batch of rows after the other.

pyarrow is imported when the first of these files is opened, and not before.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager

from . import files
from .pyarrow_columns import import_pyarrow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    import pyarrow as pa
    from typing_extensions import Self

PARQUET = "Parquet file"
IPC_FILE = "Arrow IPC file"
IPC_STREAM = "Arrow IPC stream"

#: How a stream ends: a message without length.
_END_OF_STREAM = b"\xff\xff\xff\xff\x00\x00\x00\x00"

#: Rows of a batch, and bytes of its columns, at most; one row may be larger. Tests make them smaller.
BATCH_ROWS = 8192
BATCH_BYTES = 8 << 20

#: Bytes of a column chunk that are read at a time; without a limit all of the chunk would be held.
_BUFFER_BYTES = 1 << 18

#: Bytes of a batch of an IPC file, on average, from which on the file is mapped into memory instead of read.
_MOST_READ = 64 << 20

#: Names of columns that a message lists.
_NAMES_SHOWN = 20


class TableFile:
    """A Parquet file, an Arrow IPC file or an Arrow IPC stream; streams also from pipes and compressed.

    Args:
        path: The file; None for standard input.
        source: The open file, if it has been opened to look at its first bytes.

    Attributes:
        name: What to call it in a message.
        form: `PARQUET`, `IPC_FILE` or `IPC_STREAM`.
        schema: The types of its columns.
        size: Bytes of the file on the disk; None if that is not known.
        advance: Called with the number of these bytes that have been read each time, if set.

    Raises:
        OSError: The file cannot be opened.
        ValueError: It is none of these, or broken, or a pipe in which a Parquet file comes.
        ImportError: pyarrow is not installed.

    Example:
        >>> import tempfile, pyarrow as pa, pyarrow.parquet as pq
        >>> with tempfile.NamedTemporaryFile(delete=False) as file:
        ...     pq.write_table(pa.table({"mt": ["a cat", "a dog"], "n": [1, 2]}), file)
        >>> with TableFile(file.name) as found:
        ...     found.form, [(start, batch.num_rows) for start, batch in found.batches(["mt"])]
        ('Parquet file', [(0, 2)])
        >>> os.unlink(file.name)
    """

    def __init__(self, path: str | os.PathLike[str] | None, source: files.Input | None = None) -> None:
        self._owns_source = source is None
        self._source = files.Input(path) if source is None else source
        self._file: Any = None
        self.name = self._source.name
        self.size = self._source.size
        self.advance: Callable[[int], object] | None = None
        try:
            self.form = _known_form(self.name, self._look())
            self._pa = import_pyarrow(f"{self.name}: the {self.form}")
            with self._told():
                self._open(path)
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()
        if self._owns_source:
            self._source.__exit__()

    def _look(self) -> bytes:
        head = self._source.read(files.TABLE_HEAD_BYTES)
        self._source.unread(head)
        return head

    def _open(self, path: str | os.PathLike[str] | None) -> None:
        if self.form == IPC_STREAM:
            self._file = _Stream(self._source)
            self._reader = self._pa.ipc.open_stream(self._pa.PythonFile(self._file, mode="r"))
            self.schema: pa.Schema = self._reader.schema
            return
        if self.size is None or self._source.is_compressed:
            how = "compressed as a whole" if self._source.is_compressed else "in a pipe"
            article = "an" if self.form == IPC_FILE else "a"
            raise ValueError(
                f"{self.name}: {article} {self.form} is read from its end, so it cannot be {how}; "
                "an Arrow IPC stream can"
            )
        if path is None:
            sys.stdin.buffer.seek(0)
            self._file = self._pa.PythonFile(sys.stdin.buffer, mode="r")
        else:
            self._file = self._pa.OSFile(os.fspath(path))
        if self.form == IPC_FILE:
            self._reader = self._pa.ipc.open_file(self._file)
            self.schema = self._reader.schema
            if path is not None and self.size > _MOST_READ * max(self._reader.num_record_batches, 1):
                # Large batches are not read as a whole: columns that are not compressed stay where they lie.
                self._file = self._pa.memory_map(os.fspath(path))
                self._reader = self._pa.ipc.open_file(self._file)
            return
        import pyarrow.parquet

        self._reader = pyarrow.parquet.ParquetFile(self._file, pre_buffer=False, buffer_size=_BUFFER_BYTES)
        self.schema = self._reader.schema_arrow

    def check_column(
        self, name: str, expected: str = "", accepts: Callable[[pa.DataType], bool] | None = None
    ) -> pa.DataType:
        """The type of a column.

        Args:
            name: Its name.
            expected: What it must be a column of, for the message.
            accepts: Whether a type is one of these; None: any is.

        Raises:
            ValueError: There is none of this name (lists those that are there), or several, or it is of another type.
        """
        found = self.schema.get_all_field_indices(name)
        if len(found) == 1:
            kind = self.schema.field(found[0]).type
            if accepts is not None and not accepts(kind):
                raise ValueError(f"{self.name}: expected a column of {expected}, but {name!r} is {kind}")
            return kind
        if found:
            raise ValueError(f"{self.name}: there are {len(found)} columns {name!r}; names must differ")
        names = [repr(each) for each in self.schema.names]
        more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
        there = f"its columns are {', '.join(names[:_NAMES_SHOWN])}{more}" if names else "it has no columns"
        raise ValueError(f"{self.name}: there is no column {name!r}; {there}")

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[tuple[int, pa.RecordBatch]]:
        """The rows in bounded batches, each with the number of its first row, from 0.

        Args:
            columns: Names of the columns that are wanted, all in the schema; None: all of them.

        Raises:
            ValueError: The file is broken or ends midway.
        """
        start = 0
        found = self._parquet(columns) if self.form == PARQUET else self._ipc(columns)
        while True:
            with self._told(start):
                batch = next(found, None)
            if batch is None:
                return
            if columns is not None:
                batch = batch.select(columns)
            for offset in range(0, batch.num_rows, BATCH_ROWS):
                part = batch.slice(offset, BATCH_ROWS)
                yield start, part
                start += part.num_rows

    def _parquet(self, columns: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
        metadata = self._reader.metadata
        rows = max(metadata.num_rows, 1)
        wanted = None if columns is None else set(columns)
        size = 0
        for i in range(metadata.num_row_groups):
            group = metadata.row_group(i)
            chunks = (group.column(k) for k in range(group.num_columns))
            size += sum(
                chunk.total_uncompressed_size
                for chunk in chunks
                if wanted is None or chunk.path_in_schema.partition(".")[0] in wanted
            )
        most = max(1, min(BATCH_ROWS, BATCH_BYTES * rows // max(size, 1)))
        names = None if columns is None else list(columns)
        shown = 0.0
        for batch in self._reader.iter_batches(most, columns=names, use_threads=False):
            yield batch
            if self.advance is not None and self.size is not None:
                # Which bytes belong to these rows is not known.
                share = batch.num_rows / rows * self.size
                self.advance(int(shown + share) - int(shown))
                shown += share

    def _ipc(self, columns: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
        if self.form == IPC_STREAM:
            yield from self._streams()
            return
        if columns is not None:
            # The bytes of other columns are not read.
            places = sorted({self.schema.get_field_index(name) for name in columns})
            options = self._pa.ipc.IpcReadOptions(included_fields=places)
            self._reader = self._pa.ipc.open_file(self._file, options=options)
        number = self._reader.num_record_batches
        for i in range(number):
            yield self._reader.get_batch(i)
            if self.advance is not None and self.size is not None:
                self.advance(self.size * (i + 1) // number - self.size * i // number)

    def _streams(self) -> Iterator[pa.RecordBatch]:
        """The batches of a stream, and of those that follow it where several were joined."""
        self._source.advance = self.advance
        rows = 0
        while True:
            for batch in self._reader:
                rows += batch.num_rows
                yield batch
            if self._file.latest != _END_OF_STREAM:
                raise ValueError("the stream does not end with the mark of its end, so it may be cut short")
            head = self._look()
            if not head:
                return
            if files.table_form(head) != IPC_STREAM:
                raise ValueError("unexpected bytes after the end-of-stream marker")
            self._reader = self._pa.ipc.open_stream(self._pa.PythonFile(self._file, mode="r"))
            if not self._reader.schema.equals(self.schema):
                raise ValueError(
                    f"{self.name}: the Arrow IPC stream that begins after row {rows:,} has other columns or types "
                    "than the first one"
                )

    @contextmanager
    def _told(self, row: int = 0) -> Iterator[None]:
        """Names the file in the errors of pyarrow, and the rows that were read before."""
        try:
            yield
        except (self._pa.ArrowException, OSError, ValueError) as error:
            if isinstance(error, OSError) and error.errno is not None and error.filename is None:
                raise OSError(error.errno, os.strerror(error.errno), self.name) from error
            if (isinstance(error, OSError) and error.strerror) or str(error).startswith(self.name):
                raise
            where = f"after row {row:,}: " if row else ""
            lines = str(error).strip().splitlines() or [type(error).__name__]
            raise ValueError(f"{self.name}: {where}broken {self.form}: {lines[0]}") from error


def _known_form(name: str, head: bytes) -> str:
    """The kind of this table.

    Raises:
        ValueError: It is none.
    """
    form = files.table_form(head)
    if form is None:
        found = "something else" if head else "nothing"
        if head.startswith(b"PARE"):
            found = "an encrypted Parquet file"
        raise ValueError(f"{name}: expected a Parquet file, or an Arrow IPC file or stream, found {found}")
    return form


class _Stream:
    """A file as pyarrow reads streams from it; remembers the latest bytes."""

    closed = False

    def __init__(self, source: files.Input) -> None:
        self._source = source
        self.latest = b""

    def read(self, size: int) -> bytes:
        """The next bytes, fewer only at the end."""
        data = self._source.read(size)
        self.latest = (self.latest + data[-len(_END_OF_STREAM) :])[-len(_END_OF_STREAM) :]
        return data

    def close(self) -> None:
        """Leaves the file to its owner."""
