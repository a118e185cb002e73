"""The marks that chat templates write around a response: headers of turns, tokens that end them, padding."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal, TypeAlias

    #: What is done where a response holds special tokens.
    SpecialTokens: TypeAlias = Literal["warn", "keep", "strip"]

#: The ways to treat special tokens.
SPECIAL_TOKENS = ("warn", "keep", "strip")

# The sources of these tables are the `chat_template` and the special tokens in the `tokenizer_config.json` of each
# family of models, and where no model is named, the templates of training stacks.

#: How widely used chat models end a response.
END_TOKENS = (
    "<|im_end|>",  # ChatML: Qwen, OLMo, SmolLM, Kimi
    "<|endoftext|>",  # GPT-2, Qwen's base models, Phi
    "</s>",  # Llama 2, Mistral
    "<|eot_id|>",  # Llama 3
    "<|end_of_text|>",  # Llama 3's base models, Granite
    "<|eom_id|>",  # Llama 3.1, before a tool answers
    "<|eot|>",  # Llama 4
    "<end_of_turn>",  # Gemma
    "<eos>",  # Gemma's base models
    "<turn|>",  # Gemma 4
    "<|end|>",  # Phi-3
    "<|return|>",  # gpt-oss
    "<｜end▁of▁sentence｜>",  # DeepSeek
    "<|user|>",  # GLM stops where the user speaks again
    "<|END_OF_TURN_TOKEN|>",  # Command R
    "<|END_RESPONSE|>",  # Command A
    "<seed:eos>",  # Seed-OSS
    "<|assistant_end|>",  # Apertus
    "[|endofturn|]",  # EXAONE
    "[EOS]",
)

#: How they begin the turn of the assistant.
HEADERS = (
    "<|im_start|>assistant",  # ChatML
    "<|start_header_id|>assistant<|end_header_id|>",  # Llama 3
    "<|header_start|>assistant<|header_end|>",  # Llama 4
    "<start_of_turn>model",  # Gemma
    "<|turn>model",  # Gemma 4
    "<|assistant|>",  # Phi-3, GLM, Zephyr, Tulu
    "<｜Assistant｜>",  # DeepSeek
    "<|CHATBOT_TOKEN|>",  # Command R
    "<|START_RESPONSE|>",  # Command A, after its reasoning
    "<|start|>assistant",  # gpt-oss
    "<|channel|>final<|message|>",  # gpt-oss, after its reasoning
    "<seed:bos>assistant",  # Seed-OSS
    "<|assistant_start|>",  # Apertus
    "<|start_of_role|>assistant<|end_of_role|>",  # Granite
    "<|im_assistant|>assistant<|im_middle|>",  # Kimi
    "[/INST]",  # Llama 2, Mistral
    "[|assistant|]",  # EXAONE
)

#: What stands before a text: the beginning of a sequence, and padding.
BEGINNINGS = (
    "<s>",  # Llama 2, Mistral
    "<bos>",  # Gemma
    "<|begin_of_text|>",  # Llama 3
    "<｜begin▁of▁sentence｜>",  # DeepSeek
    "<BOS_TOKEN>",  # Command R
    "<pad>",  # Gemma, T5
    "[PAD]",
    "<|pad|>",
    "<|finetune_right_pad_id|>",  # Llama 3.1
    "<｜▁pad▁｜>",  # DeepSeek
)

#: Turns in plain words, each on a line of its own: R1-Zero's template, which TinyZero and Logic-RL have, and Alpaca's.
_USER = re.compile(r"^(?:User|Human|USER|### Instruction):", re.MULTILINE)
_ASSISTANT = re.compile(r"^(?:Assistant|ASSISTANT|### Response):", re.MULTILINE)

_END = re.compile("|".join(map(re.escape, (*END_TOKENS, *BEGINNINGS))))
_BEGINNING = re.compile(rf"(?:\s*(?:{'|'.join(map(re.escape, (*BEGINNINGS, *END_TOKENS)))}))+")
_HEADER = re.compile("|".join(map(re.escape, HEADERS)))

#: All marks, by the character that they begin with, since a search for one character is many times as fast.
_ANGLE, _BRACKET = (
    re.compile("|".join(re.escape(mark) for mark in (*HEADERS, *END_TOKENS, *BEGINNINGS) if mark[0] == first))
    for first in "<["
)


def response_in(text: str) -> tuple[str, bool]:
    r"""Find the response in a text that may hold a prompt, special tokens and padding, in linear time.

    It begins after the last header of the assistant. Of turns in plain words it begins after the first one of the
    assistant that follows one of the user, since a model may go on to write both. It ends before the first token that
    ends a turn or fills up a row.

    Args:
        text: What a tokenizer decoded, special tokens included.

    Returns:
        The response, and whether anything was cut off; white space around it goes with what is cut off.

    Example:
        >>> response_in("<|im_start|>user\nRain?<|im_end|><|im_start|>assistant\nIt rained.<|im_end|><pad><pad>")
        ('It rained.', True)
        >>> response_in("User: Rain?\nAssistant: It rained.</s>"), response_in("It rained.")
        (('It rained.', True), ('It rained.', False))
    """
    first = _first_mark(text)
    if first is None:
        return text, False
    start = 0
    for match in _HEADER.finditer(text, first.start()):
        start = match.end()
    if not start:
        plain = _plain_header(text)
        start = plain.end() if plain else 0
    if not start and (leading := _BEGINNING.match(text)):
        start = leading.end()
    end = _END.search(text, max(start, first.start()))
    return text[start : len(text) if end is None else end.start()].strip(), True


def _plain_header(text: str) -> re.Match[str] | None:
    """The words after which the response begins in turns in plain words; None if there are none."""
    if "ssistant:" not in text and "ASSISTANT:" not in text and "Response:" not in text:
        return None
    user = _USER.search(text)
    return user and _ASSISTANT.search(text, user.end())


def _first_mark(text: str) -> re.Match[str] | None:
    """The first mark in a text; without one, the words after which a response begins."""
    first = _ANGLE.search(text) if "<" in text else None
    if "[" in text:
        first = _BRACKET.search(text, 0, first.start() if first else len(text)) or first
    return first or _plain_header(text)


def holds_mark(text: str) -> str:
    r"""Return what of a chat template a text holds, "" if nothing.

    Example:
        >>> holds_mark("It rained.</s>"), holds_mark("User: Rain?\nAssistant: It rained."), holds_mark("2 < 3")
        ('</s>', 'Assistant:', '')
    """
    first = _first_mark(text)
    return first[0] if first else ""


def first_mark(texts: Iterable[str]) -> str:
    """Return the first mark that one of some texts holds, "" if none does."""
    return next(filter(None, map(holds_mark, texts)), "")


def log_mark(mark: str) -> None:
    """Log that a mark is scored, and what can be done about it."""
    from logging import getLogger

    getLogger("fastbleu").warning(
        "A completion holds %r, which a chat template writes around a response, and it is scored as text. "
        "special_tokens='strip' cuts off the template, and a prompt before it; 'keep' says that it belongs to the "
        "text.",
        mark,
    )
