"""Bytes of files and of standard input, decompressed, a piece at a time."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, BinaryIO

    from typing_extensions import Self


STDIN_NAME = "standard input"

#: Bytes of candidates that one thread works on at a time. Tests make it smaller.
BLOCK_BYTES = 1 << 20

#: Compressed bytes read at a time, and given to zstd at a time. Of four bytes, it may make a block of 128 KB (RFC 8878,
#: section 3.1.1.2.2), all of which it hands over at once: 32 MB then.
_COMPRESSED_BYTES = 1 << 16
_PIECE_BYTES = 1 << 10

#: What text begins with that was written on other systems, and what is wrong with it here.
_MARKS = {
    b"\xef\xbb\xbf": "UTF-8 without a byte order mark, found one",
    b"\xff\xfe": "UTF-8, found UTF-16",
    b"\xfe\xff": "UTF-8, found UTF-16",
}

_GZIP_MAGIC = b"\x1f\x8b"  # RFC 1952, section 2.3.1
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"  # RFC 8878, section 3.1.1

#: What the name of a compressed file ends in.
COMPRESSED = (".gz", ".zst")


class Input:
    """A file, or standard input, as decompressed bytes.

    Compressed is what says so by its name (`.gz`, `.zst`) or by its first bytes.

    Args:
        path: The file; None or "-" for standard input.

    Attributes:
        name: What to call it in a message.
        size: Bytes of the file as it lies on the disk; None where nobody knows.
        advance: Told how many more of them have been read.

    Raises:
        OSError: The file cannot be opened.
        ValueError: Standard input is closed.
        ImportError: It is compressed with zstd, and the package zstandard is missing.

    Example:
        >>> import gzip, tempfile
        >>> with tempfile.NamedTemporaryFile(delete=False) as file:
        ...     _ = file.write(gzip.compress(b"the cat"))
        >>> with Input(file.name) as found:
        ...     found.read(3), found.read(100), found.read(100)
        (b'the', b' cat', b'')
        >>> os.unlink(file.name)
    """

    def __init__(self, path: str | None) -> None:
        self.advance: Callable[[int], object] | None = None
        self._at_start = True
        self._owned = path not in {None, "-"}
        if self._owned:
            self.name = os.fsdecode(path or "")
            # Not buffered: it is read in large pieces.
            self._file: BinaryIO = open(path or "", "rb", buffering=0)  # noqa: SIM115  # closed by __exit__
        else:
            self.name = STDIN_NAME
            stream = getattr(sys.stdin, "buffer", None)
            if stream is None:
                raise ValueError(f"{STDIN_NAME} is closed; name a file")
            self._file = stream
        try:
            self.size = self._size()
            self._head = b""
            self._head = self.read_raw(len(_ZSTD_MAGIC))
            self._decompressed = self._decompression()
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

    def _decompression(self) -> Any:
        if self.name.endswith(".gz") or self._head.startswith(_GZIP_MAGIC):
            from gzip import GzipFile

            return GzipFile(fileobj=_Raw(self), mode="rb")  # type: ignore[call-overload]  # it only reads
        if self.name.endswith(".zst") or self._head.startswith(_ZSTD_MAGIC):
            return _Zstd(self)
        return None

    def read_raw(self, size: int) -> bytes:
        """Up to so many bytes as they lie in the file; none at its end."""
        if self._head:
            head, self._head = self._head[:size], self._head[size:]
            return head
        try:
            data: bytes = self._file.read(size)
        except OSError as error:
            if error.filename is None:
                error.filename = self.name
            raise
        if self.advance is not None:
            self.advance(len(data))
        return data

    def read(self, size: int) -> bytes:
        """So many decompressed bytes, fewer only at the end.

        Raises:
            OSError: The file cannot be read.
            ValueError: It is not compressed as its name says, or broken, or cut short; or it begins with a mark.
        """
        parts = []
        while size > 0:
            part = self._read_part(size)
            if not part:
                break
            parts.append(part)
            size -= len(part)
        data = parts[0] if len(parts) == 1 else b"".join(parts)
        if self._at_start and data:
            self._at_start = False
            for mark, message in _MARKS.items():
                if data.startswith(mark):
                    raise ValueError(f"{self.name}: line 1: expected {message}")
        return data

    def _read_part(self, size: int) -> bytes:
        if self._decompressed is None:
            return self.read_raw(size)
        if isinstance(self._decompressed, _Zstd):
            return self._decompressed.read(size)
        # zlib raises its own error type from inside the stream, EOFError stands for a file that is cut short.
        import gzip
        import zlib

        try:
            data: bytes = self._decompressed.read(size)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise ValueError(f"{self.name}: not a valid gzip file: {error}") from error
        return data


class _Raw:
    """What `gzip` reads from."""

    def __init__(self, source: Input) -> None:
        self.read = source.read_raw


class _Zstd:
    """Frames of zstd, one behind the other.

    The package's own stream reader does not tell the end of a frame from that of a file that is cut short.
    """

    def __init__(self, source: Input) -> None:
        try:
            import zstandard
        except ImportError:
            raise ImportError(
                f"{source.name}: reading zstd needs the package zstandard: pip install 'fastbleu-metric[cli]'"
            ) from None
        self._source = source
        self._package: Any = zstandard
        self._frame: Any = None
        self._rest = memoryview(b"")
        self._ready = memoryview(b"")

    def read(self, size: int) -> bytes:
        while not self._ready:
            if not self._rest:
                self._rest = memoryview(self._source.read_raw(_COMPRESSED_BYTES))
            if not self._rest:
                if self._frame is not None:
                    raise ValueError(f"{self._source.name}: not a valid zstd file: it ends within a frame")
                return b""
            if self._frame is None:
                self._frame = self._package.ZstdDecompressor().decompressobj()
            piece = self._rest[:_PIECE_BYTES]
            try:
                self._ready = memoryview(self._frame.decompress(piece))
            except self._package.ZstdError as error:
                raise ValueError(f"{self._source.name}: not a valid zstd file: {error}") from error
            taken = len(piece)
            if self._frame.eof:
                taken -= len(self._frame.unused_data)
                self._frame = None
            self._rest = self._rest[taken:]
        part, self._ready = self._ready[:size], self._ready[size:]
        return bytes(part)
