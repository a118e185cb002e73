"""Write rendered blocks to a file or standard output, and resume an interrupted run (`--resume`).

An output file appears only when it is complete. Until then, a file beside it has a *part* for each finished block: a
header with the size of the block and its number of sources, then the block. At the end, the output is made of the
parts. A run that was killed or has failed leaves the parts, and `--resume` skips as many blocks as there are whole
parts. Standard output, pipes and devices are written block by block.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from stat import S_ISREG
from struct import Struct
from typing import NamedTuple

from ...inputs.decompressed_files import STDOUT_NAME, named
from ...system.saving import replacing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from typing_extensions import Self


#: The ending of the name of the file of parts, and its first bytes.
PARTS_ENDING = ".part"
_MAGIC = b"fastbleu parts 2\n"

#: The header of a part: its size in bytes, and its number of sources.
_HEAD = Struct("<QQ")


class Part(NamedTuple):
    """A rendered block, and its number of sources."""

    data: bytes
    sources: int


class Output:
    """The file that blocks are written to.

    Args:
        path: The file; None for standard output.
        resume: Whether to keep the parts of an earlier run.
        on_left: Called with the name of the file of parts if an error leaves it. None: an error removes the file.

    Raises:
        OSError: The file cannot be opened.
        ValueError: Standard output is closed; `resume` is given for an output that is not a regular file; or the file
            of parts is another file.
    """

    def __init__(
        self, path: str | None, resume: bool = False, on_left: Callable[[str], object] | None = None
    ) -> None:
        self._is_direct = path is None or not _is_regular(path)
        # A link is kept: the file that it points to is replaced. One to a pipe, as /dev/stdout, points to no real path.
        self._path = os.path.realpath(path) if path and not self._is_direct and os.path.islink(path) else path
        self._on_left = on_left
        if self._is_direct:
            if resume:
                raise ValueError(f"{path}: --resume needs a regular file, which can be read again")
            self._file = _standard_output() if self._path is None else _opened(self._path, "wb", path)
            self._name = self._path or STDOUT_NAME
            return
        self._parts = self._name = f"{self._path}{PARTS_ENDING}"
        keep = resume and _has_parts(self._parts)
        #: Whether the parts are known to belong to this run; others are never changed.
        self._are_own = not keep
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
        if self._is_direct:
            if self._path is not None:
                self._file.close()
            return
        try:
            if kind is None:
                self._finish()
        except BaseException:
            self._leave()
            raise
        if kind is not None:
            self._leave()

    def write(self, part: Part) -> None:
        """Write a block.

        Raises:
            OSError: The file cannot be written; the error names it.
        """
        if self._is_direct:
            self._put(part.data)
        else:
            self._put(_HEAD.pack(len(part.data), part.sources) + part.data)

    def skip_done(self, render: Iterator[Callable[[], Part]]) -> int:
        """Skip the blocks whose parts exist, and truncate the file after its last whole part.

        The first and the last part are rendered again, to check that they belong to this input and these options.

        Args:
            render: For each block, a function that renders its part. Blocks without a part remain in the iterator.

        Returns:
            The number of sources in the parts.

        Raises:
            ValueError: The parts belong to another input or to other options.
        """
        advice = "run without --resume to start anew"
        foreign = f"{self._parts}: --resume: the file is not of this input with these options; {advice}"
        sources, end = 0, len(_MAGIC)
        latest: tuple[Callable[[], Part], Part] | None = None
        for part, end in read_parts(self._parts):  # noqa: B007  # used below
            make = next(render, None)
            if make is None or (latest is None and make() != part):
                raise ValueError(foreign)
            sources += part.sources
            latest = make, part
        if latest is not None and latest[0]() != latest[1]:
            raise ValueError(foreign)
        os.truncate(self._parts, end)
        self._are_own = True
        return sources

    def _put(self, data: bytes) -> None:
        rest = memoryview(data)
        with named(self._name):
            while rest:
                rest = rest[self._file.write(rest) or 0 :]

    def _finish(self) -> None:
        """Write the parts to the output, and remove their file."""
        with replacing(self._path or "") as file:
            for part, _ in read_parts(self._parts):
                file.write(part.data)
        self._file.close()
        os.unlink(self._parts)

    def _leave(self) -> None:
        """Report the file of parts; remove it if it has no part or there is no `on_left`."""
        self._file.close()
        if not self._are_own:
            return
        with suppress(OSError):
            if self._on_left is not None and os.path.getsize(self._parts) > len(_MAGIC):
                self._on_left(self._parts)
            else:
                os.unlink(self._parts)


def read_parts(path: str) -> Iterator[tuple[Part, int]]:
    """Yield the whole parts of a file, each with its end as an offset in bytes.

    Raises:
        ValueError: The file does not have parts.
    """
    with open(path, "rb") as file, named(path):
        if file.read(len(_MAGIC)) != _MAGIC:
            raise ValueError(f"{path}: expected what an interrupted run has left, found another file")
        while len(head := file.read(_HEAD.size)) == _HEAD.size:
            size, sources = _HEAD.unpack(head)
            data = file.read(min(size, os.fstat(file.fileno()).st_size))
            if len(data) < size:
                return
            yield Part(data, sources), file.tell()


def _has_parts(path: str) -> bool:
    """Return whether a file of parts exists whose first bytes are complete."""
    try:
        with open(path, "rb") as file, named(path):
            start = file.read(len(_MAGIC))
    except FileNotFoundError:
        return False
    return start == _MAGIC or not _MAGIC.startswith(start)


def _is_regular(path: str) -> bool:
    """Return whether a path is a regular file, or does not exist."""
    try:
        return S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True


def _opened(path: str, mode: str, name: str | None) -> Any:
    """Open a file without a buffer; errors have the name that the user gave. `Output` closes it."""
    try:
        return open(path, mode, buffering=0)
    except OSError as error:
        error.filename = name
        raise


def _standard_output() -> Any:
    if sys.stdout is None:
        raise ValueError("standard output is closed; name a file with -o/--output")
    sys.stdout.flush()
    stream = sys.stdout.buffer
    # Write without a buffer, which would repeat a failed write when Python exits.
    return getattr(stream, "raw", stream)
