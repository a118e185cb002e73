"""Sum columns of statistics over all rows or over groups, and score the sums."""

from __future__ import annotations

from ..counting.row_sums import sum_rows
from ..errors import ArgumentTypeError, ArgumentValueError, suggests_options, wrong_type
from ..options import check_integer
from .count_columns import CountColumns
from .tables import check_str, iterate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import pyarrow as pa

    from ..metric import BLEU
    from ..metric.chrf import CHRF


@suggests_options
def total(
    counted: Any,
    metric: BLEU | CHRF | None = None,
    prefix: str = "bleu_",
    *,
    num_references: int | None = None,
) -> Any:
    """Compute the corpus score of all rows from their statistics.

    The score equals that of `corpus_score` for the same segments, however the rows are divided into batches. The sums
    are Python integers, so they cannot overflow.

    Args:
        counted: The result of `statistics`, or sums of its rows that an engine has computed: a table, a stream of
            record batches, or an iterable of tables, with n >= 1 rows in total. The columns may be integers or decimals
            of any width.
        metric: A `BLEU` or `CHRF`. If it is None, the metric and its options are read from the metadata of the columns.
            If an engine has dropped the metadata, the names of the columns determine the metric and its orders, and all
            other options are the defaults.
        prefix: The prefix of the names of the columns.
        num_references: The number of references of each segment, for the signature; -1 if it differs between segments.
            None for the number in the metadata, which is 1 if `statistics` was called with one column that has one
            reference in each row. If the number is unknown, the score has no signature.

    Returns:
        A `BLEUScore` or a `CHRFScore`, whose score is in 0..100.

    Raises:
        TypeError: `counted` is not a table, or a column does not contain integers.
        ValueError: There are no rows; a column is missing; a count is null, negative, or larger than possible; the
            options in the metadata differ between tables, or from the options of `metric`; `metric` is None and only
            some tables have metadata; or `num_references` differs from the number in the metadata.
        ImportError: pyarrow is not installed.

    Example:
        >>> import pyarrow as pa
        >>> from fastbleu.arrow import statistics
        >>> batch = pa.record_batch({"mt": ["A dog barks.", "Rain!"], "ref": ["A dog barks.", "Rain?"]})
        >>> score = total(statistics(batch, "mt", "ref"))
        >>> score.counts, str(score.signature).rpartition("|")[0]
        ([5, 3, 2, 1], 'nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0')
    """
    count_columns = CountColumns(prefix)
    sums: list[list[int]] = []
    for table in iterate(counted, "counted"):
        rows = count_columns.read(table)
        if len(rows):
            sums.append(sum_rows(rows))
    if not sums:
        raise ArgumentValueError("counted", "has no rows; a corpus score needs at least one segment")
    options = count_columns.options(metric)
    known = options.num_references
    number = known if num_references is None else check_integer("num_references", num_references, -1)
    if known not in (None, number):
        reason = f"is {number}, but the statistics were counted with {known}"
        raise ArgumentValueError("num_references", reason)
    return options.score([sum(column) for column in zip(*sums, strict=True)], number)


