"""`fastbleu.rewards.trl` by itself, and inside a real `GRPOTrainer`."""

from __future__ import annotations

import inspect
import math
import pickle
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU
from fastbleu.rewards.trl import bleu_reward, group_numbers

METRIC = BLEU(effective_order=True)


def says(content: Any, role: str = "assistant") -> dict[str, Any]:
    return {"role": role, "content": content}


def expected(completion: str, *references: str, metric: BLEU = METRIC) -> Any:
    """Batch scores equal single ones to 1e-12."""
    return pytest.approx(metric.sentence_score(completion, references).score / 100, rel=1e-12)


COMPLETIONS = ["the cat sat on a mat", "a dog lay there", "", "it rained all day"]
REFERENCES = ["the cat sat on the mat", "a dog lay here", "the cat", "it rained all day"]


def test_signature_is_what_trl_calls() -> None:
    reward = bleu_reward()
    parameters = inspect.signature(reward).parameters
    assert list(parameters) == ["prompts", "completions", "completion_ids", "log_metric", "columns"]
    assert parameters["completion_ids"].default is None
    assert not inspect.iscoroutinefunction(reward.__call__)


def test_values() -> None:
    rewards = bleu_reward()(prompts=[""] * 4, completions=COMPLETIONS, reference=REFERENCES)
    assert [type(reward) for reward in rewards] == [float] * 4
    assert rewards == [
        expected(completion, reference) for completion, reference in zip(COMPLETIONS, REFERENCES, strict=True)
    ]
    assert rewards[2] == 0.0
    assert rewards[3] == pytest.approx(1.0, rel=1e-12)


def test_other_columns_are_ignored() -> None:
    rewards = bleu_reward("target")(
        prompts=["?"] * 4,
        completions=COMPLETIONS,
        completion_ids=[[1, 2]] * 4,
        target=REFERENCES,
        reference=[None] * 4,
        trainer_state=object(),
        log_extra=print,
        log_metric=print,
        environments=None,
    )
    assert rewards == bleu_reward()([], COMPLETIONS, None, reference=REFERENCES)


@pytest.mark.parametrize("numbers", [(1, 1, 1), (2, 2, 2), (1, 2, 1), (1, 3, 2), (40, 1, 1)])
def test_several_references(numbers: tuple[int, ...]) -> None:
    pool = ["a cat sat on the mat", "the cat sat on a rug", *(f"the cat number {i} sat" for i in range(38))]
    completions = COMPLETIONS[:3]
    references = [pool[:number] for number in numbers]
    rewards = bleu_reward()(completions=completions, reference=references)
    assert rewards == [expected(completions[i], *references[i]) for i in range(3)]


def test_references_of_unlike_kinds() -> None:
    conversation = [says("Where?", "user"), says("a cat sat on the mat")]
    rewards = bleu_reward()(
        completions=[COMPLETIONS[0]] * 7,
        reference=[
            "a cat sat on the mat",
            ("a cat sat on the mat",),
            conversation,
            [conversation, None],
            np.array(["a cat sat on the mat", "the dog"], dtype=object),
            None,
            ["the dog", conversation],
        ],
    )
    one, two = (
        expected(COMPLETIONS[0], "a cat sat on the mat"),
        expected(COMPLETIONS[0], "a cat sat on the mat", "the dog"),
    )
    assert rewards == [one, one, one, one, two, None, two]


@pytest.mark.parametrize(
    "messages",
    [
        [says("the cat sat on a mat")],
        [{"content": "the cat sat on a mat"}],
        [
            says(
                [
                    {"type": "text", "text": "the cat sat "},
                    {"type": "image"},
                    {"type": "text", "text": "on a mat"},
                ]
            )
        ],
        [says([{"text": "the cat sat on a mat"}])],
        ({**says("the cat sat on a mat"), "reasoning_content": "Cats sit.", "tool_calls": None},),
        [says("A cat?"), says("15 mm", "tool"), says("the cat sat on a mat")],
        [says("the cat sat on a mat"), says([{"type": "image"}], "tool")],
    ],
)
def test_conversations(messages: Any) -> None:
    reward = expected("the cat sat on a mat", REFERENCES[0])
    assert bleu_reward()(completions=[messages], reference=REFERENCES[:1]) == [reward]


@pytest.mark.parametrize(
    "message", [says(None), says(""), says([]), {}, {"role": "assistant", "tool_calls": [{}]}]
)
def test_saying_nothing_earns_nothing(message: Any) -> None:
    assert bleu_reward()(completions=[[message]], reference=["the cat"]) == [0.0]


def test_no_reference_is_no_reward() -> None:
    assert bleu_reward()(completions=["a", "b"], reference=[None, None]) == [None, None]
    # What is not scored is not looked at.
    assert bleu_reward()(completions=[3, "a"], reference=[None, "a"]) == [None, pytest.approx(1)]
    assert bleu_reward()(completions=[], reference=[]) == []


