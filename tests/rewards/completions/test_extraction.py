"""The part of a completion that is scored: tags, regular expressions, functions, Unicode."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastbleu.rewards.completions.extraction import make_extractor, tag_finder


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<answer>a cat</answer>", ("a cat", False)),
        ("x <answer>\n a cat\t</answer> y", ("a cat", False)),
        ("<answer>a</answer><answer>b</answer>", ("b", False)),
        ("<answer></answer>", ("", False)),
        ("", (None, False)),
        ("a cat", (None, False)),
        # Nested: the inner one, which is opened last.
        ("<answer>a <answer>b</answer> c</answer>", ("b", False)),
        ("in <answer> tags: <answer>b</answer>", ("b", False)),
        # Only a tag that is closed counts, and only up to its own closing tag.
        ("<answer>a</answer></answer>", ("a", False)),
        ("</answer><answer>a</answer>", ("a", False)),
        ("</answer>a<answer>", (None, True)),
        ("a</answer>", (None, False)),
        ("<answer>a", (None, True)),
        ("<answer>a</answer> <answer>b", ("a", True)),
        ("<answer>a</answer", (None, True)),
        # A name is not part of another one; case counts.
        ("<answers>a</answers>", (None, False)),
        ("<Answer>a</Answer>", (None, False)),
    ],
)
def test_tag(text: str, found: tuple[str | None, bool]) -> None:
    assert tag_finder("answer")(text) == found


def by_pieces(text: str) -> str | None:
    """The rule, slowly: the last opening tag that a closing one follows, up to the first closing one after it."""
    found = None
    for start in range(len(text)):
        if text.startswith("<t>", start) and "</t>" in text[start + 3 :]:
            found = text[start + 3 :].split("</t>", maxsplit=1)[0].strip()
    return found


@given(st.lists(st.sampled_from(["<t>", "</t>", "a", " ", "<", "/"]), max_size=12).map("".join))
def test_tag_by_the_rule(text: str) -> None:
    assert tag_finder("t")(text)[0] == by_pieces(text)


@pytest.mark.parametrize("part", ["<t>", "</t>", "<t></t>", "<", "</t><t>", "a"])
def test_tags_in_long_texts(part: str) -> None:
    """In linear time: a quadratic search of a million characters would take hours."""
    found, unclosed = tag_finder("t")(part * (1_000_000 // len(part)))
    assert found == ("" if part in ("<t></t>", "</t><t>") else None)
    assert unclosed == (part in ("<t>", "</t><t>"))


@pytest.mark.parametrize(
    ("extract", "found"),
    [
        ("b", "x"),
        (re.compile("<a>(.*?)</a>"), "2"),
        (re.compile("<a>.*?</a>"), "<a>2</a>"),
        (re.compile("nothing"), None),
        (re.compile("<b>(y)?"), None),  # a group that took no part
        (str.upper, "<A>1</A><B>X</B><A>2</A>"),
        (lambda _: None, None),
        (None, "<a>1</a><b>x</b><a>2</a>"),
    ],
)
def test_kinds(extract: Any, found: str | None) -> None:
    extractor = make_extractor(extract, False, "strip")
    assert extractor is not None
    assert extractor("<a>1</a><b>x</b><a>2</a>") == (found or "", False, False)


def test_reasoning_is_removed_first() -> None:
    assert make_extractor(None, False) is None
    extractor = make_extractor("a", True)
    assert extractor is not None
    assert extractor("<think><a>1</a></think><a>2</a>") == ("2", False, False)
    assert extractor("<a>1</a></think>2") == ("", False, False)
    assert extractor("<a>1</a><think>2") == ("1", True, False)
    assert extractor("<think><a>1</a>") == ("", True, False)


@pytest.mark.parametrize(
    ("extract", "error", "message"),
    [
        ("a b", ValueError, "extract must be the name of a tag such as 'answer', got 'a b'; for a regular expression"),
        ("A: (.*)", ValueError, r"extract must be .*, pass extract=re.compile\('A: \(\.\*\)'\)"),
        ("<a>(.*)</a>", ValueError, r"extract must be the name of a tag, .*; use extract='a'$"),
        (3, TypeError, "extract must be a tag's name, a compiled .* or a function, not int: 3"),
        (re.compile(b"a"), TypeError, "extract must be a regular expression for str, not for bytes"),
        (len, TypeError, "extract must be a function that returns a str or None, not int: 2"),
        (lambda: None, TypeError, "extract must accept a call extract"),
    ],
)  # fmt: skip
def test_errors(extract: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        make_extractor(extract)("ab")  # type: ignore[misc]
