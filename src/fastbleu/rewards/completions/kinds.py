"""The kind of completions, text or token ids, and a batch of them that is ready to be counted."""

from __future__ import annotations

from typing import NamedTuple

from ...counting.references import References
from ...errors import ArgumentValueError, Location, counted, there_are
from ...inputs.id_arrays import is_number_array
from ...inputs.ids import TokenIds
from ...inputs.reading import as_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    #: The columns of a call: completions, references, and languages or None.
    Columns: TypeAlias = tuple[Any, Any, Any]

#: The expected type of arguments, for errors; any other argument must be a sequence with an item for each completion.
WANTED = {
    "completions": "a sequence of completions",
    "references": "a sequence with the references of each completion",
    "languages": "a sequence with the language of each completion",
}

#: The maximum depth to which nested lists are searched to distinguish ids from text; references need two.
_DEEPEST = 4


class Batch(NamedTuple):
    """Completions that are ready to be counted.

    Args:
        number: The number of completions.
        scored: The indices of the completions that have a reference; only these are counted.
        hypotheses: The scored part of each of these.
        references: Their references, streams or prepared ones.
        clipped: The number of truncated ones among them.
        cut: The number of those from which special tokens were removed.
    """

    number: int
    scored: Sequence[int]
    hypotheses: Any
    references: Any
    clipped: int = 0
    cut: int = 0

    def locate(self, position: Location) -> Location:
        """Convert the position of a value in hypotheses or references to its position in the call, if that is known.

        Example:
            >>> batch = Batch(3, [0, 2], [[5], [6]], [[[7], [8]]])
            >>> str(batch.locate(Location("hypotheses")[1, 0])), str(batch.locate(Location("references")[0, 1, 4]))
            ('completions[2][0]', 'references[2][0][4]')
        """
        indices = position.indices
        if position.argument == "hypotheses":
            return Location("completions", (self.scored[indices[0]], *indices[1:]) if indices else ())
        if position.argument == "references" and len(indices) > 1 and isinstance(self.references, list):
            return Location("references", (self.scored[indices[1]], indices[0], *indices[2:]))
        return position


def are_ids(completions: Any, references: Any) -> bool:
    """Return whether completions are token ids; if all of them are empty lists, whether the references are ids.

    Example:
        >>> are_ids([[5, 6]], [[5, 6]]), are_ids(["a b"], ["a b"]), are_ids([[]], [[[5, 6], [7]]])
        (True, False, True)
    """
    for value in (completions, references):
        if isinstance(value, (list, tuple)):
            for sample in value:
                if isinstance(sample, str):
                    return False
                is_id_row = _is_id_row(sample, _DEEPEST)
                if is_id_row is not None:
                    return is_id_row
        elif isinstance(value, TokenIds) or is_number_array(value, (2, 3)):
            return True
    return False


def _is_id_row(sample: Any, depth: int) -> bool | None:
    """Return whether one sample is ids, or (as references may be) a list of rows of ids; None if this is undecided.

    Nested lists are searched only to a fixed depth, since data may be nested arbitrarily deep.
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
    """Return whether there is text among completions that begin with token ids.

    Example:
        >>> has_text([[5, 6], "a b"]), has_text([[5, 6], [7]])
        (True, False)
    """
    if not isinstance(completions, (list, tuple)):
        return False
    return any(isinstance(sample, str) or _is_id_row(sample, _DEEPEST) is False for sample in completions)


def aligned(number: int | None = None, **columns: Any) -> list[Any]:
    """Return columns that can be sliced, each with an item for each completion.

    Args:
        number: The number of completions; None: the length of the first column.
        columns: The columns by the name of the argument. Matrices of ids and prepared references are unchanged.

    Raises:
        TypeError: A column is not a sequence.
        ValueError: A column has more or fewer items.

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


def samples_of_each(completions: Any) -> int:
    """Return the number of completions of each prompt: K for ids [n, K, T], else 1."""
    shape: Any = getattr(completions, "shape", ())
    return int(shape[1]) if len(shape) == 3 else 1


def halves(completions: Any, references: Any, languages: Any) -> tuple[int, tuple[Columns, ...]]:
    """Return the number of samples of a call, and the columns of its halves; no halves if the columns cannot be split.

    Raises:
        TypeError, ValueError: The call is wrong, not a sample: a column is not a sequence, or numbers differ.
    """
    completions, references = aligned(completions=completions, references=references)
    rows, width = len(completions), samples_of_each(completions)
    middle = (rows if rows > 1 else width) // 2
    parts = (slice(middle), slice(middle, None)) if rows * middle else ()
    try:
        if rows == 1:  # A single row of several samples.
            return width, tuple([(completions[:, part], references, languages) for part in parts])
        return rows * width, tuple(
            [(completions[part], references[part], languages and languages[part]) for part in parts]
        )
    except Exception:  # noqa: BLE001  # sparse tensors have no slices
        return rows * width, ()
