"""The text of completions and references: plain, in chats, one by one and in a batch."""

from collections import UserDict
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU
from fastbleu.rewards.completions.text import read_texts, references_of, text_of
from tests.support.reward_hosts import says

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
        [says([{"type": "thinking", "thinking": "Cats sit."}, {"type": "output_text", "text": TEXT}])],
        {"from": "gpt", "value": TEXT},
        [{"from": "human", "value": "Say it."}, {"from": "gpt", "value": TEXT}],
        UserDict(says(TEXT)),
    ],
)
def test_text(value: Any) -> None:
    assert text_of(value, "completions", 0) == TEXT
    assert [*references_of(value, "references", 0)] == [TEXT]


@pytest.mark.parametrize(
    "message",
    [
        says(None),
        says(""),
        says([]),
        says([{"type": "refusal", "refusal": "No."}]),
        {"role": "assistant", "tool_calls": [{}]},
    ],
)
def test_saying_nothing(message: Any) -> None:
    assert text_of([message], "completions", 0) == text_of(message, "completions", 0) == ""


def test_references() -> None:
    assert references_of(["a", [says("b")], None], "references", 0) == ["a", "b", None]
    assert references_of([None, "a"], "references", 0) == [None, "a"]
    assert references_of(says("a"), "references", 0) == ["a"]


HINT = "; pass reference_field= with the key of the reference"
MESSAGE = "a message, with 'role' and 'content' or 'from' and 'value'"

REFUSED: list[tuple[Any, type[Exception], str]] = [
    (3, TypeError, r"texts\[1\] must be a str or a list of messages, not int: 3"),
    (b"a", TypeError, r"texts\[1\] must be a str or a list of messages, not bytes: b'a'"),
    ({"text": "a"}, TypeError, rf"texts\[1\] must be {MESSAGE}, not dict with the keys \['text'\]$"),
    ([{}], TypeError, rf"texts\[1\]\[0\] must be {MESSAGE}, not dict with the keys \[\]$"),
    (
        [{"target": "a"}],
        TypeError,
        rf"texts\[1\]\[0\] must be {MESSAGE}, not dict with the keys \['target'\]$",
    ),
    ({"from": "gpt"}, TypeError, rf"texts\[1\] must be {MESSAGE}, not dict with the keys \['from'\]$"),
    ([{"role": "assistant", "parts": []}], TypeError, rf"texts\[1\]\[0\] must be {MESSAGE}, not dict"),
    ([{"from": "human", "value": "a"}], ValueError, r"texts\[1\] must hold a message of the assistant"),
    (
        [says([{"type": "markdown", "value": "a"}])],
        TypeError,
        (
            r"texts\[1\]\[0\]\['content'\] must be a list of parts, each a dict of a known type, "
            r"not dict with the keys \['type', 'value'\] of the type 'markdown'$"
        ),
    ),
    (["a"], TypeError, rf"texts\[1\]\[0\] must be {MESSAGE}, not str: 'a'"),
    ([], ValueError, r"texts\[1\] must hold a message of the assistant, got \[\]"),
    ([says("a", "user")], ValueError, r"texts\[1\] must hold a message of the assistant"),
    ([says(3)], TypeError, r"texts\[1\]\[0\] must be a message whose content is a str, .* not int: 3"),
    (
        [says(["a"])],
        TypeError,
        r"texts\[1\]\[0\]\['content'\] must be a list of parts, each a dict of a known type, not str: 'a'",
    ),
    (
        [says([{"text": 3}])],
        TypeError,
        r"texts\[1\]\[0\]\['content'\] must be a list of parts whose 'text' is a str",
    ),
]


@pytest.mark.parametrize(("value", "error", "message"), REFUSED)
def test_refused_texts(value: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        text_of(value, "texts", 1)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (3, TypeError, r"texts\[1\] must be a str, a list of messages, or a list of several references, not int"),
        (["a", b"b"], TypeError, r"texts\[1\]\[1\] must be a str or a list of messages, not bytes"),
        ([says("a"), "a"], TypeError, rf"texts\[1\]\[1\] must be {MESSAGE}, not str: 'a'"),
        ({"target": "a"}, TypeError, rf"texts\[1\] must be {MESSAGE}, not dict with the keys \['target'\]{HINT}$"),
        ([{"target": "a"}], TypeError, rf"texts\[1\]\[0\] must be {MESSAGE}, not dict .*{HINT}$"),
        (says(None), ValueError, r"texts\[1\] must have content, but it is None$"),
        (["a", [says(None)]], ValueError, r"texts\[1\]\[1\]\[0\] must have content, but it is None$"),
        ([], ValueError, r"texts\[1\] must hold at least one reference, or be None, got \[\]"),
        ([None, None], ValueError, r"texts\[1\] must hold at least one reference, or be None, got \[None, None\]"),
    ],
)  # fmt: skip
def test_refused_references(value: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        references_of(value, "texts", 1)


def read(completions: Any, references: Any) -> Any:
    batch = read_texts(completions, references)
    absent = sorted({*range(batch.number)} - {*batch.scored})
    return list(batch.hypotheses), [list(stream) for stream in batch.references], absent


@pytest.mark.parametrize(
    "completions",
    [
        ["a b", "c"],
        ("a b", "c"),
        np.array(["a b", "c"], dtype=object),
        [[says("a b")], [says("c")]],
        [[says("x", "user"), says("a b")], [says("c")]],
        [[says("a b")], "c"],
        [[{"content": "a b"}], (says("c"),)],
        [[says("a b"), says("15 mm", "tool")], [says([{"text": "c"}])]],
    ],
)
def test_forms_of_completions(completions: Any) -> None:
    assert read(completions, ["a", "c d"]) == (["a b", "c"], [["a", "c d"]], [])


@pytest.mark.parametrize(
    ("references", "streams", "absent"),
    [
        (["a", "b"], [["a", "b"]], []),
        (np.array(["a", "b"], dtype=object), [["a", "b"]], []),
        ([["a"], ["b", "c"]], [["a", "b"], [None, "c"]], []),
        ([[says("a")], [[says("b")], "c"]], [["a", "b"], [None, "c"]], []),
        ([None, "b"], [["b"]], [0]),
        ([None, None], [], [0, 1]),
    ],
)
def test_forms_of_references(references: Any, streams: Any, absent: list[int]) -> None:
    hypotheses = [text for i, text in enumerate(["x", "y"]) if i not in absent]
    assert read(["x", "y"], references) == (hypotheses, streams, absent)


def test_what_has_no_reference_is_not_looked_at() -> None:
    assert read([3, "a"], [None, "a"]) == (["a"], [["a"]], [0])


def test_prepared_references() -> None:
    prepared = BLEU().prepare([["a", "b"]])
    batch = read_texts(["x", "y"], prepared)
    assert batch.references is prepared
    with pytest.raises(ValueError, match=r"^references has 2 items, but there is 1 completion$"):
        read_texts(["x"], prepared)
