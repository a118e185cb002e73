"""The reward called by slime's own code, which finds it by its path."""

import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

rm_hub = pytest.importorskip("slime.rollout.rm_hub", reason="slime is not installed", exc_type=ImportError)

from slime.utils.types import Sample

from fastbleu.rewards import BLEUReward, CombinedReward, ConsensusReward
from tests.support.compared import compared
from tests.support.reward_hosts import REFERENCES, RESPONSES, REWARDS


def samples(**fields: Any) -> list[Any]:
    return [
        Sample(index=i, prompt="Say.", response=f"{response}<|im_end|>", label=reference, **fields)
        for i, (response, reference) in enumerate(zip(RESPONSES, REFERENCES, strict=True))
    ]


def arguments(**given: Any) -> Any:
    return SimpleNamespace(**{"custom_rm_path": None, "rm_type": None, "group_rm": False} | given)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "slime_rewards_of_mine.py").write_text(
        "from fastbleu.rewards.slime import bleu_reward\n\nbleu = bleu_reward(extract='answer')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "slime_rewards_of_mine", raising=False)
    return "slime_rewards_of_mine.bleu"


def test_one_by_one(path: str) -> None:
    async def score() -> Any:
        args = arguments(custom_rm_path=path)
        return await asyncio.gather(*[rm_hub.async_rm(args, sample) for sample in samples()])

    assert asyncio.run(score()) == REWARDS
    compared("slime", len(REWARDS))


def test_groups(path: str) -> None:
    args = arguments(custom_rm_path=path, group_rm=True)
    assert asyncio.run(rm_hub.batched_async_rm(args, samples())) == REWARDS


def test_components_of_a_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slime_components_of_mine.py").write_text(
        "from fastbleu.rewards import BLEUReward, CombinedReward, ConsensusReward\n"
        "from fastbleu.rewards.slime import bleu_reward\n\n"
        "parts = {'bleu': (0.5, BLEUReward()), 'agreement': (1.0, ConsensusReward())}\n"
        "mix = bleu_reward(reward=CombinedReward(parts, extract='answer', special_tokens='strip'))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    args = arguments(custom_rm_path="slime_components_of_mine.mix", group_rm=True, reward_key="score")
    group = samples()
    for sample, reward in zip(group, asyncio.run(rm_hub.batched_async_rm(args, group)), strict=True):
        sample.reward = reward
    parts: Any = {"bleu": (0.5, BLEUReward()), "agreement": (1.0, ConsensusReward())}
    wanted = CombinedReward(parts, extract="answer").components(RESPONSES, REFERENCES, groups=len(RESPONSES))
    assert [sample.get_reward_value(args) for sample in group] == wanted["total"]
    assert [sample.reward["agreement"] for sample in group] == wanted["agreement"]
