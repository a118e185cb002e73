"""Reports and pages -> files, which are either written as a whole or left as they were."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager, suppress
from stat import S_IMODE, S_ISREG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

#: What the name of a file ends in until it is whole.
UNFINISHED_ENDING = ".unfinished"

# Where no other file may be made, or not put in place of the old one: in folders of others, where a file system is
# mounted on the file, and where the longer name is too long.
_NO_EXCHANGE = {errno.EACCES, errno.EPERM, errno.EBUSY, errno.EROFS, errno.ENAMETOOLONG}


def save_text(path: str | os.PathLike[str], text: str, errors: str = "strict") -> None:
    r"""Write a file of text in UTF-8, with its line ends as they are.

    The text is written under another name first, which is then exchanged for the right one. What cannot be exchanged,
    or would not be the same file then, is written in place: pipes and devices, standard output by its name, files with
    several names or of another owner, and files in a folder where none may be made.

    Args:
        path: The file; one that is there is replaced. A link stays one.
        text: What it is to hold.
        errors: What happens to characters without UTF-8, as for `str.encode`.

    Raises:
        OSError: The file cannot be written; names it. Unless it is written in place, it holds what it held before, or
            is not there.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save_text(os.path.join(folder, "report"), "the cat\n")
        ...     os.listdir(folder)
        ['report']
    """
    data = text.encode("utf-8", errors)
    with replacing(path) as file:
        file.write(data)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that takes the place of another at the end of the block, as `save_text` says.

    Raises:
        OSError: It cannot be written; names the file.
    """
    unfinished: str | None = None
    is_inside = False
    try:
        file, unfinished = _open(path)
        with file:
            is_inside = True
            yield file
            is_inside = False
        if unfinished is not None:
            _exchange(unfinished, os.path.realpath(path))
    except BaseException as error:
        if unfinished is not None:
            with suppress(OSError):
                os.unlink(unfinished)
        if isinstance(error, OSError) and (error.filename is None or not is_inside):
            error.filename = os.fspath(path)
            del error.filename2  # None would be a part of the message
        raise


def _open(path: str | os.PathLike[str]) -> tuple[BinaryIO, str | None]:
    """Open the file to write, and say what it is called if it is another one, which takes the place of `path`."""
    status = os.stat(path) if os.path.exists(path) else None
    if status is not None:
        if _is_to_stay(path, status):
            return open(path, "wb"), None
        # A file that must not be written must not be exchanged, either; appending nothing leaves it as it is.
        with open(path, "ab"):
            pass
    unfinished = f"{os.path.realpath(path)}.{os.urandom(4).hex()}{UNFINISHED_ENDING}"
    try:
        file = open(unfinished, "xb")  # noqa: SIM115  # closed by the caller
    except OSError as error:
        if error.errno not in _NO_EXCHANGE:
            raise
        return open(path, "wb"), None
    if status is not None:
        os.chmod(unfinished, S_IMODE(status.st_mode))
    return file, unfinished


def _is_to_stay(path: str | os.PathLike[str], status: os.stat_result) -> bool:
    """Return whether another file in its place would not be the same."""
    if not S_ISREG(status.st_mode) or status.st_nlink > 1 or _is_held_open(path):
        return True
    return hasattr(os, "geteuid") and status.st_uid != os.geteuid()


def _is_held_open(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a process's name of a file that it has opened, as /dev/stdout is."""
    name = os.path.abspath(path)
    while not os.path.realpath(os.path.dirname(name)).startswith(("/proc/", "/dev/fd")):
        if not os.path.islink(name):
            return False
        name = os.path.join(os.path.dirname(name), os.readlink(name))
    return True


def _exchange(unfinished: str, name: str) -> None:
    """Puts a file in the place of another; where that cannot be done, its content."""
    try:
        os.replace(unfinished, name)
    except OSError as error:
        if error.errno not in _NO_EXCHANGE:
            raise
        import shutil  # which takes longer to import than a small score takes

        with open(unfinished, "rb") as source, open(name, "wb") as target:
            shutil.copyfileobj(source, target)
        os.unlink(unfinished)
