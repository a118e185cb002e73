"""`python -m fastbleu.patch`: patch packages so that they compute BLEU with fastbleu, and run a program."""

from __future__ import annotations

import sys
from types import ModuleType

from . import install
from .reporting import report_at_exit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_USAGE = """\
usage: python -m fastbleu.patch [--peers NAMES] [--report] PROGRAM.py [ARGUMENTS]
       python -m fastbleu.patch [--peers NAMES] [--report] -m MODULE [ARGUMENTS]
       python -m fastbleu.patch [--peers NAMES] [--report] -c CODE [ARGUMENTS]

Run a program under the patch, so that its packages compute BLEU by fastbleu.

  --peers NAMES  the packages to patch, separated by commas (default: all installed packages)
  --report       at the end, print to standard error which functions were replaced, and the number of their calls
"""


def main(arguments: list[str]) -> None:
    """Install the patch and run a program. Exit with status 2 if the arguments are invalid.

    Args:
        arguments: The command line after `python -m fastbleu.patch`.
    """
    peers: list[str] = []
    prints_report = False
    while arguments and arguments[0] not in ("-m", "-c"):
        option, equals, value = arguments[0].partition("=")
        if option in ("-h", "--help"):
            sys.stdout.write(_USAGE)
            return
        if option == "--report":
            prints_report = True
        elif option == "--peers":
            arguments = arguments if equals else arguments[1:]
            peers += filter(None, (value if equals else "".join(arguments[:1])).split(","))
        elif option.startswith("-"):
            _exit_with_error(f"unknown option {option}")
        else:
            break
        arguments = arguments[1:]
    if not arguments or (arguments[0] in ("-m", "-c") and len(arguments) < 2):
        _exit_with_error("no program to run")
    try:
        install(*peers)
    except (ValueError, ModuleNotFoundError) as error:
        _exit_with_error(str(error))
    if prints_report:
        report_at_exit()
    _run(arguments)


def _exit_with_error(message: str) -> NoReturn:
    """Print the usage and an error message, and exit with status 2."""
    sys.stderr.write(f"{_USAGE}error: {message}\n")
    sys.exit(2)


def _run(arguments: list[str]) -> None:
    """Run a program in a new module `__main__`, as Python itself would run it.

    Args:
        arguments: The path of the program, or "-m" and a module, or "-c" and code; followed by the program's arguments.
    """
    from os.path import abspath, dirname, realpath

    first, *rest = arguments
    if first == "-m":
        from runpy import run_module

        sys.argv = [first, *rest[1:]]
        run_module(rest[0], run_name="__main__", alter_sys=True)
        return
    main_module = ModuleType("__main__")
    main_module.__dict__.update(__builtins__=__builtins__, __annotations__={})
    if first == "-c":
        sys.argv = [first, *rest[1:]]
        folder, name = "", "<string>"
        source: str | bytes = rest[0]
    else:
        sys.argv = arguments
        folder, name = dirname(realpath(first)), abspath(first)
        main_module.__file__ = name
        source = _read(first)
    # Under `python -P`, sys.path does not begin with the folder of the program.
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = folder
    code = compile(source, name, "exec", dont_inherit=True)
    sys.modules["__main__"] = main_module
    exec(code, vars(main_module))  # noqa: S102  # Python runs a program in this way


def _read(path: str) -> bytes:
    """Return the content of a program's file. Exit with status 2 if the file cannot be read."""
    from io import open_code
    from os.path import abspath

    try:
        with open_code(abspath(path)) as file:
            return file.read()
    except OSError as error:
        _exit_with_error(f"cannot open {path!r}: {error.strerror}")


if __name__ == "__main__":
    main(sys.argv[1:])
