r"""Read files of text and standard input, check their encoding, and split them into lines.

The columns of lines point to the bytes of a file, so no list of lines is built. Lines are split as by sacreBLEU 2.6.0's
command line: in a file only ``\n`` ends a line, and in standard input also ``\r`` and ``\r\n``. White space at the end
of a line is removed, because no tokenizer uses it. `decompressed_files` opens the files.
"""

from __future__ import annotations

from io import BytesIO, IncrementalNewlineDecoder

from . import decompressed_files
from ._lines import column_of_lines, find_invalid_utf8, split_lines, start_of
from .decompressed_files import Input

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from ._text import TextColumn
    from .decompressed_files import Readable

#: The first bytes of formats that are not text, and the description of each format in errors.
_FORMATS = (
    (b"PAR1", "a Parquet file; its columns are scored from Python"),
    (b"ARROW1", "an Arrow file; its columns are scored from Python"),
    (b"\xff\xff\xff\xff", "a stream of Arrow; its columns are scored from Python"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"BZh", "a bzip2 file; decompress it first, with bzip2 -dk"),
    (b"\xfd7zXZ", "an xz file; decompress it first, with xz -dk"),
)

#: Byte order marks. UTF-32 is checked before UTF-16, because a mark of UTF-32 begins with one of UTF-16.
_UTF32_MARKS = (b"\xff\xfe\0\0", b"\0\0\xfe\xff")
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")

UTF8_MARK = b"\xef\xbb\xbf"

#: All bytes except control characters that do not occur in text.
_TEXT_BYTES = bytes({*range(9, 14), *range(27, 256)})

#: A file is not UTF-8 text if more than one in eight of its first bytes is not in `_TEXT_BYTES`.
_CONTROLS_SHARE = 8


def open_text(path: str | os.PathLike[str], encoding: str = "utf-8", may_have_mark: bool = True) -> Input:
    """Open a file of text, or standard input. Reject data whose first bytes show that they are not text.

    Args:
        path: The file; "-" is standard input.
        encoding: The encoding of the text, any that Python supports.
        may_have_mark: Whether UTF-8 may begin with a byte order mark. If so, the mark is a part of the text.

    Raises:
        OSError: The file cannot be opened.
        ImportError: The file is compressed by zstd, and backports.zstd is not installed.
        ValueError: `Input` rejects the file; or the file is not text, or is UTF-16 or UTF-32 where UTF-8 is expected.
        LookupError: The encoding is unknown or is not a text encoding.
    """
    utf8 = is_utf8(encoding)
    source = Input(None if path == "-" else path, utf8)
    actual = _other_format(source.start, utf8)
    if actual is None and utf8 and not may_have_mark and source.start.startswith(UTF8_MARK):
        actual = "a byte order mark at the start; remove its 3 bytes: tail -c +4"
    if actual is not None:
        source.__exit__()
        expected = "UTF-8 text" if utf8 else f"text in {encoding}"
        raise ValueError(f"{source.name}: expected {expected}, found {actual}")
    return source


def _other_format(start: bytes, utf8: bool) -> str | None:
    """Return the description of a format that is not text, or None if the data may be text.

    Args:
        start: The first bytes of the data.
        utf8: Whether UTF-8 is expected.
    """
    if utf8 and start.startswith((*_UTF32_MARKS, *_UTF16_MARKS)):
        return _wide("UTF-32" if start.startswith(_UTF32_MARKS) else "UTF-16")
    controls = start.translate(None, _TEXT_BYTES)
    if not controls:
        return None
    for magic, name in _FORMATS:
        if start.startswith(magic):
            return name
    invalid = find_invalid_utf8(start)
    is_broken = 0 <= invalid < len(start) - 3  # Ignore the last 3 bytes, which may be a truncated character.
    if not utf8 or not (is_broken or len(controls) * _CONTROLS_SHARE > len(start)):
        return None
    nulls = start.count(0)
    for name, place in ("UTF-16BE", 0), ("UTF-16LE", 1):
        if 3 * nulls > len(start) and nulls == start[place::2].count(0) and not is_broken:
            return _wide(name)
    return "binary data"


def _wide(encoding: str) -> str:
    return f"{encoding}; convert it: iconv -f {encoding} -t UTF-8"