def test_metric_and_name() -> None:
    metric = BLEU(max_ngram_order=2, smooth_method="add-k", lowercase=True)
    reward = bleu_reward("answer", metric=metric, name="bleu_2")
    assert reward.__name__ == "bleu_2"
    assert repr(reward) == f"<TRLReward 'bleu_2' of the column 'answer': {reward.reward.signature}>"
    rewards = reward(completions=["The cat stood"], answer=["the cat sat"])
    assert rewards == [expected("The cat stood", "the cat sat", metric=metric)]


def test_pickles() -> None:
    reward = pickle.loads(
        pickle.dumps(bleu_reward("answer", metric=BLEU(lowercase=True, effective_order=True), name="b"))
    )
    assert reward.__name__ == "b"
    assert reward(completions=["A Cat"], answer=["a cat"]) == [pytest.approx(1)]


def test_newstest(newstest: ModuleType) -> None:
    streams = [stream[:200] for stream in newstest.references("en-de").values()]
    system = next(iter(newstest.systems("en-de").values()))[:200]
    references = [
        list(of_segment[: 1 + i % len(streams)]) for i, of_segment in enumerate(zip(*streams, strict=True))
    ]
    rewards = bleu_reward()(completions=system, reference=references)
    assert rewards == [expected(system[i], *references[i]) for i in range(200)]


