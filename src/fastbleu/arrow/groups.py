"""Sums of integers by group, of one record batch after the other, without overflow."""

from __future__ import annotations

from ..errors import ArgumentTypeError, Place
from .tables import import_pyarrow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy import int64
    from numpy.typing import NDArray

    from .tables import Columns

#: Sums of this many batches are added up before more are read.
_MOST_HELD = 64

#: Sums up to this size are made in 64 bits.
_MOST_SUMMED = 2**62

_LARGEST_INT64 = 2**63 - 1


class Groups:
    """Groups by the values of some columns, and the sums of others.

    Args:
        keys: The names of the columns to group by.

    Attributes:
        fields: The fields of these columns, once a batch is known.

    Example:
        >>> import pyarrow as pa
        >>> import numpy as np
        >>> from fastbleu.arrow.tables import Columns
        >>> groups = Groups(["system"])
        >>> groups.add(Columns(pa.table({"system": ["b", "a", "b"]}), "counted"), {"n": np.array([1, 2, 3])})
        >>> [column.to_pylist() for column in groups.sums()]
        [['b', 'a'], [4, 2]]
    """

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = keys
        self._held: list[Any] = []
        self._names: list[str] = []
        self.fields: list[Any] = []

    def add(self, columns: Columns, counts: dict[str, NDArray[int64]]) -> None:
        """Add a batch.

        Args:
            columns: The batch.
            counts: What to sum by name, int64 [n] each, not negative; the same names for all batches.

        Raises:
            TypeError: A column cannot be grouped by, or has another type than before.
            ValueError: There is no column of that name.
            OverflowError: A sum does not fit int64.
        """
        pyarrow = import_pyarrow()
        fields = [columns.held.schema.field(columns.place("by", key)) for key in self._keys]
        self.fields = self.fields or fields
        for field, first in zip(fields, self.fields, strict=True):
            if field.type != first.type:
                raise ArgumentTypeError(
                    Place(columns.argument)[field.name],
                    f"has the type {field.type}, but {first.type} elsewhere",
                )
        self._names = list(counts)
        keys = [_decoded(columns.get("by", key)) for key in self._keys]
        named = {f"key {i}": key for i, key in enumerate(keys)}
        table = pyarrow.table({**named, **{f"count {k}": count for k, count in enumerate(counts.values())}})
        try:
            self._held.append(self._summed(table))
        except pyarrow.ArrowNotImplementedError:
            types = ", ".join(f"{field.name!r} has {field.type}" for field in fields)
            raise ArgumentTypeError("by", f"names a column that cannot be grouped by: {types}") from None
        if len(self._held) == _MOST_HELD:
            self._add_up()

    def sums(self) -> list[Any]:
        """The values of the columns to group by, in the order in which groups first appeared, and the sums."""
        self._add_up()
        columns = [column.combine_chunks() for column in self._held[0].columns]
        for k, field in enumerate(self.fields):
            columns[k] = columns[k].cast(field.type)
        return columns

    def _add_up(self) -> None:
        self._held = [self._summed(import_pyarrow().concat_tables(self._held))]

    def _summed(self, table: Any) -> Any:
        """The sums of each group of a table, under its columns' names."""
        pyarrow = import_pyarrow()
        keys, counts = table.column_names[: len(self._keys)], table.column_names[len(self._keys) :]
        most = max((pyarrow.compute.max(table[name]).as_py() or 0 for name in counts), default=0)
        if most * len(table) <= _MOST_SUMMED:
            # In one thread the groups keep their order.
            grouped = table.group_by(keys, use_threads=False).aggregate([(name, "sum") for name in counts])
            columns = [grouped[name] for name in (*keys, *(f"{name}_sum" for name in counts))]
            return pyarrow.table(columns, names=table.column_names)
        return self._summed_in_halves(table)

    def _summed_in_halves(self, table: Any) -> Any:
        """The same where sums may exceed 64 bits: the upper and the lower 32 bits of counts are summed apart."""
        pyarrow = import_pyarrow()
        keys, counts = table.column_names[: len(self._keys)], table.column_names[len(self._keys) :]
        halves = {name: table[name] for name in keys}
        for name in counts:
            halves[f"{name} high"] = pyarrow.compute.shift_right(table[name], 32)
            halves[f"{name} low"] = pyarrow.compute.bit_wise_and(table[name], 2**32 - 1)
        summed = self._summed(pyarrow.table(halves))
        columns = [summed[name] for name in keys]
        for k, name in enumerate(counts):
            high, low = (summed[f"{name} {half}"].to_pylist() for half in ("high", "low"))
            sums = [(a << 32) + b for a, b in zip(high, low, strict=True)]
            for i, number in enumerate(sums):
                if number > _LARGEST_INT64:
                    group = ", ".join(
                        f"{key}={summed[label][i].as_py()!r}"
                        for key, label in zip(self._keys, keys, strict=True)
                    )
                    raise OverflowError(
                        f"{self._names[k]} of {group} adds up to {number}, which does not fit int64"
                    )
            columns.append(pyarrow.array(sums, pyarrow.int64()))
        return pyarrow.table(columns, names=table.column_names)


def _decoded(column: Any) -> Any:
    """A column without its dictionary: those of several batches differ."""
    kind = column.type
    return column.cast(kind.value_type) if import_pyarrow().types.is_dictionary(kind) else column
