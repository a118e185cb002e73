"""Rewards in the form in which the completions came: a list, or an array of the same kind on the same device."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import float64
    from numpy.typing import NDArray


def as_given(rewards: NDArray[float64], completions: Any, absent: list[int]) -> Any:
    """Rewards in the form of the completions.

    Args:
        rewards: float64, NaN where there is none.
        completions: What came in.
        absent: The numbers of the completions without a reward.

    Returns:
        For a list or tuple a list of float, with None where there is no reward; for a tensor of torch a tensor on its
        device, float64 (float32 on devices without it); otherwise the rewards as they are.

    Example:
        >>> import numpy as np
        >>> as_given(np.array([0.5, np.nan]), ["a", "b"], [1])
        [0.5, None]
    """
    if isinstance(completions, (list, tuple)):
        listed: list[float | None] = rewards.tolist()
        for i in absent:
            listed[i] = None
        return listed
    if type(completions).__module__.partition(".")[0] == "torch":
        import torch

        device = completions.device
        kind = torch.float32 if device.type == "mps" else torch.float64
        return torch.as_tensor(rewards, dtype=kind, device=device)
    return rewards