@pytest.mark.parametrize(
    ("completions", "columns", "error", "message"),
    [
        (
            ["a"],
            {"answer": ["a"]},
            ValueError,
            r"there is no column 'reference'; there are \['answer'\]",
        ),
        (["a"], {"reference": "a"}, TypeError, "reference must be a sequence .* not a bare str: 'a'"),
        (["a"], {"reference": None}, TypeError, "reference must be a sequence .* not NoneType"),
        (
            ["a"],
            {"reference": ["a", "b"]},
            ValueError,
            "reference holds references of 2 samples, but completions has 1",
        ),
        (["a"], {"reference": [[]]}, ValueError, r"reference\[0\] must hold at least one reference"),
        (["a"], {"reference": [[None]]}, ValueError, r"reference\[0\] must hold at least one reference"),
        (
            ["a"],
            {"reference": [3]},
            TypeError,
            r"reference\[0\] must be a str, a list of messages, or .* not int: 3",
        ),
        (["a"], {"reference": [says("a")]}, TypeError, r"reference\[0\] must be a str.* not dict"),
        (["a"], {"reference": [["a", 3]]}, TypeError, r"reference\[0\]\[1\] must be a str or .* not int: 3"),
        (
            ["a"],
            {"reference": [["a", b"b"]]},
            TypeError,
            r"reference\[0\]\[1\] must be a str or .* not bytes",
        ),
        (
            ["a"],
            {"reference": [[says("a"), "a"]]},
            TypeError,
            r"reference\[0\]\[1\] must be a message, a dict, not str",
        ),
        (
            ["a"],
            {"reference": [[says("a", "user")]]},
            ValueError,
            r"reference\[0\] must hold a message of the assistant",
        ),
        (["a", 3], {"reference": ["a", "a"]}, TypeError, r"completions\[1\] must be a str or .* not int: 3"),
        (
            ["a", None],
            {"reference": ["a", "a"]},
            TypeError,
            r"completions\[1\] must be a str or .* not NoneType",
        ),
        (
            [["a"]],
            {"reference": ["a"]},
            TypeError,
            r"completions\[0\]\[0\] must be a message, a dict, not str",
        ),
        (
            [[]],
            {"reference": ["a"]},
            ValueError,
            r"completions\[0\] must hold a message of the assistant, got \[\]",
        ),
        (
            [[says(3)]],
            {"reference": ["a"]},
            TypeError,
            r"completions\[0\]\[0\] must be a message whose content is a str, .* not int: 3",
        ),
        (
            [[says(["a"])]],
            {"reference": ["a"]},
            TypeError,
            r"\[0\]\['content'\] must hold parts, each a dict, not str: 'a'",
        ),
        (
            [[says([{"type": "text"}])]],
            {"reference": ["a"]},
            TypeError,
            r"\['content'\] must hold parts whose 'text' is a str, not None",
        ),
    ],
)
def test_errors(completions: Any, columns: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        bleu_reward()(completions=completions, **columns)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"reference_column": 3}, TypeError, "reference_column must be a str, not int: 3"),
        ({"reference_column": ""}, ValueError, "reference_column must not be empty"),
        ({"name": None}, TypeError, "name must be a str, not NoneType"),
        ({"metric": "13a"}, TypeError, "metric must be a BLEU, not str: '13a'"),
    ],
)
def test_errors_in_options(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        bleu_reward(**options)


# What is new beside the name of before

PROMPTS = [[says("A cat?", "user")], [says("A cat?", "user")], "A dog?", "A dog?"]


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


def test_ids_need_the_ids() -> None:
    with pytest.raises(TypeError, match="completion_ids must be given, since reference holds token ids"):
        bleu_reward()(completions=["a"], reference=[[5, 6]])
    with pytest.raises(ValueError, match="reference holds references of 1 samples, but completion_ids has 2"):
        bleu_reward()(completions=["a"], completion_ids=[[1], [2]], reference=[[5, 6]])


def test_shares_of_each_call_are_logged() -> None:
    logged: list[tuple[str, float]] = []
    reward = bleu_reward(extract="answer", name="bleu")
    completions = ["<answer>a</answer>", "a", "<answer>a", "<answer>a a a</answer>"]
    for _ in range(2):
        reward(completions=completions, reference=["a"] * 4, log_metric=lambda *entry: logged.append(entry))
    shares = [("rewards/bleu/empty", 0.5), ("rewards/bleu/clipped", 0.25), ("rewards/bleu/too_long", 0.25)]
    assert logged == shares * 2
    assert reward.reward.counts.samples == 8
    reward(completions=["a"], reference=[None], log_metric=lambda *entry: logged.append(entry))
    assert logged == shares * 2  # no sample, no share


def test_broken_samples_are_logged_where_they_count_as_empty() -> None:
    logged: dict[str, float] = {}
    reward = bleu_reward(errors="empty", empty=-1.0)
    assert reward(completions=[None, "a"], reference=["a", "a"], log_metric=logged.__setitem__) == [-1.0, 1.0]
    assert logged == {
        "rewards/bleu_reward/empty": 0.5,
        "rewards/bleu_reward/clipped": 0.0,
        "rewards/bleu_reward/too_long": 0.0,
        "rewards/bleu_reward/errors": 0.5,
    }


def test_a_baseline_is_that_of_equal_prompts() -> None:
    rewards = bleu_reward()(completions=COMPLETIONS, reference=REFERENCES)
    less = bleu_reward(baseline="mean")(prompts=PROMPTS, completions=COMPLETIONS, reference=REFERENCES)
    a, b, c, d = (float(reward or 0) for reward in rewards)
    assert less == pytest.approx([(a - b) / 2, (b - a) / 2, (c - d) / 2, (d - c) / 2], abs=1e-15)


def test_group_numbers() -> None:
    assert group_numbers(PROMPTS) == [0, 0, 1, 1]
    assert group_numbers(["a", "b", "a", PROMPTS[0], "b", PROMPTS[1]]) == [0, 1, 0, 2, 1, 2]
    assert group_numbers([]) == []
    # The same texts in other messages, and equal ones in another order of keys.
    chats: list[Any] = [
        [{"role": "user", "content": "a"}],
        [{"role": "system", "content": "a"}],
        [{"content": "a", "role": "user"}],
        [{"role": "user", "content": [{"type": "text", "text": "a"}]}],
        [{"role": "user", "content": None}],
        [{"role": "user", "content": [{"type": "text", "text": "a"}]}],
        7,
        "a",
        7,
    ]
    assert group_numbers(chats) == [0, 1, 0, 2, 3, 2, 4, 5, 4]


def test_groups_of_many_prompts_take_linear_time() -> None:
    """Each prompt is compared with those of the same texts only."""

    class Counting(dict[str, str]):
        compared = 0

        def __eq__(self, other: object) -> bool:
            Counting.compared += 1
            return dict.__eq__(self, other)

        __hash__ = None

    prompts = [[Counting(role="user", content=str(i % 1000))] for i in range(2000)]
    assert group_numbers(prompts) == [*range(1000)] * 2
    assert Counting.compared == 1000


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


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"stepwise": True}, ValueError, "stepwise must be False: TRL takes one reward for each completion"),
        ({"baseline": "greedy"}, ValueError, "baseline must not be 'greedy': TRL samples no greedy"),
        ({"language_column": ""}, ValueError, "language_column must not be empty"),
        (
            {"language_column": "l", "metric": METRIC},
            ValueError,
            "language_column must be None beside metric",
        ),
    ],
)
def test_options_that_trl_cannot_serve(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        bleu_reward(**options)


def test_a_baseline_needs_prompts() -> None:
    with pytest.raises(
        TypeError, match="prompts must be a sequence of prompts, whose groups give the baseline"
    ):
        bleu_reward(baseline="mean")(completions=["a"], reference=["a"])


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
    """A reward for every sample, beside that which applies to some."""
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


@pytest.mark.parametrize(
    ("completions", "reference", "words"),
    [
        ("ab", ["a", "b"], "completions must be a sequence of texts, not a bare str"),
        (None, ["a"], "completions must be a sequence of texts, not NoneType: None"),
        (["a"], {"x": 1}, "reference must be a sequence with the references of each completion, not dict"),
    ],
)
def test_what_is_no_batch(completions: Any, reference: Any, words: str) -> None:
    with pytest.raises(TypeError) as caught:
        bleu_reward()(completions=completions, reference=reference)
    assert str(caught.value).startswith(words)


def test_rewards_stay_within_one() -> None:
    assert bleu_reward()(completions=["a b", "a b c d"], reference=["a b", "a b c d"]) == [1.0, 1.0]
