"""`fastbleu.rewards.verl` by itself; tests/parity/test_verl.py runs it inside verl."""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import pickle
import subprocess
import sys
from collections import UserDict
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU
from fastbleu.rewards import BLEUReward
from fastbleu.rewards import verl as module
from fastbleu.rewards.verl import bleu_reward, compute_score, compute_score_async, compute_scores

METRIC = BLEU(effective_order=True)
SOLUTIONS = ["the cat sat on a mat", "<answer>a dog lay there</answer>", "", "it rained all day"]
TRUTHS: list[Any] = [
    "the cat sat on the mat",
    ["a dog lay here", "a dog lay there"],
    "the cat",
    "it rained all day",
]
SOURCES = ["news"] * 4


def expected(solution: str, *references: str, metric: BLEU = METRIC) -> float:
    return metric.sentence_score(solution, references).score / 100


def test_signatures_are_what_verl_calls() -> None:
    four = ["data_source", "solution_str", "ground_truth", "extra_info"]
    for function in (compute_score, compute_score_async, bleu_reward()):
        assert list(inspect.signature(function).parameters)[:4] == four
    assert list(inspect.signature(compute_scores).parameters) == [
        "data_sources",
        "solution_strs",
        "ground_truths",
        "extra_infos",
        "reward_kwargs",
    ]
    # verl asks the function itself whether it is to be awaited.
    assert inspect.iscoroutinefunction(compute_score_async)
    assert inspect.iscoroutinefunction(bleu_reward().aio)
    assert not inspect.iscoroutinefunction(compute_score)


def test_values() -> None:
    assert compute_score("news", SOLUTIONS[0], TRUTHS[0]) == expected(SOLUTIONS[0], TRUTHS[0])
    assert compute_score("news", SOLUTIONS[1], TRUTHS[1], {}, extract="answer") == 1.0
    assert compute_score("news", SOLUTIONS[0], TRUTHS[0], extract="answer") == 0.0
    assert compute_score("news", SOLUTIONS[0], TRUTHS[0], extract="answer", empty=-0.5) == -0.5
    assert compute_score("news", "a b c d", "a b c d", None, scale=2) == 2.0
    assert compute_score("news", "A Cat", "a cat", metric=BLEU(lowercase=True, effective_order=True)) == 1.0


def test_the_three_forms_agree() -> None:
    options = {"strip_reasoning": True, "scale": 2.0}
    batch = compute_scores(SOURCES, SOLUTIONS, TRUTHS, [{}] * 4, **options)
    assert batch == [
        compute_score(*sample, **options) for sample in zip(SOURCES, SOLUTIONS, TRUTHS, strict=True)
    ]

    async def all_at_once() -> list[Any]:
        samples = zip(SOURCES, SOLUTIONS, TRUTHS, strict=True)
        return await asyncio.gather(*(compute_score_async(*sample, None, **options) for sample in samples))

    assert asyncio.run(all_at_once()) == batch


def test_arrays_as_verl_holds_them() -> None:
    truths = [TRUTHS[0], np.array(TRUTHS[1], dtype=object), TRUTHS[2], TRUTHS[3]]
    sources, extras = np.array(SOURCES, dtype=object), np.array([{} for _ in range(4)], dtype=object)
    assert compute_scores(sources, SOLUTIONS, truths, extras) == compute_scores(SOURCES, SOLUTIONS, TRUTHS)
    assert compute_score("news", SOLUTIONS[1], truths[1]) == compute_score("news", SOLUTIONS[1], TRUTHS[1])


def test_what_a_reward_model_beside_adds_is_ignored() -> None:
    extra = {"reward_router_address": "127.0.0.1:1", "reward_model_tokenizer": object()}
    assert compute_score("news", "a b", "a b", {}, **extra) == 1.0
    assert asyncio.run(compute_score_async("news", "a b", "a b", {}, **extra)) == 1.0


def test_options_make_one_reward() -> None:
    made = module._reward_of({"extract": "answer", "scale": 3})
    assert module._reward_of({"extract": "answer", "scale": 3}) is made
    languages = {"a": "de", "b": "zh"}
    assert module._reward_of({"languages": languages}) is module._reward_of({"languages": dict(languages)})


def test_languages_of_a_configuration_are_read_once() -> None:
    kind = type("DictConfig", (UserDict,), {"__module__": "omegaconf.dictconfig"})
    first, second = kind({"a": "de"}), kind({"a": "zh"})
    for languages in (first, first, second, first):
        reward = module._reward_of({"languages": languages})
        assert reward.languages == languages.data
        assert module._reward_of({"languages": dict(languages)}) is reward


def test_languages_that_change_are_read_again() -> None:
    languages = UserDict({"a": "zh"})
    chinese = "今天很冷。"
    assert compute_score("a", chinese, chinese, languages=languages) == 1.0
    languages["a"] = "de"
    assert module._reward_of({"languages": languages}).languages == {"a": "de"}


