"""Completions and their references on the way to a metric; text_batches and id_batches read them."""

from __future__ import annotations

from ...counting.references import References
from ...errors import ArgumentValueError, Place
from ...inputs.id_arrays import is_number_array
from ...inputs.ids import TokenIds
from ...inputs.reading import as_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

#: What completions and references must be, in errors.
COMPLETIONS = "a sequence of completions"
REFERENCES = "a sequence with the references of each completion"

#: How deep a list may be nested that is looked at to tell ids from text; references need two.
_DEEPEST = 4


class Batch:
    """Completions that are ready to be scored.

    Args:
        number: How many completions there are.
        hypotheses: Those to be scored.
        references: Their references, streams or prepared ones.
        absent: The numbers of the completions that are not scored, because their reference is None.
        clipped: How many of the others were cut off.
    """

    __slots__ = ("absent", "clipped", "hypotheses", "number", "references")

    def __init__(
        self, number: int, hypotheses: Any, references: Any, absent: list[int], clipped: int
    ) -> None:
        self.number = number
        self.hypotheses = hypotheses
        self.references = references
        self.absent = absent
        self.clipped = clipped

    @property
    def scored(self) -> list[int] | slice:
        """The numbers of the completions that are scored."""
        if not self.absent:
            return slice(None)
        without = set(self.absent)
        return [i for i in range(self.number) if i not in without]

    def place(self, found: Place) -> Place | None:
        """Where in the call a value stands that a metric found in hypotheses or references; None if nobody knows.

        Example:
            >>> batch = Batch(3, [[5], [6]], [[[7], [8]]], [1], 0)
            >>> str(batch.place(Place("hypotheses")[1, 0])), str(batch.place(Place("references")[0, 1, 4]))
            ('completions[2][0]', 'references[2][0][4]')
        """
        indices = found.indices
        scored = range(self.number)[self.scored] if isinstance(self.scored, slice) else self.scored
        if found.argument == "hypotheses" and indices:
            return Place("completions", (scored[indices[0]], *indices[1:]))
        if found.argument == "references" and len(indices) > 1 and isinstance(self.references, list):
            return Place("references", (scored[indices[1]], indices[0], *indices[2:]))
        return Place("completions") if found.argument == "hypotheses" else None


def are_ids(completions: Any, references: Any) -> bool:
    """Whether completions are token ids; where all of them are empty lists, whether the references are.

    Example:
        >>> are_ids([[5, 6]], [[5, 6]]), are_ids(["a b"], ["a b"]), are_ids([[]], [[[5, 6], [7]]])
        (True, False, True)
    """
    for value in (completions, references):
        if isinstance(value, TokenIds) or is_number_array(value, (2, 3)):
            return True
        if isinstance(value, (list, tuple)):
            for sample in value:
                if isinstance(sample, str):
                    return False
                found = _is_id_row(sample, _DEEPEST)
                if found is not None:
                    return found
    return False


def _is_id_row(sample: Any, depth: int) -> bool | None:
    """Whether one sample is ids, or (as references may be) a list of rows of ids; None where nothing says so.

    Lists in lists are looked into only so deep: samples of a model's data may be nested without end.
    """
    if isinstance(sample, (list, tuple)):
        for item in sample:
            if isinstance(item, (dict, str)):
                return False
            if isinstance(item, (list, tuple)) or is_number_array(item, (1,)):
                return _is_id_row(item, depth - 1) if depth else None
            if item is not None:
                return hasattr(item, "__index__") or hasattr(item, "__float__")
        return None
    return True if is_number_array(sample, (1, 2)) else None


def has_text(completions: Any) -> bool:
    """Whether there is text among completions that begin with token ids.

    Example:
        >>> has_text([[5, 6], "a b"]), has_text([[5, 6], [7]])
        (True, False)
    """
    if not isinstance(completions, (list, tuple)):
        return False
    return any(isinstance(sample, str) or _is_id_row(sample, _DEEPEST) is False for sample in completions)


def check_number(values: Any, name: str, number: int) -> None:
    """Check that there is one of something for each completion.

    Raises:
        ValueError: There is not.
    """
    if len(values) != number:
        raise ArgumentValueError(
            name,
            f"has {len(values)} item{'s'[: len(values) != 1]}, but there "
            f"{'is 1 completion' if number == 1 else f'are {number} completions'}",
        )


def one_by_one(
    score: Callable[[Any, Any, Any], Any], completions: Any, references: Any, prompts: Any
) -> Iterator[Any]:
    """Score samples that could not be scored together, each alone.

    Args:
        score: Scores completions, given with their references and prompts.
        completions: n completions.
        references: The references of each.
        prompts: The prompt of each, one for all (ids), or None.

    Yields:
        Of each sample a list of its score, or of K scores if it is K completions. In place of the score of a broken
        one stands what it raised.

    Raises:
        TypeError, ValueError: What is wrong is no sample: something is no sequence, or numbers differ.
    """
    completions = sliceable(completions, "completions", COMPLETIONS)
    references = sliceable(references, "references", REFERENCES)
    number = len(completions)
    check_number(references, "references", number)
    for_all = prompts is None or (hasattr(prompts, "__index__") and not getattr(prompts, "ndim", 0))
    if not for_all:
        prompts = sliceable(prompts, "prompts", "a sequence with the prompt of each completion")
        check_number(prompts, "prompts", number)
    several = getattr(completions, "ndim", 1) == 3
    for i in range(number):
        one = slice(i, i + 1)
        try:
            sample = completions[one], references[one], prompts if for_all else prompts[one]
        except Exception as error:  # noqa: BLE001  # sparse tensors have no slices
            yield [error] * (completions.shape[1] if several else 1)
            continue
        found = _tried(score, *sample)
        if isinstance(found, Exception) and several:
            yield [_tried(score, sample[0][:, k : k + 1], *sample[1:]) for k in range(completions.shape[1])]
        else:
            yield [found]


def _tried(score: Callable[[Any, Any, Any], Any], *sample: Any) -> Any:
    try:
        return score(*sample)
    except Exception as error:  # noqa: BLE001  # a function of the user's may raise anything
        return error


def sliceable(values: Any, name: str, what: str) -> Any:
    """Values of which a slice can be taken.

    Raises:
        TypeError: They are no sequence.

    Example:
        >>> sliceable(5, "greedy", COMPLETIONS)
        Traceback (most recent call last):
        fastbleu.errors.ArgumentTypeError: greedy must be a sequence of completions, not int: 5
    """
    if isinstance(values, (TokenIds, References)) or is_number_array(values, (2, 3)):
        return values
    return as_list(values, name, what)
