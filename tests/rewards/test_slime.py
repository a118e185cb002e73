"""slime's custom reward model by itself; tests/parity/test_reward_slime.py runs it inside slime."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from fastbleu.rewards import BLEUReward, CombinedReward, ConsensusReward, LengthReward, slime
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


TEXTS = ["a b c<|im_end|>", "a b d", "x"]
PARTS = {"bleu": (0.5, BLEUReward()), "agreement": (1.0, ConsensusReward())}


def test_a_dict_of_rewards_for_a_group() -> None:
    reward = bleu_reward(reward=CombinedReward(PARTS, special_tokens="strip"))
    group = [sample(text, label) for text, label in zip(TEXTS, ["a b c", None, "x"], strict=True)]
    texts = ["a b c", "a b d", "x"]
    parts = CombinedReward(PARTS).components(texts, ["a b c", None, "x"], groups=3)
    totals = parts.pop("total")
    assert parts["bleu"] == [1.0, None, 1.0]
    assert asyncio.run(reward(SimpleNamespace(reward_key=None), group)) == totals
    assert asyncio.run(reward(SimpleNamespace(reward_key="score"), group)) == [
        {"score": totals[0], "bleu": 1.0, "agreement": parts["agreement"][0]},
        {"score": totals[1], "bleu": 0.0, "agreement": parts["agreement"][1]},
        {"score": totals[2], "bleu": 1.0, "agreement": 0.0},
    ]
    with pytest.raises(
        ValueError,
        match=r"^sample must be the samples of a group, since the reward compares them: use --group-rm$",
    ):
        asyncio.run(reward(None, group[0]))
    single = bleu_reward(reward=BLEUReward())
    assert asyncio.run(single(SimpleNamespace(reward_key="score"), group[2])) == 1.0


def test_ids_of_responses() -> None:
    reward = bleu_reward(reward=LengthReward.soft_overlong(3, 2))
    samples = [sample("a b"), sample("c")]
    samples[0].tokens, samples[0].response_length = [7, 7, 7, 1, 2], 2
    samples[1].tokens, samples[1].response_length = [7, 3], 1
    args = SimpleNamespace(reward_key="score")
    assert asyncio.run(reward(args, samples)) == [
        {"score": -0.5, "soft_overlong": -0.5},
        {"score": 0.0, "soft_overlong": 0.0},
    ]
    assert asyncio.run(reward(None, samples[0])) == -0.5
    samples[1].response_length = 0
    with pytest.raises(ValueError, match=r"^completion_ids must be given, since"):
        asyncio.run(reward(args, samples))
