"""The reward inside OpenRLHF's own executor, as a file."""

import asyncio
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

# Its executor needs aiohttp and no more; the package itself needs a GPU's libraries.
agent = pytest.importorskip("openrlhf.utils.agent", reason="OpenRLHF is not installed", exc_type=ImportError)
torch = pytest.importorskip("torch", reason="torch is not installed")

from tests.support.compared import compared
from tests.support.reward_hosts import REFERENCES, RESPONSES, REWARDS

PROMPT = "<|im_start|>user\nSay.<|im_end|>\n<|im_start|>assistant\n"
END = "<|im_end|>"


class Tokenizer:
    """Characters as ids; OpenRLHF decodes with special tokens."""

    def __call__(self, text: str, **_: Any) -> dict[str, Any]:
        return {"input_ids": torch.tensor([[ord(character) for character in text]])}

    def decode(self, ids: list[int], skip_special_tokens: bool = True) -> str:
        assert not skip_special_tokens
        return "".join(map(chr, ids))


class Engine:
    """Return an answer as vLLM would give it."""

    def __init__(self, response: str) -> None:
        self.response = response

    async def generate(self, prompt_ids: list[int], sampling_params: Any, multi_modal_data: Any) -> Any:
        del prompt_ids, sampling_params, multi_modal_data
        ids = [ord(character) for character in self.response]
        return SimpleNamespace(
            outputs=[SimpleNamespace(token_ids=ids, finish_reason="stop", logprobs=None, text=self.response)]
        )


def execute(
    executor: Any, responses: list[str], labels: list[Any], max_length: int = 2048
) -> list[dict[str, Any]]:
    sampling = SimpleNamespace(max_tokens=1000, logprobs=None)

    async def run() -> Any:
        return await asyncio.gather(
            *[
                executor.execute(PROMPT, label, sampling, max_length, Tokenizer(), Engine(response + END))
                for response, label in zip(responses, labels, strict=True)
            ]
        )

    found: list[dict[str, Any]] = asyncio.run(run())
    return found


def float32(values: list[float]) -> list[float]:
    found: list[float] = torch.tensor(values).tolist()
    return found


@pytest.mark.parametrize("max_length", [2048, 1000 + 30])  # the second cuts prompts off at the left
def test_as_a_file(tmp_path: Path, max_length: int) -> None:
    source = (
        "from fastbleu.rewards.openrlhf import bleu_reward\n\nreward_func = bleu_reward(extract='answer')\n"
    )
    (tmp_path / "reward.py").write_text(source)
    executor = agent.SingleTurnAgentExecutor([str(tmp_path / "reward.py")])
    outputs = execute(executor, RESPONSES, REFERENCES, max_length)
    assert [output["reward"].item() for output in outputs] == float32(REWARDS)
    assert [output["scores"].item() for output in outputs] == float32(REWARDS)
    assert [output["extra_logs"]["bleu_reward"].item() for output in outputs] == float32(REWARDS)
    assert outputs[-1]["extra_logs"].keys() >= {"bleu_reward_empty", "bleu_reward_clipped"}
    compared(f"OpenRLHF {version('openrlhf')}", len(REWARDS))


def test_components_in_its_logs(tmp_path: Path) -> None:
    path = tmp_path / "reward.py"
    path.write_text(
        "from fastbleu.rewards import BLEUReward, CombinedReward, RepetitionPenalty\n"
        "from fastbleu.rewards.openrlhf import bleu_reward\n\n"
        "parts = {'bleu': (0.5, BLEUReward()), 'loops': (1.0, RepetitionPenalty(n=1))}\n"
        "options = {'extract': 'answer', 'special_tokens': 'strip', 'name': 'mix'}\n"
        "reward_func = bleu_reward(reward=CombinedReward(parts, **options))\n"
    )
    outputs = execute(agent.SingleTurnAgentExecutor([str(path)]), RESPONSES, REFERENCES)
    assert [output["extra_logs"]["mix_bleu"].item() for output in outputs] == float32(REWARDS)
    loops = [output["extra_logs"]["mix_loops"].item() for output in outputs]
    totals = [0.5 * bleu + loop for bleu, loop in zip(REWARDS, loops, strict=True)]
    assert [output["reward"].item() for output in outputs] == pytest.approx(totals, abs=1e-6)
