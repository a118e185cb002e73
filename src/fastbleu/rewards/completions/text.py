"""Read completions that are text: a str unchanged, or the last message of the assistant in a chat."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from operator import itemgetter

from ...counting.references import References
from ...errors import ArgumentTypeError, ArgumentValueError, Location, describe, show, wrong_type
from ...inputs._tokens import types_of
from ...inputs.reading import as_list
from .kinds import Batch, aligned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


#: Functions that get the last message of a chat, and the role and the content of a message.
_LAST, _ROLE, _CONTENT = itemgetter(-1), itemgetter("role"), itemgetter("content")

#: Names of the model among the speakers of messages: OpenAI's, and sharegpt's and others'.
_ASSISTANTS = ("assistant", "gpt", "chatgpt", "model")

#: Keys of a message of OpenAI's that has no content.
_CALLS = ("tool_calls", "function_call")

#: Types of content parts with a text, and of content parts without text to score.
_TEXTS = ("text", "input_text", "output_text")
_NO_TEXTS = (
    *("image", "image_url", "input_image", "audio", "audio_url", "input_audio", "video", "video_url"),
    *("file", "input_file", "thinking", "redacted_thinking", "reasoning", "refusal"),
    *("tool_use", "tool_call", "tool_result"),
)


def read_texts(completions: Any, references: Any) -> Batch:
    """Read completions that are text.

    Args:
        completions: n texts, each a str or a list of messages.
        references: n references or lists of them, or prepared ones.

    Raises:
        TypeError, ValueError: As `BLEUReward.__call__`.

    Example:
        >>> batch = read_texts(["a b", "c"], [["a b", "a"], None])
        >>> batch.hypotheses, batch.references, batch.scored
        (['a b'], [('a b',), ('a',)], [0])
    """
    given, lists = aligned(completions=completions, references=references)
    number = len(given)
    prepared = isinstance(references, References)
    kinds = {str} if prepared else types_of(lists)
    scored: Sequence[int] = range(number)
    if type(None) in kinds:
        scored = [i for i in scored if lists[i] is not None]
    texts = plain_texts(given if len(scored) == number else [given[i] for i in scored])
    if texts is None:
        texts = [text_of(given[i], "completions", i) for i in scored]
    if prepared:
        return Batch(number, scored, texts, references)
    if kinds == {str}:
        streams: Any = [lists]
    else:
        streams = list(zip_longest(*[references_of(lists[i], "references", i) for i in scored]))
    return Batch(number, scored, texts, streams)


def plain_texts(completions: Any) -> list[str] | None:
    """Return the texts of completions of the usual forms: all are str, or lists that end with an assistant message.

    Returns:
        The text that `text_of` returns for each; None if one has another form.
    """
    kinds = types_of(completions)
    if kinds == {str}:
        return completions if type(completions) is list else list(completions)
    if kinds != {list}:
        return None
    try:
        last = [*map(_LAST, completions)]
        # `text_of` treats a message without a role as one of the assistant. Here it counts as another form.
        if [*map(_ROLE, last)].count("assistant") != len(last):
            return None
        texts = [*map(_CONTENT, last)]
    except (LookupError, TypeError):
        return None
    return texts if types_of(texts) == {str} else None


def references_of(value: Any, name: str, *indices: int) -> Sequence[str | None]:
    """Return the references of one sample, as texts.

    Args:
        value: A str, a message, a list of messages, or a list of several of these, in which None is a missing one.
        name: The name of the argument, for errors.
        indices: Their position in the argument.

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
        each if each is None or isinstance(each, str) else text_of(each, name, *indices, k, is_reference=True)
        for k, each in enumerate(listed)
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
    """Return the references of one sample, each mapping among them replaced by the value of its field if it has it.

    Example:
        >>> from_field({"target": ["It rained.", "Rain."]}, "target")
        ['It rained.', 'Rain.']
        >>> from_field([{"target": "It rained."}, "Rain."], "target")
        ['It rained.', 'Rain.']
    """
    if isinstance(value, Mapping):
        return value.get(field, value)
    if isinstance(value, (list, tuple)) or getattr(value, "dtype", None) == "O":
        return [each.get(field, each) if isinstance(each, Mapping) else each for each in value]
    return value


def from_fields(references: Any, field: str) -> Any:
    """Return the references of several samples, each mapping among them replaced by the value of its field."""
    if isinstance(references, (list, tuple)):
        return [from_field(each, field) for each in references]
    return references


def text_of(value: Any, name: str, *indices: int, is_reference: bool = False) -> str:
    """Return the text of a completion or reference: a str unchanged, or the last message of the assistant.

    A message has `role` and `content`, as OpenAI's, or `from` and `value`, as sharegpt's. A message without a role is
    one of the assistant. A completion whose content is None, as when the assistant only calls a tool, is "".

    Args:
        value: A str, a message or a list of them.
        name: The name of the argument, for errors.
        indices: Its position in the argument.
        is_reference: Whether it is a reference, which must have content.

    Raises:
        TypeError: The value has another type, a mapping has another form, or a content is neither str, list of parts
            nor None.
        ValueError: No message is from the assistant, or a reference has no content.

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
        TypeError: The message has an unknown form.
    """
    wanted = "a message, with 'role' and 'content' or 'from' and 'value'"
    if not isinstance(message, Mapping):
        raise wrong_type(location, wanted, message)
    if message.get("from") is not None and "value" in message:
        return message["from"], message["value"]
    speaker = message.get("role", "assistant")
    if "content" in message or speaker not in _ASSISTANTS or any(map(message.get, _CALLS)):
        return speaker, message.get("content")
    hint = "; reference_field= must be the one that holds the reference" if is_reference else ""
    raise ArgumentTypeError(location, f"must be {wanted}, not {describe(message)}{hint}", value=message)


def content_text(content: Any, location: Location) -> str:
    """Return the text of a message, the texts of its parts joined; "" if the content is None.

    Raises:
        TypeError: The content is not a str, a list of parts or None; or a part is not a mapping, has an unknown type,
            or is a text part without text.
    """
    if content is None or isinstance(content, str):
        return content or ""
    texts = []
    wanted = "a message whose content is a str, a list of parts, or None"
    for part in _listed(content, wanted, location.argument, *location.indices):
        kind = part.get("type") or "text" if isinstance(part, Mapping) else None
        if kind in _NO_TEXTS:
            continue
        if kind not in _TEXTS:
            of_type = "" if kind is None else f" and the type {show(kind)}"
            message = f"must be a list of parts, each a dict of a known type, not {describe(part)}{of_type}"
            raise ArgumentTypeError(location["content"], message, value=part)
        if not isinstance(part.get("text"), str):
            raise wrong_type(location["content"], "a list of parts whose 'text' is a str", part)
        texts.append(part["text"])
    return "".join(texts)


def _listed(value: Any, what: str, name: str, *indices: int) -> Any:
    """Return a list or tuple unchanged, and any other sequence as a list.

    Raises:
        TypeError: The value is not a sequence.
    """
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, bytes):  # A sequence of numbers.
        raise wrong_type(Location(name, indices), what, value)
    return as_list(value, Location(name, indices), what)
