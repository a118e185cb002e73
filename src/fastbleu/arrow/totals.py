"""Sums of statistics that stand in columns, and their scores: of all rows, or of each group."""

from __future__ import annotations

from operator import add

from ..counting.totals import sum_rows
from ..errors import ArgumentTypeError, ArgumentValueError, Place, wrong_type
from .fields import Statistics, check_prefix
from .groups import Groups
from .segments import check_no_null
from .tables import Columns, import_pyarrow, iterate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import NDArray

    from ..metric import BLEU
    from ..scoring.formula import Formula
    from ..scoring.score import BLEUScore

#: Up to here integers are float64, too, and the compiled formula scores many rows at once.
_LARGEST_EXACT = 2**53


def total(
    counted: Any, metric: BLEU | None = None, prefix: str = "bleu_", *, num_references: int | None = None
) -> BLEUScore:
    """Score all rows together, from their statistics.

    Sums are Python's integers, so nothing overflows, and the score is that of `BLEU.corpus_score` over the same
    segments, for any batches in any order.

    Args:
        counted: What `statistics` returns, n >= 1 rows, or sums of it that an engine has made under the same names: a
            table, a stream of record batches, or an iterable of tables. Integers of any width, also as decimals.
        metric: The options; None: those that the columns' metadata say, or `BLEU()` for as many orders as there are
            where an engine has dropped the metadata.
        prefix: What the names of the columns begin with.
        num_references: How many references each segment had, for the signature, -1 if segments differ in it. None: as
            the metadata say, which is 1 for references in one column of strings; else the score has no signature.

    Returns:
        The score, 0..100.

    Raises:
        TypeError: `counted` is no table, or a column holds no integers.
        ValueError: A column is missing; there are no rows; something is null, negative, or has more matches than
            candidates; columns were counted with other options than others, or than those of `metric`; some tables
            have metadata and others have none, and `metric` is None; `num_references` is not what the metadata say.
        ImportError: pyarrow is not installed.

    Example:
        >>> import pyarrow as pa
        >>> from fastbleu.arrow import statistics
        >>> batch = pa.record_batch({"mt": ["A dog barks.", "Rain!"], "ref": ["A dog barks.", "Rain?"]})
        >>> score = total(statistics(batch, "mt", "ref"))
        >>> score.counts, str(score.signature).rpartition("|")[0]
        ([5, 3, 2, 1], 'nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0')
    """
    found = Statistics(check_prefix(prefix))
    row: list[int] = []
    for columns in iterate(counted, "counted"):
        counts = _read(columns, found.names_in(columns))
        if len(columns):
            sums = [sum_rows(count[:, None])[0] for count in counts]
            row = list(map(add, row, sums)) if row else sums
    if not row:
        raise ArgumentValueError("counted", "has no rows; a corpus score needs at least one segment")
    return found.scorer(metric, num_references).score(row)


def total_by(
    counted: Any,
    by: str | Sequence[str],
    metric: BLEU | None = None,
    prefix: str = "bleu_",
    into: str = "bleu",
) -> Any:
    """Score the rows of each group together, from their statistics.

    Args:
        counted: As for `total`; n may be 0 for a table.
        by: The column that says which group a row belongs to, such as "system", or a list of columns. Null is a value
            like any other.
        metric: As for `total`.
        prefix: What the names of the columns of statistics begin with.
        into: The name of the column of scores.

    Returns:
        A pyarrow `Table` with a row for each group, in the order in which the groups first appear: the columns `by`,
        the score, float64, 0..100, and the sums of the statistics, int64, under their names.

    Raises:
        TypeError, ValueError, ImportError: As `total`; or a column cannot be grouped by.
        OverflowError: A sum does not fit int64; says which.

    Example:
        >>> import pyarrow as pa
        >>> from fastbleu.arrow import statistics
        >>> table = pa.table({"system": ["a", "b", "a"], "mt": ["rain fell on us", "x", "a dog"],
        ...                   "ref": ["rain fell on us", "y", "the dog"]})
        >>> found = total_by(statistics(table, "mt", "ref"), "system")
        >>> found["system"].to_pylist(), found["bleu"].to_numpy().round(2).tolist(), found.column_names[2:4]
        (['a', 'b'], [88.91, 0.0], ['bleu_sys_len', 'bleu_ref_len'])
    """
    pyarrow = import_pyarrow()
    keys = [by] if isinstance(by, str) else by
    if not isinstance(keys, (list, tuple)) or not keys:
        raise wrong_type("by", "the name of a column, or a list of names", by)
    if not isinstance(into, str):
        raise wrong_type("into", "a str", into)
    found = Statistics(check_prefix(prefix))
    groups = Groups(keys)
    for columns in iterate(counted, "counted"):
        names = found.names_in(columns)
        groups.add(columns, dict(zip(names, _read(columns, names), strict=True)))
    if not found.names:
        raise ArgumentValueError("counted", "holds no table")
    for argument, named, others in (("by", keys, found.names), ("into", [into], [*keys, *found.names])):
        for i, name in enumerate(named):
            if name in others or name in named[:i]:
                raise ArgumentValueError(
                    argument, f"names {name!r}, but the result has another column of that name"
                )
    arrays = groups.sums()
    counts = [array.to_numpy() for array in arrays[len(keys) :]]
    scores = _score_rows(found.scorer(metric).formula, counts)
    arrays.insert(len(keys), pyarrow.array(scores))
    fields = [*groups.fields, pyarrow.field(into, pyarrow.float64()), *found.fields()]
    return pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields))


def _read(columns: Columns, names: list[str]) -> list[NDArray[int64]]:
    """The statistics of a record batch, checked: 2 + 2N int64 [n].

    Raises:
        TypeError, ValueError: As `total`.
    """
    pyarrow = import_pyarrow()
    counts = []
    for name in names:
        column, where = columns.get("prefix", name), Place(columns.argument)[name]
        kind = column.type
        if not (pyarrow.types.is_integer(kind) or (pyarrow.types.is_decimal(kind) and kind.scale == 0)):
            raise ArgumentTypeError(where, f"must be a column of integers, not of {kind}")
        check_no_null(column, where, "a count")
        try:
            count = column.cast(pyarrow.int64()).to_numpy()
        except pyarrow.ArrowInvalid:
            i, number = next((i, n) for i, n in enumerate(column.to_pylist()) if not -(2**63) <= n < 2**63)
            raise ArgumentValueError(where[i], f"is {number}, which does not fit int64") from None
        if len(count) and count.min() < 0:
            i = int(count.argmin())
            raise ArgumentValueError(where[i], f"must not be negative, got {count[i]}")
        counts.append(count)
    order = len(counts) // 2 - 1
    for n in range(2, 2 + order):
        excess = counts[n] > counts[n + order]
        if excess.any():
            i = int(excess.argmax())
            raise ArgumentValueError(
                Place(columns.argument)[names[n], i],
                f"is {counts[n][i]}, more than the {counts[n + order][i]} in {names[n + order]!r}",
            )
    return counts


def _score_rows(formula: Formula, counts: list[NDArray[int64]]) -> NDArray[float64]:
    """The score of each group, float64 [groups]."""
    import numpy as np

    rows = np.column_stack(counts)
    if not rows.size or rows.max() < _LARGEST_EXACT:
        return formula.score_rows(rows)
    return np.array([formula.score(row).score for row in rows.tolist()])
