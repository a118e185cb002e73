"""Find the response in a text of a chat template: between headers of turns, tokens that end turns, and padding.

Templates are recognized by the general forms of their markers, and by the special tokens of a known tokenizer.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ...errors import Location, wrong_type
from ...inputs.reading import as_list
from ...metric.warning import Once
from ...options import check_choice
from .reasoning import CHANNEL, FINAL_CHANNEL, REASONING_TAGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal, TypeAlias

    from .extraction import Step

    #: The handling of special tokens in text: one of `SPECIAL_TOKENS`, or tokens to remove in addition to the general
    #: forms.
    SpecialTokens: TypeAlias = Literal["warn", "keep", "strip"] | Sequence[str]
    #: Function from a text to its response, and a marker of the template ("" if it has none).
    FindResponse: TypeAlias = Callable[[str], tuple[str, str]]
    #: A marker in a text: its bounds, and its kind.
    Mark: TypeAlias = tuple[int, int, str]

#: The ways to treat special tokens.
SPECIAL_TOKENS = ("warn", "keep", "strip")

#: Texts in brackets that may be markers, by their first character, since a search for one character is fast.
_BRACKETED = {"<": re.compile(r"<[^\s<>]{1,64}>"), "[": re.compile(r"\[[^\[\]\n]{1,64}\]")}

#: Kinds of markers. "<s>" and "</s>" are excluded: around a part of a text, they are HTML. "opening" begins the
#: response; "closing" ends it or begins the turn of another speaker; "mark" depends on the text after it.
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

#: Tokens of reasoning and of harmony's channels, which `strip_reasoning` needs, whatever their exact names.
_REASONING = re.compile(r"(?i:think|thought|reason|inner_|channel|constrain|message\|)")

#: Special tokens that `tokens` of `response_finder` cannot declare to be markers everywhere.
_NEVER_DECLARED = {"<s>", "</s>", CHANNEL, *REASONING_TAGS, *REASONING_TAGS.values()}

_FINAL = re.compile(FINAL_CHANNEL)

#: Characters between two markers.
_BLANKS = " \t\n\r\f\v\ufeff"

#: The name of the speaker of a response, after the marker that begins a turn.
_SPEAKERS = ("assistant", "model")
_SPEAKER = re.compile(rf"(?:{'|'.join(_SPEAKERS)})\b")

#: The words of a turn after a marker: "user\n", "Human:", "### Instruction".
_TURN = re.compile(r"\s*(?:(?i:user|human|system|tool|assistant|model)[\n:<\[]|###)")

#: Turns in plain words, each on a line of its own or after a special token: the templates of R1-Zero, which TinyZero
#: and Logic-RL have, DeepSeek V2, Alpaca and SOLAR. Vicuna writes its capitals within a line.
_USER = re.compile(r"(?:^|(?<=>))(?:(?:### ?)?(?:User|Human)|### Instruction):|\bUSER:", re.MULTILINE)
_ASSISTANT = re.compile(r"^(?:(?:### ?)?Assistant|### Response):|\bASSISTANT:", re.MULTILINE)

#: A part of a text that is struck out in HTML, and the text after it.
_STRUCK = re.compile(r"<s>[^<]*(?:<(?!/?s>)[^<]*)*</s>\s*[^\s<]")

#: The number of completions that are searched for special tokens, which occur in all completions or in none.
LOOKED_AT = 1000

#: The number of spellings of markers whose kinds a finder caches.
_MOST_SPELLINGS = 256


def checked_tokens(special_tokens: SpecialTokens) -> SpecialTokens:
    """Return the option `special_tokens`, tokens as a tuple.

    Raises:
        TypeError: The option is neither a str nor a sequence of str.
        ValueError: The option is a str, but not one of `SPECIAL_TOKENS`.
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
    r"""Make the function that finds the response in a text that may hold a prompt, special tokens and padding.

    A response begins after the last header of the assistant. If turns are marked by plain words, it begins after the
    first turn header of the assistant that follows one of the user, since a model may continue with both. It ends
    before the first marker that ends a turn, or that is followed only by other markers or another turn. `<s>` and
    `</s>` around a part of it are HTML.

    Args:
        tokens: The special tokens of the tokenizer, which are markers in addition to the general forms.

    Returns:
        A function from a text to the response, without white space around it if anything was removed, and a marker that
        was found ("" if there is none). Its time is linear in the length of the text.

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

    @lru_cache(_MOST_SPELLINGS)
    def kind_of(spelling: str) -> str:
        if spelling in ("<s>", "</s>", CHANNEL):
            return spelling
        if _REASONING.search(spelling) and spelling not in declared:
            return ""
        kinds = (kind for kind, form in _FORMS.items() if form.fullmatch(spelling))
        return next(kinds, "mark" if spelling in declared else "")

    def find(text: str) -> tuple[str, str]:
        marks: list[Mark] = []
        for first, pattern in searches:
            if first in text:
                for match in pattern.finditer(text):
                    kind = kind_of(match[0])
                    if kind:
                        marks.append((match.start(), match.end(), kind))
        if not marks:
            before, end = _plain_header(text), None
        else:
            marks.sort()
            before = _header(text, marks) or _plain_header(text) or _leading(text, marks)
            end = _end(text, marks, before[1] if before else 0)
        start, stop = before[1] if before else 0, len(text) if end is None else end[0]
        mark = before or end
        if mark is None:
            return text, ""
        return text[start:stop].strip(), text[mark[0] : mark[1]].strip()

    return find


def _header(text: str, marks: Sequence[Mark]) -> tuple[int, int] | None:
    """Return the bounds of the last header of a response.

    A header at the end of a text that does not follow a turn, such as [/INST] after an answer, ends the response.
    """
    header = None
    last = len(text)
    for begin, end, _ in reversed(marks):
        if text[end:last].strip(_BLANKS):
            break
        last = begin
    follows_turn = False
    for k, (begin, end, kind) in enumerate(marks):
        if text.startswith(_SPEAKERS, end) and (name := _SPEAKER.match(text, end)):
            header = begin, name.end()
            # A token may follow the name of the speaker: <|im_start|>assistant<|im_sep|>.
            if k + 1 < len(marks) and marks[k + 1][0] == name.end() and marks[k + 1][2] != CHANNEL:
                header = begin, marks[k + 1][1]
        elif kind == "opening" and (begin < last or follows_turn):
            header, follows_turn = (begin, end), False
        elif kind == CHANNEL and (final := _FINAL.match(text, begin)):
            header = final.span()
        follows_turn |= kind == "closing"
    return header


def _plain_header(text: str) -> tuple[int, int] | None:
    """Return the bounds of the words after which the response begins in turns in plain words."""
    if ":" not in text or not any(word in text for word in ("ssistant:", "ASSISTANT:", "Response:")):
        return None
    user = _USER.search(text)
    header = user and _ASSISTANT.search(text, user.end())
    return header.span() if header else None


def _leading(text: str, marks: Sequence[Mark]) -> tuple[int, int] | None:
    """Return the bounds of the markers with which a text begins."""
    last = 0
    for begin, end, kind in marks:
        if text[last:begin].strip(_BLANKS) or kind == CHANNEL:
            break
        if kind == "<s>" and _STRUCK.match(text, begin):
            break
        last = end
    return (0, last) if last else None


def _end(text: str, marks: Sequence[Mark], start: int) -> Mark | None:
    """Return the marker that ends the response that begins at `start`; None if the rest of the text belongs to it."""
    struck = 0
    for k, mark in enumerate(marks):
        begin, end, kind = mark
        if begin < start or kind == CHANNEL:
            continue
        if kind == "closing":
            return mark
        if kind == "</s>" and struck:
            struck -= 1
            continue
        following = marks[k + 1][0] if k + 1 < len(marks) else len(text)
        if not text[end:following].strip(_BLANKS) or _TURN.match(text, end):
            return mark
        struck += kind == "<s>"
    return None


class MarkWarning(Once):
    """Log once that a chat template changes the scored text.

    Args:
        step: A function from a text to its scored part; None: the whole text is scored.
        is_over: Whether logging is disabled.
    """

    __slots__ = ("_find_response", "_step")

    def __init__(self, step: Step | None, is_over: bool) -> None:
        super().__init__(is_over)
        self._step = step
        self._find_response = response_finder()

    def look(self, texts: Sequence[str], scored: Sequence[str]) -> None:
        """Search texts and their scored parts."""
        for text, part in zip(texts, scored, strict=True):
            response, mark = self._find_response(text)
            if mark and self._part_of(response) != part and self():
                from logging import getLogger

                getLogger("fastbleu").warning(
                    "A completion holds %r, which a chat template writes around a response, and which changes the "
                    "text that is scored. special_tokens='strip' cuts off the template, and a prompt before it; "
                    "'keep' says that it belongs to the text.",
                    mark,
                )

    def _part_of(self, response: str) -> str | None:
        """Return the part of a response that would be scored; None if a function given as `extract` fails."""
        if self._step is None:
            return response
        try:
            return self._step(response)[0]
        except Exception:  # noqa: BLE001  # any error of the function
            return None
