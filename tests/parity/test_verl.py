"""`fastbleu.rewards.verl` inside verl: its configuration names our functions, its reward managers call them."""

import asyncio
import warnings
from copy import deepcopy
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

for host in ("torch", "transformers", "tokenizers"):
    pytest.importorskip(host, reason=f"{host} is not installed", exc_type=ImportError)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # verl's and Ray's own
    pytest.importorskip("verl", reason="verl is not installed", exc_type=ImportError)
    import torch
    from hydra import compose, initialize_config_module
    from omegaconf import OmegaConf
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast
    from verl import DataProto
    from verl.experimental.reward_loop.reward_manager import get_reward_manager_cls as loop_manager
    from verl.trainer.ppo.reward import get_custom_reward_fn, load_reward_manager
    from verl.workers.reward_manager import get_reward_manager_cls

import fastbleu.rewards.verl as ours
from fastbleu import BLEU
from fastbleu.rewards import BLEUReward, CombinedReward, RepetitionPenalty
from fastbleu.rewards.counts import COUNTED
from tests.support.compared import compared
from tests.support.modules import REPOSITORY

pytestmark = pytest.mark.filterwarnings("ignore")
SPECIAL_TOKENS = {"pad_token": "<pad>", "eos_token": "</s>"}
DETAILS = {"score", *COUNTED[1:]}
PATHS = [
    "pkg://fastbleu.rewards.verl",
    "pkg://fastbleu/rewards/verl",
    str(ours.__file__),
    f"file://{ours.__file__}",
]


@cache
def defaults() -> Any:
    with initialize_config_module("verl.trainer.config", version_base=None):
        return compose("ppo_trainer")


def config(*settings: str, path: str = PATHS[0], name: str = "compute_score", **reward_kwargs: Any) -> Any:
    """It with a reward function, and with further settings as on a command line."""
    function = {"path": path, "name": name, "reward_kwargs": reward_kwargs}
    changes = OmegaConf.create({"reward": {"custom_reward_function": function}})
    changed = deepcopy(defaults())
    OmegaConf.set_struct(changed, False)
    return OmegaConf.merge(changed, changes, OmegaConf.from_dotlist(list(settings)))


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    """A token for each byte, so that decoding gives back every text."""
    alphabet = [*SPECIAL_TOKENS.values(), *sorted(pre_tokenizers.ByteLevel.alphabet())]
    bytes_alone = Tokenizer(models.BPE({token: i for i, token in enumerate(alphabet)}, []))
    bytes_alone.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_alone.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=bytes_alone, clean_up_tokenization_spaces=False, **SPECIAL_TOKENS
    )


@pytest.fixture(scope="module")
def samples() -> SimpleNamespace:
    """A system's output in the form that is asked of a model, and two references of each, from examples/."""
    lines = {
        name: (REPOSITORY / "examples" / f"{name}.de").read_text(encoding="utf-8").splitlines()[:12]
        for name in ("system.beta", "reference.A", "reference.B")
    }
    system, *streams = lines.values()
    answers = [f"<think>Hm.</think> <answer>{line}</answer>" for line in system]
    answers[1] = system[1]  # without what is asked
    truths = [list(references) for references in zip(*streams, strict=True)]
    metric = BLEU(effective_order=True)
    scores = [metric.sentence_score(*pair).score / 100 for pair in zip(system, truths, strict=True)]
    scores[1] = 0.0
    return SimpleNamespace(answers=answers, truths=truths, scores=[min(1.0, score) for score in scores])


def rollout(samples: Any, tokenizer: Any) -> Any:
    """Return the output of verl's rollout: prompts padded on the left, responses on the right."""
    n = len(samples.answers)
    prompts = tokenizer(
        ["Sag es.", "Übersetze: x"] * n, return_tensors="pt", padding=True, padding_side="left"
    )
    responses = tokenizer(
        [answer + tokenizer.eos_token for answer in samples.answers],
        return_tensors="pt",
        padding=True,
        padding_side="right",
    )
    masks = [prompts["attention_mask"][:n], responses["attention_mask"]]
    # References that come from a Parquet file are arrays.
    truths = [np.array(truth, dtype=object) if i % 2 else truth for i, truth in enumerate(samples.truths)]
    return DataProto.from_dict(
        tensors={
            "prompts": prompts["input_ids"][:n],
            "responses": responses["input_ids"],
            "attention_mask": torch.cat(masks, dim=1),
        },
        non_tensors={
            "data_source": np.array(["news"] * n, dtype=object),
            "reward_model": np.array(
                [{"style": "rule", "ground_truth": truth} for truth in truths], dtype=object
            ),
            "extra_info": np.array([{"index": i, "lg": "de"} for i in range(n)], dtype=object),
        },
    )


def run_reward_loop(chosen: Any, tokenizer: Any, data: Any) -> list[dict[str, Any]]:
    """Score each response by the manager of the reward loop that the configuration names."""

    async def run() -> list[dict[str, Any]]:
        called = load_reward_manager(chosen, tokenizer)
        assert type(called) is loop_manager(chosen.reward.reward_manager.name)
        called.loop = asyncio.get_running_loop()
        return [*await asyncio.gather(*(called.run_single(data[i : i + 1]) for i in range(len(data))))]

    return asyncio.run(run())