def test_a_list_among_the_options() -> None:
    reward = module._reward_of({"eos_id": [1, 2]})
    assert reward.signature == bleu_reward(eos_id=(1, 2)).signature
    assert module._reward_of({"eos_id": [1, 2]}) is reward
    with pytest.raises(TypeError, match=r"^threads must be an int, not tuple: \(1,\)"):
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
        wanted = {"score": score, "empty": empty, "clipped": clipped, "too_long": too_long, "errors": 0}
        assert compute_score("news", solution, "a", {}, **options) == wanted
        assert compute_scores(["news"], [solution], ["a"], [{}], **options) == [wanted]
        assert asyncio.run(compute_score_async("news", solution, "a", {}, **options)) == wanted


def test_details_of_broken_samples() -> None:
    wanted = {"score": -1.0, "empty": 1, "clipped": 0, "too_long": 0, "errors": 1}
    options = {"errors": "empty", "empty": -1.0, "details": True}
    for solution, truth in ((None, "a"), ("a", None), ("a", []), ("a", 3)):
        assert compute_score("news", solution, truth, {}, **options) == wanted


CHINESE, PERIOD = "\u4eca\u5929\u5f88\u51b7", "\u4eca\u5929\u5f88\u51b7\u3002"


def test_languages() -> None:
    in_chinese = expected(CHINESE, PERIOD, metric=BLEU(trg_lang="zh", effective_order=True))
    in_german = expected("Es ist kalt", "Es ist kalt .", metric=METRIC)
    assert compute_score("x", CHINESE, PERIOD, {}, language="zh") == in_chinese
    sources, solutions, truths = ["wmt-zh", "wmt-de"], [CHINESE, "Es ist kalt"], [PERIOD, "Es ist kalt ."]
    choices: list[tuple[dict[str, Any], list[Any]]] = [
        ({"languages": {"wmt-zh": "zh", "wmt-de": "de"}}, [None, None]),
        ({"language_key": "lg"}, [{"lg": "zh"}, {"lg": "de"}]),
    ]
    for options, extras in choices:
        assert compute_scores(sources, solutions, truths, extras, **options) == [in_chinese, in_german]
        for *sample, wanted in zip(sources, solutions, truths, extras, [in_chinese, in_german], strict=True):
            assert compute_score(*sample, **options) == wanted
            assert asyncio.run(compute_score_async(*sample, **options)) == wanted


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"languages": {"a": "de"}}, r"languages has no language for 'wmt', only \['a'\]"),
        ({"language_key": "lg"}, r"extra_info has no language for 'lg', only \['index'\]"),
    ],
)
@pytest.mark.parametrize("errors", ["raise", "empty"])
def test_a_sample_without_its_language(options: dict[str, Any], message: str, errors: str) -> None:
    # A mistake in the configuration, which concerns all samples: it is never passed over.
    with pytest.raises(ValueError, match=message):
        compute_score("wmt", "a", "a", {"index": 1}, errors=errors, **options)
    with pytest.raises(ValueError, match=message):
        compute_scores(["wmt"], ["a"], ["a"], [{"index": 1}], errors=errors, **options)


def test_an_expression_as_text() -> None:
    reward = bleu_reward(extract=r"Answer: (.*)")
    assert reward("news", "Cats sit.\nAnswer: the cat\nsat", "the cat sat") == 1.0
    assert "Answer" in reward.signature
    with pytest.raises(ValueError, match="extract must be the name of a tag"):
        bleu_reward(extract="Answer: .*")


