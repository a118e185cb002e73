"""`fastbleu.rewards.trl` by itself, and inside a real `GRPOTrainer`."""

from __future__ import annotations

import inspect
import math
import pickle
from pathlib import Path
from types import SimpleNamespace as Item
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU
from fastbleu.rewards import (
    BLEUReward,
    CombinedReward,
    ConsensusReward,
    DiversityReward,
    LengthReward,
    RepetitionPenalty,
)
from fastbleu.rewards.trl import bleu_reward
from tests.support.reward_hosts import expected

METRIC = BLEU(effective_order=True)


def says(content: Any, role: str = "assistant") -> dict[str, Any]:
    return {"role": role, "content": content}


def test_what_else_trl_passes_is_ignored() -> None:
    reward = bleu_reward("target", metric=METRIC, name="bleu_4")
    assert not inspect.iscoroutinefunction(reward.__call__)
    rewards = pickle.loads(pickle.dumps(reward))(
        prompts=["?"] * 3,
        completions=["the cat sat on a mat", "a", [says("a cat", "user"), says("the cat sat")]],
        completion_ids=[[1, 2]] * 3,
        target=["the cat sat on the mat", None, ["a dog", [says("the cat sat")]]],
        reference=[None] * 3,
        trainer_state=object(),
        log_extra=print,
        log_metric=lambda *_: None,
        environments=None,
    )
    assert rewards == [expected("the cat sat on a mat", "the cat sat on the mat"), None, 1.0]


def test_ids_are_scored_without_decoding() -> None:
    reward = bleu_reward(eos_id=2, pad_id=0)
    ids, references = [[5, 6, 7, 8, 2], [5, 6], [9, 2], []], [[5, 6, 7, 9, 2], [[5, 6], [7]], None, [5]]
    rewards = reward(completions=["unread"] * 4, completion_ids=ids, reference=references)
    metric = BLEU(tokenize="none", effective_order=True)
    assert rewards == [
        metric.sentence_score([5, 6, 7, 8], [[5, 6, 7, 9]]).score / 100,
        1.0,
        None,
        0.0,
    ]
    counts = reward.reward.counts
    assert (counts.samples, counts.empty, counts.clipped) == (3, 1, 2)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"answer": ["a"]}, ValueError, r"there is no column 'reference'; there are \['answer'\]"),
        ({"reference": "a"}, TypeError, "reference must be a sequence .* not a bare str: 'a'"),
        ({"reference": ["a", "b"]}, ValueError, "reference has 2 items, but there is 1 completion"),
        ({"reference": [["a", 3]]}, TypeError, r"reference\[0\]\[1\] must be a str or .* not int: 3"),
        ({"reference": ["a"], "completions": [3]}, TypeError, r"completions\[0\] must be a str or .* not int"),
        ({"reference": ["a"], "completions": "ab"}, TypeError, "completions must be a sequence of texts, not a"),
        ({"reference": [[5, 6]]}, TypeError, "completion_ids must be given, since reference holds token ids"),
        ({"reference": [[5]], "completion_ids": [[5, -1]]}, ValueError, r"completion_ids\[0\]\[1\] is -1"),
    ],
)  # fmt: skip
def test_errors(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        bleu_reward()(**{"completions": ["a"], **arguments})


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"reference_column": 3}, TypeError, "reference_column must be a str, not int: 3"),
        ({"language_column": ""}, ValueError, "language_column must not be empty"),
        (
            {"language_column": "l", "metric": METRIC},
            ValueError,
            "language_column must be None beside metric",
        ),
    ],
)
def test_errors_in_options(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        bleu_reward(**options)


def test_shares_of_each_call_are_logged() -> None:
    logged: list[tuple[str, float]] = []
    reward = bleu_reward(extract="answer", name="bleu")
    completions = ["<answer>a</answer>", "a", "<answer>a", "<answer>a a a</answer>"]
    for _ in range(2):
        reward(completions=completions, reference=["a"] * 4, log_metric=lambda *entry: logged.append(entry))
    names = ("perfect", "zero", "empty", "clipped", "cut", "too_long")
    shares = [
        *zip((f"rewards/bleu/{name}" for name in names), (0.25, 0.5, 0.5, 0.25, 0.0, 0.25), strict=True)
    ]
    assert logged == shares * 2
    assert reward.reward.counts.samples == 8
    reward(completions=["a"], reference=[None], log_metric=lambda *entry: logged.append(entry))
    assert logged == shares * 2  # no sample, no share
    of_broken: dict[str, float] = {}
    tolerant = bleu_reward(errors="empty", empty=-1.0, name="bleu")
    assert tolerant(completions=[None, "a"], reference=["a", "a"], log_metric=of_broken.__setitem__) == [
        -1,
        1,
    ]
    halves = {f"rewards/bleu/{name}" for name in ("perfect", "zero", "empty", "errors")}
    assert {name for name, share in of_broken.items() if share == 0.5} == halves
    assert set(of_broken.values()) == {0.0, 0.5}


def test_languages_come_from_a_column() -> None:
    texts, references = (
        ["\u4eca\u5929\u5f88\u51b7", "It is cold"],
        ["\u4eca\u5929\u5f88\u51b7\u3002", "It is cold."],
    )
    reward = bleu_reward(language_column="lang")
    assert reward(completions=texts, reference=references, lang=["zh", "en"]) == [
        BLEU(trg_lang=language, effective_order=True).sentence_score(text, [reference]).score / 100
        for text, reference, language in zip(texts, references, ["zh", "en"], strict=True)
    ]
    with pytest.raises(ValueError, match=r"there is no column 'lang'; there are \['reference'\]"):
        reward(completions=texts, reference=references)


# With the host

SPECIAL_TOKENS = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
WORDS = [*SPECIAL_TOKENS.values(), "user", "assistant", "the", "a", "cat", "dog", "sat", "lay", "on", "mat"]
TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }} {{ message['content'] }} {% endfor %}"
    "{% if add_generation_prompt %}assistant {% endif %}"
)
REFERENCE_OF: dict[str, Any] = {
    "the cat": ["the cat sat on the mat"],
    "a dog": ["a dog lay on a mat", "the dog sat"],
    "the dog": None,
    "a cat": ["a cat sat", "a cat lay", "the mat"],
}


