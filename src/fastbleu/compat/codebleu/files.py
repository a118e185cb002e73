"""Files of lines as Python reads text: any kind of line end ends one."""

from __future__ import annotations

from ...inputs.files import read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os


def lines_of(path: str | os.PathLike[str]) -> list[str]:
    r"""Read the lines of a file in UTF-8, without their ends; `\r` and `\r\n` are ends of lines, too.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not valid UTF-8.

    Example:
        >>> import os, tempfile
        >>> with tempfile.NamedTemporaryFile(delete=False) as file:
        ...     _ = file.write(b"int x;\r\n\rreturn x;")
        >>> lines_of(file.name)
        ['int x;', '', 'return x;']
        >>> os.unlink(file.name)
    """
    text = read_text(path).replace("\r\n", "\n").replace("\r", "\n")
    return text.removesuffix("\n").split("\n") if text else []
