"""Extract the scored part of a model's text: remove special tokens and reasoning, and find the answer."""

from __future__ import annotations

import re

from ...errors import ArgumentTypeError, ArgumentValueError, show, wrong_type
from .marks import response_finder
from .reasoning import strip_reasoning as remove_reasoning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from .marks import SpecialTokens

    #: A user's option or function that finds the answer in a text.
    Extract: TypeAlias = "str | re.Pattern[str] | Callable[[str], str | None]"
    #: Function from a text to the answer (None if it is missing), and whether the text is truncated.
    Finder: TypeAlias = Callable[[str], "tuple[str | None, bool]"]
    #: Function from a text to its scored part, whether the text is truncated, and whether special tokens were removed.
    Step: TypeAlias = Callable[[str], "tuple[str, bool, bool]"]

#: Matches a valid name of a tag.
_TAG_NAME = re.compile(r"[^\W\d][\w.:-]*")


def tag_finder(name: str) -> Finder:
    """Find the text of the last element `<name>...</name>`.

    It begins after the last opening tag that is closed, and ends at the next closing tag, so it holds neither of the
    two. White space around it is removed. The time is linear in the length of the text.

    Args:
        name: The name of the tag.

    Returns:
        A function from a text to the answer, None if there is none, and whether a later tag was never closed.

    Raises:
        ValueError: `name` is not a valid name of a tag.

    Example:
        >>> find = tag_finder("answer")
        >>> find("<answer> A cat. </answer> No, <answer>A dog.</answer>")
        ('A dog.', False)
        >>> find("<answer>A do"), find("A dog.")
        ((None, True), (None, False))
    """
    if not _TAG_NAME.fullmatch(name):
        tag = re.match(rf"<({_TAG_NAME.pattern})>", name)
        if tag:
            raise ArgumentValueError(
                "extract", f"must be the name of a tag, got {show(name)}; use extract={tag[1]!r}", value=name
            )
        raise ArgumentValueError(
            "extract",
            f"must be the name of a tag such as 'answer', got {show(name)}; compile a regular expression: ",
            f" = re.compile({show(name)})",
            value=name,
        )
    opening, closing = f"<{name}>", f"</{name}>"
    length = len(opening)

    def find(text: str) -> tuple[str | None, bool]:
        last = text.rfind(closing)
        start = text.rfind(opening, 0, last) if last >= 0 else -1
        if start < 0:
            return None, text.find(opening, last + 1) >= 0
        start += length
        return text[start : text.find(closing, start)].strip(), text.find(opening, last) >= 0

    return find


def finder(extract: Extract | None) -> Finder | None:
    r"""Return the function that finds the answer in a text, given `extract` of `BLEUReward`; None for the whole text.

    The time that a regular expression takes on long text depends on the expression: `<a>(.*?)</a>` takes quadratic time
    where many tags are opened and none is closed, which the name of a tag does not.

    Raises:
        TypeError: `extract` has another type.
        ValueError: `extract` is a str, but not a valid name of a tag.

    Example:
        >>> finder(re.compile("Answer: (.*)"))("Answer: a cat\nAnswer: a dog")
        ('a dog', False)
        >>> finder(lambda text: text.lower() or None)("A Cat")
        ('a cat', False)
    """
    if extract is None:
        return None
    if isinstance(extract, str):
        return tag_finder(extract)
    if isinstance(extract, re.Pattern):
        if not isinstance(extract.pattern, str):
            raise ArgumentTypeError(
                "extract", "must be a regular expression for str, not for bytes", value=extract
            )
        pattern, group = extract, 1 if extract.groups else 0

        def last_match(text: str) -> tuple[str | None, bool]:
            match = None
            for match in pattern.finditer(text):  # noqa: B007  # the last one
                pass
            return (None if match is None else match[group]), False

        return last_match
    if not callable(extract):
        raise wrong_type("extract", "a tag's name, a compiled regular expression or a function", extract)

    def call(text: str) -> tuple[str | None, bool]:
        answer = extract(text)
        if answer is not None and not isinstance(answer, str):
            raise wrong_type("extract", "a function that returns a str or None", answer)
        return answer, False

    return call


def extraction(
    extract: Extract | None = None,
    strip_reasoning: bool = False,
    special_tokens: SpecialTokens = "keep",
) -> Step | None:
    r"""Make the function that extracts the scored part of a text.

    Args:
        extract: A tag's name, a compiled regular expression, a function, or None for the whole text.
        strip_reasoning: Whether reasoning is removed before the answer is searched for.
        special_tokens: "strip", or the tokens of a tokenizer: first remove special tokens and a prompt before them.

    Returns:
        A function from a text to its scored part ("" without a match), whether the text is truncated, and whether
        special tokens were removed. None if texts are scored unchanged.

    Raises:
        TypeError, ValueError: As `finder`.

    Example:
        >>> step = extraction("answer", strip_reasoning=True)
        >>> step("<think>An <answer>x</answer>?</think><answer>A cat</answer>")
        ('A cat', False, False)
    """
    find = finder(extract)
    find_response = None
    if special_tokens not in ("warn", "keep"):
        find_response = response_finder(() if special_tokens == "strip" else special_tokens)
    if find is None and not strip_reasoning and find_response is None:
        return None

    def step(text: str) -> tuple[str, bool, bool]:
        clipped = cut = False
        if find_response is not None:
            text, mark = find_response(text)
            cut = bool(mark)
        if strip_reasoning:
            text, clipped = remove_reasoning(text)
        if find is not None:
            answer, unclosed = find(text)
            text, clipped = answer or "", clipped or unclosed
        return text, clipped, cut

    return step


def described(extract: Any) -> str:
    """Return the field of `extract` in a signature.

    Example:
        >>> described("answer"), described(re.compile("A: (.*)")), described(len)
        ('answer', "'A: (.*)'", 'builtins.len')
    """
    if isinstance(extract, str):
        return extract
    if isinstance(extract, re.Pattern):
        return repr(extract.pattern).replace("|", "\\x7c")  # fields are joined by "|"
    module = getattr(extract, "__module__", type(extract).__module__)
    name = getattr(extract, "__qualname__", type(extract).__qualname__)
    return f"{module}.{name}"
