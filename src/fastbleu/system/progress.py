"""The progress bar of all commands and functions: tqdm's, or none."""

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
    """Return a progress bar of tqdm, which appears on standard error, or in the notebook cell that makes the call.

    Args:
        total: The number of items; None if it is unknown.
        unit: The word for one item.
        wanted: Whether to show a bar; if not, the result shows nothing.
        style: Further options of tqdm.

    Raises:
        ImportError: A bar is wanted, and tqdm is not installed.
    """
    if not wanted:
        return NoBar()
    with imports_of("cli", "progress=True"):
        from tqdm.auto import tqdm
    bar: ProgressBar = tqdm(total=total, unit=unit, **style)
    return bar
