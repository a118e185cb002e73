"""The options of `fastbleu` and `fastbleu-compare` that name tables and their columns."""

from __future__ import annotations

from ..inputs.files import is_table
from .common import EXIT_USAGE, UserError
from .conflicts import refuse_alone, refuse_together

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

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
