"""The form in which rewards are returned."""

from __future__ import annotations

from ..inputs.devices import as_like

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def in_form_of(rewards: list[float | None], completions: Any) -> Any:
    """Return rewards as a list for a list of completions, and for an array of ids as an array of its kind."""
    if isinstance(completions, (list, tuple)):
        return rewards
    import numpy as np

    shape: Any = getattr(completions, "shape", ())
    array = np.array(rewards, dtype=np.float64)
    return as_like(array.reshape(shape[:2]) if len(shape) == 3 else array, completions)
