"""Tokens at the end of a response."""

from __future__ import annotations

from typing import Any

import pytest

from fastbleu.rewards.completions.endings import END_TOKENS, check_end_tokens, without_end


@pytest.mark.parametrize("token", END_TOKENS)
def test_every_token(token: str) -> None:
    assert without_end(f"It rained.{token}", END_TOKENS) == "It rained."
    assert without_end(f"It rained.\n{token}\n{token}\n", END_TOKENS) == "It rained.\n"
    assert without_end(token, END_TOKENS) == ""
    assert without_end(f"{token} It rained.", END_TOKENS) == f"{token} It rained."


@pytest.mark.parametrize("text", ["", "a", "a \n", "a <|im_end|", "a <|im_end|> b"])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert without_end(text, END_TOKENS) == text


def test_the_longest_of_two_tokens() -> None:
    assert without_end("a</s></s>", check_end_tokens(["</s>", "s></s>"])) == "a</"
    assert without_end("a</s>", ()) == "a</s>"


@pytest.mark.parametrize(
    ("end_tokens", "error"),
    [
        ("</s>", r"^end_tokens must be a sequence of str, not a bare str"),
        (["</s>", 2], r"^end_tokens\[1\] must be a str, not int"),
        (["</s>", ""], r"^end_tokens\[1\] must not be empty"),
    ],
)
def test_bad_tokens(end_tokens: Any, error: str) -> None:
    with pytest.raises((TypeError, ValueError), match=error):
        check_end_tokens(end_tokens)


def test_tokens_become_a_tuple() -> None:
    assert check_end_tokens(["a", "bc", "d"]) == ("bc", "a", "d")