IDS = {word: i for i, word in enumerate(WORDS)}


def ids_of(references: list[str] | None) -> list[list[int]] | None:
    """References as the ids of their words, with the end that the model writes, too."""
    if references is None:
        return None
    return [[*(IDS[word] for word in reference.split()), IDS["</s>"]] for reference in references]


def unconcerned(completions: list[Any], **_: Any) -> list[float]:
    """A reward for every sample, beside one that applies to some."""
    return [0.5] * len(completions)


def grpo_trainer(folder: Path, rewards: list[Any], conversational: bool) -> Any:
    """A `GRPOTrainer` of a tiny Llama that babbles in a few words."""
    torch = pytest.importorskip("torch", reason="torch is not installed", exc_type=ImportError)
    transformers = pytest.importorskip("transformers", exc_type=ImportError)
    datasets = pytest.importorskip("datasets", exc_type=ImportError)
    tokenizers = pytest.importorskip("tokenizers", exc_type=ImportError)
    trl = pytest.importorskip("trl", reason="trl is not installed", exc_type=ImportError)
    words = tokenizers.models.WordLevel(IDS, SPECIAL_TOKENS["unk_token"])
    tokenizer = tokenizers.Tokenizer(words)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **SPECIAL_TOKENS)
    tokenizer.chat_template = TEMPLATE
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=64,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=None,
    )
    arguments = trl.GRPOConfig(
        output_dir=str(folder),
        per_device_train_batch_size=8,
        num_generations=4,
        max_completion_length=8,
        max_steps=2,
        learning_rate=1e-2,
        logging_steps=1,
        save_strategy="no",
        bf16=False,
        use_cpu=True,
        disable_tqdm=True,
        report_to=[],
    )
    prompts = [[says(prompt, "user")] if conversational else prompt for prompt in REFERENCE_OF]
    return trl.GRPOTrainer(
        model=transformers.LlamaForCausalLM(config),
        reward_funcs=rewards,
        args=arguments,
        train_dataset=datasets.Dataset.from_dict(
            {
                "prompt": prompts,
                "reference": list(REFERENCE_OF.values()),
                "reference_ids": [ids_of(references) for references in REFERENCE_OF.values()],
            }
        ),
        processing_class=tokenizer,
    )


