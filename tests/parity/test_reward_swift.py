"""The reward inside ms-swift: registered by a plug-in, called by ms-swift's own code."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("swift.rewards", reason="ms-swift is not installed", exc_type=ImportError)
torch = pytest.importorskip("torch", reason="torch is not installed")

from swift.rl_core.data import GRPOSample
from swift.rl_core.grpo_algorithm import compute_rewards_per_func
from swift.rlhf_trainers.utils import resolve_reward_funcs
from swift.utils import import_external_file

from tests.support.compared import compared
from tests.support.reward_hosts import REFERENCES, RESPONSES, REWARDS

PLUGIN = """
from swift.rewards import orms
from fastbleu.rewards.swift import BLEUORM


class Translation(BLEUORM):
    options = {"extract": "answer", "errors": "empty"}
    reference_column = "target"


orms["bleu"] = BLEUORM
orms["translation"] = Translation
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bleu_plugin.py").write_text(PLUGIN)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.delitem(sys.modules, "bleu_plugin", raising=False)
    import_external_file(str(tmp_path / "bleu_plugin.py"))


def sample(content: Any, **columns: Any) -> Any:
    messages = [{"role": "user", "content": "Say."}, {"role": "assistant", "content": content}]
    return GRPOSample(messages=messages, extra=columns)


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
