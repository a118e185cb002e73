"""Checks of options that contradict each other or their files, by a table that each command has."""

from __future__ import annotations

import os

from .common import EXIT_USAGE, UserError, wrong_option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Sequence
    from typing import TypeAlias

    #: An option, whether it excludes or needs other options, these options, and the message, in which {} is replaced by
    #: the other option. Options are named as in the help, such as "--num-refs/-nr"; "--level corpus" is an option with
    #: this value.
    Row: TypeAlias = tuple[str, str, tuple[str, ...], str]

EXCLUDES, NEEDS = "excludes", "needs"


def given(options: Namespace, option: str) -> bool:
    """Return whether an option differs from its default, or has the value that follows its name after a space."""
    named, _, value = option.partition(" ")
    name = named.partition("/")[0].removeprefix("--").replace("-", "_")
    found = getattr(options, name)
    return bool(found == value if value else found != options.defaults[name])


def parse(parser: ArgumentParser, arguments: Sequence[str] | None) -> Namespace:
    """Parse a command line; return the options, with their defaults as `defaults`."""
    options = parser.parse_args(arguments)
    options.defaults = {name: parser.get_default(name) for name in vars(options)}
    return options


def refuse(options: Namespace, rows: Iterable[Row], status: int = EXIT_USAGE) -> None:
    """Refuse an option with any of the others that it excludes, or without one that it needs.

    Args:
        options: The options of the command line.
        rows: The conflicts to look for; the first one found is reported.
        status: The exit code.

    Raises:
        UserError: There is a conflict.
    """
    for option, relation, others, problem in rows:
        for other in others if given(options, option) else ():
            if given(options, other) == (relation == EXCLUDES):
                raise UserError(f"argument {option}: {problem.format(other)}", status)


def refuse_twice(option: str, values: Sequence[str], advice: str = "", status: int = EXIT_USAGE) -> None:
    """Refuse an option in which a value occurs twice.

    Args:
        option: The option.
        values: Its values.
        advice: The end of the message.
        status: The exit code.

    Raises:
        UserError: A value occurs twice.
    """
    for value in values:
        if values.count(value) > 1:
            raise UserError(f"argument {option}: {value!r} is given twice{advice}", status)


def check_inputs(paths: Sequence[str]) -> None:
    """Refuse a file without a name, and standard input, which "-" names, as several files.

    Raises:
        UserError: A name is empty, as of a shell's variable that is not set, or two of the files are standard input.
    """
    if "" in paths:
        raise UserError("the name of an input file is empty", EXIT_USAGE)
    if paths.count("-") > 1:
        raise UserError("only one of the files can be standard input", EXIT_USAGE)


def refuse_inputs(option: str, path: str, inputs: Iterable[str | None]) -> None:
    """Refuse to overwrite an input.

    Args:
        option: The option that names the output.
        path: The output.
        inputs: The files that are read; "-" is standard input, None is no file.

    Raises:
        UserError: An input is the same file, under whatever name.
    """
    for name in inputs:
        try:
            is_same = name is not None and os.path.samestat(
                os.fstat(0) if name == "-" else os.stat(name), os.stat(path)
            )
        except OSError:
            continue
        if is_same:
            raise wrong_option(option, f"{path} is an input file too")
