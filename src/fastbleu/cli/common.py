"""Code that all commands share: exit codes, messages, and options."""

from __future__ import annotations

import argparse
import os
import re
import sys
from codecs import lookup

from ..errors import ArgumentError, counted
from ..inputs.decompressed_files import STDOUT_NAME
from ..options import SMOOTH_DEFAULTS, check_threads
from ..system import progress
from ..system.version import __version__
from ..tokenizers.languages import meant_by, parse
from ..tokenizers.names import NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TextIO

    from ..metric import BLEU
    from ..system.progress import ProgressBar

EXIT_ERROR = 1
EXIT_USAGE = 2
EXIT_FIELDS = 17  # The exit code of sacreBLEU if a line has a different number of tab-separated fields.
EXIT_INTERRUPTED = 130  # The exit code that a shell reports for a process killed by SIGINT.

_MIN_WIDTH = 70  # The minimum width of a report in columns.

#: Matches a Python argument with its value, such as force=True, as error messages write it.
_ASSIGNED = re.compile(r"`?\b(tokenize|force)(?:=True|=?'([^']*)'|(?= names))`?")

_BAR_DELAY = 1  # The number of seconds after which a progress bar is shown.


class UserError(Exception):
    """An error that the user has to correct.

    Attributes:
        status: The exit code.
    """

    def __init__(self, message: str, status: int = EXIT_ERROR) -> None:
        super().__init__(message)
        self.status = status


def in_options(message: str) -> str:
    """Replace the names of Python arguments in a message by the names of command-line options.

    Example:
        >>> in_options("tokenize='zh' would fit. `force=True` suppresses this message.")
        '--tokenize zh would fit. --force suppresses this message.'
    """
    return _ASSIGNED.sub(lambda match: f"--{match[1]}{f' {match[2]}' if match[2] else ''}", message)


def wrong_argument(error: ValueError, prefix: str = "") -> UserError:
    """Convert the error about a Python argument to an error about the corresponding command-line option.

    Args:
        error: The error about the argument.
        prefix: A prefix that the option's name has but the argument's name does not, such as "chrf-".
    """
    if not isinstance(error, ArgumentError):
        return UserError(in_options(str(error)), EXIT_USAGE)
    name = error.argument
    return wrong_option(f"--{prefix}{name.replace('_', '-')}", str(error).removeprefix(f"{name} "))


def wrong_option(option: str, problem: str) -> UserError:
    """Return the error for an option whose value is wrong or that conflicts with another option."""
    return UserError(f"argument {option}: {problem}", EXIT_USAGE)


#: The environment variables that set the number of threads of NumPy's BLAS library.
_BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


def run_command(program: str, run: Callable[[], object]) -> int:
    """Run a command, and print an error as one line on standard error.

    Args:
        program: The name of the command.
        run: The function that performs the command.

    Returns:
        The exit code: 0 for success, that of a `UserError`, 1 for any other error, 130 after Ctrl-C.

    Raises:
        SystemExit: ``--help`` or ``--version`` was given.
    """
    for name in _BLAS_THREADS:
        # NumPy reads these variables when it is imported. The value 1 saves the 50 ms for starting other threads.
        os.environ.setdefault(name, "1")
    status = _status(program, run)
    try:
        print_text(end="", flush=True)
    except (OSError, ValueError) as error:  # ValueError means that it is closed.
        if isinstance(error, OSError):
            # Prevent Python from flushing standard output at exit, which would fail again and print the error.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # Do not print a second error: the command may have printed the same error before.
        if not status and not _has_no_reader(error):
            say(program, reason(error))
            return EXIT_ERROR
    return status


def _status(program: str, run: Callable[[], object]) -> int:
    """Run a command as `run_command` does, without flushing standard output; return its exit code."""
    try:
        run()
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except UserError as error:
        say(program, str(error))
        return error.status
    except (OSError, ValueError, ImportError, RuntimeError, MemoryError) as error:
        if _has_no_reader(error):
            return 0
        say(program, in_options(reason(error)))
        return EXIT_ERROR
    return 0


def _has_no_reader(error: Exception) -> bool:
    """Return whether an error means that the reader of standard output, such as `| head`, has exited."""
    return isinstance(error, BrokenPipeError) and error.filename in {None, STDOUT_NAME}


def prepare_output(what: str) -> None:
    """Set standard output to UTF-8 in every locale; names of files that are not valid UTF-8 are printed unchanged.

    Args:
        what: The kind of output in the error message, such as "score".

    Raises:
        UserError: Standard output is closed.
    """
    if sys.stdout is None:
        raise UserError(f"standard output is closed, so no {what} can be printed")
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")


