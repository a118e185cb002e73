"""The response in a text of a chat template: between headers of turns, tokens that end them, and padding.

Templates are recognized by the general forms of their marks, and by the special tokens of a tokenizer if it is known.
"""

from __future__ import annotations

import re

from ...errors import Place, wrong_type
from ...inputs.reading import as_list
from ...options import check_choice
from .reasoning import CHANNEL, FINAL_CHANNEL, REASONING_TAGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal, TypeAlias

    #: What to do with special tokens in text: one of `SPECIAL_TOKENS`, or tokens to cut off beside the general forms.
    SpecialTokens: TypeAlias = Literal["warn", "keep", "strip"] | Sequence[str]
    #: From a text to the response in it, and a mark of the template, "" if there is none.
    FindResponse: TypeAlias = Callable[[str], tuple[str, str]]

#: The ways to treat special tokens.
SPECIAL_TOKENS = ("warn", "keep", "strip")

_NAME = r"[^\s<>\[\]|｜]+"

#: Tokens of reasoning and of harmony's channels, which `strip_reasoning` needs, whatever their exact names.
_NO_REASONING = r"(?![^\s<>]*(?i:think|thought|reason|inner_|channel|constrain|message\|))"

#: Marks that begin with "<": <|im_end|>, <｜User｜>, <turn|>; <end_of_turn>; <eos>, <pad>, <seed:bos>, <BOS_TOKEN>.
_ANGLE = (
    rf"<{_NO_REASONING}(?:[|｜]{_NAME}[|｜]?|{_NAME}[|｜]|(?:start|begin|beginning|end)_of_\w+"
    r"|(?i:(?:\w+:)?(?:bos|eos|pad|sop)(?:_token)?))>"
)

#: Marks that begin with "[": [INST], [/INST]; [BEGIN FINAL RESPONSE]; [|assistant|]; [PAD], [gMASK].
_SQUARE = rf"\[(?:/?INST|(?:BEGIN|END)(?: [A-Z]+)+|\|{_NAME}\||BOS|EOS|PAD|gMASK)\]"

#: Names of tokens that end a turn, or begin one of another speaker.
_CLOSING = (
    r"(?i:end[\w▁]*|(?:im|turn|role|message|assistant|response)_end|eo[stm](?:_id)?"
    r"|(?:\w+_)?(?:user|human|observation))"
)

#: Names of tokens that begin the response: <|assistant|>, <|CHATBOT_TOKEN|>, <|START_RESPONSE|>, <｜Assistant｜>.
_OPENING = r"(?i:(?!end)(?:\w+_)?(?:assistant|chatbot|bot|response|solution)(?!_end)(?:_\w+)?)"

#: The header of a response. A token may follow the name of the speaker: <|im_start|>assistant<|im_sep|>.
_HEADER = re.compile(
    rf"{FINAL_CHANNEL}|{_ANGLE}(?:assistant|model)\b(?:{_ANGLE})?|<[|｜]{_OPENING}[|｜]>|\[\|{_OPENING}\|\]"
    r"|\[/INST\]|\[BEGIN(?: [A-Z]+)+\]"
)

#: The words of a turn after a mark: "user\n", "Human:", "### Instruction".
_TURN = r"(?i:user|human|system|tool|assistant|model)[\n:<\[]|###"

#: Turns in plain words, each on a line of its own or after a special token: the templates of R1-Zero, which TinyZero
#: and Logic-RL have, DeepSeek V2, Alpaca and SOLAR. Vicuna writes its capitals within a line.
_USER = re.compile(r"(?:^|(?<=>))(?:(?:### ?)?(?:User|Human)|### Instruction):|\bUSER:", re.MULTILINE)
_ASSISTANT = re.compile(r"^(?:(?:### ?)?Assistant|### Response):|\bASSISTANT:", re.MULTILINE)

#: Text that is struck out in HTML, with the tokens that begin and end a text of Llama 2.
_STRUCK = r"<s>[^<]*(?:<(?!/?s>)[^<]*)*</s>"

