"""Which completions belong to one prompt: labels of many kinds, counts, and what is neither."""

from typing import Any

import numpy as np
import pytest

from fastbleu.rewards.group_argument import group_numbers
from tests.support.refusals import refusal


@pytest.mark.parametrize(
    "groups",
    [
        ["a", "b", "a", "b"],
        ("a", "b", "a", "b"),
        np.array([3, -1, 3, -1]),
        np.array([1.5, 2.5, 1.5, 2.5]),
        np.array(["a", "b", "a", "b"], dtype=object),
        [("a", 1), None, ("a", 1), None],
        "a tensor",
    ],
)
def test_labels_of_many_kinds(groups: Any) -> None:
    if isinstance(groups, str):
        groups = pytest.importorskip("torch", exc_type=ImportError).tensor([0, 1, 0, 1])
    assert group_numbers(groups, 4) == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("groups", "numbers"), [(1, [0, 1, 2, 3]), (np.int32(2), [0, 0, 1, 1]), (4, [0] * 4)]
)
def test_consecutive_completions(groups: Any, numbers: list[int]) -> None:
    assert group_numbers(groups, 4) == numbers
    assert group_numbers(groups, 0) == []


@pytest.mark.parametrize(
    ("groups", "error", "message"),
    [
        (3, ValueError, "groups is 3, but there are 2 completions, not a multiple of it"),
        (0, ValueError, "groups must be at least 1, got 0"),
        (True, TypeError, "groups must be an int, not bool: True"),
        ("ab", TypeError, "groups must be a sequence of labels, or an int, not a bare str: 'ab'"),
        (1.5, TypeError, "groups must be a sequence of labels, or an int, not float: 1.5"),
        (["a"], ValueError, "groups has 1 label, but there are 2 completions"),
        (["a", ["b"]], TypeError, "groups[1] must be a label that can be hashed, not list: ['b']"),
        (["a", float("nan")], ValueError, "groups[1] must be a label that equals itself, got nan"),
        (np.zeros((2, 1)), ValueError, "groups must have one dimension, not the shape [2, 1]"),
    ],
)  # fmt: skip
def test_errors_say_where(groups: Any, error: Any, message: str) -> None:
    assert refusal(group_numbers, groups, 2).startswith(f"{error.__name__}: {message}")
