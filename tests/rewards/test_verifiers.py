"""Rewards of verifiers' tasks by themselves; tests/parity/test_reward_verifiers.py runs them inside verifiers."""

import asyncio
import inspect
from types import SimpleNamespace as Item
from typing import Any

import pytest

from fastbleu.rewards import BLEUReward, CombinedReward, RepetitionPenalty, verifiers
from fastbleu.rewards.counts import COUNTED
from fastbleu.rewards.verifiers import bleu_reward


def test_verifiers_passes_arguments_by_name() -> None:
    assert [*inspect.signature(bleu_reward()).parameters] == ["task", "trace"]


def test_the_default_is_a_reward_of_tasks() -> None:
    assert asyncio.run(verifiers.bleu(task=Item(answer="the cat"), trace=Item(last_reply="the cat"))) == 1.0
    shares = asyncio.run(verifiers.bleu_metrics())
    assert sorted(shares) == sorted(f"bleu_reward_{name}" for name in COUNTED[1:])


@pytest.mark.parametrize("errors", ["raise", "empty"])
def test_a_missing_field_is_an_error_always(errors: Any) -> None:
    error = r"^reference must be a field of the task's data; SimpleNamespace has no 'target'$"
    reward = bleu_reward(reference="target", errors=errors)
    with pytest.raises(ValueError, match=error):
        asyncio.run(reward(task=Item(answer="a"), trace=Item(last_reply="a")))


def test_components_are_keyed_scores() -> None:
    parts = {"bleu": (0.5, BLEUReward()), "loops": (1.0, RepetitionPenalty(n=1))}
    reward = bleu_reward(reward=CombinedReward(parts))
    no = Item(last_reply="no no")
    assert asyncio.run(reward(Item(answer="no no"), no)) == {"bleu": 0.5, "loops": -0.5}
    assert asyncio.run(reward(Item(answer=None), no)) == {"loops": -0.5}
    error = r"^reference must be a field of the task's data; SimpleNamespace has no 'answer'$"
    with pytest.raises(ValueError, match=error):
        asyncio.run(reward(Item(), no))
    assert asyncio.run(bleu_reward(reward=RepetitionPenalty(n=1))(Item(), no)) == {"repetition_penalty": -0.5}
    assert asyncio.run(reward.metrics())["combined_reward_none"] == 0.0
