"""The reward plugged into verifiers' tasks by their configuration, and as a method of a task."""

import asyncio
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("verifiers.v1", reason="verifiers is not installed", exc_type=ImportError)

import verifiers.v1 as vf

from fastbleu.rewards import BLEUReward, CombinedReward, RepetitionPenalty, verifiers
from fastbleu.rewards.verifiers import bleu_reward
from tests.support.compared import compared
from tests.support.reward_hosts import REFERENCES, RESPONSES, REWARDS


class TranslationData(vf.TaskData):  # type: ignore[misc]
    answer: Any = None


class Translation(vf.Task[TranslationData]):  # type: ignore[misc]
    pass


class TranslationWithReward(vf.Task[TranslationData]):  # type: ignore[misc]
    @vf.reward(weight=0.5)  # type: ignore[untyped-decorator]
    async def bleu(self, trace: Any) -> Any:
        return await bleu_reward(extract="answer")(self.data, trace)


def traces(kind: Any, config: Any, replies: list[str], references: list[Any]) -> list[Any]:
    """Scores each reply as a task of its own, all at the same time, and returns their traces."""
    made = []
    scorings = []
    for reply, reference in zip(replies, references, strict=True):
        task = kind(TranslationData(prompt="Say.", answer=reference), config)
        trace = vf.Trace(
            task=vf.TraceTask(type=kind.__name__, data=task.data), agent=vf.AgentInfo(config=vf.AgentConfig())
        )
        trace.nodes.append(vf.MessageNode(message=vf.UserMessage(content="Say.")))
        trace.nodes.append(vf.MessageNode(parent=0, message=vf.AssistantMessage(content=reply), sampled=True))
        made.append(trace)
        scorings.append(task.score(trace))

    async def score() -> None:
        await asyncio.gather(*scorings)

    asyncio.run(score())
    return made


def test_plugged_by_a_file(tmp_path: Path) -> None:
    path = tmp_path / "rewards.py"
    path.write_text(
        "from fastbleu.rewards.verifiers import bleu_reward\n\nanswer = bleu_reward(extract='answer')\n"
    )
    config = vf.TaskConfig(rewards={"translation": {"fn": f"{path}:answer", "weight": 2.0}})
    scored = traces(Translation, config, RESPONSES, REFERENCES)
    assert [trace.rewards["translation"].score for trace in scored] == REWARDS
    assert [trace.reward for trace in scored] == [2 * reward for reward in REWARDS]
    compared(f"verifiers {version('verifiers')}", len(REWARDS))


def test_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifiers, "bleu", verifiers.bleu_reward())
    monkeypatch.setattr(verifiers, "bleu_metrics", verifiers.bleu.metrics)
    config = vf.TaskConfig(
        rewards={"bleu": {"fn": "fastbleu.rewards.verifiers:bleu"}},
        metrics={"shares": {"fn": "fastbleu.rewards.verifiers:bleu_metrics"}},
    )
    traces(Translation, config, ["", "a"], ["a", "a"])
    [trace] = traces(Translation, config, ["a"], ["a"])
    assert trace.metrics["bleu_reward_empty"] == 0.5
    assert set(trace.metrics) == set(verifiers.bleu.shares())


def test_as_a_method() -> None:
    scored = traces(TranslationWithReward, None, RESPONSES, REFERENCES)
    assert [trace.rewards["bleu"].score for trace in scored] == REWARDS
    assert [trace.reward for trace in scored] == [0.5 * reward for reward in REWARDS]


def test_components(tmp_path: Path) -> None:
    """verifiers records each component by its name, and adds them up."""
    path = tmp_path / "rewards.py"
    path.write_text(
        "from fastbleu.rewards import BLEUReward, CombinedReward, RepetitionPenalty\n"
        "from fastbleu.rewards.verifiers import bleu_reward\n\n"
        "parts = {'bleu': (0.5, BLEUReward()), 'loops': (1.0, RepetitionPenalty(n=1))}\n"
        "mix = bleu_reward(reward=CombinedReward(parts, extract='answer'))\n"
    )
    config = vf.TaskConfig(rewards={"mix": {"fn": f"{path}:mix", "weight": 2.0}})
    scored = traces(Translation, config, RESPONSES, REFERENCES)
    parts: Any = {"bleu": (0.5, BLEUReward()), "loops": (1.0, RepetitionPenalty(n=1))}
    wanted = CombinedReward(parts, extract="answer").components(RESPONSES, REFERENCES)
    assert [set(trace.rewards) for trace in scored] == [{"bleu", "loops"}] * 4
    assert [trace.rewards["loops"].score for trace in scored] == wanted["loops"]
    assert [trace.reward for trace in scored] == pytest.approx([2 * total for total in wanted["total"]])
