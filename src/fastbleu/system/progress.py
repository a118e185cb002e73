"""The one progress bar."""

from __future__ import annotations

from .extras import imports_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from typing_extensions import Self

    class ProgressBar(Protocol):
        """A context that shows how much has been done, until it ends."""

        def __enter__(self) -> Self: ...
        def __exit__(self, *_: object) -> bool | None: ...
        def update(self, number: int, /) -> object:
            """Counts `number` more items as done."""


class NoBar:
    """Shows nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def update(self, number: int) -> None:
        """Does nothing."""


def progress_bar(total: int | None, unit: str, wanted: bool = True, **style: Any) -> ProgressBar:
    """A bar of tqdm: on standard error, or in the notebook where the call was made.

    Args:
        total: How many items there are; None if that is not known.
        unit: What they are called.
        wanted: Whether to show a bar.
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
