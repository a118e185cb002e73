"""Options of `fastbleu` and `fastbleu-compare` that are refused where tables and text are mixed up."""

from __future__ import annotations

from ..inputs.files import is_table
from .common import EXIT_USAGE, UserError, wrong_option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable


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


def refuse_columns(options: Namespace) -> None:
    """Refuse names of columns without --hypothesis, which says that the files are tables.

    Raises:
        UserError: --reference or --by is given.
    """
    for option, given in (("--reference", options.reference), ("--by", options.by is not None)):
        if given:
            raise wrong_option(
                option, "names a column of a table: name that of the hypotheses with --hypothesis"
            )


def refuse_text_options(options: Namespace, others: Iterable[tuple[str, bool]] = ()) -> None:
    """Refuse, beside --hypothesis, a lack of references and options that are for text.

    Args:
        options: Those of the command line.
        others: Options for text that only this command has, and whether each is given.

    Raises:
        UserError: One of them is given, or --reference is not.
    """
    if not options.reference:
        raise wrong_option("--hypothesis", "name the columns of references with --reference")
    for option, given in (
        ("--input/-i", options.input is not None),
        ("--encoding/-e", options.encoding.lower().replace("_", "-") != "utf-8"),
        *others,
    ):
        if given:
            raise wrong_option(option, "is for text, and cannot be used with --hypothesis")
