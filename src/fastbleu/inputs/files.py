r"""Files and standard input -> columns.

A file is read once, as bytes, and the column points into them: no list of lines is ever built. What a line is
follows sacreBLEU 2.6.0's command line: in a file only ``\n`` ends one, in standard input ``\r`` and ``\r\n``
do too. White space at the end of a segment, which no tokenizer sees, is left out.
"""

from __future__ import annotations

import os

from ._lines import FieldCountError, column_of_lines, columns_of_fields, find_invalid_utf8

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from ._text import TextColumn

STDIN_NAME = "standard input"

# The first two bytes of every gzip member (RFC 1952, section 2.3.1).
_GZIP_MAGIC = b"\x1f\x8b"


def read_lines(path: str | os.PathLike[str], encoding: str = "utf-8") -> TextColumn:
    r"""Read a text file as a column of one segment per line.

    Args:
        path: The file; a name that ends in ``.gz`` is decompressed.
        encoding: The encoding of the text, any that Python knows.

    Returns:
        One segment per line. As in a text file opened with ``newline="\n"``, nothing but ``\n`` ends a
        line, and a newline at the very end starts no further segment.

    Raises:
        OSError: The file cannot be opened or read.
        ValueError: The file is not valid in this encoding (the message says where), or is no gzip file.
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
    return column_of_lines(_to_utf8(_read_bytes(path), encoding, os.fsdecode(path)))


def read_fields(path: str | os.PathLike[str], n_fields: int, encoding: str = "utf-8") -> list[TextColumn]:
    r"""Read a file of tab-separated segments, one column for each field.

    White space at the end of a line is dropped before it is split, and the last field keeps any further tab,
    as sacreBLEU does with ``--num-refs``.

    Args:
        path: The file; a name that ends in ``.gz`` is decompressed.
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
    name = os.fsdecode(path)
    return _split_fields(_to_utf8(_read_bytes(path), encoding, name), n_fields, name, limit=True)


def read_stdin_systems(stream: BinaryIO, encoding: str = "utf-8") -> list[TextColumn]:
    r"""Read a whole stream of hypotheses, those of several systems separated by tabs.

    The first line says how many systems there are. Line ends are universal here: sacreBLEU reads standard
    input through `io.TextIOWrapper`, so that ``\r\n`` and a lone ``\r`` end a line as well.

    Args:
        stream: A binary stream, such as ``sys.stdin.buffer``.
        encoding: The encoding of the text, any that Python knows.

    Returns:
        One column for each system; a single column without segments if the stream is empty.

    Raises:
        FieldCountError: A line has another number of fields than the first; a ValueError.
        ValueError: The text is not valid in this encoding.
        LookupError: There is no such text encoding.

    Example:
        >>> import io
        >>> stream = io.BytesIO(b"a cat\tthe cat\r\na dog\tthe dog\r\n")
        >>> [list(column) for column in read_stdin_systems(stream)]
        [['a cat', 'a dog'], ['the cat', 'the dog']]
    """
    data = _to_utf8(stream.read(), encoding, STDIN_NAME)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    first_line = data[: data.find(b"\n") + 1 or len(data)]
    # Strict UTF-8 was checked already, but other encodings may hold lone surrogates.
    n_systems = first_line.decode("utf-8", "surrogatepass").rstrip().count("\t") + 1
    return _split_fields(data, n_systems, STDIN_NAME, limit=False)


def _read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The whole file, decompressed if its name says so."""
    with open(path, "rb") as file:
        data = file.read()
    if not os.fsdecode(path).endswith(".gz"):
        return data
    # zlib raises its own error type from inside the stream, EOFError stands for a file that is cut short.
    import gzip
    import zlib

    try:
        return gzip.decompress(data)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{os.fsdecode(path)}: not a valid gzip file: {error}") from error


def _to_utf8(data: bytes, encoding: str, name: str) -> bytes:
    """``data`` as UTF-8; what is not valid in its encoding is refused, with the place where it goes wrong."""
    if not _is_utf8(encoding):
        try:
            # Not every encoding refuses a lone surrogate; a column holds one as three bytes.
            return data.decode(encoding).encode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            line = data[: error.start].decode(encoding, "replace").count("\n") + 1
            raise ValueError(_undecodable(data, encoding, name, error.start, line)) from None
    offset = find_invalid_utf8(data)
    if offset < 0:
        return data
    message = _undecodable(data, "utf-8", name, offset, data.count(b"\n", 0, offset) + 1)
    if data.startswith(_GZIP_MAGIC):
        message += "; this looks like a gzip file, whose name has to end in .gz"
    raise ValueError(message)


def _is_utf8(encoding: str) -> bool:
    if encoding == "utf-8":
        return True
    import codecs

    return codecs.lookup(encoding).name == "utf-8"


def _undecodable(data: bytes, encoding: str, name: str, offset: int, line: int) -> str:
    where = f"{name}: line {line}, byte offset {offset}"
    # An incremental decoder may notice the trouble only at the end of the data.
    value = f"byte 0x{data[offset]:02x}" if offset < len(data) else "the end of the data"
    return f"{where}: {value} is not valid {encoding}"


def _split_fields(data: bytes, n_fields: int, name: str, limit: bool) -> list[TextColumn]:
    try:
        return columns_of_fields(data, n_fields, limit=limit)
    except FieldCountError as error:
        fields = "field" if error.expected == 1 else "fields"
        message = f"line {error.line}: expected {error.expected} tab-separated {fields}, found {error.found}"
        error.args = (f"{name}: {message}",)
        raise
