"""Writes reports and pages to files, which are either written as a whole or left as they were."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from stat import S_IMODE, S_ISREG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO


def save_text(path: str | os.PathLike[str], text: str, errors: str = "strict") -> None:
    r"""Write a file of text in UTF-8, with its line ends as they are.

    The text is written to a file beside it first, which then takes its place. Written in place are pipes, devices and
    files with several names, and files in a folder where no other may be made.

    Args:
        path: The file; one that is there is replaced. A link stays one.
        text: What it is to hold.
        errors: What happens to characters without UTF-8, as for `str.encode`.

    Raises:
        OSError: The file cannot be written; names it. Unless it is written in place, it is unchanged.

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
        OSError: It cannot be written; names the file, unless the error of the block names another.
    """
    final = os.path.realpath(path)
    unfinished = os.path.join(os.path.dirname(final), f".{os.urandom(4).hex()}.unfinished")
    status = os.stat(path) if os.path.exists(path) else None
    in_place = status is not None and (not S_ISREG(status.st_mode) or status.st_nlink > 1)
    in_block = False
    try:
        if status is not None and not in_place:
            # A file that must not be written must not be replaced either; appending nothing leaves it as it is.
            with open(path, "ab"):
                pass
        try:
            file = open(path, "wb") if in_place else open(unfinished, "xb")  # noqa: SIM115  # closed below
        except PermissionError:
            in_place = True
            file = open(path, "wb")  # noqa: SIM115  # closed below
        with file:
            in_block = True
            yield file
            in_block = False
        if not in_place:
            if status is not None:
                os.chmod(unfinished, S_IMODE(status.st_mode))
            os.replace(unfinished, final)
    except BaseException as error:
        if not in_place:
            with suppress(OSError):
                os.unlink(unfinished)
        if isinstance(error, OSError) and (error.filename is None or not in_block):
            error.filename = os.fspath(path)
            del error.filename2  # None would be a part of the message
        raise
