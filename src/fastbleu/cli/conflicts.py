"""Check whether the options and the files of a command line conflict. Each command has a table of its conflicts."""

from __future__ import annotations

import os

from .common import EXIT_USAGE, UserError, wrong_option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Sequence
    from typing import TypeAlias

    #: A row of a table of conflicts: an option, EXCLUDES or NEEDS, the options that it excludes or needs, and the error
    #: message, in which {} is replaced by the excluded or missing option. An option is written as in the help, such as
    #: "--num-refs/-nr", or with a value, such as "--level corpus".
    Row: TypeAlias = tuple[str, str, tuple[str, ...], str]

EXCLUDES, NEEDS = "excludes", "needs"


def given(options: Namespace, option: str) -> bool:
    """Return whether an option differs from its default or, if `option` includes a value, has this value."""
    named, _, value = option.partition(" ")
    name = named.partition("/")[0].removeprefix("--").replace("-", "_")
    setting = getattr(options, name)
    return bool(setting == value if value else setting != options.defaults[name])


def parse(parser: ArgumentParser, arguments: Sequence[str] | None) -> Namespace:
    """Parse a command line. The result has the options by their names, and the default of each option in `defaults`."""
    options = parser.parse_args(arguments)
    options.defaults = {name: parser.get_default(name) for name in vars(options)}
    return options


def refuse(options: Namespace, rows: Iterable[Row], status: int = EXIT_USAGE) -> None:
    """Reject a command line that has an option that another option excludes, or lacks an option that another one needs.

    Args:
        options: The options of the command line.
        rows: The conflicts to check for. Only the first one that occurs is reported.
        status: The exit code for a conflict.

    Raises:
        UserError: There is a conflict.
    """
    for option, relation, others, problem in rows:
        for other in others if given(options, option) else ():
            if given(options, other) == (relation == EXCLUDES):
                raise UserError(f"argument {option}: {problem.format(other)}", status)


def refuse_twice(option: str, values: Sequence[str], advice: str = "", status: int = EXIT_USAGE) -> None:
    """Reject an option with two equal values.

    Args:
        option: The name of the option.
        values: The values of the option.
        advice: Text to append to the message.
        status: The exit code for equal values.

    Raises:
        UserError: A value occurs twice.
    """
    for value in values:
        if values.count(value) > 1:
            raise UserError(f"argument {option}: {value!r} is given twice{advice}", status)


def check_inputs(paths: Sequence[str]) -> None:
    """Reject an empty file name, which an unset shell variable may cause. Reject "-" (standard input) for two files.

    Raises:
        UserError: A name is empty, or "-" occurs twice.
    """
    if "" in paths:
        raise UserError("the name of an input file is empty", EXIT_USAGE)
    if paths.count("-") > 1:
        raise UserError("only one of the files can be standard input", EXIT_USAGE)


def check_ending(option: str, path: str, endings: Iterable[str]) -> None:
    """Reject an output file whose extension is not one of `endings`.

    Raises:
        UserError: The extension is not allowed.
    """
    if os.path.splitext(path)[1].lower() not in endings:
        raise wrong_option(option, f"expected a name that ends in {', '.join(endings)}, not {path!r}")


def refuse_inputs(option: str, path: str, inputs: Iterable[str | None]) -> None:
    """Reject an output file that is also an input file.

    Args:
        option: The option that names the output file.
        path: The output file.
        inputs: The names of the input files. "-" is standard input; None is ignored.

    Raises:
        UserError: An input is the same file as the output, possibly under a different name.
    """
    for name in inputs:
        try:
            is_same = name is not None and os.path.samestat(
                os.fstat(0) if name == "-" else os.stat(name), os.stat(path)
            )
        except OSError:
            continue
        if is_same:
            raise wrong_option(option, f"{path} is also an input file")
