"""Text of systems and references, read as a whole: from files, standard input and test sets."""

from __future__ import annotations

from ...inputs._lines import FieldCountError, has_tabs
from ...inputs.files import STDIN_NAME
from ...inputs.text_files import look_at_stdin, read_fields, read_lines, read_stdin_systems
from ..common import EXIT_FIELDS, UserError, counted, say
from .checks import check_number, is_paired, refuse_table
from .options import PROGRAM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ...inputs._text import TextColumn


class NamedColumn:
    """A column, and what to call it."""

    __slots__ = ("column", "name")

    def __init__(self, name: str, column: TextColumn) -> None:
        self.name = name
        self.column = column


def counted_lines(stream: NamedColumn) -> str:
    """Return how many lines a column has, in words."""
    return counted(len(stream.column), "line")


def read_references(options: Namespace) -> list[NamedColumn]:
    """The streams of references of a command line.

    Raises:
        OSError: A file cannot be opened or read.
        UserError: A line has another number of fields than it must have.
        ValueError: A file is not valid in its encoding.
    """
    if options.num_refs == 1:
        return [read_stream(path, options) for path in options.references]
    (path,) = options.references
    try:
        columns = read_fields(path, options.num_refs, options.encoding)
    except FieldCountError as error:
        raise UserError(str(error), EXIT_FIELDS) from None
    if has_tabs(columns[-1]):
        warn_of_tabs(path, options.num_refs)
    return [NamedColumn(path, column) for column in columns]


def read_systems(options: Namespace) -> list[NamedColumn]:
    """The systems of a command line.

    Raises:
        OSError: A file cannot be opened or read.
        UserError: Standard input is empty, or a line of it has another number of fields than the first; or an option
            does not go with this number of systems.
        ValueError: The text is not valid in its encoding.
    """
    if options.input is not None:
        baseline, *others = options.input
        paths = [baseline]
        for path in others:
            if path == baseline and is_paired(options):
                if not options.quiet:
                    say(PROGRAM, f"Ignoring {path!r} as it was also given as the baseline.")
            else:
                paths.append(path)
        systems = [read_stream(path, options) for path in paths]
    else:
        # Text in another encoding may begin as a table does.
        if options.encoding.lower() in {"utf-8", "utf8"}:
            refuse_table(look_at_stdin())
        try:
            columns = read_stdin_systems(options.encoding)
        except FieldCountError as error:
            raise UserError(str(error), EXIT_FIELDS) from None
        if not len(columns[0]):
            raise UserError(f"{STDIN_NAME} is empty")
        systems = [NamedColumn(f"System {number}", column) for number, column in enumerate(columns, 1)]
    check_number(options, len(systems))
    return systems


def check_lengths(systems: list[NamedColumn], references: list[NamedColumn]) -> None:
    """Refuse a system without lines, and streams of different lengths."""
    for system in systems:
        if not len(system.column):
            raise UserError(f"{system.name} is empty")
        for reference in references:
            if len(system.column) != len(reference.column):
                raise UserError(
                    "system and reference streams have different lengths: "
                    f"{system.name} has {counted_lines(system)}, {reference.name} has {counted_lines(reference)}"
                )


def warn_of_tabs(name: str, fields: int = 1) -> None:
    """Say that a file may be a table of fields, and how it is scored all the same.

    Args:
        name: The file's name.
        fields: How many fields its lines are split into.
    """
    if fields > 1:
        say(
            PROGRAM,
            f"{name} has lines with more than {fields} fields; the last one keeps the tabs, as in sacreBLEU",
        )
    else:
        say(
            PROGRAM,
            f"{name} has lines with tabs; each whole line is scored as one segment, as sacreBLEU does",
        )


def read_stream(path: str, options: Namespace) -> NamedColumn:
    """The lines of a file, each a segment. Lines with tabs are warned of."""
    column = read_lines(path, options.encoding)
    if has_tabs(column):
        warn_of_tabs(path)
    return NamedColumn(path, column)
