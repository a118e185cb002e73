"""Import optional dependencies, with an error that says how to install them."""

from __future__ import annotations

from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def imports_of(extra: str, user: str) -> Iterator[None]:
    """Make a context manager for a block that imports optional dependencies.

    Args:
        extra: The extra of fastbleu-metric that installs the dependencies.
        user: The function or option that needs the dependencies, for the start of the error message.

    Raises:
        ImportError: A module that the block imports is not installed. The message says which, and how to install it.

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
