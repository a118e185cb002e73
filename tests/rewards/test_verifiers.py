"""Rewards of verifiers' tasks and rubrics: called as verifiers does, and given bad input.

The calls are restated from verifiers/v1/utils/decorators.py (`invoke`) and verifiers/v1/task.py of the release 0.4.0,
and from verifiers/legacy/rubrics/rubric.py of PrimeIntellect-ai/verifiers at commit a60a606.
tests/parity/test_reward_verifiers.py and test_reward_verifiers_rubric.py run the real ones.
"""

from __future__ import annotations

import asyncio
import functools
import importlib
import inspect
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from fastbleu.rewards import verifiers
from fastbleu.rewards.verifiers import bleu_reward, rubric_reward
from tests.support.reward_hosts import REFERENCES, RESPONSES, REWARDS


@dataclass(frozen=True)
class TaskData:
    prompt: str
    answer: Any = None


@dataclass
class Trace:
    last_reply: Any


# --- Tasks --------------------------------------------------------------------------------------------------------


def invoke(function: Any, available: dict[str, Any]) -> Any:
    parameters = inspect.signature(function).parameters
    return function(**{name: available[name] for name in parameters if name in available})


def plugged(function: Any, name: str) -> Any:
    """A reward as a configuration plugs it in."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    wrapper.__name__ = name
    return wrapper


async def score(reward: Any, replies: list[Any], references: list[Any]) -> list[Any]:
    function = plugged(reward, "bleu")
    return await asyncio.gather(
        *[
            invoke(function, {"task": TaskData("Say.", reference), "trace": Trace(reply), "runtime": None})
            for reply, reference in zip(replies, references, strict=True)
        ]
    )


def test_values_of_tasks() -> None:
    assert asyncio.run(score(bleu_reward(extract="answer"), RESPONSES, REFERENCES)) == REWARDS


def test_the_default_is_found_by_its_path() -> None:
    module, _, name = "fastbleu.rewards.verifiers:bleu".rpartition(":")
    bleu = getattr(importlib.import_module(module), name)
    assert bleu is verifiers.bleu
    assert asyncio.run(score(bleu, ["the cat"], ["the cat"])) == [1.0]


def test_a_task_without_reference_has_no_such_reward() -> None:
    assert asyncio.run(score(bleu_reward(), ["a", "a"], [None, "a"])) == [{}, 1.0]


@pytest.mark.parametrize("errors", ["raise", "empty"])
def test_a_missing_field_is_an_error_always(errors: Any) -> None:
    error = r"^reference must be a field of the task's data; TaskData has no 'target'$"
    with pytest.raises(ValueError, match=error):
        asyncio.run(score(bleu_reward(reference="target", errors=errors), ["a"], ["a"]))


@pytest.mark.parametrize(
    ("reply", "reference"), [(None, "a"), (3, "a"), ("a", 3.5), ("a", []), ("a", [None])]
)
def test_broken_tasks(reply: Any, reference: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^(last_reply|answer)"):
        asyncio.run(score(bleu_reward(), [reply], [reference]))
    tolerant = bleu_reward(errors="empty", empty=-1)
    assert asyncio.run(score(tolerant, [reply, "b"], [reference, "b"])) == [-1.0, 1.0]
    assert tolerant.counts.errors == 1


# --- Rubrics ------------------------------------------------------------------------------------------------------


class Parser:
    """As verifiers' default: the text of the last message of the assistant."""

    def parse_answer(self, completion: Any) -> str | None:
        if isinstance(completion, str):
            return completion
        said = [message for message in completion if message["role"] == "assistant"]
        return (said[-1]["content"] or "") if said else None


class Answers(Parser):
    def parse_answer(self, completion: Any) -> str | None:
        text = super().parse_answer(completion) or ""
        return text.partition("<answer>")[2].partition("</answer>")[0] or None


def messages(response: str) -> list[dict[str, Any]]:
    return [
        {"role": "assistant", "content": "Let me see."},
        {"role": "user", "content": "Well?"},
        {"role": "assistant", "content": response},
    ]


async def score_group(
    reward: Any, completions: list[Any], parser: Any = None, **columns: list[Any]
) -> list[float]:
    """As a rubric scores rollouts, of which each is a dict of the arguments that it passes."""
    assert not set(inspect.signature(reward).parameters) & {
        "states",
        "prompts",
        "completions",
        "answers",
        "infos",
    }
    calls = []
    for i, completion in enumerate(completions):
        given = {name: values[i] for name, values in columns.items()}
        objects = {
            "prompt": [{"role": "user", "content": "Say."}],
            "completion": completion,
            "answer": "",
            "info": {},
            "state": {},
            "task": None,
            "parser": parser or Parser(),
        } | given
        calls.append(reward(**objects))
    return [float(reward) for reward in await asyncio.gather(*calls)]


def test_values_of_rubrics() -> None:
    completions = [messages(response) for response in RESPONSES]
    infos = [{"references": reference} for reference in REFERENCES]
    reward = rubric_reward(extract="answer", reference="references")
    assert reward.__name__ == "bleu_reward"
    assert asyncio.run(score_group(reward, completions, info=infos)) == REWARDS
    assert asyncio.run(score_group(rubric_reward(extract="answer"), RESPONSES, answer=REFERENCES)) == REWARDS


def test_the_parser_finds_the_answer() -> None:
    completions = [messages(response) for response in RESPONSES]
    reward = rubric_reward()
    assert asyncio.run(score_group(reward, completions, Answers(), answer=REFERENCES)) == REWARDS
    assert reward.counts.empty == 1
    before_it = rubric_reward(extract="answer")
    assert asyncio.run(score_group(before_it, completions, Answers(), answer=REFERENCES)) == REWARDS


def test_messages_that_are_objects() -> None:
    said = SimpleNamespace(model_dump=lambda: {"role": "assistant", "content": "a <b>the cat</b>"})
    assert asyncio.run(score_group(rubric_reward(extract="b"), [[said]], answer=["the cat"])) == [1.0]


@pytest.mark.parametrize(
    ("key", "given", "error"),
    [
        (None, {"answer": None}, r"^answer must have a reference, got None$"),
        ("k", {"info": {}}, r"^info\['k'\] must have a reference, got None$"),
        ("k", {"info": "k"}, r"^info\['k'\] must have a reference, got None$"),
        (
            None,
            {"answer": 3.5},
            r"^answer must be a str, a list of messages, or a list of several references",
        ),
        (None, {"completion": [None], "answer": "a"}, r"^completion\[0\] must be a message, a dict, not "),
        (None, {"completion": ["a"], "answer": "a"}, r"^completion\[0\] must be a message, a dict, not "),
    ],
)
def test_broken_rollouts(key: str | None, given: dict[str, Any], error: str) -> None:
    call = {"completion": "a", "info": {}, **given}
    with pytest.raises((TypeError, ValueError), match=error):
        asyncio.run(rubric_reward(reference=key)(**call))
    tolerant = rubric_reward(reference=key, errors="empty", empty=-1)
    assert asyncio.run(tolerant(**call)) == -1.0
    assert tolerant.counts.errors == 1
