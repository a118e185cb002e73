"""Completions that are text: chats, prompts cut off, answers found."""

from __future__ import annotations

from itertools import zip_longest
from operator import itemgetter
from unicodedata import normalize as normalized

from ...counting.references import References
from ...errors import ArgumentValueError, Place, show, wrong_type
from ...inputs.reading import as_list
from .batches import COMPLETIONS, REFERENCES, Batch, check_number
from .texts import references_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .extraction import Normalization, Step


#: What is looked for in chats.
_LAST, _ROLE, _CONTENT = itemgetter(-1), itemgetter("role"), itemgetter("content")


def read_texts(
    completions: Any, references: Any, prompts: Any, step: Step | None, form: Normalization | None
) -> Batch:
    """Read completions that are text.

    Args:
        completions: n texts, each a str or a list of messages.
        references: n references or lists of them, or prepared ones.
        prompts: n texts with which the completions begin, or None.
        step: What is done to a completion, as `extraction` makes it, or None.
        form: The form of Unicode normalization of references, or None.

    Returns:
        The batch. A completion in which nothing was found is "".

    Raises:
        TypeError, ValueError: As `BLEUReward.__call__`.

    Example:
        >>> batch = read_texts(["a b", "c"], [["a b", "a"], None], None, None, None)
        >>> batch.hypotheses, batch.references, batch.absent
        (['a b'], [('a b',), ('a',)], [1])
    """
    given = as_list(completions, "completions", COMPLETIONS)
    number = len(given)
    prepared = isinstance(references, References)
    lists: Any = references if prepared else as_list(references, "references", REFERENCES)
    check_number(lists, "references", number)
    kinds = {str} if prepared else {*map(type, lists)}
    absent: list[int] = []
    numbers: Sequence[int] = range(number)
    if type(None) in kinds:
        absent = [i for i in numbers if lists[i] is None]
        numbers = [i for i in numbers if lists[i] is not None]
    texts = _plain_texts([given[i] for i in numbers] if absent else given)
    if texts is None:
        texts = [text_of(given[i], "completions", i) for i in numbers]
    # No completions may be no ids, too, of whose prompts the length is one number.
    if prompts is not None and (number or not hasattr(prompts, "__index__")):
        prompts = as_list(prompts, "prompts", "a sequence with the prompt of each completion")
        check_number(prompts, "prompts", number)
        texts = [
            without_prompt(text, given[i], prompts[i], Place("prompts", (i,)))
            for i, text in zip(numbers, texts, strict=True)
        ]
    clipped = 0
    if step is not None:
        found = list(map(step, texts))
        texts = [text or "" for text, _ in found]
        clipped = sum([cut for _, cut in found])
    if prepared:
        return Batch(number, texts, references, [], clipped)
    if kinds == {str}:
        streams: Any = [lists]
    else:
        streams = list(zip_longest(*[references_of(lists[i], "references", i) for i in numbers]))
    if form is not None:
        streams = [normalized_all(stream, form) for stream in streams]
    return Batch(number, texts, streams, absent, clipped)


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
        What `text_of` gives for each; None if one has another form.
    """
    kinds = {*map(type, completions)}
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
    return texts if {*map(type, texts)} == {str} else None


def without_prompt(text: str, completion: Any, prompt: Any, where: Place) -> str:
    """A completion's text behind its prompt. In a list of messages the prompt stands apart.

    Raises:
        TypeError: The prompt is no str.
        ValueError: The completion does not begin with it.
    """
    if prompt is None or not isinstance(completion, str):
        return text
    if not isinstance(prompt, str):
        raise wrong_type(where, "a str, as the completion is", prompt)
    if not text.startswith(prompt):
        raise ArgumentValueError(
            where, f"must be what the completion begins with, got {show(prompt)}", value=prompt
        )
    return text[len(prompt) :]
