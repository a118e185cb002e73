"""ms-swift's outcome reward model: made and called as ms-swift does, and given bad input.

The call is restated from swift/rl_core/grpo_algorithm.py (`compute_rewards_per_func`) of modelscope/ms-swift at commit
3602360.
tests/parity/test_reward_swift.py runs the real one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import pytest

from fastbleu.rewards.swift import BLEUORM
from tests.support.reward_hosts import REFERENCES, RESPONSES, REWARDS


class Answer(BLEUORM):
    options: ClassVar[Mapping[str, Any]] = {"extract": "answer"}


def call(kind: type[BLEUORM], completions: list[Any], **columns: Any) -> list[float]:
    """The rewards as numbers of a tensor."""
    output = kind(args=object())(completions, trainer_state=None, **columns)
    return [math.nan if reward is None else reward for reward in output]


def test_values() -> None:
    assert call(Answer, RESPONSES, solution=REFERENCES, messages=[[]] * 4) == REWARDS


def test_no_reference_is_no_reward() -> None:
    rewards = call(BLEUORM, ["a", "b"], solution=["a", None])
    assert (Answer().__name__, rewards[0]) == ("Answer", 1.0)
    with pytest.raises(ValueError, match=r"^solution has 1 item, but there are 2 completions"):
        call(BLEUORM, ["a", "b"], solution=["a"])
    assert math.isnan(rewards[1])


def test_contents_that_are_no_text() -> None:
    parts = [{"type": "text", "text": "the cat "}, {"type": "image"}, {"type": "text", "text": "sat"}]
    assert call(BLEUORM, [parts, None, []], solution=["the cat sat"] * 3) == [1.0, 0.0, 0.0]


def test_another_column() -> None:
    class Column(BLEUORM):
        reference_column = "target"

    assert call(Column, ["a"], solution=["b"], target=["a"]) == [1.0]
    with pytest.raises(ValueError, match=r"^there is no column 'target'; there are \['solution', 't"):
        call(Column, ["a"], solution=["b"])


@pytest.mark.parametrize(
    ("completion", "reference", "error"),
    [
        (3.5, "a", r"^completions\[0\] must be a str or a list of messages"),
        ([3], "a", r"completions\[0\]"),
        ("a", 3.5, r"^solution\[0\] must be a str, a list of messages"),
        ("a", [], r"^solution\[0\] must hold at least one reference"),
    ],
)
def test_broken_samples(completion: Any, reference: Any, error: str) -> None:
    class Tolerant(BLEUORM):
        options: ClassVar[Mapping[str, Any]] = {"errors": "empty", "empty": -1.0}

    with pytest.raises((TypeError, ValueError), match=error):
        call(BLEUORM, [completion, "b"], solution=[reference, "b"])
    assert call(Tolerant, [completion, "b"], solution=[reference, "b"]) == [-1.0, 1.0]