#: Special tokens that `tokens` of `response_finder` cannot declare to be marks everywhere.
_NEVER_DECLARED = {"<s>", "</s>", CHANNEL, *REASONING_TAGS, *REASONING_TAGS.values()}


def checked_tokens(special_tokens: SpecialTokens) -> SpecialTokens:
    """Return the option `special_tokens`, tokens as a tuple.

    Raises:
        TypeError: It is neither a str nor a sequence of str.
        ValueError: It is a str, but none of the ways to treat special tokens.
    """
    if isinstance(special_tokens, str):
        check_choice("special_tokens", special_tokens, SPECIAL_TOKENS)
        return special_tokens
    tokens = as_list(special_tokens, "special_tokens", "'warn', 'keep', 'strip', or a sequence of tokens")
    for i, token in enumerate(tokens):
        if not isinstance(token, str):
            raise wrong_type(Place("special_tokens")[i], "a str", token)
    return tuple(tokens)


def response_finder(tokens: Sequence[str] = ()) -> FindResponse:
    r"""Make the function that finds the response in a text that may hold a prompt, special tokens and padding.

    A response begins after the last header of the assistant. Of turns in plain words it begins after the first one of
    the assistant that follows one of the user, since a model may continue with both. It ends before the first mark that
    ends a turn, or that only other marks or another turn follow. `<s>` and `</s>` around a part of it are HTML.

    Args:
        tokens: The special tokens of the tokenizer, which are marks beside the general forms.

    Returns:
        A function from a text to the response, without white space around it if anything was cut off, and a mark that
        was found, "" if there is none. Its time is linear in the length of the text.

    Example:
        >>> find = response_finder()
        >>> find("<|im_start|>user\nRain?<|im_end|><|im_start|>assistant\nIt rained.<|im_end|><pad><pad>")
        ('It rained.', '<|im_start|>assistant')
        >>> find("User: Rain?\nAssistant: It rained.</s>"), find("It rained.")
        (('It rained.', 'Assistant:'), ('It rained.', ''))
        >>> response_finder(["<end>"])("It rained.<end>")
        ('It rained.', '<end>')
    """
    declared = sorted({*tokens} - _NEVER_DECLARED - {""}, key=len, reverse=True)
    mark = "|".join([_ANGLE, _SQUARE, *map(re.escape, declared)])
    beginning = re.compile(rf"(?:[\s\ufeff]*(?:{mark}|(?!{_STRUCK}\s*[^\s<])</?s>))+")
    ending = re.compile(
        rf"{_STRUCK}|(?P<mark><{_NO_REASONING}(?:[|｜]{_CLOSING}[|｜]|(?:start|end)_of_\w+)>|\[\|{_CLOSING}\|\]"
        rf"|\[INST\]|\[END(?: [A-Z]+)+\]|(?:{mark}|</?s>)(?=\s*(?:\Z|{mark}|</?s>|{_TURN})))"
    )

    def find(text: str) -> tuple[str, str]:
        start, found = 0, ""
        for header in _HEADER.finditer(text):
            start, found = header.end(), header[0]
        if not start and (first := _plain_header(text) or beginning.match(text)):
            start, found = first.end(), first[0].strip()
        end = next((match for match in ending.finditer(text, start) if match["mark"]), None)
        if end is not None:
            return text[start : end.start()].strip(), found or end[0]
        return (text[start:].strip() if found else text), found

    return find


def _plain_header(text: str) -> re.Match[str] | None:
    """Return the words after which the response begins in turns in plain words; None if there are none."""
    if "ssistant:" not in text and "ASSISTANT:" not in text and "Response:" not in text:
        return None
    user = _USER.search(text)
    return user and _ASSISTANT.search(text, user.end())


#: Finds the response by the general forms alone.
find_response = response_finder()


def log_mark(mark: str) -> None:
    """Log that a chat template changes the text that is scored, and how to change that."""
    from logging import getLogger

    getLogger("fastbleu").warning(
        "A completion holds %r, which a chat template writes around a response, and which changes the text that is "
        "scored. special_tokens='strip' cuts off the template, and a prompt before it; 'keep' says that it belongs to "
        "the text.",
        mark,
    )
