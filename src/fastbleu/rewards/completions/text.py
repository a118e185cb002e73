"""Completions that are text: a str as it is, of a chat the last message of the assistant."""

from __future__ import annotations

from itertools import zip_longest
from operator import itemgetter

from ...counting.references import References
from ...errors import ArgumentValueError, Place, show, wrong_type
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
    if isinstance(value, dict):
        value = [value]
    listed = _listed(value, "a str, a list of messages, or a list of several references", name, *indices)
    if listed and isinstance(listed[0], dict):
        return [text_of(listed, name, *indices)]
    texts: list[str | None] = [
        each if each is None or isinstance(each, str) else text_of(each, name, *indices, k)
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


def text_of(value: Any, name: str, *indices: int) -> str:
    """The text of a completion or of a reference: a str as it is, or what the assistant says last.

    Args:
        value: A str, a message or a list of them. A message that names no role is one of the assistant.
        name: The argument that it is from, for errors.
        indices: Where it stands in it.

    Raises:
        TypeError: It is neither, or a content is neither str, list of parts nor None.
        ValueError: No message is one of the assistant.

    Example:
        >>> parts = [{"type": "text", "text": "It rained."}, {"type": "image", "image": None}]
        >>> text_of([{"role": "assistant", "content": parts}, {"role": "tool", "content": "15 mm"}], "completions", 0)
        'It rained.'
    """
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        if "content" not in value and "role" not in value:
            raise wrong_type(Place(name, indices), "a message, with 'role' and 'content'", value)
        value = [value]
    listed = _listed(value, "a str or a list of messages", name, *indices)
    for k in reversed(range(len(listed))):
        message = listed[k]
        if not isinstance(message, dict):
            raise wrong_type(Place(name, (*indices, k)), "a message, a dict", message)
        if message.get("role", "assistant") == "assistant":
            content = message.get("content")
            return content if isinstance(content, str) else _content(content, name, *indices, k)
    raise ArgumentValueError(
        Place(name, indices), f"must hold a message of the assistant, got {show(value)}", value=value
    )


def _content(content: Any, name: str, *indices: int) -> str:
    """The text of a message; "" if the content is None, as when the assistant only calls a tool."""
    if content is None:
        return ""
    wanted = "a message whose content is a str, a list of parts, or None"
    texts = []
    for part in _listed(content, wanted, name, *indices):
        if not isinstance(part, dict):
            raise wrong_type(Place(name, indices)["content"], "a list of parts, each a dict", part)
        if part.get("type", "text") == "text":
            text = part.get("text")
            if not isinstance(text, str):
                raise wrong_type(
                    Place(name, indices)["content"], "a list of parts whose 'text' is a str", text
                )
            texts.append(text)
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
