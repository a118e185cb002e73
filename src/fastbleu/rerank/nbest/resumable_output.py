"""Write rendered blocks to a file or standard output, and resume an interrupted run (`--resume`).

The output file is created only when it is complete. Until then, finished blocks are appended to a temporary file next
to it, the *file of parts*. A *part* is a rendered block after a header, which has the block's size in bytes and its
number of sources. At the end, the blocks of all parts are written to the output file. If a run is killed or fails, the
file of parts remains, and `--resume` skips as many blocks as this file has complete parts. Standard output, pipes and
devices are written directly, block by block.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from stat import S_ISREG
from struct import Struct
from typing import Any, NamedTuple

from ...inputs.decompressed_files import STDOUT_NAME, named
from ...system.saving import replacing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from typing_extensions import Self


#: The extension of the file of parts, which is appended to the name of the output file.
PARTS_ENDING = ".part"
#: The first bytes of a file of parts, by which it is recognized.
_MAGIC = b"fastbleu parts 2\n"

#: The header of a part: the size of its block in bytes, and the number of sources in the block.
_HEAD = Struct("<QQ")


class Part(NamedTuple):
    """The output lines of a block, as bytes, and the number of sources in the block."""

    data: bytes
    sources: int


class Output:
    """A context manager that writes blocks to a file or to standard output.

    Args:
        path: The output file; None for standard output.
        resume: Whether to continue an earlier run, whose file of parts is then kept.
        on_left: Called with the name of the file of parts when an error occurs and the file is kept. None: the file of
            parts is removed when an error occurs.

    Raises:
        OSError: A file cannot be opened.
        ValueError: Standard output is closed; or `resume` is given, but the output is not a regular file, or a file of
            another kind has the name of the file of parts.
    """

    def __init__(
        self, path: str | None, resume: bool = False, on_left: Callable[[str], object] | None = None
    ) -> None:
        self._writes_directly = path is None or not _is_regular(path)
        # If the path is a symbolic link, the file that it points to is replaced, and the link remains. A link to a
        # pipe, such as /dev/stdout, does not point to a path that could be replaced, so it is not resolved.
        self._path = (
            os.path.realpath(path) if path and not self._writes_directly and os.path.islink(path) else path
        )
        self._on_left = on_left
        if self._writes_directly:
            if resume:
                raise ValueError(f"{path}: --resume needs a regular file, which can be read again")
            self._file = _standard_output() if self._path is None else _opened(self._path, "wb", path)
            self._name = self._path or STDOUT_NAME
            return
        self._parts = self._name = f"{self._path}{PARTS_ENDING}"
        keep = resume and _has_parts(self._parts)
        #: Whether the file of parts is known to belong to this run. Until then, it is not truncated or removed.
        self._are_parts_ours = not keep
        self._file = _opened(self._parts, "ab" if keep else "wb", path)
        if not keep:
            try:
                self._put(_MAGIC)
            except BaseException:
                self._leave()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self._writes_directly:
            if self._path is not None:
                self._file.close()
            return
        try:
            if kind is None:
                with replacing(self._path or "") as file:
                    file.writelines(part.data for part, _ in read_parts(self._parts))
                self._file.close()
                os.unlink(self._parts)
        except BaseException:
            self._leave()
            raise
        if kind is not None:
            self._leave()

    def write(self, part: Part) -> None:
        """Write a block, directly or to the file of parts.

        Raises:
            OSError: The file cannot be written; the error names it.
        """
        if self._writes_directly:
            self._put(part.data)
        else:
            self._put(_HEAD.pack(len(part.data), part.sources) + part.data)

    def skip_done(self, render: Iterator[Callable[[], Part]]) -> int:
        """Skip the blocks that an earlier run has finished.

        The file of parts is truncated after its last complete part. The blocks of the first and the last part are
        rendered again and compared, to check that the earlier run had the same input and options.

        Args:
            render: An iterator that yields a function for each block, which renders the block. On return, it still has
                the functions of the blocks that the earlier run did not finish.

        Returns:
            The number of sources in the skipped blocks.

        Raises:
            ValueError: The earlier run had another input or other options.
        """
        advice = "run without --resume to start from the beginning"
        foreign = f"{self._parts}: --resume: the earlier run had another input or other options; {advice}"
        sources, end = 0, len(_MAGIC)
        latest: tuple[Callable[[], Part], Part] | None = None
        for part, end in read_parts(self._parts):  # noqa: B007  # `end` is used after the loop.
            make = next(render, None)
            if make is None or (latest is None and make() != part):
                raise ValueError(foreign)
            sources += part.sources
            latest = make, part
        if latest is not None and latest[0]() != latest[1]:
            raise ValueError(foreign)
        os.truncate(self._parts, end)
        self._are_parts_ours = True
        return sources

    def _put(self, data: bytes) -> None:
        """Write all bytes to the open file, which has no buffer and may write only some of them at a time."""
        rest = memoryview(data)
        with named(self._name):
            while rest:
                rest = rest[self._file.write(rest) or 0 :]

    def _leave(self) -> None:
        """After an error, report the file of parts to `on_left`; remove it if it is empty or `on_left` is None."""
        self._file.close()
        if not self._are_parts_ours:
            return
        with suppress(OSError):
            if self._on_left is not None and os.path.getsize(self._parts) > len(_MAGIC):
                self._on_left(self._parts)
            else:
                os.unlink(self._parts)


def read_parts(path: str) -> Iterator[tuple[Part, int]]:
    """Yield the complete parts of a file of parts, each with the offset of its end in the file, in bytes.

    Raises:
        OSError: The file cannot be read.
        ValueError: The file is not a file of parts.
    """
    with open(path, "rb") as file, named(path):
        if file.read(len(_MAGIC)) != _MAGIC:
            raise ValueError(f"{path}: expected the partial output of an earlier run, found another file")
        while len(head := file.read(_HEAD.size)) == _HEAD.size:
            size, sources = _HEAD.unpack(head)
            data = file.read(min(size, os.fstat(file.fileno()).st_size))
            if len(data) < size:
                return
            yield Part(data, sources), file.tell()


def _has_parts(path: str) -> bool:
    """Return whether a file may have parts, from which a run can be resumed.

    The result is False if the file does not exist, or was cut off within `_MAGIC`. It is True for a file of another
    kind, so that `read_parts` reports it.
    """
    try:
        with open(path, "rb") as file, named(path):
            start = file.read(len(_MAGIC))
    except FileNotFoundError:
        return False
    return start == _MAGIC or not _MAGIC.startswith(start)


def _is_regular(path: str) -> bool:
    """Return whether a path names a regular file or does not exist."""
    try:
        return S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True


def _opened(path: str, mode: str, name: str | None) -> Any:
    """Open a file without a buffer. If that fails, the error names the file as the user did, by `name`."""
    try:
        return open(path, mode, buffering=0)
    except OSError as error:
        error.filename = name
        raise


def _standard_output() -> Any:
    """Return standard output as a binary stream without a buffer.

    Raises:
        ValueError: Standard output is closed.
    """
    if sys.stdout is None:
        raise ValueError("standard output is closed; name a file with -o/--output")
    sys.stdout.flush()
    stream = sys.stdout.buffer
    # A buffer would try a failed write again when Python exits, so use the stream below the buffer if there is one.
    return getattr(stream, "raw", stream)
