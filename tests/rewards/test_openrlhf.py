"""OpenRLHF's reward function: called in a thread and loaded by its path as OpenRLHF does, and given bad input.

tests/parity/test_reward_openrlhf.py runs OpenRLHF's own executor.
"""

import asyncio
import pickle
from pathlib import Path
from typing import Any

import pytest

from fastbleu.rewards import BLEUReward, CombinedReward, LengthReward, RepetitionPenalty, openrlhf
from fastbleu.rewards.openrlhf import bleu_reward, response_of
from tests.support.modules import loaded

PROMPT = "<|im_start|>user\nÜbersetze: Es regnete.<|im_end|>\n<|im_start|>assistant\n"


def test_a_call_in_a_thread(torch: Any) -> None:
    queries = [f"{PROMPT}the cat<|im_end|>"]
    found = asyncio.run(asyncio.to_thread(bleu_reward(), queries, [PROMPT], ["the cat"]))
    assert (found["rewards"].dtype, found["rewards"].tolist()) == (torch.float32, [1.0])
    assert torch.tensor([found["rewards"]]).shape == (1,)  # as the trainer stores it


def test_scores_are_shares_of_the_scale() -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    found = bleu_reward(scale=5, empty=-2)([PROMPT + "the cat", PROMPT], [PROMPT] * 2, ["the cat"] * 2)
    assert found["rewards"].tolist() == [5.0, -2.0]
    assert found["scores"].tolist() == found["extra_logs"]["bleu_reward"].tolist() == [1.0, 0.0]
    assert found["extra_logs"]["bleu_reward_empty"] == 0.5
    odd = bleu_reward(empty=-1)(["", "a ", "a \ud800"], ["", "a", "a"], ["b", "b", "\ud800"])
    assert odd["rewards"].tolist() == [-1.0, -1.0, 1.0]


def test_the_module_is_a_file_that_openrlhf_can_load() -> None:
    reward_func = loaded(Path(openrlhf.__file__), "reward_func").reward_func
    assert reward_func is openrlhf.reward_func
    assert type(pickle.loads(pickle.dumps(reward_func))) is openrlhf.OpenRLHFReward


@pytest.mark.parametrize(
    ("query", "prompt"),
    [
        *((PROMPT[start:], PROMPT) for start in (0, 1, 20, len(PROMPT) - 16)),
        ("\ufffd" + PROMPT[PROMPT.index("Ü") + 1 :], PROMPT),  # The prompt was truncated within a character.
        ("ab" * 12, "c" + "ab" * 20),  # The prompt repeats itself.
    ],
)
def test_prompts_that_were_truncated_at_the_start(query: str, prompt: str) -> None:
    assert response_of(f"{query}It rained.", prompt, 0) == "It rained."


@pytest.mark.parametrize("query", ["It rained.", "", PROMPT[-15:] + "It rained.", PROMPT[:-1]])
def test_a_query_without_its_prompt(query: str) -> None:
    with pytest.raises(ValueError, match=r"^queries\[3\] must begin with prompts\[3\], got "):
        response_of(query, PROMPT, 3)


@pytest.mark.parametrize(
    ("query", "prompt", "label", "error"),
    [
        (None, "a", "b", r"^queries\[0\] must be a str, not None"),
        ("a b", None, "b", r"^prompts\[0\] must be a str, not None"),
        ("a b", "a", None, r"^labels\[0\] must have a reference, got None"),
        ("a b", "b", "b", r"^queries\[0\] must begin with prompts\[0\]"),
    ],
)
def test_broken_samples(query: Any, prompt: Any, label: Any, error: str) -> None:
    call: list[list[Any]] = [[query, "a cat"], [prompt, "a "], [label, "cat"]]
    with pytest.raises((TypeError, ValueError), match=error):
        bleu_reward()(*call)
    pytest.importorskip("torch", reason="torch is not installed")
    tolerant = bleu_reward(errors="empty", empty=-1)
    assert tolerant(*call)["rewards"].tolist() == [-1.0, 1.0]
    assert tolerant.counts.errors == 1


@pytest.mark.parametrize("errors", ["raise", "empty"])
def test_wrong_numbers_are_errors_always(errors: Any) -> None:
    reward_func = bleu_reward(errors=errors)
    with pytest.raises(ValueError, match=r"^prompts has 1 item, but there are 2 completions$"):
        reward_func(["a", "b"], ["a"], ["a"])
    with pytest.raises(TypeError, match=r"^queries must be a sequence"):
        reward_func("a", ["a"], ["a"])


def test_components_are_logged(torch: Any) -> None:
    parts = {"bleu": (0.5, BLEUReward()), "reward": (1.0, RepetitionPenalty(n=1, of="scored"))}
    reward = bleu_reward(reward=CombinedReward(parts, special_tokens="strip", name="mix"))
    found = reward([f"{PROMPT}the cat<|im_end|>"], [PROMPT], ["the cat"])
    assert (found["rewards"].tolist(), found["scores"].tolist()) == ([0.5], [0.5])
    found = reward([f"{PROMPT}no no<|im_end|>"], [PROMPT], [None])
    assert (found["rewards"].tolist(), found["scores"].tolist()) == ([-0.5], [0.0])
    logged = {name: float(value) for name, value in found["extra_logs"].items()}
    assert logged == {
        "mix": 0.0,
        "mix_bleu": 0.0,
        "mix_reward": -0.5,
        "mix_none": 0.0,
        "mix_zero": 0.0,
        "mix_empty": 0.0,
        "mix_clipped": 0.0,
        "mix_cut": 1.0,
        "mix_errors": 0.0,
    }
    of_one = bleu_reward(reward=LengthReward(target=2))  # special tokens are cut off
    assert of_one([f"{PROMPT}a b<|im_end|>"], [PROMPT], [None])["rewards"].dtype == torch.float32
    with pytest.raises(ValueError, match=r"^queries\[0\] has no reward: no component applies to it$"):
        bleu_reward(reward=LengthReward())([f"{PROMPT}a"], [PROMPT], [None])
