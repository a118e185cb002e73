"""Read completions that are token ids: padding, end-of-sequence ids, and the references of each."""

from __future__ import annotations

from itertools import zip_longest

from ...counting.references import References
from ...errors import ArgumentValueError, Location, wrong_type
from ...inputs.id_arrays import as_id_array, is_number_array
from ...inputs.ids import TokenIds, as_token_ids
from ...inputs.reading import as_list
from .kinds import WANTED, Batch, aligned
from .text import no_reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ...inputs.id_options import Ids


def id_rule(pad_id: Ids = None, eos_id: Ids = None) -> dict[str, Any]:
    """Check the token-id options; return {} if there are none, so that the metric warns about padding.

    Args:
        pad_id: The padding id or ids.
        eos_id: The end-of-sequence id or ids.

    Raises:
        TypeError, ValueError: As `TokenIds`.

    Example:
        >>> id_rule(eos_id=[2, 3])["eos_id"], id_rule()
        ((2, 3), {})
    """
    rule = TokenIds([], pad_id=pad_id, eos_id=eos_id).rule
    return {} if pad_id is eos_id is None else rule


def read_ids(completions: Any, references: Any, rule: dict[str, Any]) -> Batch:
    """Read completions that are token ids; their references are also ids.

    Args:
        completions: A matrix of ids, `TokenIds`, or n rows of ids.
        references: A matrix [n, T] or [n, R, T], `TokenIds`, prepared references, or for each completion a row of ids,
            a list of several, or None.
        rule: The token-id options, as `id_rule` returns them.

    Raises:
        TypeError, ValueError: As `BLEUReward.__call__`.

    Example:
        >>> batch = read_ids([[5, 6, 2], [7, 8]], [[[5, 6], [5]], [7]], id_rule(eos_id=2))
        >>> list(batch.hypotheses), [list(stream) for stream in batch.references], batch.clipped
        ([[5, 6], [7, 8]], [[[5, 6], [7]], [[5], None]], 1)
    """
    rows, given = aligned(completions=on_host(completions), references=references)
    number = len(rows)
    scored: Sequence[int] = range(number)
    streams = given
    if isinstance(given, TokenIds) or is_number_array(given, (2, 3)):
        streams = _as_ids(given, "references", rule)
    elif not isinstance(given, References):
        scored = [i for i, each in enumerate(given) if each is not None]
        if len(scored) < number:
            is_sliced = isinstance(rows, TokenIds) or hasattr(rows, "ndim")
            rows = rows[scored] if is_sliced else [rows[i] for i in scored]
        listed = [reference_rows(given[i], i) for i in scored]
        streams = [
            _as_ids(list(stream), Location("references").before(k), rule)
            for k, stream in enumerate(zip_longest(*listed))
        ]
    hypotheses = _as_ids(rows, "completions", rule)
    return Batch(number, scored, hypotheses, streams, count_unended(rows, rule))


def on_host(completions: Any, name: str = "completions") -> Any:
    """Return completions as `TokenIds`, a list, or a matrix that NumPy can read; copy it from an accelerator once."""
    if isinstance(completions, (list, tuple, TokenIds)):
        return completions
    if is_number_array(completions, (1,)):
        raise ArgumentValueError(
            name, f"must have the shape [n, T], not {[*completions.shape]}", value=completions
        )
    if not is_number_array(completions, (2, 3)):
        return as_list(completions, name, WANTED["completions"])
    return as_id_array(completions, Location(name))


def _as_ids(rows: Any, where: str | Location, rule: dict[str, Any]) -> TokenIds:
    """Return rows as `TokenIds` with some token-id options; `TokenIds` keep their own."""
    return rows if isinstance(rows, TokenIds) else as_token_ids(rows, where, **rule)


def reference_rows(value: Any, i: int) -> list[Any]:
    """Return the references of sample i as rows of ids.

    Raises:
        TypeError: They are not ids.
        ValueError: There is no reference.
    """
    if not isinstance(value, (list, tuple)):
        if is_number_array(value, (1, 2)):
            return list(value) if value.ndim == 2 else [value]
        raise wrong_type(Location("references", (i,)), "token ids, as completions are", value)
    # The first item distinguishes rows from ids: checking each of a thousand ids would take longer than counting them.
    first = next((row for row in value if row is not None), None)
    if value and first is None:
        raise no_reference(value, "references", i)
    return list(value) if isinstance(first, (list, tuple)) or is_number_array(first, (1,)) else [value]


def count_unended(rows: Any, rule: Mapping[str, Any]) -> int:
    """Return the number of rows without an `eos_id` at the end; 0 for `TokenIds`, or if the rule has no `eos_id`.

    If it is also a `pad_id`, leading ones are padding.
    """
    if rule.get("eos_id") is None or isinstance(rows, TokenIds):
        return 0
    ends, pads = (each if isinstance(each, tuple) else (each,) for each in (rule["eos_id"], rule["pad_id"]))
    leading = () if {*ends}.isdisjoint(pads) else pads
    if not hasattr(rows, "ndim"):
        return sum([not _ends(row, ends, leading) for row in rows])
    import numpy as np

    # `numpy.isin` takes several times as long for so few ids.
    are_ends = np.logical_or.reduce([rows == id_ for id_ in ends])
    if leading:
        begun = np.logical_and.reduce([rows != id_ for id_ in leading])
        are_ends &= np.logical_or.accumulate(begun, axis=-1)
    return int(np.count_nonzero(~are_ends.any(axis=-1)))


def _ends(row: Any, ends: tuple[int, ...], leading: tuple[int, ...]) -> bool:
    """Return whether a row contains one of some ids, except as padding at its start."""
    if row is None:  # Refused when it is read.
        return False
    if not isinstance(row, (list, tuple)):
        if not hasattr(row, "tolist"):
            return True  # Not a row: refused when it is counted.
        row = row.tolist()
    if leading:
        first = next((t for t, id_ in enumerate(row) if id_ not in leading), len(row))
        row = row[first:]
    # Most rows end with the id.
    return bool(row) and (row[-1] in ends or any(end in row for end in ends))
