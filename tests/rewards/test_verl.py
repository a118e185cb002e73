"""`fastbleu.rewards.verl` by itself; tests/parity/test_verl.py runs it inside verl."""

import inspect
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU
from fastbleu.rewards import BLEUReward, CombinedReward, LengthReward, RepetitionPenalty
from fastbleu.rewards import verl as module
from fastbleu.rewards.counts import COUNTED
from fastbleu.rewards.verl import bleu_reward, compute_score
from tests.support.modules import loaded
from tests.support.reward_hosts import expected

METRIC = BLEU(effective_order=True)
SOLUTIONS = ["the cat sat on a mat", "<answer>a dog lay there</answer>", "", "it rained all day"]
TRUTHS: list[Any] = [
    "the cat sat on the mat",
    ["a dog lay here", "a dog lay there"],
    "the cat",
    "it rained all day",
]


def test_signatures_are_what_verl_calls() -> None:
    four = ["data_source", "solution_str", "ground_truth", "extra_info"]
    for function in (compute_score, bleu_reward()):
        assert list(inspect.signature(function).parameters)[:4] == four


@pytest.mark.parametrize(
    "options",
    [
        {"strip_reasoning": True, "scale": 2.0},
        {"extract": "answer", "empty": -0.5},
        {"metric": BLEU(lowercase=True, effective_order=True)},
    ],
)
def test_scores_are_those_of_a_batch(options: dict[str, Any]) -> None:
    batch = BLEUReward(**options)(SOLUTIONS, TRUTHS)
    ignored: dict[str, Any] = {"reward_router_address": "127.0.0.1:1", "reward_model_tokenizer": object()}
    samples = zip(SOLUTIONS, TRUTHS, strict=True)
    assert [compute_score("news", text, truth, **options, **ignored) for text, truth in samples] == batch
    # References that come from a Parquet file are arrays.
    assert compute_score("news", SOLUTIONS[1], np.array(TRUTHS[1], dtype=object), **options) == batch[1]


def test_options_make_one_reward() -> None:
    ends = [1, 2]
    many: list[dict[str, Any]] = [{"extract": "answer", "scale": 3}, {"eos_id": ends}]
    made = [module._reward_of(options) for options in many]
    assert [module._reward_of(dict(options)) for options in many] == made
    assert module._reward_of({"eos_id": [1, 2]}) is made[1]
    assert made[1].signature == bleu_reward(eos_id=(1, 2)).signature
    ends.append(3)  # what has changed is read again
    assert module._reward_of({"eos_id": ends}) is not made[1]
    with pytest.raises(TypeError, match=r"^threads must be an int, not list: \[1\]"):
        compute_score("a", "a", "a", threads=[1])


def test_details() -> None:
    samples = [
        ("<answer>a</answer>", 1, 0, 0, 0),
        ("a", 0, 1, 0, 0),
        ("<answer>a", 0, 1, 1, 0),
        ("<answer>a a a</answer>", expected("a a a", "a"), 0, 0, 1),
    ]
    options = {"extract": "answer", "details": True}
    for solution, score, empty, clipped, too_long in samples:
        marks = (score == 1, not score, empty, clipped, 0, too_long, 0)
        wanted = {"score": score, **dict(zip(COUNTED[1:], marks, strict=True))}
        assert compute_score("news", solution, "a", {}, **options) == wanted


def test_details_of_broken_samples() -> None:
    wanted = {"score": -1.0, **dict.fromkeys(COUNTED[1:], 0), "zero": 1, "empty": 1, "errors": 1}
    options = {"errors": "empty", "empty": -1.0, "details": True}
    for solution, truth in ((None, "a"), ("a", None), ("a", []), ("a", 3)):
        assert compute_score("news", solution, truth, {}, **options) == wanted


CHINESE, PERIOD = "\u4eca\u5929\u5f88\u51b7", "\u4eca\u5929\u5f88\u51b7\u3002"


