"""Completions and their references, read as what a metric scores; which of them are absent, empty, clipped or broken."""

from __future__ import annotations

from itertools import zip_longest
from unicodedata import normalize as normalized

from ..counting.references import References
from ..errors import ArgumentTypeError, ArgumentValueError, Place, wrong_type
from ..inputs.ids import TokenIds, is_number_array
from ..inputs.segments import as_list
from .texts import references_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .extraction import Step

#: What `completions` and `references` must be, in errors.
COMPLETIONS = "a sequence of texts"
REFERENCES = "a sequence with the references of each completion"


class Batch:
    """Samples that are to be scored, and what is known of the others.

    Attributes:
        number: How many completions there are.
        scored: The numbers of those to be scored, in order; None: all of them.
        absent: The numbers of those without a reward, because their reference is None.
        hypotheses: What is scored.
        references: Their references, streams or prepared ones.
        empty, clipped, errors: How many are empty and not scored, cut off, broken.
    """

    __slots__ = (
        "absent",
        "clipped",
        "empty",
        "errors",
        "hypotheses",
        "number",
        "references",
        "scored",
    )

    def __init__(self, number: int) -> None:
        self.number = number
        self.scored: list[int] | None = None
        self.absent: list[int] = []
        self.hypotheses: Any = []
        self.references: Any = []
        self.empty = self.clipped = self.errors = 0


def are_ids(completions: Any, references: Any) -> bool:
    """Whether completions are token ids; where all of them are empty lists, whether the references are."""
    for value in (completions, references):
        if isinstance(value, TokenIds) or is_number_array(value, (2, 3)):
            return True
        if isinstance(value, (list, tuple)):
            for sample in value:
                found = _is_id_row(sample)
                if found is not None:
                    return found
        elif value is not None:
            return False
    return False


def _is_id_row(sample: Any) -> bool | None:
    """Whether one sample is ids, or (as references may be) a list of rows of ids; None where nothing says so."""
    if isinstance(sample, str):
        return False
    if is_number_array(sample, (1, 2)):
        return True
    if isinstance(sample, (list, tuple)):
        for item in sample:
            if isinstance(item, (list, tuple)) or is_number_array(item, (1,)):
                return _is_id_row(item)
            if item is not None:
                return hasattr(item, "__index__") or hasattr(item, "__float__")
        return None
    return None


def same_number(completions: int, references: Any, name: str) -> None:
    """Check that there is one of something for each completion.

    Raises:
        ValueError: There is not.
    """
    if len(references) != completions:
        raise ValueError(
            f"{name} holds references of {len(references)} samples, but completions has {completions}"
            if name == "references"
            else f"{name} has {len(references)} items, but completions has {completions}"
        )


def read_texts(
    completions: Any,
    references: Any,
    prompts: Any,
    step: Step | None,
    form: Any,
    tolerant: bool,
) -> Batch:
    """Read completions that are text.

    Args:
        completions: n texts, each a str or a list of messages.
        references: n references or lists of them, or prepared ones.
        prompts: n texts with which the completions begin, or None.
        step: What is done to a completion, as `extraction` makes it.
        form: The form of Unicode normalization of references, or None.
        tolerant: Whether broken samples are counted instead of raising.
    """
    texts = as_list(completions, "completions", COMPLETIONS)
    batch = Batch(len(texts))
    prepared = isinstance(references, References)
    lists = references if prepared else as_list(references, "references", REFERENCES)
    same_number(len(texts), lists, "references")
    if prompts is not None:
        prompts = as_list(prompts, "prompts", "a sequence of prompts")
        same_number(len(texts), prompts, "prompts")
    scored: list[int] = []
    found: list[Sequence[str | None]] = []
    for i, completion in enumerate(texts):
        if not prepared and lists[i] is None:
            batch.absent.append(i)
            continue
        try:
            text = completion if type(completion) is str else text_of(completion, "completions", i)
            if prompts is not None:
                text = without_prompt(text, completion, prompts[i], i)
            if step is not None:
                found_text, clipped = step(text)
                batch.clipped += clipped
                text = found_text or ""
            if not prepared:
                given = references_of(lists[i], "references", i)
                if form is not None:
                    given = [each if each is None else normalized(form, each) for each in given]
        except Exception:
            if not tolerant:
                raise
            batch.errors += 1
            batch.empty += 1
            continue
        if not text or text.isspace():
            batch.empty += 1
            continue
        scored.append(i)
        batch.hypotheses.append(text)
        if not prepared:
            found.append(given)
    batch.scored = scored
    batch.references = references[scored] if prepared else list(zip_longest(*found))
    return batch


