"""Options that contradict each other: each command has tables of them, which are applied here."""

from __future__ import annotations

from .common import EXIT_USAGE, UserError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Sequence
    from typing import TypeAlias

    #: An option, others, and what is wrong with it, where {} stands for the other one. Options are named as in help,
    #: "--num-refs/-nr" for example; "--level corpus" is an option that has this value.
    Row: TypeAlias = tuple[str, tuple[str, ...], str]


def given(options: Namespace, option: str) -> bool:
    """Return whether an option has another value than by default, or the value that follows its name after a space."""
    named, _, value = option.partition(" ")
    name = named.partition("/")[0].removeprefix("--").replace("-", "_")
    found = getattr(options, name)
    return bool(found == value if value else found != options.defaults[name])


def parse(parser: ArgumentParser, arguments: Sequence[str] | None) -> Namespace:
    """The options of a command line, with their defaults as `defaults`."""
    options = parser.parse_args(arguments)
    options.defaults = {name: parser.get_default(name) for name in vars(options)}
    return options


def refuse_together(options: Namespace, rows: Iterable[Row], status: int = EXIT_USAGE) -> None:
    """Refuse an option with any of the others of its row.

    Args:
        options: Those of the command line.
        rows: The conflicts; the first one found is told.
        status: The exit code.

    Raises:
        UserError: Two options are given together.
    """
    for option, others, problem in rows:
        for other in others if given(options, option) else ():
            if given(options, other):
                raise UserError(f"argument {option}: {problem.format(other)}", status)


def refuse_alone(options: Namespace, rows: Iterable[Row], status: int = EXIT_USAGE) -> None:
    """Refuse an option that lacks one of the others of its row.

    Args:
        options: Those of the command line.
        rows: The options that need others; the first one found is told.
        status: The exit code.

    Raises:
        UserError: An option is given without another one.
    """
    for option, others, problem in rows:
        if given(options, option) and not all(given(options, other) for other in others):
            raise UserError(f"argument {option}: {problem}", status)


def refuse_twice(option: str, values: Sequence[str], advice: str = "", status: int = EXIT_USAGE) -> None:
    """Refuse an option that has a value twice.

    Args:
        option: The option.
        values: Its values.
        advice: The end of the message.
        status: The exit code.

    Raises:
        UserError: One value is there twice.
    """
    for value in values:
        if values.count(value) > 1:
            raise UserError(f"argument {option}: {value!r} is given twice{advice}", status)
