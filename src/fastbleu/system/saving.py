"""Write files atomically: if writing fails, the existing file remains unchanged."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from stat import S_IMODE, S_ISREG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO


def save_text(path: str | os.PathLike[str], text: str, errors: str = "strict") -> None:
    r"""Write text to a file in UTF-8, without converting line ends.

    The text is first written to a temporary file in the same folder, which then replaces the file. Pipes, devices and
    files with several hard links are written in place, and so are files in a folder that permits no new file.

    Args:
        path: The file. An existing file is replaced; a symbolic link keeps pointing to its target, which is replaced.
        text: The content.
        errors: How to encode lone surrogates; the argument `errors` of `str.encode`.

    Raises:
        OSError: The file cannot be written; the error names it. The file is unchanged, unless it is written in place.

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
    """Open a temporary file for writing, which replaces the file at `path` when the `with` block ends.

    Files that cannot be replaced are written in place, as `save_text` describes. If the block raises an error, the
    temporary file is removed.

    Raises:
        OSError: The file at `path` cannot be written. The error names it, unless the block raised the error with the
            name of a different file.
    """
    final = os.path.realpath(path)
    unfinished = os.path.join(os.path.dirname(final), f".{os.urandom(4).hex()}.unfinished")
    status = os.stat(path) if os.path.exists(path) else None
    in_place = status is not None and (not S_ISREG(status.st_mode) or status.st_nlink > 1)
    in_block = False
    try:
        if status is not None and not in_place:
            # Raise an error for a file without write permission. Opening a file to append does not change it.
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
            del error.filename2  # The message would show its value, None.
        raise