def test_a_missing_truth() -> None:
    with pytest.raises(TypeError, match=r"ground_truth must be a str, a list of messages, .* not NoneType"):
        compute_score("news", "a", None)
    with pytest.raises(
        TypeError, match=r"ground_truths\[1\] must be a text or a list of texts, not NoneType"
    ):
        compute_scores(["news"] * 2, ["a", "b"], ["a", None])
    assert compute_scores(["news"] * 2, ["a", "b"], ["a", None], errors="empty", empty=-1) == [1.0, -1.0]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((["n"], "a", ["a"]), TypeError, "solution_strs must be a sequence .* not a bare str"),
        (
            (["n"], ["a"], "a"),
            TypeError,
            "ground_truths must be a sequence .* not a bare str",
        ),
        ((["n"], ["a"], ["a", "b"]), ValueError, "ground_truths has 2 items, but there is 1 completion"),
        (([], ["a"], ["a"]), ValueError, "data_sources has 0 items, but there is 1 completion"),
        ((["n"], ["a"], ["a"], []), ValueError, "extra_infos has 0 items, but there is 1 completion"),
        ((["n", "n"], ["a", 3], ["a", "b"]), TypeError, r"solution_strs\[1\] must be a str .* not int: 3"),
        (
            (["n", "n"], ["a", "b"], ["a", [3]]),
            TypeError,
            r"ground_truths\[1\]\[0\] must be a str .* not int: 3",
        ),
    ],
)
def test_errors_in_a_batch(arguments: tuple[Any, ...], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        compute_scores(*arguments)


def test_errors_in_a_language_name_their_place_in_the_batch() -> None:
    samples: tuple[Any, ...] = (["a", "b", "b"], ["x", "y", "z"], ["x", "y", []])
    with pytest.raises(ValueError, match=r"ground_truths\[2\] must hold at least one reference"):
        compute_scores(*samples, languages={"a": "de", "b": "en"})


def test_errors_in_one() -> None:
    with pytest.raises(TypeError, match="solution_str must be a str or a list of messages, not int: 3"):
        compute_score("news", 3, "a")
    with pytest.raises(ValueError, match="ground_truth must hold at least one reference"):
        compute_score("news", "a", [])
    with pytest.raises(ValueError, match="ground_truth must hold at least one reference"):
        asyncio.run(compute_score_async("news", "a", []))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"stepwise": True}, ValueError, "stepwise must be False: verl takes one reward for a completion"),
        ({"baseline": "mean"}, ValueError, "baseline must be None: verl"),
        ({"languages": ["de"]}, TypeError, "languages must be a mapping from data sources to languages"),
        ({"language_key": 3}, TypeError, "language_key must be a str, not int: 3"),
        ({"details": 1}, TypeError, "details must be a bool, not int: 1"),
        ({"language_key": "lg", "language": "de"}, ValueError, "language_key must be None beside language"),
        ({"languages": {"a": "de"}, "metric": METRIC}, ValueError, "languages must be None beside metric"),
        ({"scale": 0}, ValueError, "scale must be finite and above 0"),
        ({"extract": 3}, TypeError, "extract must be a tag's name"),
    ],
)
def test_errors_in_options(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        bleu_reward(**options)
    with pytest.raises((TypeError, ValueError)):
        compute_score("news", "a", "a", **options)


def test_pickles() -> None:
    for function in (compute_score, compute_score_async, compute_scores):
        assert pickle.loads(pickle.dumps(function)) is function
    reward = pickle.loads(pickle.dumps(bleu_reward(extract="answer", languages={"a": "de"})))
    assert reward("a", "<answer>x y</answer>", "x y") == 1.0
    assert reward.counts.samples == 1


def test_loaded_by_its_path_it_is_the_same() -> None:
    # As verl.utils.import_utils.load_module does with a file.
    assert module.__file__
    spec = importlib.util.spec_from_file_location("custom_module_1", module.__file__)
    assert spec
    assert spec.loader
    loaded: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    assert all(getattr(loaded, name) is getattr(module, name) for name in module.__all__)
    assert pickle.loads(pickle.dumps(loaded.compute_score)) is compute_score


def test_newstest(newstest: ModuleType) -> None:
    streams = [stream[:200] for stream in newstest.references("en-de").values()]
    system = list(next(iter(newstest.systems("en-de").values()))[:200])
    truths = [
        list(of_segment[: 1 + i % len(streams)]) for i, of_segment in enumerate(zip(*streams, strict=True))
    ]
    answers = [f"<think>{text[::-1]}</think><answer>{text}</answer>" for text in system]
    options = {"extract": "answer", "strip_reasoning": True}
    rewards = compute_scores(["news"] * 200, answers, truths, **options)
    assert rewards == [min(1.0, expected(system[i], *truths[i])) for i in range(200)]
    assert rewards == [compute_score("news", answers[i], truths[i], **options) for i in range(200)]
    assert rewards == BLEUReward()(system, truths)


def test_no_host_is_imported() -> None:
    code = (
        "import sys, fastbleu.rewards.verl, fastbleu.rewards.trl\n"
        "assert fastbleu.rewards.verl.compute_score('news', 'a b', 'a b', {}) == 1.0\n"
        "print(sorted({'verl', 'trl', 'torch', 'ray', 'numpy'} & set(sys.modules)))"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "[]\n"
    )


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("d", "a", "a", 3), {"language_key": "lg"}, r"extra_info must be a mapping, not int: 3"),
        (("d", "a", "a", "lg"), {"language_key": "lg"}, r"extra_info must be a mapping, not str: 'lg'"),
        (
            (["d"], "a", "a"),
            {"languages": {"d": "de"}},
            r"data_source must be a name that can be hashed, not list",
        ),
        (
            ("d", "a", "a"),
            {"languages": "de"},
            r"languages must be a mapping from data sources to languages, not str",
        ),
    ],
)
def test_what_is_no_mapping_of_languages(
    arguments: tuple[Any, ...], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(TypeError, match=f"^{message}"):
        compute_score(*arguments, **options)


def test_what_is_no_expression() -> None:
    with pytest.raises(ValueError, match=r"^extract must be a regular expression: missing \)"):
        compute_score("d", "a", "a", extract="Answer: (.*")