def same(tensor: Any, data: Any, samples: Any) -> None:
    """Each reward stands at the last token of its response, as float32."""
    compared("verl", len(samples.scores))
    wanted = torch.zeros_like(data.batch["responses"], dtype=torch.float32)
    width = data.batch["prompts"].shape[1]
    last = data.batch["attention_mask"][:, width:].sum(dim=1) - 1
    wanted[torch.arange(len(wanted)), last] = torch.tensor(samples.scores, dtype=torch.float32)
    assert torch.equal(tensor, wanted)
    assert len({round(score, 6) for score in samples.scores}) > 5


@pytest.mark.parametrize("path", PATHS)
def test_the_configuration_names_our_functions(path: str) -> None:
    function = get_custom_reward_fn(config(path=path, extract="answer", scale=2.0))
    assert function.args[0] is ours.compute_score
    assert function.args[1] == {"extract": "answer", "scale": 2.0}
    assert (
        function(data_source="n", solution_str="<answer>a</answer>", ground_truth="a", extra_info={}) == 2.0
    )


@pytest.mark.parametrize("manager", ["naive", "dapo", "prime"])
def test_managers_of_single_responses(manager: str, samples: Any, tokenizer: Any) -> None:
    data = rollout(samples, tokenizer)
    function = get_custom_reward_fn(config(path=PATHS[2], extract="answer"))
    called = get_reward_manager_cls(manager)(tokenizer, num_examine=0, compute_score=function)
    same(called(data), data, samples)
    if manager == "prime":
        return
    data = rollout(samples, tokenizer)
    function = get_custom_reward_fn(config(extract="answer", details=True, language_key="lg"))
    called = get_reward_manager_cls(manager)(tokenizer, num_examine=0, compute_score=function)
    result = called(data, return_dict=True)
    same(result["reward_tensor"], data, samples)
    details = result["reward_extra_info"]
    assert set(details) >= DETAILS
    assert details["score"] == samples.scores
    assert details["empty"] == [int(i == 1) for i in range(len(samples.scores))]


@pytest.mark.parametrize("manager", ["naive", "dapo"])
@pytest.mark.parametrize("details", [False, True])
def test_managers_of_the_reward_loop(samples: Any, tokenizer: Any, manager: str, details: bool) -> None:
    data = rollout(samples, tokenizer)
    chosen = config(f"reward.reward_manager.name={manager}", extract="answer", details=details)
    results = run_reward_loop(chosen, tokenizer, data)
    compared("verl", len(results))
    assert [result["reward_score"] for result in results] == samples.scores
    for i, result in enumerate(results):
        details_of_one = result["reward_extra_info"]
        if details:
            assert set(details_of_one) == DETAILS
            assert details_of_one["empty"] == (i == 1)
        else:
            assert details_of_one == {"acc": samples.scores[i]}


def test_components_for_the_gdpo_advantage(
    samples: Any, tokenizer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """verl's manager keeps our components, and its estimator normalizes each within its group."""
    from verl.trainer.ppo.core_algos import compute_gdpo_outcome_advantage

    parts = {"bleu": (0.5, BLEUReward()), "loops": (1.0, RepetitionPenalty(n=1))}
    combined = CombinedReward(parts, extract="answer")
    monkeypatch.setattr(ours, "combined_for_gdpo", ours.bleu_reward(reward=combined), raising=False)
    data = rollout(samples, tokenizer)
    chosen = config("reward.reward_manager.name=gdpo", name="combined_for_gdpo")
    results = run_reward_loop(chosen, tokenizer, data)
    columns = combined.components(samples.answers, samples.truths)
    assert [result["reward_score"] for result in results] == columns["total"]
    infos = [result["reward_extra_info"] for result in results]
    scores = {name: np.array([info[name] for info in infos]) for name in parts}
    assert {name: column.tolist() for name, column in scores.items()} == {
        name: columns[name] for name in parts
    }

    groups = np.repeat(["a", "b", "c"], 4)
    mask = data.batch["attention_mask"][:, data.batch["prompts"].shape[1] :]
    advantages, _ = compute_gdpo_outcome_advantage(
        token_level_rewards=torch.zeros_like(mask, dtype=torch.float32),
        response_mask=mask,
        index=groups,
        config=OmegaConf.create({"gdpo_reward_keys": [*parts], "gdpo_reward_weights": [0.5, 1.0]}),
        non_tensor_batch=scores,
        batch=data.batch,
    )
    wanted = sum(
        weight * (column - column.mean(1, keepdims=True)) / (column.std(1, ddof=1, keepdims=True) + 1e-6)
        for (weight, _), column in zip(
            parts.values(), [each.reshape(3, 4) for each in scores.values()], strict=True
        )
    )
    tokens = torch.tensor(wanted, dtype=torch.float32).reshape(-1, 1) * mask
    number = mask.sum()
    mean = tokens.sum() / number
    variance = (((tokens - mean) ** 2) * mask).sum() / (number - 1)
    whitened = (tokens - mean) * torch.rsqrt(variance + 1e-8) * mask
    assert torch.isfinite(advantages).all()
    assert torch.allclose(advantages, whitened, atol=1e-5)
    compared("verl", len(results))
