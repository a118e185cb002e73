"""Reports and pages -> files, which are either written as a whole or left as they were."""

from __future__ import annotations

import os
from contextlib import suppress
from stat import S_IMODE, S_ISREG

#: What the name of a file ends in until it is whole.
UNFINISHED_ENDING = ".unfinished"


def save_text(path: str | os.PathLike[str], text: str, errors: str = "strict") -> None:
    r"""Write a file of text in UTF-8, with its line ends as they are.

    The text is written under another name first, which is then exchanged for the right one. A pipe or a device cannot
    be exchanged, nor a file in a folder where none may be made: these are written in place.

    Args:
        path: The file; one that is there is replaced. A link stays one.
        text: What it is to hold.
        errors: What happens to characters without UTF-8, as for `str.encode`.

    Raises:
        OSError: The file cannot be written; names it. It holds what it held before, or is not there.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save_text(os.path.join(folder, "report"), "the cat\n")
        ...     os.listdir(folder)
        ['report']
    """
    data = text.encode("utf-8", errors)
    name = os.path.realpath(path)
    try:
        try:
            status = os.stat(name)
        except FileNotFoundError:
            _exchange(name, data, None)
            return
        if not S_ISREG(status.st_mode):
            _write(name, data)
            return
        # A file that must not be written must not be exchanged, either; appending nothing leaves it as it is.
        with open(name, "ab"):
            pass
        try:
            _exchange(name, data, S_IMODE(status.st_mode))
        except PermissionError:
            _write(name, data)
    except OSError as error:
        error.filename = os.fspath(path)
        error.filename2 = None
        raise


def _exchange(name: str, data: bytes, mode: int | None) -> None:
    """Writes a new file in place of another, which had this mode."""
    unfinished = f"{name}{UNFINISHED_ENDING}"
    try:
        _write(unfinished, data)
        if mode is not None:
            os.chmod(unfinished, mode)
        os.replace(unfinished, name)
    except BaseException:
        with suppress(OSError):
            os.unlink(unfinished)
        raise


def _write(name: str, data: bytes) -> None:
    with open(name, "wb") as file:
        file.write(data)
