"""What kind completions are of, and samples scored one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, TokenIds
from fastbleu.rewards.completions.batches import Batch, are_ids, has_text, one_by_one

IDS: list[Any] = [
    [[5, 6]],
    [[], [5]],
    [np.array([5, 6])],
    np.array([[5, 6]]),
    np.zeros((1, 2, 3)),
    TokenIds([[5]]),
    [[5.0, float("nan")]],
    [(5, 6)],
    [None, [5]],
]
TEXT: list[Any] = [
    ["a b"],
    [[{"role": "assistant", "content": "a"}]],
    np.array(["a"], dtype=object),
    [["a"]],
    [None, "a"],
    [],
]


@pytest.mark.parametrize("completions", IDS)
def test_ids(completions: Any) -> None:
    assert are_ids(completions, ["a"])
    assert not has_text(completions)


@pytest.mark.parametrize("completions", TEXT)
def test_text(completions: Any) -> None:
    assert not are_ids(completions, ["a"])


def test_empty_completions_are_what_their_references_are() -> None:
    assert are_ids([[], []], [[5], [6]])
    assert are_ids([[], []], [[[5], [6]], [7]])
    assert are_ids([[], []], np.array([[5], [6]]))
    assert not are_ids([[], []], ["a", "b"])
    assert not are_ids([[], []], [["a"], ["b"]])


def test_what_is_scored() -> None:
    assert Batch(3, [], [], [], 0).scored == slice(None)
    assert Batch(4, [], [], [0, 2], 0).scored == [1, 3]


def score(completions: Any, references: Any, prompts: Any) -> Any:
    """Fails for negative numbers."""
    total = int(np.asarray(completions).sum() + np.asarray(references).sum())
    if np.asarray(completions).min() < 0:
        raise RuntimeError("broken")
    return total + (0 if prompts is None else prompts if isinstance(prompts, int) else prompts[0])


def outcomes(*arguments: Any) -> list[list[Any]]:
    """What one_by_one gives, with the messages of errors."""
    return [
        [str(found) if isinstance(found, Exception) else found for found in sample]
        for sample in one_by_one(score, *arguments)
    ]


def test_one_by_one() -> None:
    assert outcomes([1, -2, 3], [10, 20, 30], None) == [[11], ["broken"], [33]]
    assert outcomes((1, -2), (10, 20), [100, 200]) == [[111], ["broken"]]
    assert outcomes([1, -2], [10, 20], 5) == [[16], ["broken"]]
    samples = np.array([[[1], [2]], [[-1], [4]]])
    assert outcomes(samples, [10, 20], None) == [[13], ["broken", 24]]
    prepared = BLEU().prepare([["a", "b"]])
    assert list(one_by_one(lambda c, r, _: (c[0], len(r)), ["x", "y"], prepared, None)) == [
        [("x", 1)],
        [("y", 1)],
    ]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([1], [1, 2], None), ValueError, "references has 2 items, but there is 1 completion"),
        (([1], [1], [1, 2]), ValueError, "prompts has 2 items, but there is 1 completion"),
        ((3, [1], None), TypeError, "completions must be a sequence of completions, not int: 3"),
        (([1], "a", None), TypeError, "references must be a sequence .* not a bare str"),
    ],
)
def test_what_is_no_fault_of_a_sample(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        list(one_by_one(score, *arguments))
