"""Read completions that are token ids, and their references."""

from __future__ import annotations

from itertools import zip_longest

from ...counting.references import References
from ...errors import ArgumentValueError, Location, wrong_type
from ...inputs.id_arrays import as_id_array, is_number_array
from ...inputs.ids import TokenIds, as_token_ids
from ...inputs.reading import as_list
from .call_arguments import WANTED, Batch, aligned
from .text import no_reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ...inputs.id_options import Ids


def checked_id_options(pad_id: Ids = None, eos_id: Ids = None) -> dict[str, Any]:
    """Check the token-id options, and return the keyword arguments for `TokenIds`.

    Return {} if there are no options, so that the metric warns about ids that look like padding.

    Args:
        pad_id: The padding id or ids, or None.
        eos_id: The end-of-sequence id or ids, or None.

    Raises:
        TypeError: An id is not an integer.
        ValueError: An option has a bad value.

    Example:
        >>> checked_id_options(eos_id=[2, 3])["eos_id"], checked_id_options()
        ((2, 3), {})
    """
    return {} if pad_id is eos_id is None else TokenIds([], pad_id=pad_id, eos_id=eos_id).rule


def read_ids(completions: Any, references: Any, id_options: dict[str, Any]) -> Batch:
    """Read completions that are token ids, and their references, which are also token ids.

    Args:
        completions: A matrix of ids [n, T] or [n, K, T], `TokenIds`, or n rows of ids.
        references: A matrix [n, T] or [n, R, T], `TokenIds`, prepared references, or n entries, each of which is a row
            of ids, a list of several rows, or None.
        id_options: The token-id options, as `checked_id_options` returns them.

    Raises:
        TypeError: The completions, or the references of a completion, are not ids.
        ValueError: The numbers of completions and references differ, or a list of references is empty.

    Example:
        >>> batch = read_ids([[5, 6, 2], [7, 8]], [[[5, 6], [5]], [7]], checked_id_options(eos_id=2))
        >>> list(batch.hypotheses), [list(stream) for stream in batch.references], batch.clipped
        ([[5, 6], [7, 8]], [[[5, 6], [7]], [[5], None]], 1)
    """
    rows, given = aligned(completions=on_host(completions), references=references)
    number = len(rows)
    scored: Sequence[int] = range(number)
    streams = given
    if isinstance(given, TokenIds) or is_number_array(given, (2, 3)):
        streams = _as_ids(given, "references", id_options)
    elif not isinstance(given, References):
        scored = [i for i, entry in enumerate(given) if entry is not None]
        if len(scored) < number:
            is_array = isinstance(rows, TokenIds) or hasattr(rows, "ndim")
            rows = rows[scored] if is_array else [rows[i] for i in scored]
        lists = [reference_rows(given[i], i) for i in scored]
        streams = [
            _as_ids(list(stream), Location("references").before(k), id_options)
            for k, stream in enumerate(zip_longest(*lists))
        ]
    hypotheses = _as_ids(rows, "completions", id_options)
    return Batch(number, scored, hypotheses, streams, count_unended(rows, id_options))


def on_host(completions: Any, name: str = "completions") -> Any:
    """Return completions as `TokenIds`, a list, or a matrix in host memory, copied from an accelerator if necessary.

    Raises:
        TypeError: The completions are not a sequence.
        ValueError: The completions are a one-dimensional array.
    """
    if isinstance(completions, (list, tuple, TokenIds)):
        return completions
    if is_number_array(completions, (1,)):
        raise ArgumentValueError(
            name, f"must have the shape [n, T], not {[*completions.shape]}", value=completions
        )
    if not is_number_array(completions, (2, 3)):
        return as_list(completions, name, WANTED["completions"])
    return as_id_array(completions, Location(name))


def _as_ids(rows: Any, where: str | Location, id_options: dict[str, Any]) -> TokenIds:
    """Return rows as `TokenIds` with these token-id options; rows that are `TokenIds` already are unchanged."""
    return rows if isinstance(rows, TokenIds) else as_token_ids(rows, where, **id_options)


def reference_rows(value: Any, i: int) -> list[Any]:
    """Return the references of sample i as rows of ids.

    Args:
        value: A row of ids, a matrix of ids, or a list of several rows, in which None is a missing reference.
        i: The index of the sample, for errors.

    Raises:
        TypeError: The references are not ids.
        ValueError: There is no reference.
    """
    if not isinstance(value, (list, tuple)):
        if is_number_array(value, (1, 2)):
            return list(value) if value.ndim == 2 else [value]
        raise wrong_type(Location("references", (i,)), "token ids, since completions are token ids", value)
    # Only the first item decides between rows and ids: to check all ids would take longer than to count their n-grams.
    first = next((row for row in value if row is not None), None)
    if value and first is None:
        raise no_reference(value, "references", i)
    return list(value) if isinstance(first, (list, tuple)) or is_number_array(first, (1,)) else [value]


def count_unended(rows: Any, id_options: Mapping[str, Any]) -> int:
    """Return the number of truncated rows: rows in which no `eos_id` occurs.

    If an id is both `eos_id` and `pad_id`, its occurrences at the start of a row are padding. The number is 0 if `rows`
    are `TokenIds`, or if there is no `eos_id`.

    Args:
        rows: Rows of ids, or a matrix of ids.
        id_options: The token-id options, as `checked_id_options` returns them.
    """
    if id_options.get("eos_id") is None or isinstance(rows, TokenIds):
        return 0
    ends, pads = (
        ids if isinstance(ids, tuple) else (ids,) for ids in (id_options["eos_id"], id_options["pad_id"])
    )
    leading = () if {*ends}.isdisjoint(pads) else pads
    if not hasattr(rows, "ndim"):
        return sum([not _ends(row, ends, leading) for row in rows])
    import numpy as np

    # Compare with each id: for the few ids of an option, `numpy.isin` takes several times as long.
    are_ends = np.logical_or.reduce([rows == id_ for id_ in ends])
    if leading:
        is_token = np.logical_and.reduce([rows != id_ for id_ in leading])
        are_ends &= np.logical_or.accumulate(is_token, axis=-1)
    return int(np.count_nonzero(~are_ends.any(axis=-1)))


def _ends(row: Any, ends: tuple[int, ...], leading: tuple[int, ...]) -> bool:
    """Return whether a row contains one of the ids `ends` after any `leading` ids at its start.

    If `row` is not a row of ids, reading it later raises an error. Here, the result is False for None, and True for any
    other such value.
    """
    if row is None:
        return False
    if not isinstance(row, (list, tuple)):
        if not hasattr(row, "tolist"):
            return True
        row = row.tolist()
    if leading:
        first = next((t for t, id_ in enumerate(row) if id_ not in leading), len(row))
        row = row[first:]
    # Check the last id first, since in most rows it is one of `ends`.
    return bool(row) and (row[-1] in ends or any(end in row for end in ends))
