"""Decide whether completions are text or token ids, and check and split the arguments of a call."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from ...counting.references import References
from ...errors import ArgumentValueError, Location, counted, there_are
from ...inputs.id_arrays import is_number_array
from ...inputs.ids import TokenIds
from ...inputs.reading import as_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    #: A triple of arguments of a call: completions, references, and either languages, offsets or None.
    Columns: TypeAlias = tuple[Any, Any, Any]

#: The expected types of arguments, for errors. `aligned` has a default for arguments that are not in this dict.
WANTED = {
    "completions": "a sequence of completions",
    "references": "a sequence with the references of each completion",
    "languages": "a sequence with the language of each completion",
}

#: Search nested lists for ids or text up to this depth. References need a depth of two.
_MAX_DEPTH = 4


class Batch(NamedTuple):
    """The completions and references of a call, converted to arguments of `BLEU.statistics`.

    Args:
        number: The number of completions of the call.
        scored: The indices of the n completions that have a reference. The fields below are about these completions.
        hypotheses: The scored part of each of the n completions.
        references: The references of the n completions: streams of n segments, or prepared `References`.
        clipped: The number of truncated completions among the n.
        cut: The number of completions among the n from which special tokens or a prompt were removed.
    """

    number: int
    scored: Sequence[int]
    hypotheses: Any
    references: Any
    clipped: int = 0
    cut: int = 0

    def locate(self, location: Location) -> Location:
        """Convert the location of a value in `hypotheses` or `references` to its location in the arguments of the call.

        A location in other arguments, or in prepared references, is returned unchanged.

        Example:
            >>> batch = Batch(3, [0, 2], [[5], [6]], [[[7], [8]]])
            >>> str(batch.locate(Location("hypotheses")[1, 0])), str(batch.locate(Location("references")[0, 1, 4]))
            ('completions[2][0]', 'references[2][0][4]')
        """
        indices = location.indices
        if location.argument == "hypotheses":
            return Location("completions", (self.scored[indices[0]], *indices[1:]) if indices else ())
        if location.argument == "references" and len(indices) > 1 and isinstance(self.references, list):
            return Location("references", (self.scored[indices[1]], indices[0], *indices[2:]))
        return location


def are_ids(completions: Any, references: Any) -> bool:
    """Return whether completions are token ids. If all completions are empty lists, the references decide.

    Example:
        >>> are_ids([[5, 6]], [[5, 6]]), are_ids(["a b"], ["a b"]), are_ids([[]], [[[5, 6], [7]]])
        (True, False, True)
    """
    for value in (completions, references):
        if isinstance(value, (list, tuple)):
            for sample in value:
                if isinstance(sample, str):
                    return False
                is_id_row = _is_id_row(sample, _MAX_DEPTH)
                if is_id_row is not None:
                    return is_id_row
        elif isinstance(value, TokenIds) or is_number_array(value, (2, 3)):
            return True
    return False


def _is_id_row(sample: Any, depth: int) -> bool | None:
    """Return whether a completion, or the references of a completion, are token ids: a row or a list of rows.

    Return None if that cannot be decided: the value is neither a list nor an array, has no items, or has only lists
    that are nested deeper than `depth`.
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
    """Return whether any completion is text. A sequence that mixes text and token ids is malformed.

    Example:
        >>> has_text([[5, 6], "a b"]), has_text([[5, 6], [7]])
        (True, False)
    """
    if not isinstance(completions, (list, tuple)):
        return False
    return any(isinstance(sample, str) or _is_id_row(sample, _MAX_DEPTH) is False for sample in completions)


def aligned(number: int | None = None, **columns: Any) -> list[Any]:
    """Check that arguments have one item per completion, and return each as a sequence that can be sliced.

    Args:
        number: The number of completions; None for the length of the first argument.
        columns: The arguments by name. Matrices of ids, `TokenIds` and prepared references are returned unchanged.

    Raises:
        TypeError: An argument is not a sequence.
        ValueError: An argument has more or fewer items than there are completions.

    Example:
        >>> aligned(completions=("a", "b"), references=["a"])
        Traceback (most recent call last):
        fastbleu.errors.ArgumentValueError: references has 1 item, but there are 2 completions
    """
    checked: list[Any] = []
    for name, values in columns.items():
        if not isinstance(values, (TokenIds, References)) and not is_number_array(values, (2, 3)):
            wanted = WANTED.get(name, "a sequence with an item for each completion")
            values = as_list(values, name, wanted)  # noqa: PLW2901
        number = len(values) if number is None else number
        if len(values) != number:
            items = counted(len(values), "item")
            raise ArgumentValueError(name, f"has {items}, but {there_are(number, 'completion')}")
        checked.append(values)
    return checked


def samples_per_prompt(completions: Any) -> int:
    """Return the number of completions of each prompt: K for ids [n, K, T], otherwise 1."""
    shape: Any = getattr(completions, "shape", ())
    return int(shape[1]) if len(shape) == 3 else 1


def halves(completions: Any, references: Any, third: Any) -> tuple[int, tuple[Columns, ...]]:
    """Split the completions of a call into two halves, and return the arguments of a call for each half.

    Args:
        completions: The completions of the call.
        references: The references of the call.
        third: The languages or the offsets of the call, or None.

    Returns:
        The number of samples of the call, and the arguments of the two calls, or () if they cannot be split.

    Raises:
        TypeError, ValueError: The arguments are wrong as a whole: one is not a sequence, or their lengths differ.
    """
    completions, references = aligned(completions=completions, references=references)
    rows, width = len(completions), samples_per_prompt(completions)
    middle = (rows if rows > 1 else width) // 2
    slices = (slice(middle), slice(middle, None)) if rows * middle else ()
    try:
        if rows == 1:  # Split the samples of the only prompt.
            return width, tuple([(completions[:, half], references, third) for half in slices])
        return rows * width, tuple(
            [(completions[half], references[half], third and third[half]) for half in slices]
        )
    except Exception:  # noqa: BLE001  # sparse tensors cannot be sliced
        return rows * width, ()
