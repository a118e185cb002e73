"""Completions that are text: a str as it is, of a chat the last message of the assistant."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from operator import itemgetter

from ...counting.references import References
from ...errors import ArgumentTypeError, ArgumentValueError, Place, describe, show, wrong_type
from ...inputs._tokens import types_of
from ...inputs.reading import as_list
from .extraction import normalized
from .kinds import Batch, aligned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .extraction import Normalization


#: What is looked for in chats.
_LAST, _ROLE, _CONTENT = itemgetter(-1), itemgetter("role"), itemgetter("content")

#: Names of the model among the speakers of messages: OpenAI's, and sharegpt's and others'.
_ASSISTANTS = ("assistant", "gpt", "chatgpt", "model")

#: Keys of a message of OpenAI's that has no content.
_CALLS = ("tool_calls", "function_call")

#: Types of parts of a content that have a text, and of those that have none to score.
_TEXTS = ("text", "input_text", "output_text")
_NO_TEXTS = (
    *("image", "image_url", "input_image", "audio", "audio_url", "input_audio", "video", "video_url"),
    *("file", "input_file", "thinking", "redacted_thinking", "reasoning", "refusal"),
    *("tool_use", "tool_call", "tool_result"),
)


def read_texts(completions: Any, references: Any, form: Normalization | None) -> Batch:
    """Read completions that are text.

    Args:
        completions: n texts, each a str or a list of messages.
        references: n references or lists of them, or prepared ones.
        form: The form of Unicode normalization of references, or None.

    Raises:
        TypeError, ValueError: As `BLEUReward.__call__`.

    Example:
        >>> batch = read_texts(["a b", "c"], [["a b", "a"], None], None)
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
    texts = _plain_texts(given if len(scored) == number else [given[i] for i in scored])
    if texts is None:
        texts = [text_of(given[i], "completions", i) for i in scored]
    if prepared:
        return Batch(number, scored, texts, references)
    if kinds == {str}:
        streams: Any = [lists]
    else:
        streams = list(zip_longest(*[references_of(lists[i], "references", i) for i in scored]))
    if form is not None:
        streams = [normalized_all(stream, form) for stream in streams]
    return Batch(number, scored, texts, streams)


def normalized_all(texts: Sequence[str | None], form: Normalization) -> list[str | None]:
    r"""Texts in a form of Unicode normalization; None stays None.

    Example:
        >>> normalized_all(["Cafe\u0301", None], "NFC")
        ['Café', None]
    """
    return [None if text is None else normalized(form, text) for text in texts]


def _plain_texts(completions: Any) -> list[str] | None:
    """The texts of completions of the usual forms: all of them str, or lists that end with what the assistant says.

    Returns:
        The text that `text_of` gives for each; None if one has another form.
    """
    kinds = types_of(completions)
    if kinds == {str}:
        return completions if type(completions) is list else list(completions)
    if kinds != {list}:
        return None
    try:
        last = [*map(_LAST, completions)]
        # In `text_of` a message without a role is one of the assistant; here it takes the other way.
        if [*map(_ROLE, last)].count("assistant") != len(last):
            return None
        texts = [*map(_CONTENT, last)]
    except (LookupError, TypeError):
        return None
    return texts if types_of(texts) == {str} else None


def references_of(value: Any, name: str, *indices: int) -> Sequence[str | None]:
    """The references of one sample, as texts.

    Args:
        value: A str, a message, a list of messages, or a list of several of these, where None is an absent one.
        name: The argument that they are from, for errors.
        indices: Where they stand in it.

    Raises:
        TypeError: It is something else.
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
    """The error about a sample with a list of references that holds none."""
    return ArgumentValueError(
        Place(name, indices),
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
    """The text of a completion or of a reference: a str as it is, or what the assistant says last.

    A message has `role` and `content`, as OpenAI's, or `from` and `value`, as sharegpt's. One that names no role is one
    of the assistant. A completion whose content is None, as when the assistant only calls a tool, is "".

    Args:
        value: A str, a message or a list of them.
        name: The argument that it is from, for errors.
        indices: Where it stands in it.
        is_reference: Whether it is a reference, which must have content.

    Raises:
        TypeError: It is neither, a mapping has another form, or a content is neither str, list of parts nor None.
        ValueError: No message is one of the assistant, or a reference has no content.

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
        message, place = listed[k], Place(name, indices if is_one else (*indices, k))
        speaker, content = _spoken(message, place, is_reference)
        if speaker in _ASSISTANTS:
            if content is None and is_reference:
                raise ArgumentValueError(place, "must have content, but it is None", value=message)
            return content if isinstance(content, str) else content_text(content, place)
    raise ArgumentValueError(
        Place(name, indices), f"must hold a message of the assistant, got {show(value)}", value=value
    )


def _spoken(message: Any, place: Place, is_reference: bool) -> tuple[Any, Any]:
    """Return the speaker and the content of a message.

    Raises:
        TypeError: It is not a message of a known form.
    """
    wanted = "a message, with 'role' and 'content' or 'from' and 'value'"
    if not isinstance(message, Mapping):
        raise wrong_type(place, wanted, message)
    if message.get("from") is not None and "value" in message:
        return message["from"], message["value"]
    speaker = message.get("role", "assistant")
    if "content" in message or speaker not in _ASSISTANTS or any(map(message.get, _CALLS)):
        return speaker, message.get("content")
    hint = "; reference_field= says which of them holds the reference" if is_reference else ""
    raise ArgumentTypeError(place, f"must be {wanted}, not {describe(message)}{hint}", value=message)


def content_text(content: Any, place: Place) -> str:
    """Return the text of a message, the texts of its parts joined; "" if the content is None.

    Raises:
        TypeError: It is neither a str, a list of parts nor None; a part is no mapping, has an unknown type, or has the
            type of a text and none.
    """
    if content is None or isinstance(content, str):
        return content or ""
    texts = []
    wanted = "a message whose content is a str, a list of parts, or None"
    for part in _listed(content, wanted, place.argument, *place.indices):
        kind = part.get("type") or "text" if isinstance(part, Mapping) else None
        if kind in _NO_TEXTS:
            continue
        if kind not in _TEXTS:
            of_type = "" if kind is None else f" and the type {show(kind)}"
            message = f"must be a list of parts, each a dict of a known type, not {describe(part)}{of_type}"
            raise ArgumentTypeError(place["content"], message, value=part)
        if not isinstance(part.get("text"), str):
            raise wrong_type(place["content"], "a list of parts whose 'text' is a str", part)
        texts.append(part["text"])
    return "".join(texts)


def _listed(value: Any, what: str, name: str, *indices: int) -> Any:
    """A list or tuple as it is, another sequence as a list.

    Raises:
        TypeError: It is not a sequence.
    """
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, bytes):  # a sequence, but of numbers
        raise wrong_type(Place(name, indices), what, value)
    return as_list(value, Place(name, indices), what)
