"""Rendered blocks -> a file or standard output, and `--resume`: going on with the blocks that a stopped run has done.

A file appears only when it is complete. Until then each block that is done is a *part* in a file beside it, with its
size and its number of sources in front. At the end the parts become the output. A run that was killed or has failed
leaves the parts, and `--resume` passes over as many blocks as there are whole parts. Standard output, pipes and devices
are written as the blocks come.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from stat import S_ISREG
from struct import Struct
from typing import NamedTuple

from ...inputs.files import STDOUT_NAME, named
from ...system.saving import replacing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from typing_extensions import Self


#: The end of the name of the file of parts, and its first bytes.
PARTS_ENDING = ".part"
_MAGIC = b"fastbleu parts 2\n"

#: The header of a part: its bytes, and its sources.
_HEAD = Struct("<QQ")


class Part(NamedTuple):
    """A block as it was rendered, and how many sources it has."""

    data: bytes
    sources: int


class Output:
    """The file that blocks are written to.

    Args:
        path: The file; None for standard output.
        resume: Keep the parts of a run before.
        on_left: Gets the name of the file of parts if an error leaves it. None: it is removed then.

    Raises:
        OSError: The file cannot be opened.
        ValueError: Standard output is closed; or the parts are of no use.
    """

    def __init__(
        self, path: str | None, resume: bool = False, on_left: Callable[[str], object] | None = None
    ) -> None:
        # A link stays one: the file that it points to is exchanged.
        self._path = path if path is None or not os.path.islink(path) else os.path.realpath(path)
        self._on_left = on_left
        self._is_direct = self._path is None or not _is_regular(self._path)
        if self._is_direct:
            if resume:
                raise ValueError(f"{path}: --resume needs a regular file, which can be read again")
            self._file = _standard_output() if self._path is None else _opened(self._path, "wb", path)
            self._name = self._path or STDOUT_NAME
            return
        self._parts = self._name = f"{self._path}{PARTS_ENDING}"
        keep = resume and _has_parts(self._parts)
        #: Whether the parts are known to be of this run; others are left as they are.
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
            OSError: It cannot be done; names the file.
        """
        if self._is_direct:
            self._put(part.data)
        else:
            self._put(_HEAD.pack(len(part.data), part.sources) + part.data)

    def skip_done(self, render: Iterator[Callable[[], Part]]) -> int:
        """Pass over the blocks whose parts are there, and cut what follows the last whole one.

        The first and the last part are made again, to see that they are those of this input and these options.

        Args:
            render: For each block what makes a part of it; those that are left over are still to be written.

        Returns:
            How many sources the parts have.

        Raises:
            ValueError: The parts are of something else.
        """
        foreign = f"{self._parts}: --resume: the file is not of this input with these options"
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
        """Make the output of the parts."""
        with replacing(self._path or "") as file:
            for part, _ in read_parts(self._parts):
                file.write(part.data)
        self._file.close()
        os.unlink(self._parts)

    def _leave(self) -> None:
        """Report that parts are left; without one, or without `on_left`, the file is removed."""
        self._file.close()
        if not self._are_own:
            return
        with suppress(OSError):
            if self._on_left is not None and os.path.getsize(self._parts) > len(_MAGIC):
                self._on_left(self._parts)
            else:
                os.unlink(self._parts)


def read_parts(path: str) -> Iterator[tuple[Part, int]]:
    """Yield the whole parts of a file, each with the number of bytes up to its end.

    Raises:
        ValueError: It is another file.
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
    """Return whether a run has begun to collect parts; not if it was stopped in the first bytes."""
    try:
        with open(path, "rb") as file, named(path):
            start = file.read(len(_MAGIC))
    except FileNotFoundError:
        return False
    return start == _MAGIC or not _MAGIC.startswith(start)


def _is_regular(path: str) -> bool:
    """Return whether a path is that of a regular file, or of none yet."""
    try:
        return S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True


def _opened(path: str, mode: str, name: str | None) -> Any:
    """Return a file without a buffer, which `Output` closes; errors call it by the name that the user gave."""
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
    # Not through a buffer, which would try once more at the end what has failed.
    return getattr(stream, "raw", stream)
