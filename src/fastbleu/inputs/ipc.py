"""Arrow IPC files and streams on disk, mapped into memory: the columns of a table that lie in the file itself.

The format is `Arrow's`_; `.arrow`, `.feather` (version 2) and the files that datasets keeps are of it. What is not
compressed is read in place. Needs pyarrow.

.. _Arrow's: https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# How files of the two forms begin: of a file its name, of a stream the mark of its first message.
_FILE_MAGIC = b"ARROW1"
_STREAM_MAGIC = b"\xff\xff\xff\xff"


def is_ipc(path: str | os.PathLike[str]) -> bool:
    """Whether a regular file begins as Arrow IPC files and streams do; False for a pipe, which can be read only once.

    Raises:
        OSError: There is no such file, or it cannot be read.
    """
    if not os.path.isfile(path):
        os.stat(path)
        return False
    with open(path, "rb", buffering=0) as file:
        return file.read(len(_FILE_MAGIC)).startswith((_FILE_MAGIC, _STREAM_MAGIC))


def read_ipc(path: str | os.PathLike[str]) -> Any:
    """The table of an Arrow IPC file or stream, a `pyarrow.Table` over the file's own memory.

    Whoever shortens the file while the table is used ends the process, as with every file that is mapped into memory.
    To replace it by another one is all right.

    Args:
        path: The file; it need not end in `.arrow`.

    Raises:
        ImportError: pyarrow is missing.
        OSError: The file cannot be opened.
        ValueError: It is neither form, or it is damaged or cut short.

    Example:
        >>> import pyarrow, tempfile                                                   # doctest: +SKIP
        >>> table = pyarrow.table({"mt": ["the cat"], "ref": ["a cat"]})               # doctest: +SKIP
        >>> with pyarrow.OSFile("corpus.arrow", "wb") as file:                         # doctest: +SKIP
        ...     with pyarrow.ipc.new_file(file, table.schema) as writer:
        ...         writer.write(table)
        >>> read_ipc("corpus.arrow")["mt"].to_pylist()                                 # doctest: +SKIP
        ['the cat']
    """
    try:
        import pyarrow as pa
        from pyarrow import ipc
    except ImportError:
        raise ImportError(
            f'{os.fsdecode(path)}: reading Arrow files needs the package pyarrow: pip install "fastbleu-metric[arrow]"'
        ) from None
    name = os.fsdecode(path)
    if not is_ipc(path):
        raise ValueError(f"{name}: neither an Arrow IPC file nor a stream")
    mapped = pa.memory_map(name)
    try:
        if mapped.read(len(_FILE_MAGIC)) == _FILE_MAGIC:
            return ipc.open_file(mapped).read_all()
        mapped.seek(0)
        return ipc.open_stream(mapped).read_all()
    except (pa.ArrowException, OSError) as error:
        problem = str(error).partition("\n")[0]
        raise ValueError(f"{name}: not a valid Arrow IPC file: {problem}") from error
