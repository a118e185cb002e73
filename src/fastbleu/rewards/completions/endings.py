"""The tokens that end a response, which hosts leave in its text when they decode ids with special tokens."""

from __future__ import annotations

from ...errors import ArgumentValueError, Place, wrong_type
from ...inputs.reading import as_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: How widely used chat models end a response.
END_TOKENS = (
    "<|im_end|>",  # ChatML: Qwen, OLMo, SmolLM
    "<|endoftext|>",  # GPT-2, Qwen's base models, Phi
    "</s>",  # Llama 2, Mistral
    "<|eot_id|>",  # Llama 3
    "<|end_of_text|>",  # Llama 3's base models, Granite
    "<|eom_id|>",  # Llama 3.1, before a tool answers
    "<|eot|>",  # Llama 4
    "<end_of_turn>",  # Gemma
    "<eos>",  # Gemma's base models
    "<|end|>",  # Phi-3
    "<|return|>",  # gpt-oss
    "<｜end▁of▁sentence｜>",  # DeepSeek
    "<|user|>",  # GLM stops where the user speaks again
    "<|END_OF_TURN_TOKEN|>",  # Command R
    "[EOS]",
)


def check_end_tokens(end_tokens: Sequence[str]) -> tuple[str, ...]:
    """The tokens as a tuple, longest first.

    Raises:
        TypeError: It is not a sequence of str.
        ValueError: A token is empty.
    """
    listed = as_list(end_tokens, "end_tokens", "a sequence of str")
    for i, token in enumerate(listed):
        if not isinstance(token, str):
            raise wrong_type(Place("end_tokens", (i,)), "a str", token)
        if not token:
            raise ArgumentValueError(Place("end_tokens", (i,)), "must not be empty")
    return tuple(sorted(listed, key=len, reverse=True))


def without_end(response: str, end_tokens: tuple[str, ...]) -> str:
    """A response without the tokens at its end, and without whitespace after these.

    Args:
        response: The response.
        end_tokens: The tokens; the first that fits is cut off.

    Example:
        >>> without_end("It rained.<|im_end|></s> ", END_TOKENS)
        'It rained.'
    """
    while (text := response.rstrip()).endswith(end_tokens):
        response = text[: -len(next(filter(text.endswith, end_tokens)))]
    return response
