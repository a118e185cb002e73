"""Check for conflicts among options and files. Each command has its own table of conflicts."""

from __future__ import annotations

import os

from .common import EXIT_USAGE, UserError, wrong_option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Sequence
    from typing import TypeAlias

    #: An option, whether it excludes or needs others, these other options, and the message, in which {} is replaced by
    #: the other option. Options are written as in the help, such as "--num-refs/-nr", or with a value, such as
    #: "--level corpus".
    Row: TypeAlias = tuple[str, str, tuple[str, ...], str]

EXCLUDES, NEEDS = "excludes", "needs"


def given(options: Namespace, option: str) -> bool:
    """Return whether an option differs from its default or, for a name with a value, has this value."""
    named, _, value = option.partition(" ")
    name = named.partition("/")[0].removeprefix("--").replace("-", "_")
    setting = getattr(options, name)
    return bool(setting == value if value else setting != options.defaults[name])


def parse(parser: ArgumentParser, arguments: Sequence[str] | None) -> Namespace:
    """Parse a command line; return the options, with their defaults as `defaults`."""
    options = parser.parse_args(arguments)
    options.defaults = {name: parser.get_default(name) for name in vars(options)}
    return options


def refuse(options: Namespace, rows: Iterable[Row], status: int = EXIT_USAGE) -> None:
    """Refuse an option together with one that it excludes, or without one that it needs.

    Args:
        options: The options of the command line.
        rows: The conflicts to check for; the first one found is reported.
        status: The exit code.

    Raises:
        UserError: There is a conflict.
    """
    for option, relation, others, problem in rows:
        for other in others if given(options, option) else ():
            if given(options, other) == (relation == EXCLUDES):
                raise UserError(f"argument {option}: {problem.format(other)}", status)


def refuse_twice(option: str, values: Sequence[str], advice: str = "", status: int = EXIT_USAGE) -> None:
    """Refuse a value that is given twice for an option.

    Args:
        option: The option.
        values: The values of the option.
        advice: The end of the message.
        status: The exit code.

    Raises:
        UserError: A value occurs twice.
    """
    for value in values:
        if values.count(value) > 1:
            raise UserError(f"argument {option}: {value!r} is given twice{advice}", status)


def check_inputs(paths: Sequence[str]) -> None:
    """Refuse empty file names, and standard input ("-") for more than one file.

    Raises:
        UserError: A name is empty (for example because a shell variable is not set), or "-" is given twice.
    """
    if "" in paths:
        raise UserError("the name of an input file is empty", EXIT_USAGE)
    if paths.count("-") > 1:
        raise UserError("only one of the files can be standard input", EXIT_USAGE)


def check_ending(option: str, path: str, endings: Iterable[str]) -> None:
    """Refuse an output whose extension is not one of `endings`."""
    if os.path.splitext(path)[1].lower() not in endings:
        raise wrong_option(option, f"expected a name that ends in {', '.join(endings)}, not {path!r}")


def refuse_inputs(option: str, path: str, inputs: Iterable[str | None]) -> None:
    """Refuse an output that is also an input.

    Args:
        option: The option that names the output.
        path: The output.
        inputs: The names of the input files. "-" is standard input; None is skipped.

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
