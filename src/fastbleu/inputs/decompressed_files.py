"""Open files and standard input, recognise compression, and read decompressed bytes.

All input is opened here. `text_lines` splits the bytes into lines of text.
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
        """A file that is read in blocks, with its name for errors."""

        name: str

        def read(self, size: int, /) -> bytes:
            """Return the next `size` bytes, or fewer at the end of the file."""


STDIN_NAME = "standard input"

#: The name of standard output in messages.
STDOUT_NAME = "standard output"

#: The extensions of compressed files.
COMPRESSED = (".gz", ".zst")

# The first bytes of compressed files: RFC 1952, section 2.3.1; RFC 8878, sections 3.1.1 and 3.1.2. A zstd file may
# begin with a skippable frame, whose first byte is from 0x50 to 0x5f and whose next bytes are _ZSTD_SKIPPED.
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPED = b"\x2a\x4d\x18"

#: The number of bytes at the start of a file that are read to recognise its format.
_START_BYTES = 64

#: The number of bytes to read at a time from a compressed file, or from a file that is processed in blocks. Tests set a
#: smaller number.
BLOCK_BYTES = 1 << 20


class Input:
    """A file, or standard input, as decompressed bytes.

    If UTF-8 is expected, input that begins with the first bytes of a gzip or zstd file is decompressed, because UTF-8
    text cannot begin with them. Text in another encoding may begin with them, so such input is decompressed only if the
    extension of the file is .gz or .zst. A file with the extension .gz must be a gzip file, as for sacreBLEU.

    Args:
        path: The file, or None for standard input.
        is_utf8: Whether the text is expected to be UTF-8.

    Attributes:
        name: The name of the file in errors.
        size: The size of the file on disk in bytes, or None if it is unknown.
        start: Up to 64 decompressed bytes from the start of the file. They are not consumed: `read` returns them again.
        advance: A function that is called after each read with the number of bytes that were read from disk; or None.

    Raises:
        OSError: The file cannot be opened.
        ValueError: Standard input is closed, the file has the extension .gz but is not a gzip file, or it is corrupt.
        ImportError: The file is compressed by zstd, and backports.zstd is not installed.

    Example:
        >>> import gzip, tempfile
        >>> with tempfile.NamedTemporaryFile(delete=False) as file:
        ...     _ = file.write(gzip.compress(b"the cat"))
        >>> with Input(file.name) as source:
        ...     source.read(3), source.read(100), source.read(100)
        (b'the', b' cat', b'')
        >>> os.unlink(file.name)
    """

    def __init__(self, path: str | os.PathLike[str] | None, is_utf8: bool = True) -> None:
        self.advance: Callable[[int], object] | None = None
        self._uncounted = 0
        self._owned = path is not None
        if path is not None:
            self.name = os.fsdecode(path)
            # Disable buffering, because the file is read in large blocks.
            self._file: BinaryIO = open(path, "rb", buffering=0)  # noqa: SIM115  # `__exit__` closes it.
        else:
            self.name = STDIN_NAME
            stream = getattr(sys.stdin, "buffer", None)
            if stream is None:
                raise ValueError(f"{STDIN_NAME} is closed; name a file")
            self._file = stream
        try:
            self.size = self._size()
            #: The bytes that were read to recognise the compression and that `read` has not returned yet.
            self._prefix = read_full(self._read_file, _START_BYTES)
            self._stream, self._format, self._errors = self._decompression(is_utf8)
            self.start = self._peek()
            if self._stream is None and self._owned and self.size is not None:
                # Read the file again from its start, instead of prepending its first bytes to the rest.
                self._file.seek(0)
                self._prefix = b""
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
        """Recognise the compression of the file.

        Returns:
            The stream that decompresses the file, the name of the format, and the exceptions that the stream raises for
            corrupt data. For a file without compression they are None, "" and ().
        """
        # Return as many bytes as requested. If `gzip` got fewer within a header, it would report a truncated file.
        raw = SimpleNamespace(read=lambda size: read_full(self._read_raw, size))
        if self.name.endswith(".gz") or (is_utf8 and self._prefix.startswith(_GZIP_MAGIC)):
            import gzip
            import zlib

            if self._prefix and not self._prefix.startswith(_GZIP_MAGIC):
                problem = "it is not compressed by gzip; rename it without .gz if it is text"
                raise ValueError(f"{self.name}: not a valid gzip file: {problem}")
            stream = gzip.GzipFile(fileobj=raw, mode="rb")
            return stream, "gzip", (gzip.BadGzipFile, EOFError, zlib.error)
        named = self.name.endswith(".zst")
        if (self._prefix.startswith(_ZSTD_MAGIC) and (is_utf8 or named)) or (
            self._prefix[1:4] == _ZSTD_SKIPPED and named
        ):
            zstd = _import_zstd(self.name)
            return zstd.ZstdFile(raw), "zstd", (zstd.ZstdError, EOFError)
        return None, "", ()

    def _read_file(self, size: int) -> bytes:
        with named(self.name):
            return self._file.read(size)

    def _read_raw(self, size: int) -> bytes:
        """Return the next bytes of the file without decompression: at most `size`, or all if `size` is negative."""
        after = len(self._prefix) if size < 0 else size
        data, self._prefix = self._prefix[:after], self._prefix[after:]
        if not data or size < 0:
            data += self._read_file(size)
        self._uncounted += len(data)
        if self.advance is not None:
            self.advance(self._uncounted)
            self._uncounted = 0
        return data

    def _peek(self) -> bytes:
        """Return the first decompressed bytes without consuming them."""
        if self._stream is None:
            return self._prefix
        with self._named_errors():
            return bytes(self._stream.peek(_START_BYTES)[:_START_BYTES])

    def read(self, size: int) -> bytes:
        """Return the next `size` decompressed bytes, or fewer at the end of the file.

        Raises:
            OSError: The file cannot be read.
            ValueError: The file is corrupt or truncated.
        """
        return read_full(self._read_part, size)

    def read_all(self) -> bytes:
        """Return all remaining decompressed bytes; raise the errors of `read`."""
        if self._stream is None:
            return self._read_raw(-1)
        return b"".join(iter(lambda: self._read_part(BLOCK_BYTES), b""))

    def _read_part(self, size: int) -> bytes:
        if self._stream is None:
            return self._read_raw(size)
        with self._named_errors():
            part: bytes = self._stream.read(size)
        return part

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        """Convert the decompressor's exceptions to ValueError with the name of the file."""
        try:
            yield
        except self._errors as error:
            raise ValueError(f"{self.name}: not a valid {self._format} file: {error}") from error


@contextmanager
def named(name: str) -> Iterator[None]:
    """Add the name of a file to each OSError that has no file name.

    Example:
        >>> with named("report"):
        ...     raise OSError(28, "No space left on device")
        Traceback (most recent call last):
        OSError: [Errno 28] No space left on device: 'report'
    """
    try:
        yield
    except OSError as error:
        # Do not add a file name to an error without a number, because str(error) would then omit the error's message.
        if error.filename is None and error.errno is not None:
            error.filename = name
        raise


def read_full(read: Callable[[int], bytes], size: int) -> bytes:
    """Return the next `size` bytes of a file, or fewer at its end.

    Args:
        read: The method that reads the file, which may return fewer bytes than requested anywhere in the file.
        size: The number of bytes.
    """
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
