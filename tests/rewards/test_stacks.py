"""The table of stacks, called as each stack calls a reward at the commit that docs/rewards/stacks.md names."""

from __future__ import annotations

import json
import logging
import math
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from types import ModuleType
from types import SimpleNamespace as Item
from typing import Any, NamedTuple

import numpy as np
import pytest

from fastbleu.rewards import stacks, trl
from fastbleu.rewards.stacks import STACKS, bleu_reward

TEXT, TRUTH = "the cat sat on the mat", "the cat sat on the mat"
CHAT = "<|im_start|>user\nSay it.<|im_end|>\n<|im_start|>assistant\n{}<|im_end|><|endoftext|>"
R1 = "A conversation between User and Assistant.\nUser: Say it.\nAssistant: {}<|endoftext|>"


@dataclass
class Output:
    """The classes of rLLM and tunix for a result."""

    reward: float
    is_correct: bool | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass
class TorchtuneOutput:
    reward_base_name: str
    total_reward: Any
    successes: Any
    rewards: dict[str, Any] = field(default_factory=dict)


class DataProto:
    @staticmethod
    def from_dict(tensors: dict[str, Any]) -> dict[str, Any]:
        return tensors


#: The modules of stacks that results are made with, and the class that each has there.
OWN_CLASSES: dict[str, tuple[str, type]] = {
    "rllm.eval.types": ("EvalOutput", Output),
    "rllm.rewards.reward_types": ("RewardOutput", Output),
    "tunix.rl.agentic.rewards.reward_types": ("RewardOutput", Output),
    "torchtune.dev.rl.rewards": ("RewardOutput", TorchtuneOutput),
    "roll.distributed.scheduler.protocol": ("DataProto", DataProto),
}


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, (kind, made) in OWN_CLASSES.items():
        parts = name.split(".")
        for i in range(1, len(parts) + 1):
            monkeypatch.setitem(sys.modules, ".".join(parts[:i]), ModuleType(".".join(parts[:i])))
        setattr(sys.modules[name], kind, made)


def episode(text: str, place: str = "answer") -> Item:
    empty = Item(output=None, model_response="")
    step = Item(output=text if place == "step" else None, model_response=text if place == "response" else "")
    trajectory = Item(
        output=text if place == "output" else None, steps=[step, *[empty] * (place == "response")]
    )
    return Item(artifacts={"answer": text} if place == "answer" else {}, trajectories=[trajectory])


class Tokenizer:
    def batch_decode(self, rows: Any, skip_special_tokens: bool) -> list[str]:
        assert not skip_special_tokens
        return [TEXT + "<|im_end|><pad><pad>"] * len(rows)


class Call(NamedTuple):
    """A call as the stack makes it, for text that is equal to its reference.

    Args:
        call: Calls a reward.
        value: What it returns.
    """

    call: Callable[[Any], Any]
    value: Any


DATA = {"query_id": "3", "answer": TRUTH}
RL_DATA: Any = {"ground_truth": TRUTH, "data_source": "translation"}

