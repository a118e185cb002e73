"""The reward in a rubric of verifiers, which has them up to its release 0.3."""

from __future__ import annotations

import asyncio
import json
from importlib.metadata import version
from typing import Any

import pytest

legacy = pytest.importorskip(
    "verifiers.legacy", reason="verifiers < 0.4 is not installed", exc_type=ImportError
)

from fastbleu.rewards.verifiers import rubric_reward
from tests.support.compared import compared
from tests.support.reward_hosts import REFERENCES, RESPONSES, REWARDS


def state(response: str, **fields: Any) -> dict[str, Any]:
    """A finished rollout, with messages as verifiers makes them."""
    message = legacy.AssistantMessage(role="assistant", content=response)
    return {
        "prompt": [{"role": "user", "content": "Say."}],
        "completion": [message],
        "answer": "",
        "info": {},
        "trajectory": [],
        "timing": {},
    } | fields


def score(rubric: Any, states: list[dict[str, Any]]) -> list[float]:
    asyncio.run(rubric.score_group(states))
    return [each["reward"] for each in states]


def test_values() -> None:
    rubric = legacy.Rubric(
        funcs=[rubric_reward(extract="answer", reference="references", name="translation")]
    )
    states = [
        state(response, info=json.loads(json.dumps({"references": reference})))
        for response, reference in zip(RESPONSES, REFERENCES, strict=True)
    ]
    assert not rubric.has_group_rewards
    assert score(rubric, states) == REWARDS
    assert [each["metrics"] for each in states] == [{"translation": reward} for reward in REWARDS]
    compared(f"verifiers {version('verifiers')}", len(REWARDS))
