"""Extract the scored part of a model's text: remove special tokens and reasoning, and find the answer."""

from __future__ import annotations

import re
from inspect import signature

from ...errors import ArgumentTypeError, ArgumentValueError, show, wrong_type
from .chat_templates import response_finder
from .reasoning import strip_reasoning as remove_reasoning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from .chat_templates import SpecialTokens

    #: The option `extract` of `BLEUReward`: a tag's name, a regular expression, or a function that finds the answer.
    Extract: TypeAlias = "str | re.Pattern[str] | Callable[[str], str | None]"
    #: A function from a text to a pair: the answer (None if it is missing), and whether the text is truncated.
    Finder: TypeAlias = Callable[[str], "tuple[str | None, bool]"]
    #: A function from a text to a triple: the scored part, whether the text is truncated, and whether special tokens or
    #: a prompt were removed.
    Extractor: TypeAlias = Callable[[str], "tuple[str, bool, bool]"]

#: Matches a valid name of a tag.
_TAG_NAME = re.compile(r"[^\W\d][\w.:-]*")


def tag_finder(name: str) -> Finder:
    """Make a function that finds the answer in a text: the content of the last complete element `<name>...</name>`.

    The answer begins after the last opening tag that is followed by a closing tag, and ends before the next closing
    tag, so it contains no tag of this name. White space around it is removed. The search takes time linear in the
    length of the text.

    Args:
        name: The name of the tag.

    Returns:
        A function that takes a text and returns a pair: the answer, or None if there is no complete element; and
        whether a later tag is opened and never closed, which means that the text is truncated.

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
            f"must be the name of a tag such as 'answer', got {show(name)}; for a regular expression, pass ",
            f"=re.compile({show(name)})",
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


def answer_finder(extract: Extract | None) -> Finder | None:
    r"""Make the function that finds the answer in a text.

    The name of a tag is always searched for in linear time. A regular expression may take longer on long text: for
    example, `<a>(.*?)</a>` takes quadratic time if many tags are opened and none is closed.

    Args:
        extract: The option `extract` of `BLEUReward`.

    Returns:
        A function from a text to a pair: the answer, or None if it is missing; and whether the text is truncated. None
        if `extract` is None, which means that the whole text is the answer.

    Raises:
        TypeError: `extract` has another type.
        ValueError: `extract` is a str, but not a valid name of a tag.

    Example:
        >>> answer_finder(re.compile("Answer: (.*)"))("Answer: a cat\nAnswer: a dog")
        ('a dog', False)
        >>> answer_finder(lambda text: text.lower() or None)("A Cat")
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
            for match in pattern.finditer(text):  # noqa: B007  # the last match is used after the loop
                pass
            return (None if match is None else match[group]), False

        return last_match
    if not callable(extract):
        raise wrong_type("extract", "a tag's name, a compiled regular expression or a function", extract)
    try:
        signature(extract).bind("")
    except ValueError:  # Some functions in C have no signature.
        pass
    except TypeError as error:
        raise ArgumentTypeError(
            "extract", f"must accept a call extract(text), but {error}", value=extract
        ) from None

    def call(text: str) -> tuple[str | None, bool]:
        answer = extract(text)
        if answer is not None and not isinstance(answer, str):
            raise wrong_type("extract", "a function that returns a str or None", answer)
        return answer, False

    return call


def make_extractor(
    extract: Extract | None = None, strip_reasoning: bool = False, special_tokens: SpecialTokens = "keep"
) -> Extractor | None:
    r"""Make the function that extracts the scored part of a text.

    Args:
        extract: A tag's name, a compiled regular expression, a function, or None for the whole text.
        strip_reasoning: Whether reasoning is removed before the answer is searched for.
        special_tokens: "warn" and "keep" leave special tokens in the text. "strip" or a list of tokens: special tokens
            are removed first, together with a prompt before them.

    Returns:
        A function from a text to a triple: the scored part ("" if no answer is found), whether the text is truncated,
        and whether special tokens or a prompt were removed. None if texts are scored unchanged.

    Raises:
        TypeError: `extract` has the wrong type.
        ValueError: `extract` is a str, but not a valid name of a tag.

    Example:
        >>> extractor = make_extractor("answer", strip_reasoning=True)
        >>> extractor("<think>An <answer>x</answer>?</think><answer>A cat</answer>")
        ('A cat', False, False)
    """
    find = answer_finder(extract)
    find_response = None
    if special_tokens not in ("warn", "keep"):
        find_response = response_finder(() if special_tokens == "strip" else special_tokens)
    if find is None and not strip_reasoning and find_response is None:
        return None

    def extractor(text: str) -> tuple[str, bool, bool]:
        clipped = cut = False
        if find_response is not None:
            text, marker = find_response(text)
            cut = bool(marker)
        if strip_reasoning:
            text, clipped = remove_reasoning(text)
        if find is not None:
            answer, unclosed = find(text)
            text, clipped = answer or "", clipped or unclosed
        return text, clipped, cut

    return extractor


def described(extract: Any) -> str:
    """Describe a value for a signature: the option `extract`, or a function that is a component of a `CombinedReward`.

    Example:
        >>> described("answer"), described(re.compile("A: (.*)")), described(len)
        ('answer', "'A: (.*)'", 'builtins.len')
    """
    if isinstance(extract, str):
        return extract
    if isinstance(extract, re.Pattern):
        return repr(extract.pattern).replace("|", "\\x7c")  # "|" separates the fields of a signature
    module = getattr(extract, "__module__", type(extract).__module__)
    name = getattr(extract, "__qualname__", type(extract).__qualname__)
    return f"{module}.{name}"
