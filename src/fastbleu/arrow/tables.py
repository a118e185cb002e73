"""Tables: what a user holds as one, its columns by name, and the same table with more columns."""

from __future__ import annotations

from ..errors import ArgumentTypeError, ArgumentValueError, describe, wrong_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import ModuleType
    from typing import Any

_WHAT = "a pyarrow RecordBatch or Table, or a table with __arrow_c_stream__"

#: How objects hand over Arrow data.
_PROTOCOLS = ("__arrow_c_stream__", "__arrow_c_array__")


def import_pyarrow() -> ModuleType:
    """Import pyarrow when it is first needed.

    Raises:
        ImportError: It is not installed; the message names the extra that brings it.
    """
    try:
        import pyarrow.compute
    except ImportError as error:
        raise ImportError("fastbleu.arrow needs pyarrow: pip install fastbleu-metric[arrow]") from error
    module: ModuleType = pyarrow
    return module


def is_table(value: object) -> bool:
    """Whether a value is a pyarrow table or record batch, or hands over Arrow data."""
    return any(hasattr(value, protocol) for protocol in _PROTOCOLS)


class Columns:
    """The columns of a table, by name.

    Args:
        table: What a user holds as a table.
        argument: What errors call it.

    Attributes:
        held: A pyarrow RecordBatch if that was given, else a Table.
        argument: What errors call it.

    Raises:
        TypeError: It is no table.

    Example:
        >>> import pyarrow as pa
        >>> columns = Columns(pa.table({"mt": ["a b"], "ref": ["a c"]}), "batch")
        >>> columns.get("hypothesis", "mt").to_pylist(), columns.append(["n"], [pa.array([1])]).column_names
        (['a b'], ['mt', 'ref', 'n'])
    """

    __slots__ = ("argument", "held")

    def __init__(self, table: Any, argument: str) -> None:
        pyarrow = import_pyarrow()
        self.argument = argument
        if isinstance(table, (pyarrow.RecordBatch, pyarrow.Table)):
            self.held = table
        else:
            self.held = pyarrow.Table.from_batches(*_read(table, argument))

    def __len__(self) -> int:
        return int(self.held.num_rows)

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        names: list[str] = self.held.schema.names
        return names

    @property
    def listed(self) -> str:
        """The names of all columns, in words."""
        names = self.names
        return f"the column{'s'[: len(names) != 1]} {', '.join(map(repr, names))}" if names else "no columns"

    def get(self, argument: str, name: Any) -> Any:
        """The column that an argument names: a pyarrow Array, or a ChunkedArray of a Table.

        Raises:
            TypeError: The name is no str.
            ValueError: There is no column of that name, or there are several.
        """
        return self.held.column(self.place(argument, name))

    def place(self, argument: str, name: Any) -> int:
        """Where the column stands that an argument names; raises as `get`."""
        if not isinstance(name, str):
            raise wrong_type(argument, "the name of a column", name)
        found: list[int] = self.held.schema.get_all_field_indices(name)
        if not found:
            raise ArgumentValueError(
                argument, f"names the column {name!r}, but {self.argument} has {self.listed}"
            )
        if len(found) > 1:
            raise ArgumentValueError(
                argument, f"names the column {name!r}, but {self.argument} has {len(found)} of that name"
            )
        return found[0]

    def check_new(self, argument: str, names: Iterable[str]) -> None:
        """Check that there are no columns of these names yet.

        Args:
            argument: The argument that the names come from.
            names: The names of columns to be added.

        Raises:
            ValueError: There is one.
        """
        taken = set(self.names)
        for name in names:
            if name in taken:
                found = f"must name new columns, but {self.argument} has a column {name!r} already"
                raise ArgumentValueError(argument, f"{found}; pass another {argument}=")

    def append(self, fields: Sequence[Any], columns: Sequence[Any]) -> Any:
        """The table with more columns behind the others, of the kind that was given; its own are not copied.

        Args:
            fields: The fields of the new columns, or their names.
            columns: The columns, pyarrow Arrays.
        """
        pyarrow = import_pyarrow()
        new = [
            pyarrow.field(field, column.type) if isinstance(field, str) else field
            for field, column in zip(fields, columns, strict=True)
        ]
        schema = pyarrow.schema([*self.held.schema, *new], metadata=self.held.schema.metadata)
        return type(self.held).from_arrays([*self.held.columns, *columns], schema=schema)


def iterate(tables: Any, argument: str) -> Iterator[Columns]:
    """The record batches of a table, or of each of several tables, one after the other; a stream is not kept.

    Args:
        tables: A table, a stream of record batches, or an iterable of these.
        argument: What errors call it.

    Raises:
        TypeError: It is nothing of that.
    """
    pyarrow = import_pyarrow()
    if is_table(tables):
        if isinstance(tables, pyarrow.RecordBatch):
            yield Columns(tables, argument)
            return
        batches, schema = (
            (tables.to_batches(), tables.schema)
            if isinstance(tables, pyarrow.Table)
            else _read(tables, argument)
        )
        empty = True
        for batch in batches:
            empty = False
            yield Columns(batch, argument)
        if empty:
            # The schema says what there is none of.
            yield Columns(schema.empty_table(), argument)
        return
    if isinstance(tables, (str, bytes, dict)) or not hasattr(tables, "__iter__"):
        what = f"{_WHAT}, or an iterable of them"
        raise ArgumentTypeError(argument, f"must be {what}, not {describe(tables)}{_instead(tables)}")
    if hasattr(type(tables), "with_format"):
        raise ArgumentTypeError(argument, f"must be {_WHAT}, not {describe(tables)}{_instead(tables)}")
    for i, table in enumerate(tables):
        if not is_table(table):
            raise ArgumentTypeError(argument, f"must hold tables, but {argument}[{i}] is {describe(table)}")
        yield from iterate(table, f"{argument}[{i}]")


def _read(table: Any, argument: str) -> tuple[Any, Any]:
    """The record batches of a table of another library, and their schema."""
    pyarrow = import_pyarrow()
    if not is_table(table):
        raise ArgumentTypeError(argument, f"must be {_WHAT}, not {describe(table)}{_instead(table)}")
    try:
        if isinstance(table, pyarrow.RecordBatchReader):
            reader = table
        elif hasattr(table, "__arrow_c_stream__"):
            reader = pyarrow.RecordBatchReader.from_stream(table)
        else:
            batch = pyarrow.record_batch(table)
            return [batch], batch.schema
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError) as error:
        # A column is no table.
        reason = str(error).partition("\n")[0]
        raise ArgumentTypeError(argument, f"must be {_WHAT}, not {type(table).__name__}: {reason}") from None
    return reader, reader.schema


def _instead(value: Any) -> str:
    """What to pass instead of something that is no table but holds some: the end of a message."""
    kind = type(value)
    if isinstance(value, dict) and hasattr(kind, "with_format"):
        return "; take one of its splits"
    if hasattr(kind, "with_format"):  # of datasets
        if hasattr(kind, "__getitem__"):
            return '; pass dataset.with_format("arrow")[:]'
        return '; pass each table of dataset.with_format("arrow").iter(batch_size=1000)'
    if hasattr(kind, "collect_schema") and hasattr(kind, "collect"):  # of polars
        return "; pass what .collect() returns"
    if isinstance(value, (list, tuple)) or hasattr(kind, "__next__"):
        return "; call this function once for each batch"
    return ""
