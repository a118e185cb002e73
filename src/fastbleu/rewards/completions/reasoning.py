"""Remove the reasoning of a model from its text."""

from __future__ import annotations

import re

#: The tags with which models open and close their reasoning. vLLM's names are those of its module `vllm.reasoning`
#: (0.24), which reads the same tags.
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

#: OpenAI's harmony (gpt-oss): the token that begins a channel, the header of the final one, whose name and message may
#: have a recipient or a format between them, and the tokens that end a message.
CHANNEL = "<|channel|>"
FINAL_CHANNEL = r"(?s:<\|channel\|>final\b(?:(?!<\|channel\|>).)*?<\|message\|>)"
_FINAL = re.compile(FINAL_CHANNEL)
_HARMONY_END = re.compile(r"<\|(?:return|end|start|call)\|>")

_TAGS = [CHANNEL, *(tag for pair in REASONING_TAGS.items() for tag in pair)]

#: All tags; and those that begin with "<", for which a search is fast, since they share their first character.
_ANY_TAG = re.compile("|".join(map(re.escape, _TAGS)))
_ANGLE_TAG = re.compile(f"<(?:{'|'.join(re.escape(tag[1:]) for tag in _TAGS if tag[0] == '<')})")


def strip_reasoning(text: str) -> tuple[str, bool]:
    """Remove a model's reasoning, marked in any way of `REASONING_TAGS` or by harmony's channels, from its text.

    The first closing tag of its kind ends reasoning, so tags do not nest. All text before a closing tag without an
    opening one is reasoning, since chat templates write the opening tag into the prompt. All text after an opening tag
    that is never closed is also reasoning. Only the last final channel of harmony is kept. The time is linear in the
    length of the text.

    Args:
        text: The text that the model wrote.

    Returns:
        The rest, without white space around it if anything was removed; and whether reasoning was never closed.

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
    # A search for one character is many times as fast as one for several.
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
    """Return the text of the last final channel; without one, the whole text is reasoning."""
    start = 0
    for match in _FINAL.finditer(text):
        start = match.end()
    if not start:
        return "", True
    end = _HARMONY_END.search(text, start)
    return text[start : len(text) if end is None else end.start()].strip(), False
