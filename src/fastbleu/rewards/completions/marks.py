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
    "[EOS]",  # Kimi
    "<|EOT|>",  # DeepSeek Coder
    "<|observation|>",  # GLM, before a tool answers
    "<|call|>",  # gpt-oss, likewise
    "<EOS_TOKEN>",  # Command R
    "<end_of_utterance>",  # Idefics, SmolVLM
    "<end_of_sentence>",  # MiniMax Text 01
    "[e~[",  # MiniMax M2
    "<|end_of_turn|>",  # OpenChat, Starling
    "<|message_sep|>",  # GigaChat
    "<|turn_end|>",  # Megrez
    "<|role_end|>",  # Ling
    "<|endofresponse|>",  # dots.llm1
    "<|eos|>",  # Hunyuan
    "<｜hy_place▁holder▁no▁2｜>",  # Hunyuan's dense models
    "<|end_of_sentence|>",  # ERNIE 4.5
    "<|separator|>",  # Grok 2
    "<SPECIAL_12>",  # Nemotron Nano 2
    "<eoa>",  # InternLM
    "<|close|>response<|sep|>",  # Kimi K3
    # How a turn begins, which ends a response if a model writes on. Those of the assistant are found as headers before.
    "<|im_start|>",
    "<|start_header_id|>",
    "<|header_start|>",
    "<start_of_turn>",
    "<|turn>",
    "<｜User｜>",
    "<｜hy_User｜>",
    "<|START_OF_TURN_TOKEN|>",
    "<|start_of_role|>",
    "[INST]",
    "[|user|]",
)

#: How they begin the turn of the assistant.
HEADERS = (
    "<|im_start|>assistant<|im_sep|>",  # Phi-4
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
    "[e~[\n]~b]ai",  # MiniMax M2
    "<|end_of_turn|>GPT4 Correct Assistant:",  # OpenChat, Starling
    "<|message_sep|>assistant<|role_sep|>",  # GigaChat
    "<|role_start|>assistant<|role_end|>",  # Megrez
    "<role>ASSISTANT</role>",  # Ling
    "<|response|>",  # dots.llm1
    "<|extra_0|>",  # Hunyuan
    "<｜hy_Assistant｜>",  # Hunyuan's dense models
    "<SPECIAL_11>Assistant",  # Nemotron Nano 2
    "<reserved_107>",  # Baichuan 2
    "<|Bot|>:",  # InternLM
    "<|begin|>assistant<|content|>",  # Solar Open
    "<|begin_assistant|>",  # Apriel
    "[BEGIN FINAL RESPONSE]",  # Apriel, after its reasoning
    "<|open|>response<|sep|>",  # Kimi K3
    "<beginning_of_sentence>ai name=assistant",  # MiniMax Text 01
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
    "[gMASK]",  # GLM, before the next
    "<sop>",
    "[BOS]",  # Kimi, EXAONE
    "<|startoftext|>",  # Hunyuan, LFM2
    "<PAD>",  # Command R
    "<|padding|>",  # Pythia
    "<|finetune_right_pad|>",  # Llama 4
    "<|begin_of_sentence|>",  # ERNIE 4.5
)

#: Turns in plain words, each on a line of its own or after a special token: R1-Zero's template, which TinyZero and
#: Logic-RL have, DeepSeek V2's, Falcon's, Alpaca's and SOLAR's. Vicuna writes its capitals within a line.
_USER = re.compile(r"(?:^|(?<=>))(?:(?:### ?)?(?:User|Human)|### Instruction):|\bUSER:", re.MULTILINE)
_ASSISTANT = re.compile(r"^(?:(?:### ?)?Assistant|Falcon|### Response):|\bASSISTANT:", re.MULTILINE)

#: HTML strikes text out with the tokens of Llama 2. They are marks only where a text begins, and before its end,
#: another mark or a turn in plain words.
_ALSO_HTML = ("<s>", "</s>")


def _pattern(*marks: str) -> str:
    """A pattern of one of some marks, which tries only those that go on with the second character of the text."""
    followed = "|".join(
        map(re.escape, (*HEADERS, *END_TOKENS, *BEGINNINGS, "User:", "Human:", "USER:", "###"))
    )
    is_mark = rf"(?:(?<=\A<s>)|(?<=\A</s>)|(?=\s*(?:\Z|{followed})))"
    rests: dict[str, list[str]] = {}
    for mark in marks:
        rests.setdefault(mark[:2], []).append(re.escape(mark[2:]) + is_mark * (mark in _ALSO_HTML))
    return "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in rests.items())


_END = re.compile(_pattern(*END_TOKENS, *BEGINNINGS))
_BEGINNING = re.compile(rf"(?:[\s\ufeff]*(?:{'|'.join(map(re.escape, (*BEGINNINGS, *END_TOKENS)))}))+")
_HEADER = re.compile(_pattern(*HEADERS))

#: All marks, by the character that they begin with, since a search for one character is many times as fast.
_ANGLE, _BRACKET = (
    re.compile(_pattern(*(mark for mark in (*HEADERS, *END_TOKENS, *BEGINNINGS) if mark[0] == first)))
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
    if (
        "ssistant:" not in text
        and "ASSISTANT:" not in text
        and "Response:" not in text
        and "Falcon:" not in text
    ):
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
