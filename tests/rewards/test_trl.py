"""`fastbleu.rewards.trl` by itself, and inside a real `GRPOTrainer`."""

import inspect
import math
import pickle
from types import SimpleNamespace as Item
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, CHRF
from fastbleu.rewards import (
    BLEUReward,
    CombinedReward,
    ConsensusReward,
    DiversityReward,
    LengthReward,
    RepetitionPenalty,
)
from fastbleu.rewards.trl import bleu_reward
from tests.support.reward_hosts import expected, says

METRIC = BLEU(effective_order=True)


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


def test_chrf_has_its_own_name_in_logs() -> None:
    assert bleu_reward(metric=CHRF()).__name__ == "chrf_reward"


def test_ids_are_scored_without_decoding() -> None:
    reward = bleu_reward(eos_id=2, pad_id=0)
    ids, references = [[5, 6, 7, 8, 2], [5, 6], [9, 2], []], [[5, 6, 7, 9, 2], [[5, 6], [7]], None, [5]]
    rewards = reward(completions=["unread"] * 4, completion_ids=ids, reference=references)
    metric = BLEU(tokenize="none", effective_order=True)
    assert rewards == [metric.sentence_score([5, 6, 7, 8], [[5, 6, 7, 9]]).score / 100, 1.0, None, 0.0]
    counts = reward.reward.counts
    assert (counts.samples, counts.empty, counts.clipped) == (3, 1, 2)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"answer": ["a"]}, ValueError, r"there is no column 'reference'; the columns are \['answer'\]"),
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
    with pytest.raises(ValueError, match=r"there is no column 'lang'; the columns are \['reference'\]"):
        reward(completions=texts, reference=references)


def test_ids_in_a_field() -> None:
    reward = bleu_reward(reference_field="ids")
    assert reward(completions=[""], completion_ids=[[5, 6, 7]], reference=[{"ids": [5, 6, 7]}]) == [1.0]


GROUPS = ["a b c", "a b c", "a b d", "x y z", "the cat sat", "the cat", "the cat sat", "dogs bark"]
PROMPTS = ["Say one."] * 4 + ["Say two."] * 4


IDS = [[ord(word[0]) for word in text.split()] for text in GROUPS]


def calculated(
    rewards: list[Any], logged: dict[str, float], completions: list[Any] = GROUPS, **columns: Any
) -> Any:
    """The rewards that TRL's own trainer calculates for 8 completions, 4 of each of two prompts."""
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
    return trl.GRPOTrainer._calculate_rewards(trainer, inputs, PROMPTS, completions, IDS)


@pytest.mark.parametrize("conversational", [False, True])
def test_bleu_of_text_and_of_ids(conversational: bool) -> None:
    unigrams = BLEU(max_ngram_order=1)
    references: list[Any] = [["a b c", "a b"], ["a b"], ["x"], None, ["the dog"], ["the cat"], None, ["dogs"]]
    reference_ids = [
        each and [[ord(word[0]) for word in text.split()] for text in each] for each in references
    ]

    def unconcerned(completions: list[Any], **_: Any) -> list[float]:
        return [0.5] * len(completions)  # TRL warns if no reward applies to a sample.

    rewards = [bleu_reward(), bleu_reward(metric=unigrams, name="unigrams")]
    rewards.append(bleu_reward("reference_ids", eos_id=ord("c"), name="ids"))
    logged: dict[str, float] = {}
    completions: list[Any] = [[says(text)] if conversational else text for text in GROUPS]
    columns = {"reference": references, "reference_ids": reference_ids}
    table = calculated([*rewards, unconcerned], logged, completions, **columns).T.tolist()
    for found, metric in zip(table, (METRIC, unigrams), strict=False):
        for reward, text, of_one in zip(found, GROUPS, references, strict=True):
            assert (
                math.isnan(reward) if of_one is None else reward == np.float32(expected(text, of_one, metric))
            )
    of_ids = BLEUReward(eos_id=ord("c"))(IDS, reference_ids)
    assert table[2] == pytest.approx([math.nan if each is None else each for each in of_ids], nan_ok=True)
    assert logged["rewards/ids/clipped"] == 2 / 6  # Four rows have the id of "c" and "cat", which ends a row.


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
    for i, part in enumerate(parts):
        wanted: Any = part(GROUPS, groups=4, completion_ids=IDS)
        assert table[:, i].tolist() == np.array(wanted, dtype=np.float32).tolist()
    assert logged == {}  # TRL logs the means of functions itself.


def test_one_reward_that_logs_its_components() -> None:
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
    parts = combined.components(GROUPS, references, groups=4, completion_ids=IDS)
    assert table[:, 0].tolist() == np.array(parts["total"], dtype=np.float32).tolist()
    bleu = [reward for reward in parts["bleu"] if reward is not None]
    assert len(bleu) == 5
    assert logged == {
        "rewards/mix/bleu": math.fsum(bleu) / 5,
        "rewards/mix/agreement": math.fsum(parts["agreement"]) / 8,
        "rewards/mix/length": -6 / 8,
        **{f"rewards/mix/{name}": 0.0 for name in ("none", "empty", "clipped", "cut")},
        "rewards/mix/zero": parts["total"].count(0.0) / 8,
    }
    with pytest.raises(ValueError, match=r"^there is no column 'reference'; the columns are \[\]$"):
        calculated([bleu_reward(reward=combined, group_size=4)], logged)


def test_ids_as_references_of_a_combination() -> None:
    parts = {"bleu": (0.5, BLEUReward()), "loops": (1.0, RepetitionPenalty(n=1))}
    reward = bleu_reward(reward=CombinedReward(parts))
    rewards = reward(completions=["", ""], completion_ids=[[5, 6], [7, 7]], reference=[[5, 6], None])
    assert rewards == [0.5, -0.5]


CUT = (
    "group_size=4 consecutive rows must have the same prompt. TRL passes the rows of one process: make "
    "per_device_train_batch_size * steps_per_generation a multiple of num_generations, so that no group is divided "
    "among processes, and make group_size equal to num_generations and num_generations_eval"
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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reference_column": 3}, "reference_column must be a str, not int: 3"),
        ({"language_column": ""}, "language_column must not be empty"),
        ({"language_column": "l", "metric": METRIC}, "language_column must be None, since metric has"),
        ({"language_column": "l", "reward": BLEUReward()}, "language_column must be None, since reward has"),
        (
            {"reward": ConsensusReward()},
            "group_size must be the trainer's num_generations, since the reward compares the samples of a prompt",
        ),
        ({"reward": ConsensusReward(), "group_size": 0}, "group_size must be at least 1, got 0"),
    ],
)
def test_errors_in_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^{message}"):
        bleu_reward(**options)