@suggests_options
def total_by(
    counted: Any,
    by: str | Sequence[str],
    metric: BLEU | CHRF | None = None,
    prefix: str = "bleu_",
    into: str = "bleu",
) -> Any:
    """Compute the corpus score of each group of rows from their statistics.

    Args:
        counted: As for `total`, but a table may have no rows.
        by: The name of the column that contains the group of each row, such as "system"; or a list of names: rows with
            equal values in all these columns then form a group. Null is treated as a value.
        metric: As for `total`.
        prefix: The prefix of the names of the columns of statistics.
        into: The name of the column of scores.

    Returns:
        A pyarrow `Table` with a row for each group, in the order in which the groups first occur. It has the columns of
        `by`, then the column of scores, float64, 0..100, then the sums of the columns of statistics, int64, under the
        same names.

    Raises:
        TypeError, ValueError, ImportError: As `total`; also if a column of `by` has a type that cannot be grouped.
        OverflowError: A sum might not fit int64; the message names the column.

    Example:
        >>> import pyarrow as pa
        >>> from fastbleu.arrow import statistics
        >>> table = pa.table({"system": ["a", "b", "a"], "mt": ["rain fell on us", "x", "a dog"],
        ...                   "ref": ["rain fell on us", "y", "the dog"]})
        >>> scored = total_by(statistics(table, "mt", "ref"), "system")
        >>> scored["system"].to_pylist(), scored["bleu"].to_numpy().round(2).tolist(), scored.column_names[2:4]
        (['a', 'b'], [88.91, 0.0], ['bleu_sys_len', 'bleu_ref_len'])
    """
    keys = [by] if isinstance(by, str) else by
    if not isinstance(keys, (list, tuple)) or not keys:
        raise wrong_type("by", "the name of a column, or a list of names", by)
    check_str("into", into)
    import pyarrow as pa

    count_columns = CountColumns(prefix)
    fields: list[pa.Field] = []
    parts: list[pa.Table] = []
    for table in iterate(counted, "counted"):
        rows = count_columns.read(table)
        table_fields = [table.field("by", key) for key in keys]
        fields = fields or table_fields
        for field, first in zip(table_fields, fields, strict=True):
            if field.type != first.type:
                has = f"has the type {field.type}, but {first.type} elsewhere"
                raise ArgumentTypeError(table.where(field.name), has)
        _check_names(keys, into, count_columns.names)
        columns = [*(_decoded(table.get("by", key)) for key in keys), *rows.T]
        parts.append(_sum_groups(pa.table(columns, names=[*keys, *count_columns.names]), keys))
    if not parts:
        raise ArgumentValueError("counted", "holds no table")
    sums = _sum_groups(pa.concat_tables(parts), keys)
    formula = count_columns.options(metric).metric().formula
    counts = sums.select(count_columns.names).to_pydict().values()
    scores = [formula.score(list(row)).score for row in zip(*counts, strict=True)]
    values = [sums[field.name].combine_chunks().cast(field.type) for field in fields]
    schema = pa.schema([*fields, pa.field(into, pa.float64()), *count_columns.fields()])
    columns = [*values, pa.array(scores, pa.float64()), *sums.select(count_columns.names).columns]
    return pa.Table.from_arrays(columns, schema=schema)


def _check_names(keys: Sequence[str], into: str, counts: list[str]) -> None:
    """Check that all columns of the result of `total_by` have different names.

    Args:
        keys: The names of the columns of groups.
        into: The name of the column of scores.
        counts: The names of the columns of statistics.

    Raises:
        ValueError: Two columns have the same name.
    """
    for argument, named, others in (("by", keys, counts), ("into", [into], [*keys, *counts])):
        for i, name in enumerate(named):
            if name in others or name in named[:i]:
                reason = f"names {name!r}, but the result has another column of that name"
                raise ArgumentValueError(argument, reason)


def _decoded(column: Any) -> Any:
    """Decode a dictionary-encoded column, because batches may have different dictionaries; keep other columns."""
    import pyarrow as pa

    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _sum_groups(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Sum the counts of each group. The groups are in the order in which they first occur.

    Args:
        table: A table with the columns of groups, followed by columns of counts, int64 >= 0.
        keys: The names of the columns of groups.

    Raises:
        TypeError: A column has a type that cannot be grouped.
        OverflowError: A sum might not fit int64; the message names the column.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    names = table.column_names
    counts = names[len(keys) :]
    for name in counts:
        largest = pc.max(table[name]).as_py() or 0
        if largest * len(table) >= 2**63:
            raise OverflowError(
                f"{name}: the sum of {len(table)} counts of up to {largest} might not fit int64"
            )
    try:
        # Use one thread, because the order of the groups would vary otherwise.
        grouped = table.group_by(keys, use_threads=False).aggregate([(name, "sum") for name in counts])
    except pa.ArrowNotImplementedError:
        types = ", ".join(f"{name!r} has {table.schema.field(name).type}" for name in keys)
        raise ArgumentTypeError("by", f"names a column that cannot be grouped by: {types}") from None
    return grouped.select([*keys, *(f"{name}_sum" for name in counts)]).rename_columns(names)
