"""The kind of completions, and columns with an item for each of them."""

from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU, TokenIds
from fastbleu.errors import Location
from fastbleu.rewards.completions.call_arguments import Batch, aligned, are_ids, has_text

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


@pytest.mark.parametrize(
    ("completions", "expected"), [*((each, True) for each in IDS), *((each, False) for each in TEXT)]
)
def test_ids_or_text(completions: Any, expected: bool) -> None:
    assert are_ids(completions, ["a"]) is expected
    if expected:
        assert not has_text(completions)


@pytest.mark.parametrize(
    ("references", "expected"),
    [
        ([[5], [6]], True),
        ([[[5], [6]], [7]], True),
        (np.array([[5], [6]]), True),
        (["a", "b"], False),
        ([["a"], ["b"]], False),
    ],
)
def test_empty_completions_are_of_the_kind_of_their_references(references: Any, expected: bool) -> None:
    assert are_ids([[], []], references) is expected


def test_places_in_a_call() -> None:
    batch = Batch(4, [1, 3], [], [["a", "b"]])
    assert str(batch.locate(Location("hypotheses")[1])) == "completions[3]"
    assert str(batch.locate(Location("hypotheses"))) == "completions"
    assert str(batch.locate(Location("references")[0, 1])) == "references[3][0]"
    for unknown in (Location("references"), Location("other")[0]):
        assert batch.locate(unknown) is unknown


def test_columns_stay_as_they_are_where_slices_can_be_taken() -> None:
    held: list[Any] = [["a", "b"], np.zeros((2, 3)), TokenIds([[5], [6]]), BLEU().prepare([["a", "b"]])]
    for value in held:
        assert aligned(completions=value)[0] is value
    assert aligned(references={"a": 1}.keys(), languages=("x",)) == [["a"], ("x",)]


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"completions": [1], "references": [1, 2]}, ValueError, "references has 2 items, but there is 1 completion"),
        ({"completions": [1, 2], "labels": [1]}, ValueError, "labels has 1 item, but there are 2 completions"),
        ({"completions": 3}, TypeError, "completions must be a sequence of completions, not int: 3"),
        ({"completions": [1], "references": "a"}, TypeError, "references must be a sequence .* not a bare str"),
        ({"labels": None}, TypeError, "labels must be a sequence with an item for each completion, not NoneType"),
    ],
)  # fmt: skip
def test_columns_that_do_not_fit(columns: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        aligned(**columns)