def test_languages() -> None:
    in_chinese = expected(CHINESE, PERIOD, metric=BLEU(trg_lang="zh", effective_order=True))
    in_german = expected("Es ist kalt", "Es ist kalt .", metric=METRIC)
    assert compute_score("x", CHINESE, PERIOD, {}, language="zh") == in_chinese
    solutions, truths, extras = (
        [CHINESE, "Es ist kalt"],
        [PERIOD, "Es ist kalt ."],
        [{"lg": "zh"}, {"lg": None}],
    )
    wanted = [in_chinese, in_german]
    for *sample, score in zip(solutions, truths, extras, wanted, strict=True):
        assert compute_score("news", *sample, language_key="lg") == score


@pytest.mark.parametrize(
    ("extra_info", "message"),
    [
        ({"i": 1}, r"extra_info has no key 'lg'; its keys are \['i'\]"),
        (None, r"extra_info has no key 'lg'; its keys are \[\]"),
        (3, r"extra_info must be a mapping, not int: 3"),
        ("lg", r"extra_info must be a mapping, not str: 'lg'"),
    ],
)
@pytest.mark.parametrize("errors", ["raise", "empty"])
def test_a_sample_without_its_language(extra_info: Any, message: str, errors: str) -> None:
    # A mistake in the configuration, which concerns all samples: it is never passed over.
    with pytest.raises((TypeError, ValueError), match=f"^{message}"):
        compute_score("d", "a", "a", extra_info, errors=errors, language_key="lg")


def test_an_expression_as_text() -> None:
    reward = bleu_reward(extract=r"Answer: (.*)")
    assert reward("news", "Cats sit.\nAnswer: the cat\nsat", "the cat sat") == 1.0
    assert "Answer" in reward.signature
    with pytest.raises(ValueError, match="extract must be the name of a tag"):
        bleu_reward(extract="Answer: .*")
    with pytest.raises(ValueError, match=r"^extract must be a regular expression: missing \)"):
        compute_score("d", "a", "a", extract="Answer: (.*")


def test_loaded_by_its_path_it_is_the_same() -> None:
    # As verl.utils.import_utils.load_module does with a file.
    found = loaded(Path(module.__file__), "custom_module_1")
    assert all(getattr(found, name) is getattr(module, name) for name in module.__all__)
    assert pickle.loads(pickle.dumps(found.compute_score)) is compute_score


def test_the_ground_truth_of_search_r1() -> None:
    truth = {
        "target": np.array(["Wilhelm Conrad R\u00f6ntgen", "R\u00f6ntgen"], dtype=object)
    }  # as read from Parquet
    options = {"reference_field": "target", "extract": "answer"}
    assert compute_score("nq", "<answer>R\u00f6ntgen</answer>", truth, {}, **options) == 1.0


def test_every_component_is_a_number_in_every_sample() -> None:
    combined = CombinedReward({"bleu": (0.5, BLEUReward()), "loops": (1.0, RepetitionPenalty(n=1))})
    reward = bleu_reward(reward=combined)
    wanted = [{"score": 0.5, "bleu": 1.0, "loops": 0.0}, {"score": -0.5, "bleu": 0.0, "loops": -0.5}]
    texts, truths = ["it rained", "no no"], ["it rained", None]
    assert [reward("news", *sample, {}) for sample in zip(texts, truths, strict=True)] == wanted
    assert combined.counts["bleu"].none == 1
    of_one = bleu_reward(reward=LengthReward())
    assert of_one("news", "a b", "a b c d") == {"score": 0.5, "length_reward": 0.5}
    assert pickle.loads(pickle.dumps(reward))("news", "it rained", "it rained") == wanted[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"language_key": 3}, "language_key must be a str, not int: 3"),
        ({"details": 1}, "details must be a bool, not int: 1"),
        ({"language_key": "lg", "metric": METRIC}, "language_key must be None, since metric has"),
        ({"language_key": "lg", "reward": BLEUReward()}, "language_key must be None, since reward has"),
        ({"details": True, "reward": LengthReward()}, "details must be False for a CombinedReward"),
    ],
)
def test_errors_in_options(options: dict[str, Any], message: str) -> None:
    for call in (bleu_reward, lambda **given: compute_score("news", "a", "a", **given)):
        with pytest.raises((TypeError, ValueError), match=f"^{message}"):
            call(**options)