@pytest.mark.parametrize("conversational", [False, True])
# TRL 1.16 still says "gradient_checkpointing" to transformers 5.23, which warns of the old name.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*gradient_checkpointing.* is deprecated:FutureWarning")
def test_in_grpo_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, conversational: bool) -> None:
    constants = pytest.importorskip("huggingface_hub.constants", exc_type=ImportError)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_TELEMETRY", True)  # a test reports to nobody
    plain = BLEU(max_ngram_order=1)
    seen: list[list[list[int]]] = []

    def listening(completions: list[Any], completion_ids: list[list[int]], **_: Any) -> list[float]:
        seen.append(completion_ids)
        return unconcerned(completions)

    rewards_of_text = [bleu_reward(), bleu_reward(metric=plain, name="unigrams")]
    reward_of_ids = bleu_reward("reference_ids", eos_id=1, name="ids")
    trainer = grpo_trainer(tmp_path, [*rewards_of_text, reward_of_ids, listening], conversational)
    trainer.train()
    logged = [entry for entry in trainer.state.log_history if "reward" in entry]
    assert len(logged) == 2
    assert all(0 < entry["rewards/bleu_reward/mean"] < entry["rewards/unigrams/mean"] < 1 for entry in logged)
    # What the trainer keeps of its last step: 4 completions of each of 2 prompts, and their rewards as float32.
    prompts, completions = list(trainer._logs["prompt"]), list(trainer._logs["completion"])
    if conversational:
        prompts, completions = (
            [messages[0]["content"] for messages in texts] for texts in (prompts, completions)
        )
    assert len(completions) == 8
    for name, metric in (("bleu_reward", METRIC), ("unigrams", plain)):
        rewards = list(trainer._logs["rewards"][name])
        for prompt, completion, reward in zip(prompts, completions, rewards, strict=True):
            if REFERENCE_OF[prompt] is None:
                assert math.isnan(reward)
            else:
                score = metric.sentence_score(completion, REFERENCE_OF[prompt]).score / 100
                assert reward == pytest.approx(score, rel=1e-7)
        assert np.nanmean(rewards) == pytest.approx(logged[1][f"rewards/{name}/mean"], rel=1e-6)
    assert any(reward > 0 for reward in trainer._logs["rewards"]["bleu_reward"])
    of_ids = BLEU(tokenize="none", effective_order=True)
    for prompt, ids, reward in zip(prompts, seen[-1], trainer._logs["rewards"]["ids"], strict=True):
        references = ids_of(REFERENCE_OF[prompt])
        if references is None:
            assert math.isnan(reward)
        else:
            cut = [[each for each in row if each != 1] for row in (ids, *references)]
            assert reward == pytest.approx(of_ids.sentence_score(cut[0], cut[1:]).score / 100, rel=1e-7)
    # The shares are in the trainer's log: of what was cut off, for one, exactly those rows of ids that have no end.
    assert {"rewards/ids/empty", "rewards/ids/clipped", "rewards/ids/too_long"} <= set(logged[1])
    concerned = [
        ids for prompt, ids in zip(prompts, seen[-1], strict=True) if REFERENCE_OF[prompt] is not None
    ]
    unended = sum(1 not in ids for ids in concerned)
    assert logged[1]["rewards/ids/clipped"] == pytest.approx(unended / len(concerned), rel=1e-6)


def test_ids_in_a_field() -> None:
    reward = bleu_reward(reference_field="ids")
    assert reward(completions=[""], completion_ids=[[5, 6, 7]], reference=[{"ids": [5, 6, 7]}]) == [1.0]


GROUPS = ["a b c", "a b c", "a b d", "x y z", "the cat sat", "the cat", "the cat sat", "dogs bark"]
PROMPTS = ["Say one."] * 4 + ["Say two."] * 4


def calculated(rewards: list[Any], logged: dict[str, float], **columns: Any) -> Any:
    """What TRL's own trainer makes of rewards of 8 completions, two prompts of 4 each."""
    torch = pytest.importorskip("torch", reason="torch is not installed", exc_type=ImportError)
    trl = pytest.importorskip("trl", reason="trl is not installed", exc_type=ImportError)
    inputs = [
        {"prompt": prompt, **{name: column[i] for name, column in columns.items()}}
        for i, prompt in enumerate(PROMPTS)
    ]
    trainer = Item(
        accelerator=Item(device=torch.device("cpu"), is_main_process=True),
        reward_funcs=rewards,
        reward_processing_classes=[None] * len(rewards),
        reward_func_names=[reward.__name__ for reward in rewards],
        state=Item(global_step=1),
        environments=None,
        args=Item(report_to=[]),
        _log_completion_extra=print,
        _log_metric=logged.__setitem__,
    )
    ids = [[ord(word[0]) for word in text.split()] for text in GROUPS]
    return trl.GRPOTrainer._calculate_rewards(trainer, inputs, PROMPTS, GROUPS, ids)


