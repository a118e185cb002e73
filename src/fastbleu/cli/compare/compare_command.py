"""The command ``fastbleu-compare``, which compares several systems."""

from __future__ import annotations

import os
import shlex
import sys

from ...inputs.decompressed_files import STDIN_NAME
from ...inputs.text_lines import read_lines
from ...system.saving import save_text
from ..chrf_options import make_chrf
from ..common import (
    UserError,
    check_lengths,
    make_metric,
    prepare_output,
    print_text,
    run_command,
    say_reading,
    terminal_width,
)
from .compare_options import ENDINGS, PROGRAM, files_of, parse_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from typing import Any

    from ...compare import Comparison
    from ...inputs._text import TextColumn

#: The options for files of segment metadata. The arguments of `compare` have the same names.
_METADATA = ("sources", "documents", "domains", "languages")

#: The other options that are passed to `compare`, whose arguments have the same names.
_SETTINGS = (
    *("test", "trials", "pairs", "correction", "level", "resamples", "seed", "segments", "ngrams"),
    *("title", "test_set", "language_pair", "date"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, and print an error as one line on standard error.

    Args:
        arguments: The command line without the program's name; ``sys.argv[1:]`` if None.

    Returns:
        The exit code: 0 for success, 1 for input that cannot be compared, 2 for a wrong option, 130 after Ctrl-C.

    Raises:
        SystemExit: ``--help`` or ``--version`` was given.

    Example:
        >>> main(["reference.txt", "-i", "system.txt"])
        2
    """
    return run_command(PROGRAM, lambda: _run(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: Sequence[str]) -> None:
    """Read the input, compare the systems, and write or print the report."""
    options = parse_options(arguments)
    prepare_output("report")
    from ...metric import BLEU

    # Check the output and create the metric before reading, so that errors are reported immediately.
    if options.output is not None:
        _check_output(options.output)
    # Suppress the metric's warnings about unsuitable text by `force`, since the report contains them.
    metric = make_metric(
        BLEU, options, force=True, max_ngram_order=options.max_ngram_order, threads=options.threads
    )
    also = [make_chrf(options, options.threads)] if options.also else []
    if not options.quiet:
        say_reading(PROGRAM, files_of(options))
    references, systems = (
        [_named_lines(path, options) for path in paths] for paths in (options.references, options.input)
    )
    labels = {
        name: _named_lines(path, options)
        for name in _METADATA
        if (path := getattr(options, name)) is not None
    }
    check_lengths([*references, *systems, *labels.values()], references[:1], "files")
    training = None if options.training is None else _named_lines(options.training, options)[1]
    from ...compare import compare

    known: dict[str, Any] = {name: list(column) for name, (_, column) in labels.items()}
    # Omit options that are not given, so that `compare` chooses their values.
    settings = {name: value for name in _SETTINGS if (value := getattr(options, name)) is not None}
    comparison = compare(
        {name: column for name, (_, column) in zip(options.names, systems, strict=True)},
        [column for _, column in references],
        metric,
        training=training,
        also=also,
        command=shlex.join([PROGRAM, *arguments]),
        **settings,
        **known,
    )
    if options.output is not None:
        save_text(options.output, _render(comparison, _format_of(options.output)), errors="surrogateescape")
    if options.format is not None or options.output is None:
        print_text(_render(comparison, options.format or "text"), end="")
    elif not options.quiet:
        print_text("\n".join(comparison.verdict))


def _named_lines(path: str, options: Namespace) -> tuple[str, TextColumn]:
    """Read a file. Return the name of the file in messages, and its lines.

    Raises:
        UserError: The file is empty.
    """
    name, lines = STDIN_NAME if path == "-" else path, read_lines(path, options.encoding)
    if not len(lines):
        raise UserError(f"{name} is empty")
    return name, lines


def _format_of(path: str) -> str:
    return ENDINGS[os.path.splitext(path)[1].lower()]


def _check_output(path: str) -> None:
    """Check that the report can be written to a file, and that the packages for its format are installed.

    Raises:
        ImportError: A package is not installed.
        OSError: The file cannot be opened for writing.
    """
    exists = os.path.exists(path)
    # Do not open a pipe, because closing it would end the reader's input.
    if not exists or os.path.isfile(path) or os.path.isdir(path):
        # Opening an existing file for appending leaves it unchanged.
        with open(path, "ab"):
            pass
    if not exists:
        os.remove(os.path.realpath(path))
    if _format_of(path) == "html":
        from ...compare.page.comparison_page import check_packages

        check_packages()


def _render(comparison: Comparison, format_name: str) -> str:
    """Return the report in the format "text", "json" or "html"."""
    options = (terminal_width(sys.stdout),) if format_name == "text" else ()
    text: str = getattr(comparison, f"to_{format_name}")(*options)
    return f"{text.rstrip()}\n"


if __name__ == "__main__":
    sys.exit(main())
