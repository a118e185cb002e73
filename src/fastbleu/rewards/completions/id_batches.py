"""Completions that are token ids: padding, ends, prompts cut off, ids beyond the vocabulary."""

from __future__ import annotations

from itertools import zip_longest

from ...counting.references import References
from ...errors import ArgumentTypeError, ArgumentValueError, Place, show, wrong_type
from ...inputs.devices import is_on_host, to_host
from ...inputs.id_arrays import as_id_array, is_number_array
from ...inputs.ids import TokenIds, as_token_ids
from ...inputs.reading import as_list
from ...options import check_integer
from .batches import COMPLETIONS, REFERENCES, Batch, check_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...inputs.id_rules import Ids


#: What a reward may say of its ids.
_OF_REWARD = ("pad_id", "eos_id", "vocabulary_size")


def id_rule(pad_id: Ids = None, eos_id: Ids = None, vocabulary_size: int | None = None) -> dict[str, Any]:
    """The rule by which ids are read, checked.

    Args:
        pad_id: What fills rows up.
        eos_id: What ends a row.
        vocabulary_size: This id and larger ones are errors.

    Raises:
        TypeError, ValueError: As `TokenIds`.

    Example:
        >>> id_rule(eos_id=[2, 3])["eos_id"]
        (2, 3)
    """
    return TokenIds([], pad_id=pad_id, eos_id=eos_id, vocabulary_size=vocabulary_size).rule


def read_ids(completions: Any, references: Any, prompts: Any, rule: dict[str, Any]) -> Batch:
    """Read completions that are token ids; their references are ids, too.

    Args:
        completions: A matrix of ids, `TokenIds`, or n rows of ids.
        references: A matrix [n, T] or [n, R, T], `TokenIds`, prepared references, or of each completion a row of ids, a
            list of several, or None.
        prompts: How many ids to cut off; or of each completion a number, or the ids of its prompt.
        rule: How ids are read, as `id_rule` has it.

    Raises:
        TypeError, ValueError: As `BLEUReward.__call__`.

    Example:
        >>> batch = read_ids([[9, 5, 6, 2], [9, 7, 8]], [[[5, 6], [5]], [7]], 1, id_rule(eos_id=2))
        >>> list(batch.hypotheses), [list(stream) for stream in batch.references], batch.clipped
        ([[5, 6], [7, 8]], [[[5, 6], [7]], [[5], None]], 1)
    """
    if not (isinstance(completions, (list, tuple, TokenIds)) or is_number_array(completions, (2, 3))):
        completions = as_list(completions, "completions", COMPLETIONS)
    elif is_number_array(completions, (2, 3)):
        completions = _on_host(completions)
    number = len(completions)
    rows = completions if prompts is None else _without_prompts(completions, prompts, number)
    absent: list[int] = []
    streams: Any
    if isinstance(references, (References, TokenIds)) or is_number_array(references, (2, 3)):
        check_number(references, "references", number)
        streams = (
            references if isinstance(references, References) else _as_ids(references, "references", rule)
        )
    else:
        lists = as_list(references, "references", REFERENCES)
        check_number(lists, "references", number)
        absent = [i for i, each in enumerate(lists) if each is None]
        if absent:
            kept = [i for i, each in enumerate(lists) if each is not None]
            rows = rows[kept] if is_number_array(rows, (2, 3)) else [rows[i] for i in kept]
        listed = [_reference_rows(each, i) for i, each in enumerate(lists) if each is not None]
        streams = [
            _as_ids(list(stream), Place("references").before(k), rule)
            for k, stream in enumerate(zip_longest(*listed))
        ]
    hypotheses = _as_ids(rows, "completions", rule)
    clipped = 0 if rule["eos_id"] is None or hypotheses is rows else _count_unended(rows, rule)
    return Batch(number, hypotheses, streams, absent, clipped)


def _on_host(ids: Any) -> Any:
    """A matrix where NumPy can read it; from an accelerator it is copied once."""
    import numpy as np

    if isinstance(ids, np.ndarray):
        return ids
    if not is_on_host(ids):
        ids = to_host(ids, Place("completions"))
    if not hasattr(ids, "__array__"):
        return ids  # refused when it is read, as what holds no integers
    try:
        return np.asarray(ids)
    except (TypeError, ValueError, RuntimeError):  # sparse tensors, and numbers that NumPy has not
        return as_id_array(ids, Place("completions"))


