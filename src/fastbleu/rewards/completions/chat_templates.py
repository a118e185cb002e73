"""Find the model's response in a text that was formatted by a chat template.

A chat template writes markers around the turns of a conversation: special tokens such as <|im_end|>, or words such as
"User:". Markers are recognized by their general forms, so no template needs to be known, and by the special tokens of a
tokenizer, if the caller passes them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ...errors import Location, wrong_type
from ...inputs.reading import as_list
from ...metric.metric_warnings import Once
from ...options import check_choice
from .reasoning import CHANNEL, FINAL_CHANNEL, REASONING_TAGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal, TypeAlias

    from .extraction import Extractor

    #: The option `special_tokens` of `BLEUReward`: one of `SPECIAL_TOKENS`, or a list of tokens to remove.
    SpecialTokens: TypeAlias = Literal["warn", "keep", "strip"] | Sequence[str]
    #: A function from a text to a pair: the response, and a marker that was found ("" if there is none).
    FindResponse: TypeAlias = Callable[[str], tuple[str, str]]
    #: A marker in a text: its start, its end, and its kind, which is a key of `_FORMS`, "<s>", "</s>" or `CHANNEL`.
    Marker: TypeAlias = tuple[int, int, str]

#: The strings that are valid for the option `special_tokens`.
SPECIAL_TOKENS = ("warn", "keep", "strip")

#: The expressions for text in brackets, which may be a marker. Each key is the character with which all matches of the
#: expression begin: it can be searched for quickly, and a text without it needs no matching.
_BRACKETED = {"<": re.compile(r"<[^\s<>]{1,64}>"), "[": re.compile(r"\[[^\[\]\n]{1,64}\]")}

#: The general forms of markers, by kind. An "opening" marker begins the response. A "closing" marker ends the response
#: or begins the turn of another speaker. The meaning of a "mark" depends on the text after it. "<s>" and "</s>" are
#: handled separately, since they may also be the HTML tags of struck-out text.
_FORMS = {
    # <|assistant|>, <|CHATBOT_TOKEN|>, <|START_RESPONSE|>, <｜Assistant｜>, [|assistant|], [BEGIN FINAL RESPONSE]
    "opening": re.compile(
        r"(?i:[<\[][|｜](?!end)(?:\w+_)?(?:assistant|chatbot|bot|response|solution)(?!_end)(?:_\w+)?[|｜][>\]])"
        r"|\[/INST\]|\[BEGIN(?: [A-Z]+)+\]"
    ),
    # <|im_end|>, <|eot_id|>, <|user|>, <｜end▁of▁sentence｜>, [|endofturn|], <end_of_turn>, [INST], [END RESPONSE]
    "closing": re.compile(
        r"(?i:[<\[][|｜](?:end[\w▁]*|(?:im|turn|role|message|assistant|response)_end|eo[stm](?:_id)?"
        r"|(?:\w+_)?(?:user|human|observation))[|｜][>\]])"
        r"|<(?:start|end)_of_\w+>|\[INST\]|\[END(?: [A-Z]+)+\]"
    ),
    # <|im_start|>, <|pad|>, <turn|>, <beginning_of_sentence>, <eos>, <pad>, <seed:bos>, <BOS_TOKEN>, [PAD], [gMASK]
    "mark": re.compile(
        r"<[|｜][^|｜]+[|｜]?>|<[^|｜]+[|｜]>|\[\|[^|\s]+\|\]|<(?:begin|beginning)_of_\w+>"
        r"|<(?i:(?:\w+:)?(?:bos|eos|pad|sop)(?:_token)?)>|\[(?:BOS|EOS|PAD|gMASK)\]"
    ),
}

#: A token that contains one of these strings belongs to reasoning or to the channels of OpenAI's harmony format. It
#: is not treated as a marker, because `strip_reasoning` needs it.
_REASONING = re.compile(r"(?i:think|thought|reason|inner_|channel|constrain|message\|)")

#: Tokens that are handled separately even if the caller of `response_finder` passes them as special tokens.
_NEVER_DECLARED = {"<s>", "</s>", CHANNEL, *REASONING_TAGS, *REASONING_TAGS.values()}

_FINAL = re.compile(FINAL_CHANNEL)

#: Characters that may separate two adjacent markers.
_BLANKS = " \t\n\r\f\v\ufeff"

#: Names of the model as a speaker, which follow the marker that begins its turn.
_SPEAKERS = ("assistant", "model")
_SPEAKER = re.compile(rf"(?:{'|'.join(_SPEAKERS)})\b")

#: Matches the text after a marker if another turn begins there: "user\n", "Human:", "### Instruction".
_TURN = re.compile(r"\s*(?:(?i:user|human|system|tool|assistant|model)[\n:<\[]|###)")

#: Headers of turns in plain words, at the start of a line or after a special token. They occur in the templates of
#: R1-Zero (also used by TinyZero and Logic-RL), DeepSeek V2, Alpaca and SOLAR. Vicuna's headers are in capitals and may
#: be within a line.
_USER = re.compile(r"(?:^|(?<=>))(?:(?:### ?)?(?:User|Human)|### Instruction):|\bUSER:", re.MULTILINE)
_ASSISTANT = re.compile(r"^(?:(?:### ?)?Assistant|### Response):|\bASSISTANT:", re.MULTILINE)

#: Matches text that is struck out in HTML and followed by more text.
_STRUCK = re.compile(r"<s>[^<]*(?:<(?!/?s>)[^<]*)*</s>\s*[^\s<]")

#: Search at most this many completions for special tokens in order to warn about them. A chat template writes them into
#: all completions, so later completions need not be searched.
MAX_SEARCHED = 1000

#: Cache the kinds of at most this many different markers in each response finder.
_MAX_CACHED = 256


def checked_tokens(special_tokens: SpecialTokens) -> SpecialTokens:
    """Check the option `special_tokens`, and return it; a sequence of tokens is converted to a tuple.

    Raises:
        TypeError: The option is neither a str nor a sequence of str.
        ValueError: The option is a str, but none of "warn", "keep" and "strip".
    """
    if isinstance(special_tokens, str):
        check_choice("special_tokens", special_tokens, SPECIAL_TOKENS)
        return special_tokens
    tokens = as_list(special_tokens, "special_tokens", "'warn', 'keep', 'strip', or a sequence of tokens")
    for i, token in enumerate(tokens):
        if not isinstance(token, str):
            raise wrong_type(Location("special_tokens")[i], "a str", token)
    return tuple(tokens)


def response_finder(tokens: Sequence[str] = ()) -> FindResponse:
    r"""Make the function that finds the model's response in a text with markers of a chat template.

    The response begins after the last header of the assistant, such as "<|im_start|>assistant". If headers are plain
    words, it begins after the first "Assistant:" that follows a "User:", since the model itself may have written later
    headers. The response ends before the first marker that ends a turn, or that is followed only by other markers or
    by another turn. `<s>` and `</s>` around a part of the response are treated as HTML tags.

    Args:
        tokens: The special tokens of the tokenizer, which are markers in addition to those of the general forms.

    Returns:
        A function from a text to a pair: the response, and a marker that was found ("" if there is none). White space
        around the response is removed if anything else was removed. The time is linear in the length of the text.

    Example:
        >>> find = response_finder()
        >>> find("<|im_start|>user\nRain?<|im_end|><|im_start|>assistant\nIt rained.<|im_end|><pad><pad>")
        ('It rained.', '<|im_start|>assistant')
        >>> find("User: Rain?\nAssistant: It rained.</s>"), find("It rained.")
        (('It rained.', 'Assistant:'), ('It rained.', ''))
        >>> response_finder(["<end>"])("It rained.<end>")
        ('It rained.', '<end>')
    """
    declared = {*tokens} - _NEVER_DECLARED - {""}
    patterns = {**_BRACKETED}
    for first in {token[0] for token in declared}:
        spellings = sorted((token for token in declared if token[0] == first), key=len, reverse=True)
        general = [_BRACKETED[first].pattern] if first in _BRACKETED else []
        patterns[first] = re.compile("|".join([*map(re.escape, spellings), *general]))
    searches = tuple(patterns.items())

    @lru_cache(_MAX_CACHED)
    def kind_of(spelling: str) -> str:
        """Return the kind of a marker, or "" if the text is not a marker."""
        if spelling in ("<s>", "</s>", CHANNEL):
            return spelling
        if _REASONING.search(spelling) and spelling not in declared:
            return ""
        kinds = (kind for kind, form in _FORMS.items() if form.fullmatch(spelling))
        return next(kinds, "mark" if spelling in declared else "")

    def find(text: str) -> tuple[str, str]:
        markers: list[Marker] = []
        for first, pattern in searches:
            if first in text:
                for match in pattern.finditer(text):
                    kind = kind_of(match[0])
                    if kind:
                        markers.append((match.start(), match.end(), kind))
        if not markers:
            header, end = _plain_header(text), None
        else:
            markers.sort()
            header = _last_header(text, markers) or _plain_header(text) or _leading_markers(text, markers)
            end = _end_marker(text, markers, header[1] if header else 0)
        start, stop = header[1] if header else 0, len(text) if end is None else end[0]
        marker = header or end
        if marker is None:
            return text, ""
        return text[start:stop].strip(), text[marker[0] : marker[1]].strip()

    return find


def _last_header(text: str, markers: Sequence[Marker]) -> tuple[int, int] | None:
    """Return the start and the end of the last header of the assistant, or None if there is none.

    An "opening" marker at the end of the text, such as [/INST] after an answer, is a header only if it follows a
    "closing" marker. Otherwise it ends the response.
    """
    header = None
    last = len(text)
    for begin, end, _ in reversed(markers):
        if text[end:last].strip(_BLANKS):
            break
        last = begin
    follows_turn = False
    for k, (begin, end, kind) in enumerate(markers):
        if text.startswith(_SPEAKERS, end) and (name := _SPEAKER.match(text, end)):
            header = begin, name.end()
            # A token may follow the name of the speaker: <|im_start|>assistant<|im_sep|>.
            if k + 1 < len(markers) and markers[k + 1][0] == name.end() and markers[k + 1][2] != CHANNEL:
                header = begin, markers[k + 1][1]
        elif kind == "opening" and (begin < last or follows_turn):
            header, follows_turn = (begin, end), False
        elif kind == CHANNEL and (final := _FINAL.match(text, begin)):
            header = final.span()
        follows_turn |= kind == "closing"
    return header


def _plain_header(text: str) -> tuple[int, int] | None:
    """Return the start and the end of the header of the response if headers are plain words, such as "Assistant:"."""
    if ":" not in text or not any(word in text for word in ("ssistant:", "ASSISTANT:", "Response:")):
        return None
    user = _USER.search(text)
    header = user and _ASSISTANT.search(text, user.end())
    return header.span() if header else None


def _leading_markers(text: str, markers: Sequence[Marker]) -> tuple[int, int] | None:
    """Return the start and the end of the markers at the start of a text, or None if there are none."""
    last = 0
    for begin, end, kind in markers:
        if text[last:begin].strip(_BLANKS) or kind == CHANNEL:
            break
        if kind == "<s>" and _STRUCK.match(text, begin):
            break
        last = end
    return (0, last) if last else None


def _end_marker(text: str, markers: Sequence[Marker], start: int) -> Marker | None:
    """Return the marker that ends the response, or None if the response ends with the text.

    Args:
        text: The text.
        markers: All markers of the text, in order.
        start: The start of the response.
    """
    struck = 0
    for k, marker in enumerate(markers):
        begin, end, kind = marker
        if begin < start or kind == CHANNEL:
            continue
        if kind == "closing":
            return marker
        if kind == "</s>" and struck:
            struck -= 1
            continue
        following = markers[k + 1][0] if k + 1 < len(markers) else len(text)
        if not text[end:following].strip(_BLANKS) or _TURN.match(text, end):
            return marker
        struck += kind == "<s>"
    return None


class TemplateWarning(Once):
    """Log a warning the first time that the markers of a chat template change the scored text.

    Args:
        extractor: A function that returns the scored part of a text; None if the whole text is scored.
        is_over: Whether the warning is suppressed.
    """

    __slots__ = ("_extractor", "_find_response")

    def __init__(self, extractor: Extractor | None, is_over: bool) -> None:
        super().__init__(is_over)
        self._extractor = extractor
        self._find_response = response_finder()

    def search(self, texts: Sequence[str], scored: Sequence[str]) -> None:
        """Search for the first text whose scored part changes if markers are removed, and log the warning for it.

        Args:
            texts: n texts.
            scored: The scored part of each text.
        """
        for text, part in zip(texts, scored, strict=True):
            response, marker = self._find_response(text)
            if marker and self._part_of(response) != part and self():
                from logging import getLogger

                getLogger("fastbleu").warning(
                    "A completion contains %r, which looks like a marker of a chat template and changes the scored "
                    "text. Pass special_tokens='strip' to remove such markers, and any prompt before the response, or "
                    "special_tokens='keep' to score the text unchanged without this warning.",
                    marker,
                )

    def _part_of(self, response: str) -> str | None:
        """Return the scored part of a response, or None if the function given as `extract` raises an error."""
        if self._extractor is None:
            return response
        try:
            return self._extractor(response)[0]
        except Exception:  # noqa: BLE001  # the user's `extract` function may raise any error
            return None
