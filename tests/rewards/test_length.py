"""Lengths in token ids beside references, which must be ids as well."""

from __future__ import annotations

from typing import Any

import pytest

from fastbleu import TokenIds
from fastbleu.errors import ArgumentTypeError
from fastbleu.rewards import LengthReward, RepetitionPenalty


@pytest.mark.parametrize(
    ("references", "shown"),
    [
        ("a b c", "str: 'a b c'"),
        (["a b c", "a"], "list: ['a b c', 'a']"),
        ([{"role": "assistant", "content": "a"}], "list: [{'role': 'assistant', 'content': 'a'}]"),
    ],
)
def test_ids_are_not_compared_with_text(references: Any, shown: str) -> None:
    reward = LengthReward(unit="ids", of="completion")
    with pytest.raises(ArgumentTypeError) as error:
        reward(["a b"], [references], completion_ids=[[5, 6]])
    assert str(error.value) == f"references[0] must be token ids, which are counted, not {shown}"


def test_references_without_ids() -> None:
    reward = LengthReward(unit="ids")
    assert reward([[5, 6], [5], []], [[[], []], [[], [5, 6]], []]) == [0.0, 0.5, 1.0]
    assert reward([[5, 6]], TokenIds([[5, 6, 7, 0]], pad_id=0)) == [2 / 3]
    with pytest.raises(ValueError, match=r"^references\[0\] must hold at least one reference, or be None"):
        reward([[5, 6]], [[None]])


def test_the_highest_ratio_of_several_references() -> None:
    assert LengthReward()(["a " * 10], [["a " * 5, "a " * 16]]) == [10 / 16]


@pytest.mark.parametrize("reward", [RepetitionPenalty(), LengthReward(target=2, unit="ids")])
def test_errors_name_the_argument_with_the_ids(reward: Any) -> None:
    message = r"^completion_ids\[0\]\[1\] is -5, and a token id must not be negative"
    with pytest.raises(ValueError, match=message):
        reward(["a b"], completion_ids=[[5, -5]])


def test_the_longest_order() -> None:
    assert RepetitionPenalty((1 << 31) - 1)(["a a"]) == [0.0]
    with pytest.raises(ValueError, match=r"^n must be at most 2147483647, got 2147483648$"):
        RepetitionPenalty(1 << 31)
