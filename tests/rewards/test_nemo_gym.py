"""NeMo Gym's resources server: a request to verify as NeMo Gym parses it, a server beside restated classes, bad input.

The classes are restated from nemo_gym/base_resources_server.py of NVIDIA-NeMo/Gym at commit 07d6b0d
(`BaseVerifyRequest`, `BaseVerifyResponse`). tests/parity/test_reward_nemo_gym.py runs the real server.
"""

from __future__ import annotations

from types import SimpleNamespace as Item
from typing import Any

import pytest

from fastbleu.rewards.nemo_gym import GymReward, text_of_output


def message(*texts: Any, role: str = "assistant") -> Item:
    return Item(type="message", role=role, content=[Item(type="output_text", text=text) for text in texts])


REASONING = Item(type="reasoning", summary=[])
CALL = Item(type="function_call", name="look_up", arguments="{}")


def body(output: Any, reference: Any) -> Item:
    return Item(responses_create_params=Item(), response=Item(output=output), reference=reference)


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ([], ""),
        ([REASONING, CALL], ""),
        ([message("a"), CALL, message("b ", "c")], "b c"),
        ([message("a"), CALL], "a"),
        ([message("a"), message("b", role="user")], "a"),
        ([Item(type="message", role="assistant", content="a")], "a"),
        ([{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]}], "a"),
        ([{"role": "assistant", "content": "a"}], "a"),
        ([message("a", role="user"), {"role": "assistant", "content": None}], ""),
        ([Item(type="message", role="assistant", content=[Item(type="refusal", refusal="No.")])], ""),
    ],
)
def test_text_of_output(output: Any, text: str) -> None:
    assert text_of_output(output) == text


@pytest.mark.parametrize(
    ("output", "error"),
    [
        (
            [message("a", None)],
            r"\[0\]\['content'\] must be a list of parts whose 'text' is a str, not dict with",
        ),
        (
            [message("a"), {"text": "b"}],
            r"\[1\] must be an item with a type, such as a message, not dict with .*'text'",
        ),
        ([Item(type="message", content=[{"type": "markdown", "value": "a"}])], ".*the type 'markdown'"),
        ([3], r"\[0\] must be an item with a type, such as a message, not int: 3"),
    ],
)
def test_what_is_no_item(output: Any, error: str) -> None:
    with pytest.raises(TypeError, match=rf"^response\['output'\]{error}"):
        text_of_output(output)


@pytest.mark.parametrize("reference", ["a b", "a-b"])
def test_bad_names(reference: str) -> None:
    with pytest.raises(ValueError, match=r"^reference must be the name of a field"):
        GymReward(reference=reference)
    with pytest.raises(TypeError, match=r"^reference must be a str, not int"):
        GymReward(reference=3)


@pytest.mark.parametrize("output", [None, 3, "a b"])
def test_what_is_no_output(output: Any) -> None:
    with pytest.raises(
        TypeError, match=r"^response must be a response whose output is a list of items, not "
    ):
        GymReward()(body(output, "a b"))
    tolerant = GymReward(errors="empty", empty=-1)
    assert tolerant(body(output, "a b")) == -1.0
    assert tolerant(Item(reference="a b")) == -1.0
    assert tolerant.counts.errors == 2
