"""The argument parser that all commands use."""

from __future__ import annotations

import argparse
import os

from ..errors import did_you_mean
from .common import EXIT_USAGE, UserError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


class Parser(argparse.ArgumentParser):
    """An `argparse.ArgumentParser` that raises `UserError` for wrong options.

    Args:
        allow_abbrev: Whether options may be abbreviated.
        options: Further arguments of `argparse.ArgumentParser`.
    """

    def __init__(self, allow_abbrev: bool = False, **options: Any) -> None:
        # Set the width. Otherwise argparse imports `shutil` to find it when the first option is added.
        super().__init__(
            formatter_class=lambda prog: argparse.HelpFormatter(prog, width=80),
            allow_abbrev=allow_abbrev,
            **options,
        )

    def _get_option_tuples(self, option_string: str) -> Any:
        # argparse accepts abbreviations of options with one dash, such as -tok, even if `allow_abbrev` is false.
        matches = super()._get_option_tuples(option_string)
        return [match for match in matches if self.allow_abbrev or option_string.startswith(match[1])]

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: D102  # argparse documents it
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            hint = did_you_mean(unknown[0].partition("=")[0], self._option_string_actions)
            self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return parsed, unknown

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            if str(value).lower() == "chrf++":
                error.message += "; chrF++ is chrf with --chrf-word-order 2"
            elif action.nargs == "+" and "," in value:
                error.message += f"; separate them by spaces: {value.replace(',', ' ')}"
            elif action.nargs == "+" and os.path.exists(value):
                error.message += f"; give the reference files before {action.option_strings[-1]}"
            else:
                error.message += did_you_mean(str(value), map(str, action.choices or ()))
            raise

    def error(self, message: str) -> NoReturn:  # noqa: D102  # argparse documents it
        raise UserError(f"{message} ({self.prog} --help lists the options)", EXIT_USAGE)

    def format_help(self) -> str:  # noqa: D102  # argparse documents it
        self.formatter_class = argparse.RawDescriptionHelpFormatter
        return super().format_help()
