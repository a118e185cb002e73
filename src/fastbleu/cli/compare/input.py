"""The input of ``fastbleu-compare``: text files, or columns of tables."""

from __future__ import annotations

from ...errors import counted
from ...inputs.pyarrow_columns import is_list
from ...inputs.table_files import TableFile
from ...inputs.text_files import read_lines
from ..common import UserError, check_lengths
from ..conflicts import refuse_tables
from ..table_rows import check_columns, read_rows, table_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any, TypeAlias

    import pyarrow as pa

    #: What `read_input` returns.
    Input: TypeAlias = tuple[dict[str, Any], Any, dict[str, Any]]

#: Characters of a value that a message shows.
_SHOWN = 40

#: What is known of each segment: the option, and the argument of `compare`.
LABELS = {"source": "sources", "document": "documents", "domain": "domains", "language": "languages"}


def read_input(options: Namespace) -> Input:
    """Read all files.

    Returns:
        The outputs of each system by its name; streams of references, or a column of lists with those of each segment;
        and what is known of the segments, by the argument of `compare`.

    Raises:
        ImportError: pyarrow is not installed, and tables are to be read.
        OSError: A file cannot be opened or read.
        UserError: Files have different numbers of lines, or a column is missing or of a wrong type.
        ValueError: A file is broken, or not in its encoding.
    """
    return _read_tables(options) if options.hypothesis else _read_text(options)


# Text


def _read_text(options: Namespace) -> Input:
    refuse_tables(options)
    references, systems = (
        [(path, read_lines(path, options.encoding)) for path in paths]
        for paths in (options.references, options.input)
    )
    labels = {
        option: (path, read_lines(path, options.encoding))
        for option in LABELS
        if (path := getattr(options, option)) is not None
    }
    check_lengths([*references, *systems, *labels.values()], references[:1], "files")
    return (
        {name: column for name, (_, column) in zip(options.names, systems, strict=True)},
        [column for _, column in references],
        {LABELS[option]: list(column) for option, (_, column) in labels.items()},
    )


# Tables


def _read_tables(options: Namespace) -> Input:
    labels = {option: name for option in LABELS if (name := getattr(options, option)) is not None}
    by = [] if options.by is None else [options.by]
    name, table = _read(options, sorted({*labels.values(), *by}))
    if not table.num_rows:
        raise UserError(f"{name} is empty")
    if options.by is None:
        systems = {
            system: table.column(column)
            for system, column in zip(options.names, options.hypothesis, strict=True)
        }
        shared = table
    else:
        known = list(dict.fromkeys([*options.reference, *labels.values()]))
        parts = _parted(name, table, options.by, known)
        (column,) = options.hypothesis
        systems = {system: part.column(column) for system, part in parts.items()}
        shared = next(iter(parts.values()))
    references: Any = [shared.column(column) for column in options.reference]
    if is_list(references[0].type):
        (references,) = references
    found = {}
    for option, column in labels.items():
        values = shared.column(column)
        found[LABELS[option]] = values if option == "source" else values.to_pylist()
    return systems, references, found


def _read(options: Namespace, labels: list[str]) -> tuple[str, pa.Table]:
    """All rows of all files, with the columns that are wanted, and what to call them."""
    texts = options.hypothesis if options.source is None else [*options.hypothesis, options.source]
    batches: list[pa.RecordBatch] = []
    schema: Any = None
    names = []
    for path in table_paths(options):
        with TableFile(path) as file:
            names.append(file.name)
            for rows in read_rows(file, texts, options.reference, labels):
                for column in (*options.hypothesis, *labels):
                    rows.refuse_null(column)
                rows.check_utf8((*options.hypothesis, *options.reference))
                batches.append(rows.batch)
            wanted = check_columns(file, texts, options.reference, labels)
            found = [(column, file.schema.field(column).type) for column in wanted]
            if schema is not None and found != schema:
                raise UserError(f"{file.name}: its columns have other types than those of {names[0]}")
            schema = found
    import pyarrow as pa

    return names[0], pa.Table.from_batches(batches, pa.schema(schema))


def _parted(name: str, table: pa.Table, by: str, shared: list[str]) -> dict[str, pa.Table]:
    """The rows of each system, which must be of the same segments.

    Args:
        name: What to call the table.
        table: The rows of all systems.
        by: The column that says which system a row is of.
        shared: Columns about a segment, and not about a system's output: all systems must agree in them.

    Raises:
        UserError: Systems have different numbers of rows, or different values of a shared column in one place.
    """
    import numpy as np

    numbers: dict[str, list[int]] = {}
    for row, system in enumerate(table.column(by).to_pylist()):
        numbers.setdefault(str(system), []).append(row)
    parts = {system: table.take(np.array(rows)) for system, rows in numbers.items()}
    first, *others = parts
    for system in others:
        if parts[system].num_rows != parts[first].num_rows:
            mine, theirs = (counted(len(numbers[each]), "row") for each in (system, first))
            raise UserError(
                f"{name}: {system!r} has {mine}, {first!r} has {theirs}; each system must have the same segments"
            )
        for column in shared:
            mine, theirs = (parts[each].column(column) for each in (system, first))
            if mine.equals(theirs):
                continue
            pairs = zip(theirs.to_pylist(), mine.to_pylist(), strict=True)
            found = next(((i, pair) for i, pair in enumerate(pairs) if pair[0] != pair[1]), None)
            if found is None:  # dictionaries may hold the same values in another order
                continue
            place, values = found
            rows = numbers[first][place] + 1, numbers[system][place] + 1
            raise UserError(
                f"{name}: rows {rows[0]} and {rows[1]}, segment {place + 1} of {first!r} and of {system!r}, have "
                f"different {column!r}, {_shown(values[0])} and {_shown(values[1])}; each system must have the same "
                "segments in the same order"
            )
    return parts


def _shown(value: object) -> str:
    """A value of a table, cut if it is long."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