class LineReader:
    r"""The lines of a file. About `decompressed_files.BLOCK_BYTES` bytes are buffered at a time.

    The caller asks how many lines are buffered, and takes as many as it needs. So several files can be read together,
    with the same number of lines from each.

    Args:
        source: The file.

    Attributes:
        name: The name of the file in errors.
        taken: The number of lines that the caller has taken.
        taken_bytes: The number of bytes that the caller has taken.
        at_end: Whether the last line of the file has been buffered or taken.

    Example:
        >>> import os
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile(delete=False) as file:
        ...     _ = file.write(b"one\ntwo\nthree")
        >>> with Input(file.name) as source:
        ...     lines = LineReader(source)
        ...     lines.ready(), list(lines.take(2)), list(lines.take(3)), lines.ready(), lines.taken
        (3, ['one', 'two'], ['three'], None, 3)
        >>> os.unlink(file.name)
    """

    def __init__(self, source: Readable) -> None:
        self.name = source.name
        self.taken = 0
        self.taken_bytes = 0
        self._source = source
        self._data = b""
        self._lines, self._used = split_lines(b"", True)
        self._next = 0  # The index of the next line in `_lines`.
        self.at_end = False

    def ready(self) -> int | None:
        """Fill the buffer. Return the number of lines taken or buffered so far, or None if no line is left."""
        while not self.at_end and (
            self._next == len(self._lines)
            or len(self._data) - self._start_of(self._next) < decompressed_files.BLOCK_BYTES
        ):
            self._read()
        left = len(self._lines) - self._next
        return self.taken + left if left else None

    def take(self, stop: int) -> TextColumn:
        """Take the lines up to an index, and return them as a column.

        Args:
            stop: The line before which to stop, as an index in the file, at most the result of `ready`.

        Raises:
            ValueError: A line is not valid UTF-8; the message names it.
        """
        first = self.taken
        data = self.cut(stop)
        check_utf8(data, self.name, first, self.taken_bytes - len(data))
        return column_of_lines(data)

    def cut(self, stop: int) -> bytes:
        """Take the lines up to an index, and return their bytes, which may be invalid UTF-8.

        Args:
            stop: The line before which to stop, as an index in the file, at most the result of `ready`.
        """
        after = self._next + stop - self.taken
        data = self._data[self._start_of(self._next) : self._start_of(after)]
        self._next, self.taken = after, stop
        self.taken_bytes += len(data)
        return data

    def rest(self) -> bytes:
        """Return the bytes of all remaining lines, which may be invalid UTF-8."""
        if isinstance(self._source, Input) and not self._data:
            return self._source.read_all()
        more = iter(lambda: self._source.read(decompressed_files.BLOCK_BYTES), b"")
        return b"".join([self._data[self._start_of(self._next) :], *more])

    def first_line(self) -> bytes:
        """Return the bytes of the next line with its line end, without taking it; b"" at the end of the file."""
        if self.ready() is None:
            return b""
        return self._data[self._start_of(self._next) : self._start_of(self._next + 1)]

    def _start_of(self, i: int) -> int:
        return start_of(self._lines, i) if i < len(self._lines) else self._used

    def _read(self) -> None:
        # If a single line is longer than the buffer, double the buffer.
        rest = self._data[self._start_of(self._next) :]
        more = self._source.read(max(decompressed_files.BLOCK_BYTES, len(rest)))
        self.at_end = len(more) < max(decompressed_files.BLOCK_BYTES, len(rest))
        self._data, self._next = rest + more, 0
        self._lines, self._used = split_lines(self._data, self.at_end)


def read_lines(path: str | os.PathLike[str], encoding: str = "utf-8") -> TextColumn:
    r"""Read a file of text as a column with one segment per line.

    Args:
        path: The file, which may be compressed; "-" is standard input.
        encoding: The encoding of the text, any that Python supports.

    Returns:
        One segment per line. Only ``\n`` ends a line, as in a file that Python opens with ``newline="\n"``. A newline
        at the end of the file starts no further segment.

    Raises:
        OSError: The file cannot be opened or read.
        ValueError: The file is not valid in the encoding (the message names the line and the byte), is not text, or has
            the extension .gz but is not a gzip file.
        LookupError: The encoding is unknown or is not a text encoding.

    Example:
        >>> import os
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile(delete=False) as file:
        ...     _ = file.write("the cat\na café\n".encode())
        >>> column = read_lines(file.name)
        >>> len(column), column[1]
        (2, 'a café')
        >>> os.unlink(file.name)
    """
    utf8 = is_utf8(encoding)
    with open_text(path, encoding) as source:
        data = source.read_all() if utf8 else Recoded(source, encoding).getvalue()
        if utf8:
            check_utf8(data, source.name)
    return column_of_lines(data)


