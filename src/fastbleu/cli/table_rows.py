"""Rows of the tables that `fastbleu` and `fastbleu-compare` read, and what is refused of their columns."""

from __future__ import annotations

from typing import NamedTuple

from ..inputs.pyarrow_columns import are_valid, find_invalid_text, is_text, is_text_list
from .common import UserError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from ..inputs.table_files import TableFile


class Rows(NamedTuple):
    """Some rows of a table.

    Attributes:
        name: What the file is called.
        start: The first of them, from 0.
        batch: Them.
    """

    name: str
    start: int
    batch: pa.RecordBatch

    def column(self, name: str) -> pa.Array:
        """A column of them. Where strings of a dictionary are null, it is decoded, so that its rows say so."""
        found = self.batch.column(name)
        if hasattr(found, "dictionary") and found.dictionary.null_count:
            found.validate(full=True)
            return found.dictionary_decode()
        return found

    def error(self, i: int, problem: str) -> ValueError:
        """Describe the fault of one of them."""
        return ValueError(f"{self.name}: row {self.start + i + 1}: {problem}")

    def refuse_null(self, name: str, but: str = "") -> None:
        """Refuse a row without a value in a column.

        Args:
            name: The name of the column.
            but: The end of the message.

        Raises:
            ValueError: A row has none; says which.
        """
        valid = are_valid(self.column(name))
        if not valid.all():
            raise self.error(int(valid.argmin()), f"{name!r} is null{but}")

    def check_utf8(self, names: Iterable[str]) -> None:
        """Refuse text that is not valid UTF-8.

        Args:
            names: The names of the columns.

        Raises:
            ValueError: A row is not; says which.
        """
        for name in names:
            found = find_invalid_text(self.column(name))
            if found is not None:
                raise self.error(found[0], f"{name!r} {found[1]}")


def table_paths(options: Namespace) -> list[str | None]:
    """The files that are tables; None is standard input."""
    return [None if path == "-" else path for path in options.references] or [None]


def read_rows(table: TableFile, texts: list[str], references: list[str], labels: list[str]) -> Iterator[Rows]:
    """Read the rows of a table with the columns that `check_columns` accepts."""
    for start, batch in table.batches(check_columns(table, texts, references, labels)):
        yield Rows(table.name, start, batch)


def check_columns(table: TableFile, texts: list[str], references: list[str], labels: list[str]) -> list[str]:
    """Refuse columns that are missing or of a wrong type.

    Args:
        table: The file.
        texts: Names of columns of strings.
        references: Names of columns of references: of strings, or one of lists of strings.
        labels: Names of columns that say what a row is of, of text or whole numbers.

    Returns:
        All names, each once.

    Raises:
        UserError: There are several columns of references, and one has lists.
        ValueError: There is no such column, or it is of another type.
    """
    for expected, accepts, names in (
        ("strings", is_text, texts),
        ("strings or of lists of strings", lambda kind: is_text(kind) or is_text_list(kind), references),
        ("strings or integers", _is_label, labels),
    ):
        for name in names:
            kind = table.check_column(name, expected, accepts)
            if is_text_list(kind) and len(references) > 1:
                raise UserError(
                    f"{table.name}: column {name!r} is {kind}: it holds all references of a row, so that no other "
                    "--reference can be given"
                )
    return list(dict.fromkeys([*texts, *references, *labels]))


def _is_label(kind: pa.DataType) -> bool:
    from pyarrow import types

    values = kind.value_type if types.is_dictionary(kind) else kind
    return bool(is_text(kind) or types.is_integer(values) or types.is_boolean(values))