def _as_ids(rows: Any, where: str | Place, rule: dict[str, Any]) -> TokenIds:
    """Rows with the rule by which they are read; what has a rule keeps it."""
    if isinstance(rows, TokenIds):
        return rows
    # Without a rule, the metric warns of a matrix that looks padded.
    given = rule if any(rule[name] is not None for name in _OF_REWARD) else {}
    return as_token_ids(rows, where, **given)


def _without_prompts(completions: Any, prompts: Any, number: int) -> Any:
    """Completions behind their prompts."""
    if isinstance(completions, TokenIds):
        raise ArgumentTypeError(
            "prompts", "cannot be cut off TokenIds; cut them off the array: ids[:, length:]"
        )
    is_matrix = is_number_array(completions, (2, 3))
    if is_number_array(prompts, (2,)):
        check_number(prompts, "prompts", number)
        prompts = prompts.shape[1]
    if hasattr(prompts, "__index__") and not getattr(prompts, "ndim", 0):
        length = check_integer("prompts", prompts, 0)
        return completions[..., length:] if is_matrix else [row[length:] for row in completions]
    listed = as_list(prompts, "prompts", "an int, or a sequence with the prompt of each completion")
    check_number(listed, "prompts", number)
    if is_matrix and completions.ndim == 3:
        raise ArgumentTypeError("prompts", "must be an int beside completions [n, K, T]")
    return [
        row[_prompt_length(prompt, Place("prompts", (i,))) :]
        for i, (row, prompt) in enumerate(zip(completions, listed, strict=True))
    ]


def _prompt_length(prompt: Any, where: Place) -> int:
    """How many ids a prompt has."""
    if prompt is None:
        return 0
    if isinstance(prompt, (list, tuple)) or is_number_array(prompt, (1,)):
        return len(prompt)
    return check_integer(where, prompt, 0)


def _reference_rows(value: Any, i: int) -> list[Any]:
    """The references of sample i, as rows of ids."""
    if type(value) is list and value and type(value[0]) is int:
        return [value]
    if is_number_array(value, (2,)):
        return list(value)
    if is_number_array(value, (1,)):
        return [value]
    if not isinstance(value, (list, tuple)):
        raise wrong_type(Place("references", (i,)), "token ids, as completions are", value)
    # The first item tells rows from ids: to look at each of a thousand ids would take longer than to count them.
    first = next((row for row in value if row is not None), None)
    if value and first is None:
        where = Place("references", (i,))
        raise ArgumentValueError(
            where, f"must hold at least one reference, or be None, got {show(value)}", value=value
        )
    if isinstance(first, (list, tuple)) or is_number_array(first, (1,)):
        return list(value)
    return [value]


def _ids_of(given: Any) -> tuple[int, ...]:
    """An id, several or none, as a tuple."""
    return () if given is None else given if isinstance(given, tuple) else (given,)


def _count_unended(rows: Any, rule: dict[str, Any]) -> int:
    """How many rows no `eos_id` ends. Where it is the `pad_id` as well, leading ones are padding."""
    ends, pads = _ids_of(rule["eos_id"]), _ids_of(rule["pad_id"])
    shared = not {*ends}.isdisjoint(pads)
    if not is_number_array(rows, (2, 3)):
        return sum(not _ends(row, ends, pads if shared else ()) for row in rows)
    import numpy as np

    ids = np.asarray(rows)
    found = ids == ends[0]
    for end in ends[1:]:
        found |= ids == end
    if shared:
        padding = ids == pads[0]
        for pad in pads[1:]:
            padding |= ids == pad
        found &= np.logical_or.accumulate(~padding, axis=-1)
    return int(np.count_nonzero(~found.any(axis=-1)))


def _ends(row: Any, ends: tuple[int, ...], leading: tuple[int, ...]) -> bool:
    """Whether one of some ids is in a row, not counting those at its start that are padding."""
    if row is None:  # refused when it is read
        return False
    if not isinstance(row, (list, tuple)):
        if not hasattr(row, "tolist"):
            return True  # no row: an error when it is counted
        row = row.tolist()
    if leading:
        first = next((t for t, id_ in enumerate(row) if id_ not in leading), len(row))
        row = row[first:]
    # Most rows end with it.
    return bool(row) and (row[-1] in ends or any(end in row for end in ends))
