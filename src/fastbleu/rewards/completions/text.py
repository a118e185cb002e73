"""Read completions and references that are text: strings, or lists of chat messages."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from operator import itemgetter

from ...counting.references import References
from ...errors import ArgumentTypeError, ArgumentValueError, Location, describe, show, wrong_type
from ...inputs._tokens import types_of
from ...inputs.reading import as_list
from .call_arguments import Batch, aligned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


#: Functions that return the last message of a list, the role of a message, and the content of a message.
_LAST, _ROLE, _CONTENT = itemgetter(-1), itemgetter("role"), itemgetter("content")

#: The names of the model as a speaker, in OpenAI's API ("assistant"), in ShareGPT's format and in others.
_ASSISTANTS = ("assistant", "gpt", "chatgpt", "model")

#: An assistant's message in OpenAI's API may lack "content" if it has one of these keys.
_CALL_KEYS = ("tool_calls", "function_call")

#: The types of content parts that have text.
_TEXT_TYPES = ("text", "input_text", "output_text")
#: The types of content parts that are skipped.
_SKIPPED_TYPES = (
    *("image", "image_url", "input_image", "audio", "audio_url", "input_audio", "video", "video_url"),
    *("file", "input_file", "thinking", "redacted_thinking", "reasoning", "refusal"),
    *("tool_use", "tool_call", "tool_result"),
)


def read_texts(completions: Any, references: Any) -> Batch:
    """Read completions that are text, and their references.

    Args:
        completions: n texts, each a str, a message or a list of messages.
        references: n entries, each a reference, a list of several references, or None; or prepared references.

    Raises:
        TypeError: A completion or reference has the wrong type.
        ValueError: The numbers of completions and references differ, a list of references is empty, or a list of
            messages has no message of the assistant.

    Example:
        >>> batch = read_texts(["a b", "c"], [["a b", "a"], None])
        >>> batch.hypotheses, batch.references, batch.scored
        (['a b'], [('a b',), ('a',)], [0])
    """
    completions, references = aligned(completions=completions, references=references)
    number = len(completions)
    is_prepared = isinstance(references, References)
    types = {str} if is_prepared else types_of(references)
    scored: Sequence[int] = range(number)
    if type(None) in types:
        scored = [i for i in scored if references[i] is not None]
    texts = plain_texts(completions if len(scored) == number else [completions[i] for i in scored])
    if texts is None:
        texts = [text_of(completions[i], "completions", i) for i in scored]
    if is_prepared:
        return Batch(number, scored, texts, references)
    if types == {str}:
        streams: Any = [references]
    else:
        streams = list(zip_longest(*[references_of(references[i], "references", i) for i in scored]))
    return Batch(number, scored, texts, streams)


def plain_texts(completions: Any) -> list[str] | None:
    """Return the texts of completions in the two most frequent forms, faster than by calling `text_of` for each.

    The forms are: all completions are str; or all are lists whose last item is a message of the assistant.

    Returns:
        The text of each completion, or None if any completion has another form.
    """
    types = types_of(completions)
    if types == {str}:
        return completions if type(completions) is list else list(completions)
    if types != {list}:
        return None
    try:
        last = [*map(_LAST, completions)]
        # Messages without a role raise a KeyError here; `text_of` reads them as messages of the assistant.
        if [*map(_ROLE, last)].count("assistant") != len(last):
            return None
        texts = [*map(_CONTENT, last)]
    except (LookupError, TypeError):
        return None
    return texts if types_of(texts) == {str} else None


def references_of(value: Any, name: str, *indices: int) -> Sequence[str | None]:
    """Return the references of one sample, as texts.

    Args:
        value: One reference (a str, a message, or a list of messages), or a list of several references, in which None
            is a missing reference.
        name: The name of the argument that contains the references, for errors.
        indices: The indices of the references in that argument, for errors.

    Raises:
        TypeError: The value has another form.
        ValueError: There is no reference.

    Example:
        >>> references_of([{"role": "assistant", "content": "It rained."}], "reference", 0)
        ['It rained.']
    """
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text_of(value, name, *indices, is_reference=True)]
    listed = _listed(value, "a str, a list of messages, or a list of several references", name, *indices)
    if listed and isinstance(listed[0], Mapping):
        return [text_of(listed, name, *indices, is_reference=True)]
    texts: list[str | None] = [
        item if item is None or isinstance(item, str) else text_of(item, name, *indices, k, is_reference=True)
        for k, item in enumerate(listed)
    ]
    if not texts or (texts[0] is None and not any(text is not None for text in texts)):
        raise no_reference(value, name, *indices)
    return texts


def no_reference(value: Any, name: str, *indices: int) -> ArgumentValueError:
    """Return the error about a sample whose list of references is empty."""
    return ArgumentValueError(
        Location(name, indices),
        f"must hold at least one reference, or be None, got {show(value)}",
        value=value,
    )


def from_field(value: Any, field: str) -> Any:
    """Return the references of one sample, replacing each mapping that has the key `field` by the value of that key.

    Example:
        >>> from_field({"target": ["It rained.", "Rain."]}, "target")
        ['It rained.', 'Rain.']
        >>> from_field([{"target": "It rained."}, "Rain."], "target")
        ['It rained.', 'Rain.']
    """
    if isinstance(value, Mapping):
        return value.get(field, value)
    if isinstance(value, (list, tuple)) or getattr(value, "dtype", None) == "O":
        return [item.get(field, item) if isinstance(item, Mapping) else item for item in value]
    return value


def from_fields(references: Any, field: str) -> Any:
    """Apply `from_field` to each entry if references are a list or a tuple; return other references unchanged."""
    if isinstance(references, (list, tuple)):
        return [from_field(entry, field) for entry in references]
    return references


def text_of(value: Any, name: str, *indices: int, is_reference: bool = False) -> str:
    """Return the text of a completion or reference: a str unchanged, or the last message of the assistant.

    A message has `role` and `content`, as in OpenAI's API, or `from` and `value`, as in ShareGPT's format. A message
    without a role is a message of the assistant. If the content is None, for example because the assistant only calls a
    tool, the text of a completion is "", and a reference raises an error.

    Args:
        value: A str, a message or a list of messages.
        name: The name of the argument that contains the value, for errors.
        indices: The indices of the value in that argument, for errors.
        is_reference: Whether the value is a reference.

    Raises:
        TypeError: The value has another type, a mapping is not a message, or the content of a message is neither a str,
            a list of parts nor None.
        ValueError: There is no message of the assistant, or a reference has no content.

    Example:
        >>> parts = [{"type": "text", "text": "It rained."}, {"type": "image", "image": None}]
        >>> text_of([{"role": "assistant", "content": parts}, {"role": "tool", "content": "15 mm"}], "completions", 0)
        'It rained.'
        >>> text_of({"from": "gpt", "value": "It rained."}, "completions", 0)
        'It rained.'
    """
    if isinstance(value, str):
        return value
    is_one = isinstance(value, Mapping)
    listed = [value] if is_one else _listed(value, "a str or a list of messages", name, *indices)
    for k in reversed(range(len(listed))):
        message, location = listed[k], Location(name, indices if is_one else (*indices, k))
        speaker, content = _spoken(message, location, is_reference)
        if speaker in _ASSISTANTS:
            if content is None and is_reference:
                raise ArgumentValueError(location, "must have content, but it is None", value=message)
            return content if isinstance(content, str) else content_text(content, location)
    raise ArgumentValueError(
        Location(name, indices), f"must hold a message of the assistant, got {show(value)}", value=value
    )


def _spoken(message: Any, location: Location, is_reference: bool) -> tuple[Any, Any]:
    """Return the speaker and the content of a message.

    Raises:
        TypeError: The value is not a message of a known form.
    """
    wanted = "a message, with 'role' and 'content' or 'from' and 'value'"
    if not isinstance(message, Mapping):
        raise wrong_type(location, wanted, message)
    if message.get("from") is not None and "value" in message:
        return message["from"], message["value"]
    speaker = message.get("role", "assistant")
    if "content" in message or speaker not in _ASSISTANTS or any(map(message.get, _CALL_KEYS)):
        return speaker, message.get("content")
    hint = "; pass reference_field= with the key of the reference" if is_reference else ""
    raise ArgumentTypeError(location, f"must be {wanted}, not {describe(message)}{hint}", value=message)


def content_text(content: Any, location: Location) -> str:
    """Return the text of the content of a message: a str unchanged, the joined texts of its parts, or "" for None.

    Raises:
        TypeError: The content is neither a str, a list of parts nor None; or a part is not a mapping, has an unknown
            type, or has a type in `_TEXT_TYPES` but no str under the key "text".
    """
    if content is None or isinstance(content, str):
        return content or ""
    texts = []
    wanted = "a message whose content is a str, a list of parts, or None"
    for part in _listed(content, wanted, location.argument, *location.indices):
        kind = part.get("type") or "text" if isinstance(part, Mapping) else None
        if kind in _SKIPPED_TYPES:
            continue
        if kind not in _TEXT_TYPES:
            of_type = "" if kind is None else f" of the type {show(kind)}"
            message = f"must be a list of parts, each a dict of a known type, not {describe(part)}{of_type}"
            raise ArgumentTypeError(location["content"], message, value=part)
        if not isinstance(part.get("text"), str):
            raise wrong_type(location["content"], "a list of parts whose 'text' is a str", part)
        texts.append(part["text"])
    return "".join(texts)


def _listed(value: Any, expected: str, name: str, *indices: int) -> Any:
    """Return a list or tuple unchanged, and any other sequence as a list.

    Args:
        value: The sequence.
        expected: The expected type, for the error.
        name: The name of the argument that contains the value, for the error.
        indices: The indices of the value in that argument, for the error.

    Raises:
        TypeError: The value is not a sequence, or is bytes, which `as_list` would convert to a list of int.
    """
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, bytes):
        raise wrong_type(Location(name, indices), expected, value)
    return as_list(value, Location(name, indices), expected)
