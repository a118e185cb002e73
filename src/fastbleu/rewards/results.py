"""Rewards in the form in which the completions came: an array of the same kind on the same device."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import float64
    from numpy.typing import NDArray


def array_like(rewards: NDArray[float64], completions: Any) -> Any:
    """Rewards as an array of the kind in which completions came.

    Args:
        rewards: float64, NaN where there is none.
        completions: What came in, no list.

    Returns:
        For a tensor of torch a tensor on its device, float64 (float32 on devices without it); otherwise the rewards as
        they are.

    Example:
        >>> import numpy as np
        >>> array_like(np.array([0.5]), np.array([[5, 6]]))
        array([0.5])
    """
    if type(completions).__module__.partition(".")[0] == "torch":
        import torch

        device = completions.device
        kind = torch.float32 if device.type == "mps" else torch.float64
        return torch.as_tensor(rewards, dtype=kind, device=device)
    return rewards