def print_text(text: str = "", end: str = "\n", flush: bool = False) -> None:
    """Print to standard output.

    Raises:
        OSError: Standard output cannot be written. The error has "standard output" as its file name.
    """
    try:
        print(text, end=end, flush=flush)
    except OSError as error:
        error.filename = STDOUT_NAME
        raise


def say(program: str, message: str) -> None:
    """Print a line to standard error; do nothing if standard error is closed."""
    if sys.stderr is not None:
        print(f"{program}: {printable(message.replace(chr(10), ' '))}", file=sys.stderr)


def printable(text: str) -> str:
    r"""Escape the characters of a text that a terminal would interpret or hide.

    A file may have control characters, or characters that reverse the direction of text, in its name or its text.

    Example:
        >>> print(printable("caf\u00e9 \x1b[2J \u202e \udcff"))
        café \x1b[2J \u202e \udcff
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def check_lengths(
    streams: Sequence[tuple[str, Sequence[Any]]],
    others: Sequence[tuple[str, Sequence[Any]]],
    what: str = "system and reference streams",
) -> None:
    """Check that no stream of lines is empty, and that each of `streams` is as long as each of `others`.

    Args:
        streams: The name and the lines of each stream. An empty last line must be a false value, so that the error
            message mentions it.
        others: The name and the lines of each stream to compare with.
        what: The kind of streams in the error message.

    Raises:
        UserError: A stream is empty, or two streams have different lengths.
    """
    for name, lines in (*streams, *others):
        if not len(lines):
            raise UserError(f"{name} is empty")
    for name, lines in streams:
        for other, other_lines in others:
            if len(lines) != len(other_lines):
                longer, items = (name, lines) if len(lines) > len(other_lines) else (other, other_lines)
                hint = "" if items[-1] else f"; the last line of {longer} is empty"
                raise UserError(
                    f"{what} have different lengths: {name} has {counted(len(lines), 'line')}, "
                    f"{other} has {counted(len(other_lines), 'line')}{hint}"
                )


def reason(error: BaseException) -> str:
    """Return the message of an exception. If the exception has a file name, the message begins with this name."""
    if isinstance(error, OSError) and error.strerror:
        return (
            error.strerror if error.filename is None else f"{os.fsdecode(error.filename)}: {error.strerror}"
        )
    return str(error) or type(error).__name__


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal."""
    # A standard stream is None if it was closed when the program started.
    return stream is not None and stream.isatty()


def say_reading(program: str, paths: Sequence[str]) -> None:
    """If one of the files is "-" and standard input is a terminal, print that standard input is being read."""
    if "-" in paths and is_terminal(sys.stdin):
        say(program, "reading standard input")


def terminal_width(stream: TextIO | None) -> int | None:
    """Return the width of the terminal in columns; None if the stream is not a terminal."""
    if not is_terminal(stream):
        return None
    from shutil import get_terminal_size

    return max(get_terminal_size().columns, _MIN_WIDTH)


def byte_bar(size: int | None, wanted: bool, **style: Any) -> ProgressBar:
    """Return a progress bar that counts the bytes read from a file, and is erased at the end.

    The bar is shown only if standard error is a terminal and tqdm is installed.

    Args:
        size: The size of the file in bytes; None if it is unknown.
        wanted: Whether to show the bar.
        style: Further options of tqdm.
    """
    shows = wanted and is_terminal(sys.stderr)
    try:
        return progress.progress_bar(
            size, "B", shows, leave=False, unit_scale=True, unit_divisor=1024, delay=_BAR_DELAY, **style
        )
    except ImportError:
        return progress.NoBar()


# Options


def number(kind: Callable[[str], Any], accepts: Callable[[Any], bool], expected: str) -> Callable[[str], Any]:
    """Return a function that converts the text of an option to a number, for the argument `type` of argparse.

    Args:
        kind: The type of the number, `int` or `float`.
        accepts: A function that returns whether a number is allowed.
        expected: A description of the allowed numbers, for the error message.
    """

    def convert(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"invalid {kind.__name__} value: {text!r}") from None
        if not accepts(value):
            raise argparse.ArgumentTypeError(f"must be {expected}, not {text}")
        return value

    return convert


def at_least(minimum: int) -> Callable[[str], int]:
    """Return a function that converts text to an integer of at least `minimum`, for the argument `type` of argparse."""
    return number(int, lambda value: value >= minimum, f"at least {minimum}")


