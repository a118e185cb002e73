r"""Files and standard input: opened, decompressed, decoded, and made into columns of lines.

Nothing else in this package opens input. A file is read as bytes, and columns point into them: no list of lines is ever
built. Large plain files are not even read: they are mapped into memory, and columns point into the file itself. Whoever
changes such a file while it is scored causes an error, since no program may read beyond the end of a mapped file. What
a line is follows sacreBLEU 2.6.0's command line: in a file only ``\n`` ends one, in standard input ``\r``
and ``\r\n`` do too. White space at the end of a segment, which no tokenizer sees, is left out.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager

from ._column import Memory
from ._lines import (
    FieldCountError,
    column_of_lines,
    columns_of_fields,
    find_invalid_utf8,
    split_lines,
    start_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, BinaryIO, Protocol

    from typing_extensions import Self

    from ._text import TextColumn

    class Readable(Protocol):
        """A source of lines."""

        name: str

        def read(self, size: int, /) -> bytes:
            """The next `size` bytes, fewer only at the end."""


STDIN_NAME = "standard input"

#: And what messages call standard output.
STDOUT_NAME = "standard output"

#: What the names of compressed files end in.
COMPRESSED = (".gz", ".zst")

# How compressed files begin: RFC 1952, section 2.3.1; RFC 8878, sections 3.1.1 and 3.1.2. A frame to be skipped, which
# some programs write first, has any byte from 0x50 to 0x5f in front of these.
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPED = b"\x2a\x4d\x18"

# How Parquet and Arrow IPC files begin: the Parquet format, "File Format"; the Arrow columnar format, "IPC File Format"
# and "Encapsulated message format". No text in UTF-8 begins as a stream does.
_TABLE_MAGICS = {
    b"PAR1": "Parquet file",
    b"ARROW1\0\0": "Arrow IPC file",
    b"\xff\xff\xff\xff": "Arrow IPC stream",
}

#: Bytes that tell what kind of table a file is.
TABLE_HEAD_BYTES = max(map(len, _TABLE_MAGICS))

#: Bytes of text at hand where a file is read part by part. Tests make it smaller.
BLOCK_BYTES = 1 << 20

#: Bytes of a plain file from which on it is mapped into memory. A smaller one is read at once, which takes no longer,
#: and then nobody can change it while it is scored.
MAPPED_BYTES = 1 << 24

#: What text in UTF-8 must not begin with, and what is wrong then.
_MARKS = {
    b"\xef\xbb\xbf": "UTF-8 without a byte order mark, found one",
    b"\xff\xfe": "UTF-8, found UTF-16",
    b"\xfe\xff": "UTF-8, found UTF-16",
}

#: Bytes read at a time where all of a compressed file is wanted.
_PIECE_BYTES = 1 << 20


class Input:
    """A file, or standard input, as decompressed bytes.

    Input that begins as gzip or zstd files do is decompressed: no text in UTF-8 begins so. Text in another encoding
    may, and then the end of the name decides. A file named `.gz` must be one of gzip, as for sacreBLEU.

    Args:
        path: The file; None for standard input.
        is_utf8: Whether the text is UTF-8.

    Attributes:
        name: What to call it in a message.
        size: Bytes of the file on the disk; None if that is not known.
        is_compressed: Whether it is decompressed while it is read.
        advance: Called with the number of these bytes that have been read each time, if set.

    Raises:
        OSError: The file cannot be opened.
        ValueError: Standard input is closed.
        ImportError: It is compressed by zstd, and the package for that is missing.

    Example:
        >>> import gzip, tempfile
        >>> with tempfile.NamedTemporaryFile(delete=False) as file:
        ...     _ = file.write(gzip.compress(b"the cat"))
        >>> with Input(file.name) as found:
        ...     found.read(3), found.read(100), found.read(100)
        (b'the', b' cat', b'')
        >>> os.unlink(file.name)
    """

    def __init__(self, path: str | os.PathLike[str] | None, is_utf8: bool = True) -> None:
        self.advance: Callable[[int], object] | None = None
        self._owned = path is not None
        if path is not None:
            self.name = os.fsdecode(path)
            # Not buffered: it is read in large pieces.
            self._file: BinaryIO = open(path, "rb", buffering=0)  # noqa: SIM115  # closed by __exit__
        else:
            self.name = STDIN_NAME
            stream = getattr(sys.stdin, "buffer", None)
            if stream is None:
                raise ValueError(f"{STDIN_NAME} is closed; name a file")
            self._file = stream
        try:
            self.size = self._size()
            #: Bytes that were read to know how the file is compressed, and are to be read again.
            self._head = read_full(self._read_file, len(_ZSTD_MAGIC))
            self._stream, self._form, self._errors = self._decompression(is_utf8)
            self.is_compressed = self._stream is not None
            if self._owned and self.size is not None:
                # So that a large file need not be copied after its first bytes.
                self._file.seek(0)
                self._head = b""
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._owned:
            self._file.close()

    def _size(self) -> int | None:
        from io import UnsupportedOperation
        from stat import S_ISREG

        try:
            status = os.fstat(self._file.fileno())
        except (OSError, UnsupportedOperation, AttributeError):
            return None
        return status.st_size if S_ISREG(status.st_mode) else None

    def _decompression(self, is_utf8: bool) -> tuple[Any, str, tuple[type[Exception], ...]]:
        """A stream of decompressed bytes, or None; what form it reads; what it raises where that is broken."""
        if self.name.endswith(".gz") or (is_utf8 and self._head.startswith(_GZIP_MAGIC)):
            import gzip
            import zlib

            stream = gzip.GzipFile(fileobj=_Raw(self), mode="rb")  # type: ignore[call-overload]  # it only reads
            return stream, "gzip", (gzip.BadGzipFile, EOFError, zlib.error)
        named = self.name.endswith(".zst")
        if (self._head == _ZSTD_MAGIC and (is_utf8 or named)) or (self._head[1:] == _ZSTD_SKIPPED and named):
            zstd = _import_zstd(self.name)
            return zstd.ZstdFile(_Raw(self)), "zstd", (zstd.ZstdError, EOFError)
        return None, "", ()

    def _read_file(self, size: int) -> bytes:
        with named(self.name):
            return self._file.read(size)

    def read_raw(self, size: int) -> bytes:
        """At most `size` bytes as they lie in the file, or all if it is negative; none at the end."""
        after = len(self._head) if size < 0 else size
        data, self._head = self._head[:after], self._head[after:]
        if not data or size < 0:
            data += self._read_file(size)
        if self.advance is not None:
            self.advance(len(data))
        return data

    def read(self, size: int) -> bytes:
        """The next `size` decompressed bytes, fewer only at the end.

        Raises:
            OSError: The file cannot be read.
            ValueError: It is not compressed as its name says, or it is broken or cut short.
        """
        return read_full(self._read_part, size)

    def read_all(self) -> bytes:
        """All decompressed bytes that are left; raises what `read` does."""
        if self._stream is None:
            return self.read_raw(-1)
        return b"".join(iter(lambda: self._read_part(_PIECE_BYTES), b""))

    def hold_all(self) -> bytes | Memory:
        """All decompressed bytes; those of a large plain file are mapped into memory. Raises what `read` does."""
        if self._stream is None and self._owned and self.size is not None and self.size >= MAPPED_BYTES:
            import mmap

            try:
                mapped = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
            except (OSError, ValueError):
                pass  # this file system cannot, or the file is empty now
            else:
                if self.advance is not None:
                    self.advance(len(mapped))
                return Memory(mapped, self.name, _Watch(self._file.fileno()).is_unchanged)
        return self.read_all()

    def _read_part(self, size: int) -> bytes:
        if self._stream is None:
            return self.read_raw(size)
        try:
            data: bytes = self._stream.read(size)
        except self._errors as error:
            raise ValueError(f"{self.name}: not a valid {self._form} file: {error}") from error
        return data


class _Watch:
    """Tells whether an open file is still as it was."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = os.dup(descriptor)
        self._status = self._look()

    def _look(self) -> tuple[int, int]:
        status = os.fstat(self._descriptor)
        return status.st_size, status.st_mtime_ns

    def is_unchanged(self) -> bool:
        return self._look() == self._status

    def __del__(self) -> None:
        os.close(self._descriptor)