def without_prompt(text: str, completion: Any, prompt: Any, i: int) -> str:
    """A completion's text behind its prompt. In messages the prompt stands apart.

    Raises:
        TypeError: A prompt is no str.
        ValueError: The completion does not begin with it.
    """
    if prompt is None or not isinstance(completion, str):
        return text
    if not isinstance(prompt, str):
        raise wrong_type(Place("prompts", (i,)), "a str, as the completion is", prompt)
    if not text.startswith(prompt):
        raise ArgumentValueError(
            Place("prompts", (i,)), f"must be what completions[{i}] begins with, got {prompt!r}", value=prompt
        )
    return text[len(prompt) :]


def prompt_lengths(prompts: Any, number: int) -> list[int] | int:
    """How many ids to cut off of each completion: an int for all of them, or one for each.

    Args:
        prompts: A number of ids; or of each completion a number, or the ids of its prompt.
        number: How many completions there are.
    """
    if hasattr(prompts, "__index__") and getattr(prompts, "ndim", 0) == 0:
        return int(prompts)
    if is_number_array(prompts, (2,)):
        width: int = prompts.shape[1]
        return width
    listed = as_list(prompts, "prompts", "an int, or a sequence with the prompt of each completion")
    same_number(number, listed, "prompts")
    lengths: list[int] = []
    for i, prompt in enumerate(listed):
        if hasattr(prompt, "__index__") and getattr(prompt, "ndim", 0) == 0:
            lengths.append(int(prompt))
        elif isinstance(prompt, (list, tuple)) or is_number_array(prompt, (1,)):
            lengths.append(len(prompt))
        else:
            raise wrong_type(Place("prompts", (i,)), "a number of ids, or the ids of a prompt", prompt)
    return lengths


def read_ids(completions: Any, references: Any, prompts: Any, rule: dict[str, Any]) -> Batch:
    """Read completions that are token ids; their references are ids, too.

    Args:
        completions: A matrix of ids, `TokenIds`, or n rows of ids.
        references: A matrix [n, T] or [n, R, T], `TokenIds`, prepared references, or of each completion a row of ids, a
            list of several, or None.
        prompts: As `prompt_lengths`.
        rule: The ids that stand for no token.
    """
    number = len(completions)
    batch = Batch(number)
    if prompts is not None:
        if isinstance(completions, TokenIds):
            raise ArgumentTypeError("prompts", "cannot be cut off TokenIds; cut the array off before")
        lengths = prompt_lengths(prompts, number)
        if isinstance(lengths, int):
            if is_number_array(completions, (2, 3)):
                completions = completions[..., lengths:]
            else:
                completions = [row[lengths:] for row in completions]
        else:
            completions = [row[length:] for row, length in zip(completions, lengths, strict=True)]
    if isinstance(references, (References, TokenIds)) or is_number_array(references, (2, 3)):
        same_number(number, references, "references")
        batch.references = (
            references if isinstance(references, (References, TokenIds)) else TokenIds(references, **rule)
        )
    else:
        lists = as_list(references, "references", REFERENCES)
        same_number(number, lists, "references")
        batch.absent = [i for i, each in enumerate(lists) if each is None]
        if batch.absent:
            batch.scored = [i for i, each in enumerate(lists) if each is not None]
            lists = [lists[i] for i in batch.scored]
            completions = _rows(completions, batch.scored)
        rows = [_reference_rows(each, i) for i, each in enumerate(lists)]
        batch.references = [TokenIds(stream, **rule) for stream in zip_longest(*rows)]
    batch.hypotheses = completions if isinstance(completions, TokenIds) else TokenIds(completions, **rule)
    return batch


def _rows(completions: Any, numbers: list[int]) -> Any:
    """Some rows of completions."""
    if isinstance(completions, (list, tuple, TokenIds)):
        return [completions[i] for i in numbers]
    return completions[numbers]


def _reference_rows(value: Any, i: int) -> list[Any]:
    """The references of one sample, as rows of ids."""
    if is_number_array(value, (1,)):
        return [value]
    if is_number_array(value, (2,)):
        return list(value)
    if not isinstance(value, (list, tuple)):
        raise wrong_type(Place("references", (i,)), "token ids, as completions are", value)
    if value and (isinstance(value[0], (list, tuple)) or value[0] is None or is_number_array(value[0], (1,))):
        return list(value)
    return [value]
