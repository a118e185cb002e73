"""Labels as references."""

from __future__ import annotations

from typing import Any

import pytest

from fastbleu.rewards.labels import references_in

MESSAGES = [{"role": "assistant", "content": "a b"}]


@pytest.mark.parametrize("label", ["", "a b", '["a b"]', ["a b", "c"], MESSAGES, ("a b", None), 3])
@pytest.mark.parametrize("tolerant", [True, False])
def test_text_is_taken_as_it_is(label: Any, tolerant: bool) -> None:
    assert references_in(label, "text", tolerant, "labels", 0) is label


@pytest.mark.parametrize(
    ("label", "references"),
    [
        ('"a b"', "a b"),
        ('["a b", "c"]', ["a b", "c"]),
        ('[{"role": "assistant", "content": "a b"}]', MESSAGES),
        (["a b"], ["a b"]),  # a list is none to be parsed
    ],
)
def test_json(label: Any, references: Any) -> None:
    assert references_in(label, "json", False, "labels", 0) == references


@pytest.mark.parametrize("label", ["a b", "", "3", "null", '{"a": 1}', "[", "[" * 100_000, '"\\ud800'])
def test_what_is_no_json_of_references(label: str) -> None:
    with pytest.raises(
        ValueError, match=r"^labels\[2\] must be JSON of a string, or of a list of references, got "
    ):
        references_in(label, "json", False, "labels", 2)
    assert references_in(label, "json", True, "labels", 2) == []


@pytest.mark.parametrize("labels_as", ["text", "json"])
def test_no_label(labels_as: Any) -> None:
    with pytest.raises(ValueError, match=r"^label must have a reference, got None$"):
        references_in(None, labels_as, False, "label")
    assert references_in(None, labels_as, True, "label") == []
