"""slime's custom reward model by itself; tests/parity/test_reward_slime.py runs it inside slime."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from fastbleu.rewards import slime
from fastbleu.rewards.slime import bleu_reward


def sample(response: Any, label: Any = None, metadata: Any = None) -> SimpleNamespace:
    return SimpleNamespace(prompt="Say.", response=response, label=label, metadata=metadata)


def test_the_default_ignores_what_else_slime_passes() -> None:
    assert asyncio.run(slime.bleu(None, sample("the cat<|im_end|>", "the cat"), evaluation=True)) == 1.0


@pytest.mark.parametrize("as_group", [False, True])
@pytest.mark.parametrize(
    ("broken", "key", "error"),
    [
        (sample("a", metadata={}), "k", r"^metadata\['k'\](\[0\])? must have a reference, got None$"),
        (sample("a", metadata="k"), "k", r"^metadata\['k'\](\[0\])? must have a reference, got None$"),
        (None, None, r"^samples?(\[0\])? must be a sample with a response, not "),
        ({}, None, r"^samples?(\[0\])? must be a sample with a response, not "),
    ],
)  # fmt: skip
def test_broken_samples(as_group: bool, broken: Any, key: str | None, error: str) -> None:
    def rewards(reward: Any, samples: list[Any]) -> Any:
        calls: list[Any] = [samples] if as_group else samples
        found = [asyncio.run(reward(None, each)) for each in calls]
        return found[0] if as_group else found

    with pytest.raises((TypeError, ValueError), match=error):
        rewards(bleu_reward(metadata_key=key), [broken])
    tolerant = bleu_reward(metadata_key=key, errors="empty", empty=-1)
    assert rewards(tolerant, [broken, sample("b", "b", {"k": "b"})]) == [-1.0, 1.0]
    assert tolerant.counts.errors == 1
