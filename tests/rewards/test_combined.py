"""The options of a combination of rewards, and completions that are broken."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from fastbleu.rewards import BLEUReward, CombinedReward, RepetitionPenalty


def test_a_function_that_fails_breaks_one_completion(caplog: pytest.LogCaptureFixture) -> None:
    def extract(text: str) -> str:
        return {"x": "the cat sat"}[text]

    components = {"bleu": (1.0, BLEUReward())}
    with pytest.raises(KeyError):
        CombinedReward(components, extract=extract)(["x", "y"], ["the cat sat"] * 2)
    reward = CombinedReward(components, extract=extract, errors="empty")
    assert reward(["x", "y"], ["the cat sat"] * 2) == [1.0, 0.0]
    assert (reward.counts["total"].errors, reward.counts["total"].empty) == (1, 1)
    (message,) = caplog.messages
    assert message.endswith("KeyError: 'y'")


def test_a_combination_keeps_its_components() -> None:
    components: dict[str, Any] = {"bleu": (1.0, BLEUReward())}
    reward = CombinedReward(components)
    components["repetition"] = (1.0, RepetitionPenalty(1))
    assert [*pickle.loads(pickle.dumps(reward)).components(["a a"], ["a"])] == ["bleu", "total"]
    assert [*reward.check(["a a"], ["a"])[0].rewards] == ["bleu", "total"]
