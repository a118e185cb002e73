"""The text of completions and references: a str as it is, of a chat what the assistant says last."""

from __future__ import annotations

from ...errors import ArgumentTypeError, ArgumentValueError, Place, describe, show, wrong_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def references_of(value: Any, name: str, *indices: int) -> Sequence[str | None]:
    """The references of one sample, as texts.

    Args:
        value: A str, a list of messages, or a list of several of these, where None is an absent one.
        name: What errors call the argument that they are from.
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
    listed = _listed(value, "a str, a list of messages, or a list of several references", name, *indices)
    if listed and isinstance(listed[0], dict):
        return [text_of(listed, name, *indices)]
    texts: list[str | None] = [
        each if each is None or isinstance(each, str) else text_of(each, name, *indices, k)
        for k, each in enumerate(listed)
    ]
    if not texts or (texts[0] is None and not any(text is not None for text in texts)):
        raise ArgumentValueError(
            Place(name, indices),
            f"must hold at least one reference, or be None, got {show(value)}",
            value=value,
        )
    return texts


def text_of(value: Any, name: str, *indices: int) -> str:
    """The text of a completion or of a reference: a str as it is, or what the assistant says last.

    Args:
        value: A str or a list of messages. A message that names no role is one of the assistant.
        name: What errors call the argument that it is from.
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
    texts = []
    for part in _listed(
        content, "a message whose content is a str, a list of parts, or None", name, *indices
    ):
        if not isinstance(part, dict):
            raise ArgumentTypeError(
                Place(name, indices)["content"],
                f"must hold parts, each a dict, not {describe(part)}",
                value=part,
            )
        if part.get("type", "text") == "text":
            text = part.get("text")
            if not isinstance(text, str):
                raise ArgumentTypeError(
                    Place(name, indices)["content"],
                    f"must hold parts whose 'text' is a str, not {describe(text)}",
                    value=text,
                )
            texts.append(text)
    return "".join(texts)


def _listed(value: Any, what: str, name: str, *indices: int) -> Any:
    """A list as it is, arrays and other sequences as a list.

    Raises:
        TypeError: It is no sequence.
    """
    if isinstance(value, (list, tuple)):
        return value
    if (
        isinstance(value, (bytes, dict, set, type))
        or getattr(value, "ndim", 1) == 0
        or not hasattr(value, "__len__")
        or not hasattr(value, "__iter__")
    ):
        raise wrong_type(Place(name, indices), what, value)
    return list(value)
