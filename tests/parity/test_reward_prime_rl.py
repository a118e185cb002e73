"""prime-rl's configuration, as docs/rewards/prime_rl.md shows it, and the taskset of that page: what they reward.

prime-rl has no reward functions of its own: it takes those of verifiers' tasksets (src/prime_rl/orchestrator/envs.py).
"""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import Any

import pytest

tomllib = pytest.importorskip("tomllib", reason="Python 3.10 has no tomllib")
configs = pytest.importorskip("prime_rl.configs.orchestrator", exc_type=ImportError)

import verifiers.v1 as vf

from fastbleu.rewards import BLEUReward
from tests.support.compared import compared

PAGE = (Path(__file__).parents[2] / "docs" / "rewards" / "prime_rl.md").read_text(encoding="utf-8")


def block(language: str, number: int = 0) -> str:
    found: str = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[number]
    return found


def reply(task: Any, text: str) -> Any:
    trace = vf.Trace(
        task=vf.TraceTask(type=type(task).__name__, data=task.data),
        agent=vf.AgentInfo(config=vf.AgentConfig()),
    )
    trace.nodes.append(vf.MessageNode(message=vf.AssistantMessage(content=text), sampled=True))
    return trace


def test_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "translation.py").write_text(block("python"))
    (tmp_path / "my_rewards.py").write_text(block("python", 1))
    (tmp_path / "pairs.jsonl").write_text(
        '{"source": "Es regnete.", "target": ["It rained.", "Rain fell."]}\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    for name in ("translation", "my_rewards"):
        monkeypatch.delitem(sys.modules, name, raising=False)

    for number in (0, 1):
        settings = tomllib.loads(block("toml", 0) + block("toml", number) * bool(number))
        [source] = settings["orchestrator"]["train"]["source"]
        if number:
            assert set(source["env"]["taskset"]["task"]["rewards"]) == {"bleu", "answer"}
        config = configs.TrainSourceConfig(**source)
        tasks = list(vf.load_taskset(config.env.taskset))
        [task] = tasks
        trace = reply(task, "<answer>It rained</answer>")
        asyncio.run(task.score(trace))
        wanted = BLEUReward("en").score_one("<answer>It rained</answer>", ["It rained.", "Rain fell."])
        assert trace.rewards["bleu"].score == wanted
        if number:
            answer = BLEUReward("en").score_one("It rained", ["It rained.", "Rain fell."])
            assert trace.rewards["answer"].score == answer
            assert trace.reward == wanted + 0.5 * answer
        else:
            assert trace.reward == wanted
        compared("prime-rl", 1)