@contextmanager
def named(name: str) -> Iterator[None]:
    """Has errors of the system name a file: those of reading and writing do not.

    Example:
        >>> with named("report"):
        ...     raise OSError(28, "No space left on device")
        Traceback (most recent call last):
        OSError: [Errno 28] No space left on device: 'report'
    """
    try:
        yield
    except OSError as error:
        # Where there is a message alone, a name would hide it.
        if error.filename is None and error.errno is not None:
            error.filename = name
        raise


class _Raw:
    """A source of bytes for streams that decompress."""

    def __init__(self, source: Input) -> None:
        self._read = source.read_raw

    def read(self, size: int) -> bytes:
        """The next `size` bytes, fewer only at the end: gzip takes the rest of a header for missing."""
        return self._read(size) if size < 0 else read_full(self._read, size)


def read_full(read: Callable[[int], bytes], size: int) -> bytes:
    """The next `size` bytes of a file whose reads may return fewer; fewer only at the end."""
    parts = []
    while size > 0 and (part := read(size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _import_zstd(name: str) -> Any:
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError:
        raise ImportError(
            f'{name}: reading zstd needs the package backports.zstd: pip install "fastbleu-metric[cli]"'
        ) from None
    return zstd


class LineReader:
    r"""Lines of a file, at hand about `BLOCK_BYTES` at a time, so that other files can be read in step.

    Args:
        source: The file.
        may_have_mark: Whether it may begin with a byte order mark, which is text then.

    Attributes:
        name: What to call it in a message.
        taken: How many lines have been taken.
        taken_bytes: And how many bytes.
        at_end: Whether no line follows those at hand.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile(delete=False) as file:
        ...     _ = file.write(b"one\ntwo\nthree")
        >>> with Input(file.name) as source:
        ...     lines = LineReader(source)
        ...     lines.ready(), list(lines.take(2)), list(lines.take(3)), lines.ready(), lines.taken
        (3, ['one', 'two'], ['three'], None, 3)
        >>> os.unlink(file.name)
    """

    def __init__(self, source: Readable, may_have_mark: bool = False) -> None:
        self.name = source.name
        self.taken = 0
        self.taken_bytes = 0
        self._may_have_mark = may_have_mark
        self._source = source
        self._data = b""
        self._lines, self._used = split_lines(b"", True)
        self._next = 0  # of these lines
        self.at_end = False

    def ready(self) -> int | None:
        """The number of the line after those at hand, from 0, after reading some if there are few; None at the end."""
        while not self.at_end and (
            self._next == len(self._lines) or len(self._data) - self._start_of(self._next) < BLOCK_BYTES
        ):
            self._read()
        left = len(self._lines) - self._next
        return self.taken + left if left else None

    def take(self, stop: int) -> TextColumn:
        """The lines before the number `stop`, which is at most what `ready` returned.

        Raises:
            ValueError: One is not valid UTF-8; says which.
        """
        first = self.taken
        data = self.cut(stop)
        offset = find_invalid_utf8(data)
        if offset >= 0:
            line = first + data.count(b"\n", 0, offset) + 1
            raise ValueError(
                f"{self.name}: line {line}: expected UTF-8, found byte 0x{data[offset]:02x} where it is not valid"
            )
        return column_of_lines(data)

    def cut(self, stop: int) -> bytes:
        """The bytes of the lines before the number `stop`, which is at most what `ready` returned; not checked."""
        after = self._next + stop - self.taken
        data = self._data[self._start_of(self._next) : self._start_of(after)]
        self._next, self.taken = after, stop
        self.taken_bytes += len(data)
        return data

    def first_line(self) -> bytes:
        """The line that is taken next, with its end; empty if there is none."""
        if self.ready() is None:
            return b""
        return self._data[self._start_of(self._next) : self._start_of(self._next + 1)]

    def _start_of(self, i: int) -> int:
        return start_of(self._lines, i) if i < len(self._lines) else self._used

    def _read(self) -> None:
        # Twice as much if one line is longer than what is there.
        rest = self._data[self._start_of(self._next) :]
        more = self._source.read(max(BLOCK_BYTES, len(rest)))
        if not self.taken and not rest and not self._may_have_mark:
            refuse_mark(more, self.name)
        self.at_end = len(more) < max(BLOCK_BYTES, len(rest))
        self._data, self._next = rest + more, 0
        self._lines, self._used = split_lines(self._data, self.at_end)


def table_form(head: bytes) -> str | None:
    """Tell a table by its first bytes: "Parquet file", "Arrow IPC file" or "Arrow IPC stream".

    Returns:
        None if it is not a table.

    Example:
        >>> table_form(b"PAR1..."), table_form(b"a cat")
        ('Parquet file', None)
    """
    return next((form for magic, form in _TABLE_MAGICS.items() if head.startswith(magic)), None)


def is_table(path: str) -> bool:
    """Return whether a file, which is not a pipe, is a Parquet or Arrow IPC file; False if it cannot be read."""
    try:
        if not os.path.isfile(path):
            return False
        with open(path, "rb", buffering=0) as file:
            return table_form(read_full(file.read, TABLE_HEAD_BYTES)) is not None
    except (OSError, ValueError):
        return False


def refuse_mark(data: bytes, name: str) -> None:
    """Refuse text that was written on other systems: it begins with the mark of another encoding.

    Raises:
        ValueError: There is a mark.
    """
    for mark, problem in _MARKS.items():
        if data.startswith(mark):
            raise ValueError(f"{name}: line 1: expected {problem}")


def read_lines(path: str | os.PathLike[str], encoding: str = "utf-8") -> TextColumn:
    r"""Read a text file as a column of one segment per line.

    Args:
        path: The file; decompressed if it is compressed.
        encoding: The encoding of the text, any that Python knows.

    Returns:
        One segment per line. As in a text file opened with ``newline="\n"``, nothing but ``\n`` ends a
        line, and a newline at the very end starts no further segment.

    Raises:
        OSError: The file cannot be opened or read.
        ValueError: The file is not valid in this encoding (the message says where), or it is not
            compressed as its name says.
        LookupError: There is no such text encoding.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile(delete=False) as file:
        ...     _ = file.write("the cat\na café\n".encode())
        >>> column = read_lines(file.name)
        >>> len(column), column[1]
        (2, 'a café')
        >>> os.unlink(file.name)
    """
    if not _is_utf8(encoding):
        return column_of_lines(_read_utf8(path, encoding)[0])
    return column_of_lines(_hold_utf8(path)[0])


def read_text(path: str | os.PathLike[str]) -> str:
    r"""Read a text file in UTF-8 as one str, with its line ends as they are.

    Args:
        path: The file; decompressed if it is compressed.

    Raises:
        OSError: The file cannot be opened or read.
        ValueError: It is not valid UTF-8 (the message says where).

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile(delete=False) as file:
        ...     _ = file.write(b"the cat\r\nsat")
        >>> read_text(file.name)
        'the cat\r\nsat'
        >>> os.unlink(file.name)
    """
    return _read_utf8(path, "utf-8")[0].decode("utf-8")


def read_fields(path: str | os.PathLike[str], n_fields: int, encoding: str = "utf-8") -> list[TextColumn]:
    r"""Read a file of tab-separated segments, one column for each field.

    White space at the end of a line is dropped before it is split, and the last field keeps any further tab,
    as sacreBLEU does with ``--num-refs``.

    Args:
        path: The file; decompressed if it is compressed.
        n_fields: The number of fields that every line must have, at least 1.
        encoding: The encoding of the text, any that Python knows.

    Returns:
        ``n_fields`` columns of one segment per line.

    Raises:
        OSError: The file cannot be opened or read.
        FieldCountError: A line has another number of fields; a ValueError.
        ValueError: As for `read_lines`, or ``n_fields`` is below 1.
        LookupError: There is no such text encoding.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile(delete=False) as file:
        ...     _ = file.write(b"the cat\ta cat\nthe dog\ta dog\n")
        >>> [list(column) for column in read_fields(file.name, 2)]
        [['the cat', 'the dog'], ['a cat', 'a dog']]
        >>> os.unlink(file.name)
    """
    if n_fields < 1:
        raise ValueError(f"n_fields must be at least 1, not {n_fields}")
    data, name = _hold_utf8(path) if _is_utf8(encoding) else _read_utf8(path, encoding)
    return split_fields(data, n_fields, name, limit=True)


def look_at_stdin() -> bytes:
    """Some of the first bytes of standard input, which are to be read again; none where that cannot be done.

    Raises:
        OSError: Standard input cannot be read.
    """
    peek = getattr(getattr(sys.stdin, "buffer", None), "peek", None)
    if peek is None:
        return b""
    with named(STDIN_NAME):
        return bytes(peek(TABLE_HEAD_BYTES))


def read_stdin_systems(encoding: str = "utf-8") -> list[TextColumn]:
    r"""Read hypotheses from standard input, those of several systems separated by tabs.

    The first line says how many systems there are. Line ends are universal here: sacreBLEU reads standard
    input through `io.TextIOWrapper`, so that ``\r\n`` and a lone ``\r`` end a line as well.

    Args:
        encoding: The encoding of the text, any that Python knows.

    Returns:
        One column for each system; a single column without segments if there is no line.

    Raises:
        FieldCountError: A line has another number of fields than the first; a ValueError.
        ValueError: Standard input is closed, or the text is not valid in this encoding.
        LookupError: There is no such text encoding.
    """
    data, name = _read_utf8(None, encoding)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    first_line = data[: data.find(b"\n") + 1 or len(data)]
    return split_fields(data, count_systems(first_line), name, limit=False)


class UniversalLines:
    r"""Input whose lines end in ``\n`` alone, as `io.TextIOWrapper` reads them.

    Args:
        source: The file.

    Attributes:
        name: What to call it in a message.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile(delete=False) as file:
        ...     _ = file.write(b"one\r\ntwo\rthree")
        >>> with Input(file.name) as source:
        ...     UniversalLines(source).read(100)
        b'one\ntwo\nthree'
        >>> os.unlink(file.name)
    """

    def __init__(self, source: Input) -> None:
        self.name = source.name
        self._source = source
        self._data = b""
        self._held = b""  # a carriage return after which a newline may follow
        self._at_end = False

    def read(self, size: int) -> bytes:
        """The next `size` bytes, fewer only at the end; raises what `Input.read` does."""
        while len(self._data) < size and not self._at_end:
            missing = size - len(self._data)
            more = self._source.read(missing)
            self._at_end = len(more) < missing
            more = self._held + more
            self._held = b""
            if b"\r" in more:
                if more.endswith(b"\r") and not self._at_end:
                    more, self._held = more[:-1], b"\r"
                more = more.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            self._data += more
        data, self._data = self._data[:size], self._data[size:]
        return data


def count_systems(first_line: bytes) -> int:
    """Count the systems in standard input: one more than there are tabs before the white space at the end."""
    return first_line.decode("utf-8", "surrogatepass").rstrip().count("\t") + 1


def _read_utf8(path: str | os.PathLike[str] | None, encoding: str) -> tuple[bytes, str]:
    """The whole file as UTF-8, and its name; text that is not valid in its encoding is refused."""
    with Input(path, _is_utf8(encoding)) as source:
        return _to_utf8(source.read_all(), encoding, source.name), source.name


def _hold_utf8(path: str | os.PathLike[str]) -> tuple[bytes | Memory, str]:
    """The whole file, which is mapped into memory if it is large, and its name; text that is not UTF-8 is refused."""
    with Input(path) as source:
        data = source.hold_all()
        check_utf8(data, source.name)
        return data, source.name


def _to_utf8(data: bytes, encoding: str, name: str) -> bytes:
    if not _is_utf8(encoding):
        try:
            # Not every encoding refuses a lone surrogate; a column holds one as three bytes.
            return data.decode(encoding).encode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            line = data[: error.start].decode(encoding, "replace").count("\n") + 1
            # An incremental decoder may notice the trouble only at the end of the data.
            value = f"byte 0x{data[error.start]:02x}" if error.start < len(data) else "the end of the data"
            raise ValueError(_undecodable(name, line, error.start, value, encoding)) from None
    check_utf8(data, name)
    return data


def check_utf8(data: bytes | Memory, name: str, first_line: int = 0, first_byte: int = 0) -> None:
    r"""Check text of a file.

    Args:
        data: The text.
        name: What to call the file in a message.
        first_line: How many lines of the file are before it.
        first_byte: How many bytes.

    Raises:
        ValueError: It is not valid UTF-8; says where.

    Example:
        >>> check_utf8(b"caf\xe9", "file", first_line=9, first_byte=100)
        Traceback (most recent call last):
        ValueError: file: line 10, byte offset 103: byte 0xe9 is not valid utf-8
    """
    offset = find_invalid_utf8(data)
    if offset >= 0:
        view = memoryview(data)
        pieces = range(0, offset, _PIECE_BYTES)
        newlines = sum(bytes(view[at : min(at + _PIECE_BYTES, offset)]).count(b"\n") for at in pieces)
        line = first_line + newlines + 1
        raise ValueError(_undecodable(name, line, first_byte + offset, f"byte 0x{view[offset]:02x}", "utf-8"))


def _is_utf8(encoding: str) -> bool:
    if encoding == "utf-8":
        return True
    import codecs

    return codecs.lookup(encoding).name == "utf-8"


def _undecodable(name: str, line: int, offset: int, value: str, encoding: str) -> str:
    return f"{name}: line {line}, byte offset {offset}: {value} is not valid {encoding}"


def split_fields(
    data: bytes | Memory, n_fields: int, name: str, limit: bool, first_line: int = 0
) -> list[TextColumn]:
    r"""Split lines in UTF-8 at tabs, one column for each field.

    Args:
        data: The lines.
        n_fields: The number of fields that every line must have, at least 1.
        name: What to call the file in a message.
        limit: Whether the last field keeps any further tab.
        first_line: How many lines of the file are before these.

    Raises:
        FieldCountError: A line has another number of fields; a ValueError.

    Example:
        >>> [list(column) for column in split_fields(b"the cat\ta cat\nthe dog\ta dog\n", 2, "file", limit=True)]
        [['the cat', 'the dog'], ['a cat', 'a dog']]
    """
    try:
        return columns_of_fields(data, n_fields, limit=limit)
    except FieldCountError as error:
        fields = "field" if error.expected == 1 else "fields"
        line = first_line + error.line
        error.args = (
            f"{name}: line {line}: expected {error.expected} tab-separated {fields}, found {error.found}",
        )
        raise