def test_components_as_functions_of_their_own() -> None:
    parts = [ConsensusReward(name="agreement"), RepetitionPenalty(n=1), DiversityReward()]
    functions: list[Any] = [bleu_reward(reward=part, group_size=4) for part in parts]
    assert [function.__name__ for function in functions] == [
        "agreement",
        "repetition_penalty",
        "diversity_reward",
    ]
    logged: dict[str, float] = {}
    table = calculated(functions, logged)
    ids = [[ord(word[0]) for word in text.split()] for text in GROUPS]
    for i, part in enumerate(parts):
        wanted: Any = part(GROUPS, groups=4, completion_ids=ids)
        assert table[:, i].tolist() == np.array(wanted, dtype=np.float32).tolist()
    assert logged == {}  # TRL logs the means of functions itself.


def test_one_reward_that_logs_its_components() -> None:
    ids = [[ord(word[0]) for word in text.split()] for text in GROUPS]
    references = ["a b c", None, "a b", "x", "the cat", "the cat", None, None]
    combined = CombinedReward(
        {
            "bleu": (0.5, BLEUReward()),
            "agreement": (0.25, ConsensusReward()),
            "length": (2.0, LengthReward.soft_overlong(3, 1)),
        },
        name="mix",
    )
    logged: dict[str, float] = {}
    table = calculated([bleu_reward(reward=combined, group_size=4)], logged, reference=references)
    parts = combined.components(GROUPS, references, groups=4, completion_ids=ids)
    assert table[:, 0].tolist() == np.array(parts["total"], dtype=np.float32).tolist()
    bleu = [reward for reward in parts["bleu"] if reward is not None]
    assert len(bleu) == 5
    assert logged == {
        "rewards/mix/bleu": math.fsum(bleu) / 5,
        "rewards/mix/agreement": math.fsum(parts["agreement"]) / 8,
        "rewards/mix/length": -6 / 8,
    }
    with pytest.raises(ValueError, match=r"^there is no column 'reference'; there are \['log_extra', "):
        calculated([bleu_reward(reward=combined, group_size=4)], logged)


def test_ids_as_references_of_a_combination() -> None:
    parts = {"bleu": (0.5, BLEUReward()), "loops": (1.0, RepetitionPenalty(n=1))}
    reward = bleu_reward(reward=CombinedReward(parts))
    rewards = reward(completions=["", ""], completion_ids=[[5, 6], [7, 7]], reference=[[5, 6], None])
    assert rewards == [0.5, -0.5]


CUT = (
    "group_size=4 consecutive rows must have one prompt. TRL passes the rows of one process: make "
    "per_device_train_batch_size * steps_per_generation a multiple of num_generations, or it cuts groups in two, and "
    "group_size equal to num_generations and num_generations_eval"
)


@pytest.mark.parametrize(
    ("prompts", "error", "message"),
    [
        (["a"] * 2 + ["b"] * 6, ValueError, f"prompts[2] differs from prompts[0], but {CUT}"),
        (["a"] * 4 + [[says("b", "user")]] * 2, ValueError, f"prompts has 6 items, but {CUT}"),
        (None, TypeError, "prompts must be a sequence of prompts, not NoneType: None"),
    ],
)
def test_groups_that_are_cut(prompts: Any, error: type[Exception], message: str) -> None:
    reward = bleu_reward(reward=ConsensusReward(), group_size=4)
    with pytest.raises(error) as caught:
        reward(prompts=prompts, completions=["a"] * len(prompts or [1]))
    assert str(caught.value) == message


def test_groups_need_their_size() -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011  # the whole message
        bleu_reward(reward=ConsensusReward())
    assert str(caught.value) == (
        "group_size must be the trainer's num_generations, since the reward compares samples of a prompt"
    )
    with pytest.raises(ValueError, match=r"^group_size must be at least 1, got 0$"):
        bleu_reward(reward=ConsensusReward(), group_size=0)
    with pytest.raises(
        ValueError, match=r"^language_column must be None beside reward, which has its own token"
    ):
        bleu_reward(reward=BLEUReward(), language_column="l")
