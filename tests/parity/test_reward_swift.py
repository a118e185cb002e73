"""The reward inside ms-swift: registered by a plug-in, called by ms-swift's own code."""

import sys
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("swift.rewards", reason="ms-swift is not installed", exc_type=ImportError)
torch = pytest.importorskip("torch", reason="torch is not installed")

from swift.rl_core.data import GRPOSample
from swift.rl_core.grpo_algorithm import compute_rewards_per_func
from swift.rlhf_trainers.utils import resolve_reward_funcs
from swift.utils import import_external_file

from fastbleu.rewards import ConsensusReward, RepetitionPenalty
from tests.support.compared import compared
from tests.support.reward_hosts import REFERENCES, RESPONSES, REWARDS

PLUGIN = """
from swift.rewards import orms
from fastbleu.rewards import ConsensusReward, RepetitionPenalty
from fastbleu.rewards.swift import BLEUORM


class Agreement(BLEUORM):
    options = {"reward": ConsensusReward()}


class Loops(BLEUORM):
    options = {"reward": RepetitionPenalty(n=1)}


class Translation(BLEUORM):
    options = {"extract": "answer", "errors": "empty"}
    reference_column = "target"


orms["bleu"] = BLEUORM
orms["translation"] = Translation
orms["agreement"] = Agreement
orms["loops"] = Loops
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bleu_plugin.py").write_text(PLUGIN)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.delitem(sys.modules, "bleu_plugin", raising=False)
    import_external_file(str(tmp_path / "bleu_plugin.py"))


def sample(content: Any, prompt_id: str = "", **columns: Any) -> Any:
    messages = [{"role": "user", "content": "Say."}, {"role": "assistant", "content": content}]
    return GRPOSample(messages=messages, prompt_id=prompt_id, extra=columns)


@pytest.mark.usefixtures("plugin")
def test_values() -> None:
    functions, names = resolve_reward_funcs(["translation", "bleu"], args=object())
    assert names == ["Translation", "BLEUORM"]
    samples = [
        sample(response, target=reference, solution=reference)
        for response, reference in zip(RESPONSES, REFERENCES, strict=True)
    ]
    rewards = compute_rewards_per_func(samples, functions, [None, None], torch.device("cpu"))
    assert rewards[:, 0].tolist() == torch.tensor(REWARDS).tolist()
    assert rewards[2, 1].item() == 1.0  # without extraction
    compared(f"ms-swift {version('ms-swift')}", len(REWARDS))


@pytest.mark.usefixtures("plugin")
def test_components() -> None:
    args = SimpleNamespace(num_generations=2)
    functions, names = resolve_reward_funcs(["agreement", "loops"], args=args)
    assert names == ["Agreement", "Loops"]
    texts, labels = ["a b", "x x", "a b c", "x y"], ["p0", "p1", "p0", "p1"]
    samples = [sample(text, label) for text, label in zip(texts, labels, strict=True)]
    rewards = compute_rewards_per_func(samples, functions, [None, None], torch.device("cpu"))
    assert rewards[:, 0].tolist() == torch.tensor(ConsensusReward()(texts, groups=labels)).tolist()
    assert rewards[:, 1].tolist() == torch.tensor(RepetitionPenalty(n=1)(texts)).tolist()
