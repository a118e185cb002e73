"""Files and standard input: opened, looked at, and decompressed.

Nothing else in this package opens input. A file is read as bytes.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from types import SimpleNamespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, BinaryIO, Protocol

    from typing_extensions import Self

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

#: Bytes at the start of a file that are looked at to recognise its format.
_START_BYTES = 64

#: Bytes of text at hand where a file is read part by part. Tests make it smaller.
BLOCK_BYTES = 1 << 20

#: Bytes read at a time where all of a compressed file is wanted.
PIECE_BYTES = 1 << 20


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
        start: The first bytes, decompressed, up to 64 of them; they are still to be read.
        advance: Called with the number of the bytes on the disk that have been read each time, if set.

    Raises:
        OSError: The file cannot be opened.
        ValueError: Standard input is closed, or the file is not compressed as its name says, or is broken.
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
        self._not_counted = 0
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
            self._head = read_full(self._read_file, _START_BYTES)
            self._stream, self._form, self._errors = self._decompression(is_utf8)
            self.start = self._peek()
            if self._stream is None and self._owned and self.size is not None:
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
        # gzip takes the rest of a header for missing where a read returns fewer bytes than it asks for.
        raw = SimpleNamespace(read=lambda size: read_full(self._read_raw, size))
        if self.name.endswith(".gz") or (is_utf8 and self._head.startswith(_GZIP_MAGIC)):
            import gzip
            import zlib

            stream = gzip.GzipFile(fileobj=raw, mode="rb")
            return stream, "gzip", (gzip.BadGzipFile, EOFError, zlib.error)
        named = self.name.endswith(".zst")
        if (self._head.startswith(_ZSTD_MAGIC) and (is_utf8 or named)) or (
            self._head[1:4] == _ZSTD_SKIPPED and named
        ):
            zstd = _import_zstd(self.name)
            return zstd.ZstdFile(raw), "zstd", (zstd.ZstdError, EOFError)
        return None, "", ()

    def _read_file(self, size: int) -> bytes:
        with named(self.name):
            return self._file.read(size)

    def _read_raw(self, size: int) -> bytes:
        """At most `size` bytes as they lie in the file, or all if it is negative; none at the end."""
        after = len(self._head) if size < 0 else size
        data, self._head = self._head[:after], self._head[after:]
        if not data or size < 0:
            data += self._read_file(size)
        self._not_counted += len(data)
        if self.advance is not None:
            self.advance(self._not_counted)
            self._not_counted = 0
        return data

    def _peek(self) -> bytes:
        """Return the first bytes, decompressed, and leave them to be read."""
        if self._stream is None:
            return self._head
        with self._broken():
            return bytes(self._stream.peek(_START_BYTES)[:_START_BYTES])

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
            return self._read_raw(-1)
        return b"".join(iter(lambda: self._read_part(PIECE_BYTES), b""))

    def _read_part(self, size: int) -> bytes:
        if self._stream is None:
            return self._read_raw(size)
        with self._broken():
            part: bytes = self._stream.read(size)
        return part

    @contextmanager
    def _broken(self) -> Iterator[None]:
        """Name the file in errors of decompression."""
        try:
            yield
        except self._errors as error:
            raise ValueError(f"{self.name}: not a valid {self._form} file: {error}") from error


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
