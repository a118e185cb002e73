"""Files that a command is to write, checked before it works."""

from __future__ import annotations

import os

from .common import wrong_option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def refuse_inputs(option: str, path: str, inputs: Iterable[str | None]) -> None:
    """Refuse to write over what is read.

    Args:
        option: What names the file that is written.
        path: That file.
        inputs: The files that are read; "-" is standard input, and None no file.

    Raises:
        UserError: One of them is that file, by whichever name.
    """
    for name in inputs:
        if _is_standard_input(path) if name == "-" else _are_same(name, path):
            raise wrong_option(option, f"{path} is an input file too")


def refuse_unwritable(path: str) -> None:
    """Open a file for writing, to find out early whether that can be done; nothing is changed.

    Raises:
        OSError: It cannot be opened.
    """
    exists = os.path.exists(path)
    if not exists or os.path.isfile(path) or os.path.isdir(path):  # not a pipe, which would be closed again
        # Appending leaves a file that is there as it is.
        with open(path, "ab"):
            pass
    if not exists:
        os.remove(os.path.realpath(path))


def _are_same(one: str | None, other: str) -> bool:
    try:
        return one is not None and os.path.samefile(one, other)
    except OSError:
        return False


def _is_standard_input(path: str) -> bool:
    """Return whether standard input comes from this file."""
    try:
        return os.path.samestat(os.fstat(0), os.stat(path))
    except OSError:
        return False
