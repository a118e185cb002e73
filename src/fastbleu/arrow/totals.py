"""Sums of statistics that stand in columns, and their scores: of all rows, or of each group."""

from __future__ import annotations

from operator import add

from ..counting.totals import sum_rows
from ..errors import ArgumentTypeError, ArgumentValueError, wrong_type
from ..options import check_integer
from .count_columns import CountColumns
from .tables import check_str, iterate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import pyarrow as pa
    from numpy import float64, int64
    from numpy.typing import NDArray

    from ..metric import BLEU
    from ..metric.chrf import CHRF
    from ..scoring.chrf import CHRFFormula
    from ..scoring.formula import Formula
    from .tables import Table

#: Up to here integers are float64, too, and the compiled formula scores many rows at once.
_LARGEST_EXACT = 2**53

#: Sums of this many batches are added up before more are read.
_MOST_HELD = 64

#: Sums up to this size are made in 64 bits.
_MOST_SUMMED = 2**62


def total(
    counted: Any,
    metric: BLEU | CHRF | None = None,
    prefix: str = "bleu_",
    *,
    num_references: int | None = None,
) -> Any:
    """Score all rows together, from their statistics.

    Sums are Python's integers, so nothing overflows, and the score is that of `corpus_score` over the same
    segments, for any batches in any order.

    Args:
        counted: What `statistics` returns, n >= 1 rows, or sums of it that an engine has made under the same names: a
            table, a stream of record batches, or an iterable of tables. Integers of any width, also as decimals.
        metric: A BLEU or a CHRF; None: what the columns' metadata say, or, where an engine has dropped the metadata,
            the defaults of BLEU or of CHRF, by the columns' names, for as many orders as there are.
        prefix: What the names of the columns begin with.
        num_references: How many references each segment had, for the signature, -1 if segments differ in it. None: as
            the metadata say, which is 1 for references in one column of strings; else the score has no signature.

    Returns:
        The score, 0..100, a `BLEUScore` or a `CHRFScore`.

    Raises:
        TypeError: `counted` is not a table, or a column does not hold integers.
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
    found = CountColumns(prefix)
    row: list[int] = []
    for table in iterate(counted, "counted"):
        counts = found.read(table)
        if len(table):
            sums = [sum_rows(count[:, None])[0] for count in counts]
            row = list(map(add, row, sums)) if row else sums
    if not row:
        raise ArgumentValueError("counted", "has no rows; a corpus score needs at least one segment")
    options = found.options(metric)
    known = options.num_references
    number = known if num_references is None else check_integer("num_references", num_references, -1)
    if known not in (None, number):
        raise ArgumentValueError(
            "num_references", f"is {number}, but the statistics were counted with {known}"
        )
    return options.score(row, number)


def total_by(
    counted: Any,
    by: str | Sequence[str],
    metric: BLEU | CHRF | None = None,
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
    keys = [by] if isinstance(by, str) else by
    if not isinstance(keys, (list, tuple)) or not keys:
        raise wrong_type("by", "the name of a column, or a list of names", by)
    check_str("into", into)
    found = CountColumns(prefix)
    groups = _Groups(keys)
    for table in iterate(counted, "counted"):
        groups.add(table, found.read(table))
    if not found.names:
        raise ArgumentValueError("counted", "holds no table")
    for argument, named, others in (("by", keys, found.names), ("into", [into], [*keys, *found.names])):
        for i, name in enumerate(named):
            if name in others or name in named[:i]:
                raise ArgumentValueError(
                    argument, f"names {name!r}, but the result has another column of that name"
                )
    import pyarrow as pa

    values, sums = groups.sums(found.names)
    scores = _score_rows(found.options(metric).formula(), [column.to_numpy() for column in sums])
    fields = [*groups.fields, pa.field(into, pa.float64()), *found.fields()]
    return pa.Table.from_arrays([*values, pa.array(scores), *sums], schema=pa.schema(fields))


class _Groups:
    """Groups by the values of some columns, and the sums of counts.

    Args:
        keys: The names of the columns to group by.

    Attributes:
        fields: The fields of these columns, once a table has been added.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = keys
        self._held: list[pa.Table] = []
        self.fields: list[pa.Field] = []

    def add(self, table: Table, counts: list[NDArray[int64]]) -> None:
        """Add a table.

        Args:
            table: The table.
            counts: What to sum, int64 [n] each, not negative; the same number of them for all tables.

        Raises:
            TypeError: A column cannot be grouped by, or has another type than before.
            ValueError: There is no column of that name.
        """
        import pyarrow as pa

        fields = [table.field("by", key) for key in self._keys]
        self.fields = self.fields or fields
        for field, first in zip(fields, self.fields, strict=True):
            if field.type != first.type:
                raise ArgumentTypeError(
                    table.place(field.name), f"has the type {field.type}, but {first.type} elsewhere"
                )
        # Dictionaries of several batches differ.
        keys = [
            key.cast(key.type.value_type) if pa.types.is_dictionary(key.type) else key
            for key in (table.get("by", name) for name in self._keys)
        ]
        columns = [*keys, *counts]
        try:
            self._held.append(self._summed(pa.table(columns, names=list(map(str, range(len(columns)))))))
        except pa.ArrowNotImplementedError:
            types = ", ".join(f"{field.name!r} has {field.type}" for field in fields)
            raise ArgumentTypeError("by", f"names a column that cannot be grouped by: {types}") from None
        if len(self._held) == _MOST_HELD:
            self._held = [self._summed(pa.concat_tables(self._held, promote_options="permissive"))]

    def _summed(self, table: pa.Table) -> pa.Table:
        """The sums of each group of a table, under its columns' names; as decimals where they may exceed 64 bits."""
        import pyarrow as pa
        import pyarrow.compute as pc

        keys, counts = table.column_names[: len(self._keys)], table.column_names[len(self._keys) :]
        most = max((pc.max(table[name]).as_py() or 0 for name in counts), default=0)
        if most * len(table) > _MOST_SUMMED:
            wide = [table[name].cast(pa.decimal128(38, 0)) for name in counts]
            table = pa.table([*(table[name] for name in keys), *wide], names=table.column_names)
        # In one thread the groups keep their order.
        grouped = table.group_by(keys, use_threads=False).aggregate([(name, "sum") for name in counts])
        return pa.table(
            [grouped[name] for name in (*keys, *(f"{name}_sum" for name in counts))], names=table.column_names
        )

    def sums(self, names: list[str]) -> tuple[list[pa.Array], list[pa.Array]]:
        """The values of the columns to group by, in the order in which groups first appeared, and the sums, int64.

        Args:
            names: What errors call the sums.

        Raises:
            OverflowError: A sum does not fit int64.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        found = self._summed(pa.concat_tables(self._held, promote_options="permissive"))
        columns = [column.combine_chunks() for column in found.columns]
        values = [column.cast(field.type) for column, field in zip(columns, self.fields, strict=False)]
        for name, column in zip(names, columns[len(values) :], strict=True):
            largest = pc.max(column).as_py() or 0
            if largest >= 2**63:
                raise OverflowError(f"{name} of a group adds up to {largest}, which does not fit int64")
        return values, [column.cast(pa.int64()) for column in columns[len(values) :]]


def _score_rows(formula: Formula | CHRFFormula, counts: list[NDArray[int64]]) -> NDArray[float64]:
    """The score of each group, float64 [groups]."""
    import numpy as np

    rows = np.column_stack(counts)
    if not rows.size or rows.max() < _LARGEST_EXACT:
        return formula.score_rows(rows)
    return np.array([formula.score(row).score for row in rows.tolist()])
