"""Tables of `fastbleu` and `fastbleu-compare`: their options, the types of their columns, and their rows."""

from __future__ import annotations

from ..inputs.files import is_table
from ..inputs.pyarrow_columns import find_invalid_row, is_text, is_text_list
from .common import EXIT_USAGE, UserError
from .conflicts import refuse_alone, refuse_together

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable

    import pyarrow as pa

    from ..inputs.table_files import TableFile

_NEEDS_HYPOTHESIS = "names a column of a table: name that of the hypotheses with --hypothesis"

#: Options that name columns, and the others that they need.
_COLUMNS = (
    ("--reference", ("--hypothesis",), _NEEDS_HYPOTHESIS),
    ("--by", ("--hypothesis",), _NEEDS_HYPOTHESIS),
    ("--hypothesis", ("--reference",), "name the columns of references with --reference"),
)


def refuse_tables(options: Namespace) -> None:
    """Refuse tables whose columns are not named.

    Raises:
        UserError: A file of references or of a system is a table.
    """
    for path in (*options.references, *(options.input or [])):
        if is_table(path):
            raise UserError(
                f"{path} is a table: name its columns with --hypothesis and --reference, and no file with -i/--input",
                EXIT_USAGE,
            )


def check_table_options(options: Namespace, *text_options: str) -> None:
    """Refuse columns without --hypothesis, which says that the files are tables, and options for text beside it.

    Args:
        options: Those of the command line.
        text_options: Options for text that only this command has.

    Raises:
        UserError: An option is given without another one, or beside one that it does not go with.
    """
    refuse_alone(options, _COLUMNS)
    for option in ("--input/-i", "--encoding/-e", *text_options):
        refuse_together(options, [(option, ("--hypothesis",), "is for text, and cannot be used with {}")])


def check_text_columns(table: TableFile, texts: Iterable[str], references: list[str]) -> None:
    """Refuse columns of segments that are missing or of a wrong type.

    Args:
        table: The file.
        texts: Names of columns of strings.
        references: Names of columns of references: of strings, or one of lists of strings.

    Raises:
        UserError: A column is of another type.
        ValueError: There is no such column.
    """
    for name in texts:
        kind = table.check_column(name)
        if not is_text(kind):
            raise UserError(f"{table.name}: expected a column of strings, but {name!r} is {kind}")
    for name in references:
        kind = table.check_column(name)
        if not is_text(kind) and not is_text_list(kind):
            raise UserError(
                f"{table.name}: expected a column of strings or of lists of strings, but {name!r} is {kind}"
            )
        if is_text_list(kind) and len(references) > 1:
            raise UserError(
                f"{table.name}: column {name!r} is {kind}: it holds all references of a row, so that no other "
                "--reference can be given"
            )


def check_label_column(table: TableFile, name: str) -> None:
    """Refuse a column that cannot say what a row is of: it is missing, or holds neither text nor whole numbers.

    Raises:
        UserError: It is of another type.
        ValueError: There is no such column.
    """
    from pyarrow import types

    kind = table.check_column(name)
    values = kind.value_type if types.is_dictionary(kind) else kind
    if not (is_text(kind) or types.is_integer(values) or types.is_boolean(values)):
        raise UserError(f"{table.name}: expected a column of strings or integers, but {name!r} is {kind}")


def check_utf8(place: str, start: int, name: str, column: pa.Array) -> None:
    """Refuse text that is not valid UTF-8.

    Args:
        place: What the file is called.
        start: The number of the first row, from 0.
        name: The name of the column.
        column: Its rows.

    Raises:
        ValueError: A row is not; says which.
    """
    found = find_invalid_row(column)
    if found is not None:
        raise ValueError(f"{place}: row {start + found[0] + 1}: {name!r} {found[1]}")
