"""Rewards of groups of equal texts, and without groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fastbleu.rewards import ConsensusReward, DiversityReward, diversity_adjusted


@pytest.mark.parametrize("kind", ["self-bleu", "pairwise"])
def test_diversity_is_never_negative(kind: Any) -> None:
    """The BLEU of equal texts is 100.00000000000004."""
    texts = ["a b c d"] * 3
    rewards = DiversityReward(kind)(texts, groups=3)
    assert rewards == [0.0, 0.0, 0.0]
    assert diversity_adjusted(rewards, texts, 3) == [0.0, 0.0, 0.0]


def test_adjusting_needs_groups() -> None:
    with pytest.raises(ValueError, match=r"^groups must be given") as error:
        diversity_adjusted([1.0], ["a"], None)
    assert (
        str(error.value) == "groups must be given, since diversity_adjusted compares the samples of a group"
    )


def test_one_sample_of_each_prompt() -> None:
    rewards = ConsensusReward()(np.array([[[5, 6]], [[5, 7]]]))
    assert rewards.shape == (2, 1)
    assert np.isnan(rewards).all()