def read_text(path: str | os.PathLike[str]) -> str:
    r"""Read a file of UTF-8 text as one str, with unchanged line ends.

    Args:
        path: The file, which may be compressed.

    Raises:
        OSError: The file cannot be opened or read.
        ValueError: The file is not valid UTF-8; the message names the line and the byte.

    Example:
        >>> import os
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile(delete=False) as file:
        ...     _ = file.write(b"the cat\r\nsat")
        >>> read_text(file.name)
        'the cat\r\nsat'
        >>> os.unlink(file.name)
    """
    with Input(path) as source:
        data = source.read_all()
        check_utf8(data, source.name)
    return data.decode("utf-8")


class Recoded(BytesIO):
    """A file of text that is converted from another encoding to UTF-8. It is read to its end immediately.

    Args:
        source: The file.
        encoding: The encoding of the text, any that Python supports.

    Attributes:
        name: The name of the file in errors.

    Raises:
        OSError: The file cannot be read.
        ValueError: The text is not valid in the encoding; the message names the line and the byte.
    """

    def __init__(self, source: Input, encoding: str) -> None:
        self.name = source.name
        data = source.read_all()
        try:
            # Some encodings can represent a lone surrogate. Columns store it as three bytes.
            super().__init__(data.decode(encoding).encode("utf-8", "surrogatepass"))
        except UnicodeDecodeError as error:
            line = data[: error.start].decode(encoding, "replace").count("\n") + 1
            # Some decoders report a truncated character at the end of the data, where there is no byte.
            value = f"byte 0x{data[error.start]:02x}" if error.start < len(data) else "the end of the data"
            problem = _undecodable(self.name, line, error.start, value, encoding)
            raise ValueError(f"{problem}; --encoding applies to all files") from None


class UniversalLines:
    r"""A file in which all line ends, ``\r``, ``\n`` and ``\r\n``, are converted to ``\n``, as by `io.TextIOWrapper`.

    Args:
        source: The file.

    Attributes:
        name: The name of the file in errors.

    Example:
        >>> import os
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile(delete=False) as file:
        ...     _ = file.write(b"one\r\ntwo\rthree")
        >>> with Input(file.name) as source:
        ...     UniversalLines(source).read(100)
        b'one\ntwo\nthree'
        >>> os.unlink(file.name)
    """

    def __init__(self, source: Readable) -> None:
        self.name = source.name
        self._source = source
        self._data = b""
        self._decoder = IncrementalNewlineDecoder(None, translate=True)
        self._at_end = False

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes, or fewer at the end of the file; raise the errors of `Input.read`."""
        while len(self._data) < size and not self._at_end:
            missing = size - len(self._data)
            more = self._source.read(missing)
            self._at_end = len(more) < missing
            if b"\r" in more or self._decoder.getstate()[1]:
                # Decode as Latin-1, so that the newline decoder, which needs str, leaves all other bytes unchanged.
                more = self._decoder.decode(more.decode("latin-1"), self._at_end).encode("latin-1")
            self._data += more
        data, self._data = self._data[:size], self._data[size:]
        return data


def count_systems(first_line: bytes) -> int:
    """Count the tab-separated systems in the first line of standard input, ignoring white space at its end.

    Invalid UTF-8 is ignored, because reading the line later reports where it is.
    """
    return first_line.decode("utf-8", "replace").rstrip().count("\t") + 1


def check_utf8(data: bytes, name: str, first_line: int = 0, first_byte: int = 0) -> None:
    r"""Check that a part of a file is valid UTF-8.

    Args:
        data: The bytes of the part.
        name: The name of the file in errors.
        first_line: The number of lines of the file before the part.
        first_byte: The number of bytes of the file before the part.

    Raises:
        ValueError: The part is not valid UTF-8; the message names the line and the byte.

    Example:
        >>> check_utf8(b"caf\xe9", "file", first_line=9, first_byte=100)
        Traceback (most recent call last):
        ValueError: file: line 10, byte offset 103: byte 0xe9 is not valid utf-8
    """
    offset = find_invalid_utf8(data)
    if offset >= 0:
        line = first_line + data.count(b"\n", 0, offset) + 1
        raise ValueError(_undecodable(name, line, first_byte + offset, f"byte 0x{data[offset]:02x}", "utf-8"))


def is_utf8(encoding: str) -> bool:
    """Return whether the name of an encoding means UTF-8.

    Raises:
        LookupError: The encoding is unknown or is not a text encoding.
    """
    if encoding == "utf-8":
        return True
    import codecs

    return codecs.lookup(encoding).name == "utf-8"


def _undecodable(name: str, line: int, offset: int, value: str, encoding: str) -> str:
    return f"{name}: line {line}, byte offset {offset}: {value} is not valid {encoding}"
