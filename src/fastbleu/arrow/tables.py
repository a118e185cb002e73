"""Read tables, select columns by name, and append columns."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import contextmanager

from ..errors import ArgumentError, ArgumentTypeError, ArgumentValueError, Location, describe, wrong_type
from ..inputs.arrow import is_arrow
from ..system.extras import imports_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, TypeAlias

    import pyarrow as pa

    #: The name of the column with a list of references in each row, or the names of the columns with one reference in
    #: each row.
    ReferenceNames: TypeAlias = str | list[str]

_EXPECTED = "a pyarrow RecordBatch or Table, or a table with __arrow_c_stream__"


class Table:
    """A table whose columns are selected by name.

    Args:
        table: A pyarrow RecordBatch or Table, or an object that exports Arrow data.
        argument: The name of the table in errors.

    Attributes:
        data: The table as a pyarrow RecordBatch if it was passed as one, else as a pyarrow Table.
        argument: The name of the table in errors.

    Raises:
        TypeError: `table` is not a table.
        ImportError: pyarrow is not installed.

    Example:
        >>> import pyarrow as pa
        >>> table = Table(pa.table({"mt": ["a b"], "ref": ["a c"]}), "batch")
        >>> table.get("hypothesis", "mt").to_pylist()
        ['a b']
    """

    __slots__ = ("argument", "data")

    def __init__(self, table: Any, argument: str) -> None:
        with imports_of("arrow", "fastbleu.arrow"):
            import pyarrow as pa
        self.argument = argument
        is_of_pyarrow = isinstance(table, (pa.RecordBatch, pa.Table))
        self.data = table if is_of_pyarrow else _reader(table, argument).read_all()

    @property
    def listed(self) -> str:
        """Return the names of all columns as text for errors."""
        return ", ".join(map(repr, self.data.schema.names)) or "(none)"

    def where(self, name: str) -> Location:
        """Return the location of a column for errors, such as batch['mt']."""
        return Location(self.argument)[name]

    def field(self, argument: str, name: Any) -> pa.Field:
        """Return the Arrow field of a column.

        Args:
            argument: The argument with which the caller passed `name`, for errors.
            name: The name of the column.

        Raises:
            TypeError: The name is not a str.
            ValueError: No column or several columns have that name.
        """
        if not isinstance(name, str):
            raise wrong_type(argument, "the name of a column", name)
        if self.data.schema.names.count(name) != 1:
            reason = f"names the column {name!r}, but {self.argument} has the columns {self.listed}"
            raise ArgumentValueError(argument, reason)
        return self.data.schema.field(name)

    def get(self, argument: str, name: Any) -> Any:
        """Return a column as a pyarrow Array or ChunkedArray. The arguments and errors are those of `field`."""
        return self.data.column(self.field(argument, name).name)

    def references(self, references: str | Sequence[str], hypothesis: str) -> tuple[Any, ReferenceNames]:
        """Find the columns of references.

        Args:
            references: The name of a column with a reference, or a list of references, in each row; or a list of names
                of columns that each have one reference in a row.
            hypothesis: The name of the column of hypotheses.

        Returns:
            A tuple (columns, names). A metric takes the columns as its argument `references`, and `naming` takes the
            names. If there is one column, with a list of references in each row, the tuple is this column and its name;
            otherwise it is a list of columns and a list of their names.

        Raises:
            TypeError: A name is not a str.
            ValueError: A column does not exist, or is named twice.
        """
        names = [references] if isinstance(references, str) else references
        if not isinstance(names, (list, tuple)):
            raise wrong_type("references", "the name of a column, or a list of names", references)
        if not names:
            raise ArgumentValueError("references", "is empty; name at least one column")
        columns = [self.get("references", name) for name in names]
        for i, name in enumerate(names):
            if name in names[:i]:
                raise ArgumentValueError("references", f"names the column {name!r} twice")
            if name == hypothesis:
                raise ArgumentValueError("references", f"names the column {name!r}, and so does hypothesis")
        of_hypotheses = self.get("hypothesis", hypothesis).type
        if isinstance(references, str) and _depth(columns[0].type) > _depth(of_hypotheses):
            return columns[0], references
        return columns, list(names)

    @contextmanager
    def naming(self, **names: ReferenceNames) -> Iterator[None]:
        """Convert errors about arguments of a metric to errors about the columns that were passed as the arguments.

        Args:
            names: For each argument, the name of its column, or a list of the names of its columns. With a list, the
                first index in the location of an error selects the column.
        """
        try:
            yield
        except ArgumentError as error:
            column, indices = names.get(error.argument), error.indices
            if column is None:
                raise
            if not isinstance(column, str) and indices:
                column, indices = column[indices[0]], indices[1:]
            if isinstance(column, str):
                raise error.at(self.where(column)[indices]) from None
            raise error.at(", ".join(str(self.where(name)) for name in column)) from None

    def append(self, argument: str, fields: Sequence[Any], columns: Sequence[Any]) -> Any:
        """Return the table with further columns. The table has the same type, and the data are not copied.

        Args:
            argument: The argument with which the caller chose the names of the new columns, for errors.
            fields: The Arrow fields of the new columns.
            columns: The values of the new columns, contiguous NumPy arrays.

        Raises:
            ValueError: The table already has a column with the name of a new one.
        """
        import pyarrow as pa

        for field in fields:
            if field.name in self.data.schema.names:
                has = f"but {self.argument} has a column {field.name!r} already"
                raise ArgumentValueError(argument, f"must name new columns, {has}; pass another {argument}=")
        schema = pa.schema([*self.data.schema, *fields], metadata=self.data.schema.metadata)
        return type(self.data).from_arrays([*self.data.columns, *map(pa.array, columns)], schema=schema)


def _depth(kind: pa.DataType) -> int:
    """Return the depth of nested lists in an Arrow type: 0 for strings, 1 for a list of strings."""
    # Only list types have a `value_field`.
    return 1 + _depth(kind.value_type) if hasattr(kind, "value_field") else 0


def check_str(argument: str, value: Any) -> str:
    """Check that the value of an argument is a str, and return the value.

    Raises:
        TypeError: The value has another type.
    """
    if not isinstance(value, str):
        raise wrong_type(argument, "a str", value)
    return value


def iterate(tables: Any, argument: str) -> Iterator[Table]:
    """Yield the record batches of one or several tables. Only one batch of a stream is in memory at a time.

    Args:
        tables: A table, a stream of record batches, or an iterable of tables and streams.
        argument: The name of `tables` in errors.

    Raises:
        TypeError: `tables` has another type.
    """
    if not is_arrow(tables) and isinstance(tables, Iterable) and not isinstance(tables, (str, bytes, dict)):
        for i, table in enumerate(tables):
            if not is_arrow(table):
                raise ArgumentTypeError(
                    argument, f"must hold tables, but {argument}[{i}] is {describe(table)}"
                )
            yield from iterate(table, f"{argument}[{i}]")
        return
    reader, table = _reader(tables, argument), None
    for batch in reader:
        table = Table(batch, argument)
        yield table
    if table is None:
        # If there are no batches, yield an empty table, because the caller reads the columns from its schema.
        yield Table(reader.schema.empty_table(), argument)


def _reader(table: Any, argument: str) -> pa.RecordBatchReader:
    """Return a reader of the record batches of a table.

    Raises:
        TypeError: `table` is not a table.
    """
    with imports_of("arrow", "fastbleu.arrow"):
        import pyarrow as pa
    if isinstance(table, pa.RecordBatchReader):
        return table
    if not is_arrow(table):
        raise ArgumentTypeError(
            argument, f"must be {_EXPECTED}, or an iterable of them, not {describe(table)}"
        )
    try:
        if hasattr(table, "__arrow_c_stream__"):
            return pa.RecordBatchReader.from_stream(table)
        batch = pa.record_batch(table)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        # The object exports an Arrow array that is not a table.
        reason = str(error).partition("\n")[0]
        raise ArgumentTypeError(
            argument, f"must be {_EXPECTED}, not {type(table).__name__}: {reason}"
        ) from None
    return pa.RecordBatchReader.from_batches(batch.schema, [batch])
