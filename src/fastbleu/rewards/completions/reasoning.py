"""Remove the reasoning of a model from its text."""

from __future__ import annotations

import re

#: The closing tag for each opening tag of reasoning. The comments name models that write the tags, and the parser in
#: vLLM's module `vllm.reasoning` (0.24) that recognizes them.
REASONING_TAGS = {
    "<think>": "</think>",  # DeepSeek-R1, Qwen3, GLM-4.5, and most others
    "<thinking>": "</thinking>",  # prompts that ask for this tag
    "<reasoning>": "</reasoning>",  # prompts that ask for this tag
    "<reason>": "</reason>",  # prompts that ask for this tag
    "<thought>": "</thought>",  # prompts that ask for this tag
    "<seed:think>": "</seed:think>",  # Seed-OSS; vLLM's seed_oss
    "<|START_THINKING|>": "<|END_THINKING|>",  # Command A; vLLM's cohere_command
    "<|inner_prefix|>": "<|inner_suffix|>",  # Apertus; vLLM's apertus
    "<|channel>": "<channel|>",  # Gemma 4; vLLM's gemma4
    "<|begin_of_thought|>": "<|end_of_thought|>",  # Sky-T1, OpenThinker
    "[THINK]": "[/THINK]",  # Magistral; vLLM's mistral
    "◁think▷": "◁/think▷",  # Kimi-VL
}

#: The token that begins a channel in OpenAI's harmony format (gpt-oss).
CHANNEL = "<|channel|>"
#: Matches the header of the final channel, in which a recipient or a format may follow the name "final".
FINAL_CHANNEL = r"(?s:<\|channel\|>final\b(?:(?!<\|channel\|>).)*?<\|message\|>)"
_FINAL = re.compile(FINAL_CHANNEL)
#: Matches the tokens that end a message in the harmony format.
_HARMONY_END = re.compile(r"<\|(?:return|end|start|call)\|>")

_TAGS = [CHANNEL, *(tag for pair in REASONING_TAGS.items() for tag in pair)]

#: Matches any tag.
_ANY_TAG = re.compile("|".join(map(re.escape, _TAGS)))
#: Matches the tags that begin with "<". It is faster than `_ANY_TAG`, since the first character is fixed.
_ANGLE_TAG = re.compile(f"<(?:{'|'.join(re.escape(tag[1:]) for tag in _TAGS if tag[0] == '<')})")


def strip_reasoning(text: str) -> tuple[str, bool]:
    """Remove the reasoning from a model's text.

    Reasoning is text between the tags of `REASONING_TAGS`. It ends at the first closing tag that matches its opening
    tag, so tags do not nest. If a closing tag has no opening tag, all text before it is reasoning, since chat templates
    often write the opening tag into the prompt. If an opening tag is never closed, all text after it is reasoning. In
    OpenAI's harmony format, everything except the last final channel is reasoning. The time is linear in the length of
    the text.

    Args:
        text: The text that the model wrote.

    Returns:
        The text without reasoning, and whether reasoning was opened and never closed. White space around the text is
        removed if any reasoning was removed.

    Example:
        >>> strip_reasoning("<think>Cats sit.</think>The cat sat.")
        ('The cat sat.', False)
        >>> strip_reasoning("Cats sit.</think>The cat sat."), strip_reasoning("<think>Cats")
        (('The cat sat.', False), ('', True))
        >>> strip_reasoning("<|channel|>analysis<|message|>Cats.<|end|><|channel|>final<|message|>A cat.<|return|>")
        ('A cat.', False)
    """
    kept: list[str] = []
    start = 0
    awaited = ""
    # `_ANGLE_TAG` is many times as fast as `_ANY_TAG`.
    has_others = ("[" in text and "THINK]" in text) or "◁" in text
    for match in (_ANY_TAG if has_others else _ANGLE_TAG).finditer(text):
        tag = match[0]
        if awaited:
            if tag == awaited:
                awaited = ""
                start = match.end()
        elif tag in REASONING_TAGS:
            awaited = REASONING_TAGS[tag]
            kept.append(text[start : match.start()])
        elif tag == CHANNEL:
            return _final_channel(text)
        else:
            kept.clear()
            start = match.end()
    if awaited:
        return "".join(kept).strip(), True
    if not start:
        return text, False
    kept.append(text[start:])
    return "".join(kept).strip(), False


def _final_channel(text: str) -> tuple[str, bool]:
    """Return the message of the last final channel, and False; or "" and True if there is no final channel."""
    start = 0
    for match in _FINAL.finditer(text):
        start = match.end()
    if not start:
        return "", True
    end = _HARMONY_END.search(text, start)
    return text[start : len(text) if end is None else end.start()].strip(), False