CALLS = {
    "areal": Call(lambda reward: reward("Say it.", TEXT + "<|im_end|>", [1], [2], **DATA), 1.0),
    "atropos": Call(
        lambda reward: reward(
            [
                TEXT,
                {"role": "assistant", "content": TEXT},
                {"message": {"role": "assistant", "content": TEXT}},
            ],
            solution=TRUTH,
        ),
        [1.0] * 3,
    ),
    "atropos, a class": Call(lambda reward: reward.compute([TEXT, "a"], solution=[TRUTH, "b"]), [1.0, 0.0]),
    "easyr1": Call(
        lambda reward: reward([{"response": TEXT, "response_length": 6, "ground_truth": TRUTH}]),
        [{"overall": 1.0, "bleu_reward": 1.0}],
    ),
    "easyr1, one by one": Call(
        lambda reward: partial(reward)({"response": TEXT, "response_length": 6, "ground_truth": TRUTH}),
        {"overall": 1.0, "bleu_reward": 1.0},
    ),
    "hatchery": Call(
        lambda reward: reward([f"Say it.<|gold|>{TRUTH}<|/gold|>"] * 2, [TEXT + "<|im_end|>", "dogs"]),
        [1.0, 0.0],
    ),
    "logic_rl": Call(lambda reward: reward(solution_str=CHAT.format(TEXT), ground_truth=TRUTH), 1.0),
    "nemo_rl": Call(lambda reward: reward(TRUTH, TEXT), (1.0, True)),
    "nemo_rl, wrong": Call(lambda reward: reward(TRUTH, "dogs"), (0.0, False)),
    "ragen": Call(lambda reward: reward(TEXT, TRUTH), {"is_correct": True, "is_valid": True, "score": 1.0}),
    "rllm": Call(lambda reward: reward.evaluate(Item(metadata=RL_DATA), episode(TEXT)), Output(1.0, True)),
    "rllm, a dict": Call(lambda reward: reward(RL_DATA, episode(TEXT, "output")), Output(1.0, True)),
    "rllm, a step": Call(lambda reward: reward(RL_DATA, episode(TEXT, "step")), Output(1.0, True)),
    "rllm, a response": Call(lambda reward: reward(RL_DATA, episode(TEXT, "response")), Output(1.0, True)),
    "skyrl": Call(lambda reward: reward(TEXT, TRUTH), 1.0),
    "tinyzero": Call(lambda reward: reward(solution_str=R1.format(TEXT), ground_truth=TRUTH), 1.0),
    "trlx": Call(
        lambda reward: reward(
            samples=["Say it." + TEXT],
            prompts=["Say it."],
            outputs=[TEXT + "</s>"],
            tokenizer=None,
            reference=[TRUTH],
        ),
        [1.0],
    ),
    "tunix": Call(
        lambda reward: reward(
            prompts=["Say it."] * 2, completions=[TEXT, "a"], reference=[TRUTH, "b"], beta=0.1
        ),
        [1.0, 0.0],
    ),
    "tunix.compute_score": Call(lambda reward: reward(TEXT, TRUTH), 1.0),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_perfect_answer(name: str) -> None:
    reward = bleu_reward(name.partition(",")[0])
    call = CALLS[name]
    assert call.call(reward) == call.value
    copy = pickle.loads(pickle.dumps(reward))
    assert call.call(copy) == call.value
    assert copy.signature == reward.signature


@pytest.mark.parametrize("name", ["rllm.action", "tunix.action"])
def test_an_action_of_a_task(name: str) -> None:
    reward = bleu_reward(name, references="answer")
    for action in (TEXT, Item(action=TEXT)):
        found = reward(task=DATA, action=action)
        assert (found.reward, found.metadata) == (1.0, {"signature": reward.signature})


def test_results_in_tensors() -> None:
    torch = pytest.importorskip("torch")
    rewards, info = bleu_reward("oat").get_reward(
        ["Say it."] * 2, [TEXT, "dogs"], [TRUTH, TRUTH], batch_size=4
    )
    assert rewards.tolist() == [1.0, 0.0]
    assert info["bleu_reward_zero"] == 0.5
    evaluated, _ = bleu_reward("oat").compare(
        ["Say it."] * 2, [TEXT, "dogs"], [TRUTH] * 2, batch_size=4, return_probs=True, disable_tqdm=True
    )
    assert evaluated.reshape(2, 1).tolist() == [[1.0], [0.0]]
    # Tokenizers of torchtune, such as Qwen's, write special tokens.
    texts = [TEXT + "<|im_end|><|endoftext|>", "dogs"]
    found = bleu_reward("torchtune", name="bleu")(torch.zeros(2, 3), texts, [TRUTH, TRUTH])
    assert (found.reward_base_name, found.total_reward.tolist(), found.successes.tolist()) == (
        "bleu",
        [1, 0],
        [1, 0],
    )
    data = Item(batch={"responses": torch.zeros(2, 5)}, non_tensor_batch={"ground_truth": [TRUTH, "dogs"]})
    tensors = bleu_reward("roll")(data, Tokenizer())
    assert tensors["response_level_rewards"].tolist() == tensors["scores"].tolist() == [1, 0]
    assert tensors["token_level_rewards"].shape == (2, 5)


def test_every_row_is_tested() -> None:
    tested = {name.partition(",")[0] for name in CALLS} | {
        "rllm.action",
        "tunix.action",
        "oat",
        "torchtune",
        "roll",
    }
    assert sorted(tested) == sorted(name for name, row in STACKS.items() if not row.module)


@pytest.mark.parametrize("name", [name for name in CALLS if "tinyzero" in name or "logic" in name])
def test_prompts_and_special_tokens_would_cost_most_of_the_reward(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert 0 < CALLS[name].call(bleu_reward(name, special_tokens="warn")) < 0.5
    assert "special_tokens='strip'" in caplog.text


def test_a_missing_reference_is_nan_for_tunix() -> None:
    first, second = stacks.tunix(["p"] * 2, [TEXT, "a"], reference=[TRUTH, None])
    assert first == 1.0
    assert math.isnan(second)


#: Calls of batches whose second sample has no reference, and the rewards in what they return.
ABSENT: dict[str, Callable[[Any], Any]] = {
    "atropos": lambda reward: reward([TEXT, "a"], solution=[TRUTH, None]),
    "easyr1": lambda reward: [
        each["overall"]
        for each in reward(
            [{"response": TEXT, "ground_truth": TRUTH}, {"response": "a", "ground_truth": None}]
        )
    ],
    "oat": lambda reward: reward(["p"] * 2, [TEXT, "a"], [TRUTH, None])[0].tolist(),
    "roll": lambda reward: reward(
        Item(
            batch={"responses": [[1], [2]]},
            non_tensor_batch={"ground_truth": np.array([TRUTH, None], dtype=object)},
        ),
        Tokenizer(),
    ),
    "torchtune": lambda reward: reward([[1], [2]], [TEXT, "a"], [TRUTH, None]).total_reward.tolist(),
    "trlx": lambda reward: reward([], [], [TEXT, "a"], reference=[TRUTH, None]),
}


@pytest.mark.parametrize("name", ABSENT)
def test_a_missing_reference_of_a_batch_is_an_error_or_an_empty_sample(name: str) -> None:
    with pytest.raises(ValueError, match=rf"^{STACKS[name].references}\[1\] must have a reference, got None"):
        ABSENT[name](bleu_reward(name))
    if name in ("oat", "roll", "torchtune"):
        pytest.importorskip("torch")
    if name != "roll":
        assert ABSENT[name](bleu_reward(name, errors="empty", empty=-1)) == [1.0, -1.0]


@pytest.mark.parametrize(
    ("name", "call", "message"),
    [
        ("areal", lambda reward: reward("p", TEXT, [1], [2]), r"^answer is not among"),
        ("areal", lambda reward: reward("p"), r"^completions is missing; there are \['prompt'\]"),
        ("areal", lambda reward: reward("p", prompt="p"), r"^prompt is given twice"),
        (
            "easyr1",
            lambda reward: reward([{"response": "a"}]),
            r"^ground_truth is not among .* of reward_inputs\[0\]",
        ),
        ("easyr1", lambda reward: reward([3]), r"^reward_inputs\[0\] must be a dict with 'response'"),
        (
            "hatchery",
            lambda reward: reward(["p"], ["a"]),
            r"^prompts\[0\] must hold the reference on one line, <\|gold\|>",
        ),
        # The hatchery would show it to the model.
        (
            "hatchery",
            lambda reward: reward([f"p<|gold|>{TRUTH}\n<|/gold|>"], [TEXT]),
            r"^prompts\[0\] must hold the reference on one line",
        ),
        ("hatchery", lambda reward: reward([["p"]], [TEXT]), r"^prompts\[0\] must be a str, not list"),
        (
            "nemo_rl",
            lambda reward: reward(TRUTH, TEXT, 3),
            r"^arguments must be 2, ground_truth, response; got 3",
        ),
        ("rllm", lambda reward: reward(RL_DATA, Item(trajectories=[])), r"^episode must be an episode with"),
        (
            "roll",
            lambda reward: reward(Item(batch={"responses": [[1]]}, non_tensor_batch={"a": 1}), Tokenizer()),
            r"^ground_truth is not among \['a'\] of data.non_tensor_batch",
        ),
        ("skyrl", lambda reward: reward(3, "a"), r"^action must be a str or a list of messages, not int"),
        ("nemo_rl", lambda reward: reward([], "a"), r"^ground_truth must hold at least one reference"),
        ("trlx", lambda reward: reward([], [], []), r"^there is no column 'reference'"),
        (
            "trlx",
            lambda reward: reward([], [], TEXT, reference=[TRUTH]),
            r"^outputs must be a sequence of completions, not a bare str",
        ),
        ("tunix.action", lambda reward: reward(task=3, action="a"), r"^task must be a dict with 'answer'"),
    ],
)
def test_errors_in_calls(name: str, call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        call(bleu_reward(name))


def test_errors_in_options() -> None:
    with pytest.raises(ValueError, match=r"^stack must be one of areal, .*, got 'verl'"):
        bleu_reward("verl")
    with pytest.raises(TypeError, match=r"^stack must be the name of a training stack"):
        bleu_reward(3)
    for name in ("hatchery", "oat"):
        with pytest.raises(ValueError, match=rf"^references must be None: {STACKS[name].name} always has "):
            bleu_reward(name, references="truth")
    with pytest.raises(ValueError, match=r"^baseline must be None: SkyRL subtracts its own"):
        bleu_reward("skyrl", baseline="mean")
    with pytest.raises(ValueError, match=r"^special_tokens must be one of warn, keep, strip"):
        bleu_reward("skyrl", special_tokens="cut")


def test_easyr1_passes_options_of_its_configuration() -> None:
    sample = {"response": f"<a>{TEXT}</a>", "ground_truth": TRUTH}
    reward = partial(bleu_reward("easyr1"), extract="a", scale=2.0)
    assert reward([sample] * 2) == [{"overall": 2.0, "bleu_reward": 2.0}] * 2
    assert reward(sample) == {"overall": 2.0, "bleu_reward": 2.0}
    with pytest.raises(TypeError, match="unexpected keyword argument 'extrakt'"):
        bleu_reward("easyr1")([sample], extrakt="a")


def test_arrays_of_jax_for_tunix() -> None:
    jnp = pytest.importorskip("jax.numpy", reason="jax is not installed", exc_type=ImportError)
    ids = jnp.array([[5, 6, 7, 2], [5, 6, 2, 0]])
    reward = bleu_reward("tunix", pad_id=0, eos_id=2)
    for completions, references in ((ids, ids), ([*ids], [*ids]), (ids, [[5, 6, 7], [[5, 6], [5]]])):
        found = reward(prompts=["p"] * 2, completions=completions, reference=references)
        assert found == [1.0, 1.0]
        assert {type(each) for each in found} == {float}
    first, second = reward(prompts=["p"] * 2, completions=ids, reference=[[5, 6, 7], None])
    assert first == 1.0
    assert math.isnan(second)
    one = bleu_reward("tunix.compute_score", pad_id=0, eos_id=2)
    assert one(ids[0], ids[0]) == one(ids[0], [5, 6, 7]) == 1.0


def test_errors_that_a_stack_hides_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    for name in ("atropos", "rllm"):
        with pytest.raises(TypeError):
            bleu_reward(name)(*[3] * len(STACKS[name].parameters))
    hidden = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert [record.getMessage().partition(" makes")[0] for record in hidden] == ["atropos", "rLLM"]
    assert all(record.exc_info for record in hidden)


def test_rewards_that_a_configuration_names() -> None:
    assert stacks.areal is stacks.areal
    assert (
        stacks.tunix_compute_score(TEXT, TRUTH) == trl.bleu(completions=[TEXT], reference=[TRUTH])[0] == 1.0
    )
    with pytest.raises(AttributeError, match="has no attribute 'verl'"):
        stacks.verl  # noqa: B018


def test_checked_before_a_training(capsys: pytest.CaptureFixture[str]) -> None:
    (checked,) = bleu_reward("tinyzero").check(solution_str=R1.format(TEXT), ground_truth=TRUTH)
    assert (checked.reward, checked.scored) == (1.0, TEXT)
    assert "special tokens, or a prompt before them, were cut off" in capsys.readouterr().out
    samples = bleu_reward("easyr1").check(
        [json.loads(f'{{"response": "{TEXT}</s>", "ground_truth": "{TRUTH}"}}')] * 2
    )
    assert [sample.remarks for sample in samples] == [("'</s>' of a chat template is scored as text",)] * 2
    assert bleu_reward("easyr1").check([]) == []