def encoding(text: str) -> str:
    """Check the name of an encoding, and return it. Return "utf-8" for every alias of UTF-8."""
    try:
        # Encode a character, because Python does not look up the encoding for an empty string.
        "a".encode(text)
    except (LookupError, ValueError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return "utf-8" if lookup(text).name == "utf-8" else text


def language_pair(text: str) -> str:
    """Check that the text of an option is a language pair, such as "en-de", and return it."""
    if "-" not in text:
        raise argparse.ArgumentTypeError(f"expected source and target such as en-de, not {text!r}")
    return text


def target_language(pair: str | None) -> str:
    """Return the target language of a pair, or "" for None.

    Example:
        >>> target_language("en-zh-Hans"), target_language(None)
        ('zh', '')
    """
    return pair.split("-")[1] if pair else ""


def add_version(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--version``."""
    parser.add_argument("--version", "-V", action="version", version=f"%(prog)s {__version__}")


def add_threads(add: Callable[..., Any]) -> None:
    """Add the option ``--threads``. `add` is the method `add_argument` of a parser or of an option group."""
    add("--threads", type=_threads, default=1, metavar="N",
        help="number of scoring threads (default: %(default)s)")  # fmt: skip


def _threads(text: str) -> int:
    try:
        return check_threads(at_least(1)(text))
    except ArgumentError as error:
        raise argparse.ArgumentTypeError(str(error).removeprefix("threads ")) from None


def add_encoding(add: Callable[..., Any], what: str) -> None:
    """Add the option ``--encoding``.

    Args:
        add: The method `add_argument` of a parser or of an option group.
        what: The input that the option applies to, for the help text.
    """
    add("--encoding", "-e", type=encoding, default="utf-8",
        help=f"encoding of {what} (default: %(default)s)")  # fmt: skip


def add_width(add: Callable[..., Any], default: int) -> None:
    """Add the option ``--width``. `add` is the method `add_argument` of a parser or of an option group."""
    add("--width", "-w", type=at_least(0), default=default, metavar="N",
        help="number of decimal places (default: %(default)s)")  # fmt: skip


def add_language_pair(add: Callable[..., Any]) -> None:
    """Add the option ``--language-pair``. `add` is the method `add_argument` of a parser or of an option group."""
    add("--language-pair", "-l", type=language_pair, metavar="SRC-TRG",
        help="languages, such as en-ja; they determine the tokenizer unless --tokenize does")  # fmt: skip


def add_bleu_options(parser: argparse.ArgumentParser, tokenizer: str) -> Callable[..., Any]:
    """Add an option group with the options of BLEU.

    Args:
        parser: The parser of the command.
        tokenizer: A description of the default of ``--tokenize``, for the help text.

    Returns:
        The method `add_argument` of the group, to which the command can add further options of BLEU.
    """
    # fmt: off
    add = parser.add_argument_group("BLEU").add_argument
    add("--smooth-method", "-s", choices=tuple(SMOOTH_DEFAULTS), default="exp",
        help="smoothing of n-gram orders without a match (default: %(default)s)")
    add("--smooth-value", "-sv", type=number(float, lambda value: value >= 0, "a number of at least 0"),
        metavar="VALUE",
        help="value for floor (default: {floor}) or add-k (default: {add-k}) smoothing".format_map(SMOOTH_DEFAULTS))
    add("--tokenize", "-tok", metavar="TOKENIZER",
        help=f"one of {', '.join(NAMES)}, or the path of a SentencePiece model (default: {tokenizer})")
    add("--lowercase", "-lc", action="store_true", help="ignore case")
    # fmt: on
    return add


def add_max_order(add: Callable[..., Any]) -> None:
    """Add the option ``--max-ngram-order``. `add` is the method `add_argument` of a parser or of an option group."""
    add("--max-ngram-order", type=at_least(1), default=4, metavar="N",
        help="length of the longest n-grams (default: %(default)s)")  # fmt: skip


def make_metric(kind: type[BLEU], options: argparse.Namespace, **others: Any) -> BLEU:
    """Create a BLEU from the options that `add_bleu_options` and `add_language_pair` added.

    Args:
        kind: The class to create: `BLEU` or a subclass.
        options: The options of the command line.
        others: Further arguments of the class.

    Raises:
        UserError: An option has a wrong value.
    """
    target = target_language(options.language_pair)
    if options.tokenize is None and not getattr(options, "test_set", None):
        _check_language(target)
    try:
        return kind(
            lowercase=options.lowercase,
            tokenize=options.tokenize,
            smooth_method=options.smooth_method,
            smooth_value=options.smooth_value,
            trg_lang=target,
            **others,
        )
    except ValueError as error:
        raise wrong_argument(error) from error


def _check_language(code: str) -> None:
    """Reject an unknown language code, for which `BLEU` would silently use the tokenizer 13a.

    Raises:
        UserError: The code is unknown.
    """
    meant = meant_by(code)
    if meant is None and (not code or parse(code) is not None):
        return
    hint = "" if meant is None else f" (did you mean {meant!r}?)"
    raise wrong_option(
        "--language-pair/-l",
        f"there is no tokenizer for the language code {code!r}{hint}; choose one with --tokenize",
    )
