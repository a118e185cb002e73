"""From a model's text to the part that is scored: special tokens and reasoning removed, the answer found, Unicode."""

from __future__ import annotations

import re
import unicodedata

from ...errors import ArgumentTypeError, ArgumentValueError, show, wrong_type
from ...options import check_choice
from .reasoning import strip_reasoning as remove_reasoning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, TypeAlias

    from .marks import FindResponse

    #: Finds the answer in a text.
    Extract: TypeAlias = "str | re.Pattern[str] | Callable[[str], str | None]"
    Normalization: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]
    #: From a text to the answer (None: there is none), and whether the text had been cut off.
    Finder: TypeAlias = Callable[[str], "tuple[str | None, bool]"]
    #: From a text to the part that is scored, whether the text had been cut off, and whether special tokens were.
    Step: TypeAlias = Callable[[str], "tuple[str, bool, bool]"]

#: The forms of Unicode normalization.
NORMALIZATIONS = ("NFC", "NFD", "NFKC", "NFKD")

#: The most combining marks after one character in the Stream-Safe Text Format (Unicode Standard Annex 15, section 13).
_MOST_MARKS = 30
#: Shorter texts cost little whatever they hold.
_LONG_TEXT = 2048
#: All combining marks are among the characters that no word has; so are others, which a closer look tells apart.
_MAY_BE_MARKS = re.compile(rf"\W{{{_MOST_MARKS + 1}}}")

#: What may be the name of a tag.
_TAG_NAME = re.compile(r"[^\W\d][\w.:-]*")


def normalized(form: Normalization, text: str) -> str:
    r"""Normalize a text, in time that grows with its length and not faster.

    `unicodedata.normalize` sorts the combining marks after a character in quadratic time. So a run of more than 30 is
    normalized in pieces of 30, each by itself; in human languages no run is as long.

    Example:
        >>> normalized("NFC", "Cafe\u0301")
        'Café'
    """
    if len(text) < _LONG_TEXT or text.isascii() or _MAY_BE_MARKS.search(text) is None:
        return unicodedata.normalize(form, text)
    pieces, start, marks = [], 0, 0
    for place, character in enumerate(text):
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks > _MOST_MARKS:
            pieces.append(text[start:place])
            start, marks = place, 1
    pieces.append(text[start:])
    return "".join([unicodedata.normalize(form, piece) for piece in pieces])


def tag_finder(name: str) -> Finder:
    """Find the text of the last element `<name>...</name>`.

    It begins after the last opening tag that is closed, and ends at the next closing tag, so it holds neither of the
    two. White space around it is cut off. The time is linear in the length of the text.

    Args:
        name: The name of the tag.

    Returns:
        A function from a text to the answer, None if there is none, and whether a later tag was never closed.

    Raises:
        ValueError: It is not a name.

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
    r"""Make a function that finds the answer in a text, of `extract` of `BLEUReward`; None for the whole text.

    The time of a regular expression on long text is its own: `<a>(.*?)</a>` takes quadratic time where many tags are
    opened and none is closed, which the name of a tag does not.

    Raises:
        TypeError: `extract` has another type.
        ValueError: It is a str, but not the name of a tag.

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
        found = extract(text)
        if found is not None and not isinstance(found, str):
            raise wrong_type("extract", "a function that returns a str or None", found)
        return found, False

    return call


def extraction(
    extract: Extract | None = None,
    strip_reasoning: bool = False,
    normalize: Normalization | None = None,
    find_response: FindResponse | None = None,
) -> Step | None:
    r"""Make the function that finds the part of a text that is scored.

    Args:
        extract: A tag's name, a compiled regular expression, a function, or None for the whole text.
        strip_reasoning: Whether reasoning is removed before the answer is looked for.
        normalize: The form of Unicode normalization, or None.
        find_response: Cuts off special tokens, and a prompt before them, first; see `marks.response_finder`.

    Returns:
        A function from a text to the part of it that is scored, "" if there was no match, whether the text had been cut
        off, and whether special tokens were. None if nothing is to be done.

    Raises:
        TypeError, ValueError: As `finder`; or an unknown form.

    Example:
        >>> step = extraction("answer", strip_reasoning=True, normalize="NFC")
        >>> step("<think>An <answer>x</answer>?</think><answer>Cafe\u0301</answer>")
        ('Café', False, False)
    """
    find = finder(extract)
    if normalize is not None:
        check_choice("normalize", normalize, NORMALIZATIONS)
    if find is None and normalize is None and not strip_reasoning and find_response is None:
        return None

    def step(text: str) -> tuple[str, bool, bool]:
        clipped = cut = False
        if find_response is not None:
            text, mark = find_response(text)
            cut = bool(mark)
        if strip_reasoning:
            text, clipped = remove_reasoning(text)
        if find is not None:
            found, unclosed = find(text)
            text, clipped = found or "", clipped or unclosed
        if normalize is not None:
            text = normalized(normalize, text)
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
