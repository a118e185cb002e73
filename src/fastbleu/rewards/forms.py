"""Convert rewards to the form in which they are returned."""

from __future__ import annotations

from ..inputs.devices import as_like
from ..inputs.id_arrays import is_number_array
from ..inputs.ids import TokenIds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def in_form_of(rewards: list[float | None], completions: Any) -> Any:
    """Return rewards as a list for a list, as an array of the same kind for an array of ids, else as a NumPy array."""
    if isinstance(completions, (list, tuple)):
        return rewards
    import numpy as np

    shape: Any = getattr(completions, "shape", ())
    array = np.array(rewards, dtype=np.float64)
    if not isinstance(completions, TokenIds) and not is_number_array(completions, (2, 3)):
        return array
    return as_like(array.reshape(shape[:2]) if len(shape) == 3 else array, completions)
