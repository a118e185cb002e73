"""From what a model wrote to what is scored: reasoning stripped, the answer found, Unicode normalized."""

from __future__ import annotations

import re
from unicodedata import normalize as normalized

from ..errors import ArgumentTypeError, ArgumentValueError, wrong_type
from ..options import check_choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, TypeAlias

    #: What finds the answer in a text.
    Extract: TypeAlias = "str | re.Pattern[str] | Callable[[str], str | None]"
    Normalization: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]
    #: From a text to what was found in it (None: nothing), and whether the text had been cut off.
    Step: TypeAlias = Callable[[str], "tuple[str | None, bool]"]

#: The forms of Unicode normalization.
NORMALIZATIONS = ("NFC", "NFD", "NFKC", "NFKD")

#: How models mark reasoning: what opens it and what closes it, and who writes it so.
REASONING_TAGS = {
    "<think>": "</think>",  # DeepSeek-R1, Qwen3, GLM-4.5; the usual one
    "<thinking>": "</thinking>",
    "<reasoning>": "</reasoning>",
    "<reason>": "</reason>",
    "<thought>": "</thought>",
    "<|begin_of_thought|>": "<|end_of_thought|>",  # Sky-T1, OpenThinker
    "[THINK]": "[/THINK]",  # Magistral
}

#: OpenAI's harmony: what begins a channel, what begins the text of the final one, and what ends a text.
_CHANNEL = "<|channel|>"
_FINAL = "<|channel|>final<|message|>"
_HARMONY_END = re.compile(r"<\|(?:return|end|start)\|>")

_TAG_NAME = re.compile(r"[^\W\d][\w.:-]*")

#: All tags. A search for what begins with one character is fast, so "[" is asked for only where it occurs.
_ALL = [tag for pair in REASONING_TAGS.items() for tag in pair]
_ANY_TAG = re.compile("|".join(map(re.escape, _ALL)))
_ANGLE_TAG = re.compile(f"<(?:{'|'.join(re.escape(tag[1:]) for tag in _ALL if tag[0] == '<')})")


def strip_reasoning(text: str) -> tuple[str, bool]:
    """Remove a model's reasoning from what it wrote.

    The first closing tag ends reasoning. What stands before a closing tag without an opening one is reasoning, since
    chat templates write the opening tag into the prompt. So is all behind an opening tag that is never closed. The time
    is linear in the length of the text.

    Args:
        text: What the model wrote.

    Returns:
        The rest, without white space around it if anything was removed, and whether reasoning was never closed.

    Example:
        >>> strip_reasoning("<think>Cats sit.</think>The cat sat.")
        ('The cat sat.', False)
        >>> strip_reasoning("Cats sit.</think>The cat sat."), strip_reasoning("<think>Cats")
        (('The cat sat.', False), ('', True))
    """
    if _CHANNEL in text:
        _, found, final = text.rpartition(_FINAL)
        if not found:
            return "", True
        end = _HARMONY_END.search(final)
        return (final if end is None else final[: end.start()]).strip(), False
    kept: list[str] = []
    start = 0
    awaited = ""
    tags = _ANY_TAG if "THINK]" in text else _ANGLE_TAG
    for match in tags.finditer(text):
        tag = match[0]
        if awaited:
            if tag == awaited:
                awaited = ""
                start = match.end()
        elif tag in REASONING_TAGS:
            awaited = REASONING_TAGS[tag]
            kept.append(text[start : match.start()])
        else:
            kept.clear()
            start = match.end()
    if awaited:
        return "".join(kept).strip(), True
    if not start:
        return text, False
    kept.append(text[start:])
    return "".join(kept).strip(), False


