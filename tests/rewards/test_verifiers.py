"""Rewards of verifiers' tasks and rubrics by themselves.

tests/parity/test_reward_verifiers.py and test_reward_verifiers_rubric.py run them inside verifiers.
"""

from __future__ import annotations

import asyncio
import inspect
from types import SimpleNamespace as Item
from typing import Any

import pytest

from fastbleu.rewards import verifiers
from fastbleu.rewards.counts import COUNTED
from fastbleu.rewards.verifiers import bleu_reward, rubric_reward
from tests.support.reward_hosts import REFERENCES, RESPONSES, REWARDS


def of_task(reward: Any, reply: Any, reference: Any) -> Any:
    return asyncio.run(reward(task=Item(answer=reference), trace=Item(last_reply=reply)))


def test_verifiers_passes_arguments_by_name() -> None:
    assert [*inspect.signature(bleu_reward()).parameters] == ["task", "trace"]
    parameters = inspect.signature(rubric_reward()).parameters
    assert [*parameters] == ["completion", "answer", "info", "parser", "others"]


def test_the_default_is_a_reward_of_tasks() -> None:
    assert of_task(verifiers.bleu, "the cat", "the cat") == 1.0
    shares = asyncio.run(verifiers.bleu_metrics())
    assert sorted(shares) == sorted(f"bleu_reward_{name}" for name in COUNTED[1:])


def test_a_task_without_reference_has_no_such_reward() -> None:
    assert of_task(bleu_reward(), "a", None) == {}


@pytest.mark.parametrize("errors", ["raise", "empty"])
def test_a_missing_field_is_an_error_always(errors: Any) -> None:
    error = r"^reference must be a field of the task's data; SimpleNamespace has no 'target'$"
    with pytest.raises(ValueError, match=error):
        of_task(bleu_reward(reference="target", errors=errors), "a", "a")


# Rubrics


class Answers:
    """A parser that finds the answer in the last message of the assistant."""

    def parse_answer(self, completion: Any) -> str | None:
        said = [message["content"] for message in completion if message["role"] == "assistant"]
        return str(said[-1]).partition("<answer>")[2].partition("</answer>")[0] or None


def messages(response: str) -> list[dict[str, Any]]:
    said = [("assistant", "Let me see."), ("user", "Well?"), ("assistant", response)]
    return [{"role": role, "content": content} for role, content in said]


def of_rubric(reward: Any, **columns: Any) -> list[float]:
    """The rewards of messages that hold the responses, each with an item of the columns."""

    async def gathered() -> list[float]:
        calls = []
        for i, response in enumerate(RESPONSES):
            given = {name: values[i] for name, values in columns.items()}
            calls.append(reward(completion=messages(response), prompt=[], state={}, **given))
        found: list[float] = await asyncio.gather(*calls)
        return found

    return asyncio.run(gathered())


def test_references_in_info() -> None:
    infos = [{"references": reference} for reference in REFERENCES]
    assert of_rubric(rubric_reward(extract="answer", reference="references"), info=infos) == REWARDS


def test_the_parser_finds_the_answer() -> None:
    reward = rubric_reward()
    assert of_rubric(reward, answer=REFERENCES, parser=[Answers()] * 4) == REWARDS
    assert reward.counts.empty == 1
    # A reward that extracts by itself asks no parser.
    assert of_rubric(rubric_reward(extract="answer"), answer=REFERENCES, parser=[None, 3, 4, 5]) == REWARDS


def test_messages_that_are_objects() -> None:
    said = Item(model_dump=lambda: {"role": "assistant", "content": "a <b>the cat</b>"})
    assert asyncio.run(rubric_reward(extract="b")([said], "the cat")) == 1.0


@pytest.mark.parametrize(
    ("key", "given", "error"),
    [
        (None, {"answer": None}, r"^answer must have a reference, got None$"),
        ("k", {"info": {}}, r"^info\['k'\] must have a reference, got None$"),
        ("k", {"info": "k"}, r"^info\['k'\] must have a reference, got None$"),
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
