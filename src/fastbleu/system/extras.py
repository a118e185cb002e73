"""Packages that an extra brings, imported when they are needed."""

from __future__ import annotations

from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def imports_of(extra: str, user: str) -> Iterator[None]:
    """Imports of what an extra brings, which may not be installed.

    Args:
        extra: The extra.
        user: What needs it, as the beginning of a message.

    Raises:
        ImportError: A module is not there; says which, and how to install it.

    Example:
        >>> with imports_of("cli", "the table"):
        ...     import no_such_module
        Traceback (most recent call last):
        ImportError: the table needs the module no_such_module: pip install "fastbleu-metric[cli]"
    """
    try:
        yield
    except ModuleNotFoundError as error:
        module = str(error.name).partition(".")[0]
        message = f'{user} needs the module {module}: pip install "fastbleu-metric[{extra}]"'
        raise ImportError(message) from error