def tag_finder(name: str) -> Step:
    """Find the text of the last element `<name>...</name>`.

    It begins behind the last opening tag that is closed, and ends at the next closing tag, so it holds neither of the
    two. White space around it is cut off. The time is linear in the length of the text.

    Args:
        name: The name of the tag.

    Returns:
        A function from a text to what was found, None if there is none, and whether a later tag was never closed.

    Raises:
        ValueError: It is no name.

    Example:
        >>> find = tag_finder("answer")
        >>> find("<answer> A cat. </answer> No, <answer>A dog.</answer>")
        ('A dog.', False)
        >>> find("<answer>A do"), find("A dog.")
        ((None, True), (None, False))
    """
    if not _TAG_NAME.fullmatch(name):
        raise ArgumentValueError(
            "extract",
            f"must be the name of a tag such as 'answer', got {name!r}; compile a regular expression: ",
            f" = re.compile({name!r})",
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


def pattern_finder(pattern: re.Pattern[str]) -> Step:
    r"""Find the last match of a regular expression: its group 1 if it has one, else the whole match.

    Args:
        pattern: A compiled expression for str. Its time on long text is its own: `<a>(.*?)</a>` takes quadratic time
            where many tags are opened and none is closed, which the name of a tag does not.

    Example:
        >>> pattern_finder(re.compile("Answer: (.*)"))("Answer: a cat\nAnswer: a dog")
        ('a dog', False)
    """
    if not isinstance(pattern.pattern, str):
        raise ArgumentTypeError(
            "extract", "must be a regular expression for str, not for bytes", value=pattern
        )
    group = 1 if pattern.groups else 0

    def find(text: str) -> tuple[str | None, bool]:
        match = None
        for match in pattern.finditer(text):  # noqa: B007  # the last one
            pass
        return (None if match is None else match[group]), False

    return find


def callable_finder(function: Callable[[str], str | None]) -> Step:
    """Find what a function of the user finds.

    Args:
        function: From a text to a str, or None where there is no answer.

    Example:
        >>> callable_finder(lambda text: text.lower() or None)("A Cat")
        ('a cat', False)
    """

    def find(text: str) -> tuple[str | None, bool]:
        found = function(text)
        if found is not None and not isinstance(found, str):
            raise wrong_type("extract", "a function that returns a str or None", found)
        return found, False

    return find


def finder(extract: Extract | None) -> Step | None:
    """What finds the answer in a text.

    Raises:
        TypeError: `extract` is none of the kinds named.
        ValueError: It is a str, and no name of a tag.
    """
    if extract is None:
        return None
    if isinstance(extract, str):
        return tag_finder(extract)
    if isinstance(extract, re.Pattern):
        return pattern_finder(extract)
    if callable(extract):
        return callable_finder(extract)
    raise wrong_type("extract", "a tag's name, a compiled regular expression or a function", extract)


def extraction(extract: Extract | None, strips: bool, form: str | None) -> Step | None:
    r"""All that is done to a completion, in order: reasoning stripped, the answer found, Unicode normalized.

    Args:
        extract: A tag's name, a compiled regular expression, a function, or None for the whole text.
        strips: Whether reasoning is removed first.
        form: The form of Unicode normalization, or None.

    Returns:
        A function from a text to what is scored, None if there was no match, and whether the text had been cut off.
        None if nothing is to be done.

    Raises:
        TypeError, ValueError: As `finder`; or an unknown form.

    Example:
        >>> step = extraction("answer", True, "NFC")
        >>> step("<think>An <answer>x</answer>?</think><answer>Cafe\u0301</answer>")
        ('Café', False)
    """
    find = finder(extract)
    if form is not None:
        check_choice("normalize", form, NORMALIZATIONS)
    if find is None and form is None:
        return strip_reasoning if strips else None
    if not strips and form is None:
        return find

    def step(text: str) -> tuple[str | None, bool]:
        clipped = False
        found: str | None = text
        if strips:
            found, clipped = strip_reasoning(text)
        if find is not None:
            found, unclosed = find(found or "")
            clipped = clipped or unclosed
        if form is not None and found is not None:
            found = normalized(form, found)  # type: ignore[arg-type]  # it is one of NORMALIZATIONS
        return found, clipped

    return step


def described(extract: Any) -> str:
    """What a signature says of `extract`.

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
