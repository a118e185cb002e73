"""Rewards as arrays of the kind in which completions came."""

from __future__ import annotations

import numpy as np
import pytest

from fastbleu.rewards.results import array_like

REWARDS = np.array([0.5, np.nan])


def test_numpy() -> None:
    assert array_like(REWARDS, np.array([[5], [6]])) is REWARDS
    assert array_like(REWARDS, "anything else") is REWARDS


def test_torch() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed", exc_type=ImportError)
    found = array_like(REWARDS, torch.tensor([[5], [6]]))
    assert (found.dtype, found.device.type) == (torch.float64, "cpu")
    assert found[0] == 0.5
    assert found[1].isnan()
