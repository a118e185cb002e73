"""Tables: what a user holds as one, its columns by name, and the same table with more columns."""

from __future__ import annotations

from contextlib import contextmanager

from ..errors import ArgumentError, ArgumentTypeError, ArgumentValueError, Place, describe, wrong_type
from ..inputs.arrow import is_arrow
from ..inputs.pyarrow_columns import import_pyarrow, is_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, TypeAlias

    import pyarrow as pa

    #: The column with a list of references in each row, or the columns with one reference each.
    ReferenceNames: TypeAlias = str | list[str]

#: What to pass instead of a value that holds tables, by an attribute of its type: those of datasets, polars, and lists.
_INSTEAD = {
    "with_format": '; pass dataset.with_format("arrow")[:] of one split, or each table of its .iter(batch_size=1000)',
    "collect_schema": "; pass what .collect() returns",
    "append": "; call this function once for each batch",
    "__next__": "; call this function once for each batch",
}

_WHAT = "a pyarrow RecordBatch or Table, or a table with __arrow_c_stream__"


class Table:
    """A table, with its columns by name.

    Args:
        table: A pyarrow RecordBatch or Table, or an object that hands over Arrow data.
        argument: What errors call it.

    Attributes:
        held: The RecordBatch that was given, else a pyarrow Table.
        argument: What errors call it.

    Raises:
        TypeError: It is not a table.
        ImportError: pyarrow is not installed.

    Example:
        >>> import pyarrow as pa
        >>> table = Table(pa.table({"mt": ["a b"], "ref": ["a c"]}), "batch")
        >>> table.get("hypothesis", "mt").to_pylist(), table.append(["n"], [pa.array([1])]).column_names
        (['a b'], ['mt', 'ref', 'n'])
    """

    __slots__ = ("argument", "held")

    def __init__(self, table: Any, argument: str) -> None:
        pa = import_pyarrow("fastbleu.arrow")
        self.argument = argument
        self.held = (
            table if isinstance(table, (pa.RecordBatch, pa.Table)) else _reader(table, argument).read_all()
        )

    def __len__(self) -> int:
        return int(self.held.num_rows)

    @property
    def listed(self) -> str:
        """The names of all columns, in words."""
        names = self.held.schema.names
        return f"the column{'s'[: len(names) != 1]} {', '.join(map(repr, names))}" if names else "no columns"

    def place(self, name: str) -> Place:
        """The place of a column, as errors name it."""
        return Place(self.argument)[name]

    def field(self, argument: str, name: Any) -> pa.Field:
        """The field of the column that an argument names.

        Raises:
            TypeError: The name is not a str.
            ValueError: There is no column of that name, or there are several.
        """
        return self.held.schema.field(self._index(argument, name))

    def get(self, argument: str, name: Any) -> Any:
        """The column that an argument names: a pyarrow Array, or a ChunkedArray of a Table; raises as `field`."""
        return self.held.column(self._index(argument, name))

    def _index(self, argument: str, name: Any) -> int:
        if not isinstance(name, str):
            raise wrong_type(argument, "the name of a column", name)
        found: list[int] = self.held.schema.get_all_field_indices(name)
        if len(found) != 1:
            has = f"{len(found)} of that name" if found else self.listed
            raise ArgumentValueError(argument, f"names the column {name!r}, but {self.argument} has {has}")
        return found[0]

    def references(
        self, references: str | Sequence[str], beside: tuple[str, str], lists: int
    ) -> tuple[Any, ReferenceNames]:
        """The columns of references.

        Args:
            references: The name of a column with one reference in each row, or with a list of them; or a list of names
                of columns with one reference each.
            beside: The argument that names the column that they are references of, and that name.
            lists: How many lists there are around the text or the integers of one reference.

        Returns:
            The references as a metric takes them, and the names as `naming` takes them: both a single one where each
            row has a list of references, else lists.

        Raises:
            TypeError: A name is not a str.
            ValueError: There is no column of a name; or one is named twice.
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
            if name == beside[1]:
                raise ArgumentValueError("references", f"names the column {name!r}, and so does {beside[0]}")
        if isinstance(references, str) and depth(columns[0].type) > lists:
            return columns[0], references
        return columns, list(names)

    @contextmanager
    def naming(self, **names: ReferenceNames | None) -> Iterator[None]:
        """Let errors about an argument name its column, or that one of its columns which the first index says."""
        try:
            yield
        except ArgumentError as error:
            found, indices = names.get(error.argument), error.indices
            if found is None:
                raise
            if not isinstance(found, str) and indices:
                found, indices = found[indices[0]], indices[1:]
            if isinstance(found, str):
                raise error.at(self.place(found)[indices]) from None
            raise error.at(", ".join(str(self.place(name)) for name in found)) from None

    def check_new(self, argument: str, names: Iterable[str]) -> None:
        """Check that there are no columns of these names yet.

        Args:
            argument: The argument that the names come from.
            names: The names of columns to be added.

        Raises:
            ValueError: There is one.
        """
        taken = set(self.held.schema.names)
        for name in names:
            if name in taken:
                found = f"must name new columns, but {self.argument} has a column {name!r} already"
                raise ArgumentValueError(argument, f"{found}; pass another {argument}=")

    def append(self, fields: Sequence[Any], columns: Sequence[Any]) -> Any:
        """The table with more columns after its own, of the kind that was given; its own are not copied.

        Args:
            fields: The fields of the new columns, or their names.
            columns: The columns: pyarrow Arrays, or contiguous arrays of numbers, which are not copied.
        """
        import pyarrow as pa

        arrays = [
            column if isinstance(column, (pa.Array, pa.ChunkedArray)) else pa.array(column)
            for column in columns
        ]
        new = [
            pa.field(field, array.type) if isinstance(field, str) else field
            for field, array in zip(fields, arrays, strict=True)
        ]
        schema = pa.schema([*self.held.schema, *new], metadata=self.held.schema.metadata)
        return type(self.held).from_arrays([*self.held.columns, *arrays], schema=schema)


def depth(kind: pa.DataType) -> int:
    """Count the lists that a type has around its values.

    Example:
        >>> import pyarrow as pa
        >>> depth(pa.string()), depth(pa.list_(pa.large_list(pa.int64())))
        (0, 2)
    """
    return 1 + depth(kind.value_type) if is_list(kind) else 0


def check_str(argument: str, value: Any) -> str:
    """Check an argument that is a str.

    Raises:
        TypeError: It is not.
    """
    if not isinstance(value, str):
        raise wrong_type(argument, "a str", value)
    return value


def iterate(tables: Any, argument: str) -> Iterator[Table]:
    """The record batches of a table, or of each of several tables, one after the other; a stream is not kept.

    Args:
        tables: A table, a stream of record batches, or an iterable of these.
        argument: What errors call it.

    Raises:
        TypeError: It is none of them.
    """
    if is_arrow(tables):
        reader = _reader(tables, argument)
        table = None
        for batch in reader:
            yield (table := Table(batch, argument))
        if table is None:
            # Without a row, the schema still says which columns there are.
            yield Table(reader.schema.empty_table(), argument)
        return
    is_dataset = hasattr(type(tables), "with_format")
    if is_dataset or isinstance(tables, (str, bytes, dict)) or not hasattr(tables, "__iter__"):
        raise _no_table(tables, argument, "" if is_dataset else ", or an iterable of them")
    for i, table in enumerate(tables):
        if not is_arrow(table):
            raise ArgumentTypeError(argument, f"must hold tables, but {argument}[{i}] is {describe(table)}")
        yield from iterate(table, f"{argument}[{i}]")


def _reader(table: Any, argument: str) -> pa.RecordBatchReader:
    """The record batches of a table of any library."""
    if not is_arrow(table):
        raise _no_table(table, argument)
    pa = import_pyarrow("fastbleu.arrow")
    try:
        if isinstance(table, pa.RecordBatchReader):
            return table
        if hasattr(table, "__arrow_c_stream__"):
            return pa.RecordBatchReader.from_stream(table)
        batch = pa.record_batch(table)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        # A column is not a table.
        reason = str(error).partition("\n")[0]
        raise ArgumentTypeError(argument, f"must be {_WHAT}, not {type(table).__name__}: {reason}") from None
    return pa.RecordBatchReader.from_batches(batch.schema, [batch])


def _no_table(value: Any, argument: str, more: str = "") -> ArgumentTypeError:
    """The error for a value that is not a table; says what to pass instead if it holds some."""
    names = (name for name in _INSTEAD if hasattr(type(value), name))
    instead = "".join(_INSTEAD[name] for name in list(names)[:1])
    return ArgumentTypeError(argument, f"must be {_WHAT}{more}, not {describe(value)}{instead}")
