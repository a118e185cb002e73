"""The text of completions and references: plain, and in chats."""

from __future__ import annotations

from typing import Any

import pytest

from fastbleu.rewards.completions.texts import references_of, text_of


def says(content: Any, role: str = "assistant") -> dict[str, Any]:
    return {"role": role, "content": content}


TEXT = "the cat sat on a mat"


@pytest.mark.parametrize(
    "value",
    [
        TEXT,
        [says(TEXT)],
        [{"content": TEXT}],
        [
            says(
                [
                    {"type": "text", "text": "the cat sat "},
                    {"type": "image"},
                    {"type": "text", "text": "on a mat"},
                ]
            )
        ],
        [says([{"text": TEXT}])],
        ({**says(TEXT), "reasoning_content": "Cats sit.", "tool_calls": None},),
        [says("A cat?"), says("15 mm", "tool"), says(TEXT)],
        [says(TEXT), says([{"type": "image"}], "tool")],
        [says("Say it.", "user"), says(TEXT)],
    ],
)
def test_text(value: Any) -> None:
    assert text_of(value, "completions", 0) == TEXT
    assert [*references_of(value, "references", 0)] == [TEXT]


@pytest.mark.parametrize(
    "message", [says(None), says(""), says([]), {}, {"role": "assistant", "tool_calls": [{}]}]
)
def test_saying_nothing(message: Any) -> None:
    assert text_of([message], "completions", 0) == ""


def test_references() -> None:
    assert references_of(["a", [says("b")], None], "references", 0) == ["a", "b", None]
    assert references_of([None, "a"], "references", 0) == [None, "a"]


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (3, TypeError, r"completions\[1\] must be a str or a list of messages, not int: 3"),
        (None, TypeError, r"completions\[1\] must be a str or a list of messages, not NoneType: None"),
        (b"a", TypeError, r"completions\[1\] must be a str or a list of messages, not bytes: b'a'"),
        (says("a"), TypeError, r"completions\[1\] must be a str or a list of messages, not dict"),
        (["a"], TypeError, r"completions\[1\]\[0\] must be a message, a dict, not str: 'a'"),
        ([], ValueError, r"completions\[1\] must hold a message of the assistant, got \[\]"),
        ([says("a", "user")], ValueError, r"completions\[1\] must hold a message of the assistant"),
        (
            [says(3)],
            TypeError,
            r"completions\[1\]\[0\] must be a message whose content is a str, .* not int: 3",
        ),
        (
            [says(["a"])],
            TypeError,
            r"completions\[1\]\[0\]\['content'\] must hold parts, each a dict, not str: 'a'",
        ),
        (
            [says([{"type": "text"}])],
            TypeError,
            r"completions\[1\]\[0\]\['content'\] must hold parts whose 'text' is a str, not NoneType: None",
        ),
    ],
)
def test_what_is_no_text(value: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        text_of(value, "completions", 1)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (
            3,
            TypeError,
            r"references\[0\] must be a str, a list of messages, or a list of several references, not int",
        ),
        (says("a"), TypeError, r"references\[0\] must be a str.* not dict"),
        (["a", 3], TypeError, r"references\[0\]\[1\] must be a str or a list of messages, not int: 3"),
        (["a", b"b"], TypeError, r"references\[0\]\[1\] must be a str or a list of messages, not bytes"),
        ([says("a"), "a"], TypeError, r"references\[0\]\[1\] must be a message, a dict, not str: 'a'"),
        ([], ValueError, r"references\[0\] must hold at least one reference, or be None, got \[\]"),
        (
            [None, None],
            ValueError,
            r"references\[0\] must hold at least one reference, or be None, got \[None, None\]",
        ),
    ],
)
def test_what_are_no_references(value: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        references_of(value, "references", 0)
