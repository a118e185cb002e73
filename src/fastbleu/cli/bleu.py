"""The command line ``fastbleu``: sacreBLEU's, for BLEU.

Output and exit codes are those of sacreBLEU 2.6.0's command line, except the last field of the signature. Rare modules
are imported where they are used: a plain score should take less time than importing them.
"""

from __future__ import annotations

import os
import stat
import sys

from ..inputs._lines import FieldCountError
from ..inputs.files import (
    COMPRESSED,
    STDIN_NAME,
    TABLE_HEAD_BYTES,
    is_table,
    read_fields,
    read_lines,
    read_stdin_systems,
)
from ..metric import BLEU
from .bleu_options import PROGRAM, parse_options, refuse_several, refuse_table
from .bleu_output import (
    NamedColumn,
    counted_lines,
    print_explanations,
    print_score,
    print_sentence_scores,
    print_table,
)
from .common import EXIT_FIELDS, EXIT_USAGE, UserError, make_metric, run_command, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

#: Text files of this size together are read block by block rather than as a whole. Tests make it smaller.
_STREAMED_BYTES = 64 << 20

#: How much larger than a compressed file its text is taken to be.
_COMPRESSED_SIZE = 4


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, and say on standard error what went wrong, in one line.

    Args:
        arguments: The command line without the program's name; ``sys.argv[1:]`` if None.

    Returns:
        The exit code: 0, or 1 for input that cannot be scored, 2 for a wrong option, 17 for a line with
        another number of tab-separated fields, 130 after Ctrl-C.

    Raises:
        SystemExit: ``--help`` or ``--version`` was given.

    Example:
        >>> main(["--metrics", "chrf"])
        2
    """
    return run_command(PROGRAM, lambda: _run(parse_options(arguments)))


def _run(options: Namespace) -> None:
    """Read, check, score and print."""
    if sys.stdout is None:
        raise UserError("standard output is closed, so no score can be printed")
    if hasattr(sys.stdout, "reconfigure"):
        # sacreBLEU writes UTF-8 in every locale; names of systems may be file names that are not UTF-8.
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    # Before anything is read: standard input need not be waited for if the tokenizer is missing.
    is_streamed = options.hypothesis is None and _is_streamed(options)
    metric = _metric(options, 1 if is_streamed or options.hypothesis is not None else options.threads)
    if options.hypothesis is not None:
        from .bleu_tables import score_tables

        score_tables(metric, options)
        return
    _refuse_tables(options)
    if is_streamed:
        from .bleu_streams import score_streams

        score_streams(metric, options)
        return
    references = _read_references(options)
    systems = _read_systems(options)
    _check_lengths(systems, references)
    columns = [reference.column for reference in references]
    if options.explain is not None:
        print_explanations(metric, options, systems[0], columns)
    elif options.sentence_level:
        print_sentence_scores(metric, options, systems[0].column, columns)
    elif len(systems) == 1:
        print_score(metric, options, systems[0].column, columns)
    else:
        print_table(metric, options, systems, columns)


def _is_streamed(options: Namespace) -> bool:
    """Whether text is read block by block, because it may be larger than memory."""
    if options.explain is not None or options.encoding.lower() not in {"utf-8", "utf8"}:
        return False
    paths = [*options.references, *(options.input or [])]
    try:
        found = [os.stat(path) for path in paths]
    except (OSError, ValueError):
        return False  # the reader says what is wrong
    if options.input is None:
        try:
            found.append(os.fstat(sys.stdin.fileno()))
        except (AttributeError, OSError, ValueError):
            return True  # no file: it may be of any length
    if not all(stat.S_ISREG(status.st_mode) for status in found):
        return True
    size = sum(status.st_size for status in found)
    size += sum(
        (_COMPRESSED_SIZE - 1) * status.st_size
        for path, status in zip(paths, found, strict=False)
        if path.endswith(COMPRESSED)
    )
    return size >= _STREAMED_BYTES


def _refuse_tables(options: Namespace) -> None:
    """Refuse tables whose columns are not named."""
    for path in (*options.references, *(options.input or [])):
        if is_table(path):
            raise UserError(
                f"{path} is a table: name its columns with --hypothesis and --reference, and no other file with "
                "-i/--input",
                EXIT_USAGE,
            )


def _read_references(options: Namespace) -> list[NamedColumn]:
    if options.num_refs == 1:
        return [NamedColumn(path, read_lines(path, options.encoding)) for path in options.references]
    (path,) = options.references
    try:
        columns = read_fields(path, options.num_refs, options.encoding)
    except FieldCountError as error:
        raise UserError(str(error), EXIT_FIELDS) from None
    return [NamedColumn(path, column) for column in columns]


def _read_systems(options: Namespace) -> list[NamedColumn]:
    if options.input is not None:
        systems = [NamedColumn(path, read_lines(path, options.encoding)) for path in options.input]
    else:
        peek = getattr(getattr(sys.stdin, "buffer", None), "peek", None)
        # Text in another encoding may begin as a table does.
        if peek is not None and options.encoding.lower() in {"utf-8", "utf8"}:
            refuse_table(peek(TABLE_HEAD_BYTES))
        try:
            columns = read_stdin_systems(options.encoding)
        except FieldCountError as error:
            raise UserError(str(error), EXIT_FIELDS) from None
        if not len(columns[0]):
            raise UserError(f"{STDIN_NAME} is empty")
        systems = [NamedColumn(f"System {number}", column) for number, column in enumerate(columns, 1)]
    refuse_several(options, len(systems))
    return systems


def _check_lengths(systems: list[NamedColumn], references: list[NamedColumn]) -> None:
    for system in systems:
        if not len(system.column):
            raise UserError(f"{system.name} is empty")
        for reference in references:
            if len(system.column) != len(reference.column):
                raise UserError(
                    "system and reference streams have different lengths: "
                    f"{system.name} has {counted_lines(system)}, {reference.name} has {counted_lines(reference)}"
                )


class _Metric(BLEU):
    """BLEU whose warnings are printed rather than logged: `logging` takes longer to import than a score takes."""

    def _warn(self, *messages: str) -> None:
        for message in messages:
            say(PROGRAM, message)


def _metric(options: Namespace, threads: int) -> BLEU:
    if options.tokenize and options.target_language:
        # If they do not fit together, `BLEU` warns through a logger.
        import logging

        logging.basicConfig(format="fastbleu: %(message)s")
    effective_order = options.sentence_level or options.explain is not None
    return make_metric(
        _Metric, options, force=options.force, effective_order=effective_order, threads=threads
    )
