"""The progress bar that all commands and functions use, a wrapper of tqdm."""

from __future__ import annotations

from .extras import imports_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from typing_extensions import Self

    class ProgressBar(Protocol):
        """A context manager that shows the progress of a loop."""

        def __enter__(self) -> Self: ...
        def __exit__(self, *_: object) -> bool | None: ...
        def update(self, number: int, /) -> object:
            """Count `number` more items as done."""

        def set_postfix_str(self, text: str, /) -> object:
            """Show a text at the end of the bar."""


class NoBar:
    """A progress bar that shows nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def update(self, number: int) -> None:
        """Do nothing."""

    def set_postfix_str(self, text: str) -> None:
        """Do nothing."""


def progress_bar(total: int | None, unit: str, wanted: bool = True, **style: Any) -> ProgressBar:
    """Return a tqdm progress bar, which is shown on standard error, or in the notebook cell that makes the call.

    Args:
        total: The number of items; None if it is unknown.
        unit: The word for one item, such as "segment".
        wanted: Whether to show a bar. If not, return a `NoBar`, which shows nothing.
        style: Other keyword arguments of tqdm.

    Raises:
        ImportError: `wanted` is true and tqdm is not installed.
    """
    if not wanted:
        return NoBar()
    with imports_of("cli", "progress=True"):
        from tqdm.auto import tqdm
    bar: ProgressBar = tqdm(total=total, unit=unit, **style)
    return bar
