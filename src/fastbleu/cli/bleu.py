"""The command line ``fastbleu``: sacreBLEU's, for BLEU.

Output and exit codes are those of sacreBLEU 2.6.0's command line, but for the last field of the signature. A
plain score has to be there before another program has finished importing: nothing rare is imported up here.
"""

from __future__ import annotations

import os
import sys

from ..inputs._lines import FieldCountError
from ..inputs.files import STDIN_NAME, read_fields, read_lines, read_stdin_systems
from ..metric import BLEU
from .bleu_options import parse_options
from .common import EXIT_USAGE, UserError, is_terminal, reason, run_command, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, TypeVar

    from tqdm import tqdm

    from ..inputs._text import TextColumn
    from ..scoring.score import BLEUScore

    Item = TypeVar("Item")

EXIT_FIELDS = 17  # sacreBLEU's status for a line with another number of tab-separated fields

_PROGRAM = "fastbleu"

# Work on less text than this is over before a progress bar would have been drawn.
_BYTES_WORTH_A_BAR = 64 << 20
_LINES_PER_WRITE = 1024

# N-grams of each order that an explanation lists; its page has all.
_NGRAMS_LISTED = 20

# Columns of an explanation where standard output is no terminal, and at the least where it is.
_PLAIN_WIDTH = 100
_LEAST_WIDTH = 70

_CYAN = "\x1b[36m"
_RESET = "\x1b[0m"


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
    return run_command(_PROGRAM, lambda: _run(parse_options(arguments)))


def _run(options: Namespace) -> None:
    """Read, check, score and print."""
    if sys.stdout is None:
        raise UserError("standard output is closed; the score has nowhere to go")
    if hasattr(sys.stdout, "reconfigure"):
        # sacreBLEU writes UTF-8 whatever the locale; names of systems may be file names that are not.
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    # First of all, so that a tokenizer that is not there is known before standard input has been waited for.
    metric = _metric(options)
    references = _read_references(options)
    systems = _read_systems(options)
    _check_lengths(systems, references)
    columns = [reference.column for reference in references]
    if options.explain is not None:
        _explain(metric, options, systems[0], columns)
    elif options.sentence_level:
        _print_sentence_scores(metric, options, systems[0].column, columns)
    elif len(systems) == 1:
        _print_single_score(metric, options, systems[0].column, columns)
    else:
        _print_system_scores(metric, options, systems, columns)


# Input


class _Stream:
    """A column, and what to call it in a message."""

    __slots__ = ("column", "name")

    def __init__(self, name: str, column: TextColumn) -> None:
        self.name = name
        self.column = column


def _read_references(options: Namespace) -> list[_Stream]:
    if options.num_refs == 1:
        return [_Stream(path, read_lines(path, options.encoding)) for path in options.references]
    (path,) = options.references
    try:
        columns = read_fields(path, options.num_refs, options.encoding)
    except FieldCountError as error:
        raise UserError(str(error), EXIT_FIELDS) from None
    return [_Stream(path, column) for column in columns]


def _read_systems(options: Namespace) -> list[_Stream]:
    if options.input is not None:
        systems = [_Stream(path, read_lines(path, options.encoding)) for path in options.input]
    else:
        try:
            columns = read_stdin_systems(options.encoding)
        except FieldCountError as error:
            raise UserError(str(error), EXIT_FIELDS) from None
        if not len(columns[0]):
            raise UserError(f"{STDIN_NAME} is empty")
        systems = [_Stream(f"System {number}", column) for number, column in enumerate(columns, 1)]
    if len(systems) > 1:
        if options.explain is not None:
            raise UserError(f"argument --explain: takes one system, not {len(systems)}")
        if options.sentence_level:
            raise UserError(f"argument --sentence-level/-sl: takes one system, not {len(systems)}")
        if options.confidence:
            raise UserError(f"argument --confidence/-ci: takes one system, not {len(systems)}")
    return systems


def _check_lengths(systems: list[_Stream], references: list[_Stream]) -> None:
    for system in systems:
        if not len(system.column):
            raise UserError(f"{system.name} is empty")
        for reference in references:
            if len(system.column) != len(reference.column):
                raise UserError(
                    "system and reference streams have different lengths: "
                    f"{system.name} has {_lines(system)}, {reference.name} has {_lines(reference)}"
                )


def _lines(stream: _Stream) -> str:
    return f"{len(stream.column)} {'line' if len(stream.column) == 1 else 'lines'}"


# Scores


class _Metric(BLEU):
    """BLEU whose warnings are printed rather than logged: `logging` takes longer to import than a score takes."""

    def _warn(self, *messages: str) -> None:
        for message in messages:
            say(_PROGRAM, message)


def _metric(options: Namespace) -> BLEU:
    if options.tokenize and options.target_language:
        # The two may not fit together, of which a logger tells.
        import logging

        logging.basicConfig(format="fastbleu: %(message)s")
    try:
        return _Metric(
            lowercase=options.lowercase,
            force=options.force,
            tokenize=options.tokenize,
            smooth_method=options.smooth_method,
            smooth_value=options.smooth_value,
            effective_order=options.sentence_level or options.explain is not None,
            trg_lang=options.target_language or "",
            threads=options.threads,
        )
    except ValueError as error:
        raise UserError(reason(error), EXIT_USAGE) from error


def _print_sentence_scores(
    metric: BLEU, options: Namespace, system: TextColumn, references: list[TextColumn]
) -> None:
    """One line for each segment, always as text."""
    scores: Iterable[BLEUScore] = metric.iterate_scores(system, references)
    if not is_terminal(sys.stdout):  # where the lines themselves would be the progress
        size = system.nbytes + sum(reference.nbytes for reference in references)
        scores = _progress(scores, len(system), "segments", size, options)
    signature = ""
    lines = []
    for score in scores:
        # All segments have the same number of references, and with it the same signature.
        signature = signature or _signature(score, options.short)
        lines.append(score.format(options.width, options.score_only, signature))
        if len(lines) == _LINES_PER_WRITE:
            print("\n".join(lines))
            lines.clear()
    if lines:
        print("\n".join(lines))


def _print_single_score(
    metric: BLEU, options: Namespace, system: TextColumn, references: list[TextColumn]
) -> None:
    """One score as JSON or as a line of text."""
    is_json = options.format == "json"
    n_bootstrap = options.confidence_n if options.confidence else 1
    size = system.nbytes + sum(reference.nbytes for reference in references)
    bar = _bar(len(system), "segments", size, options)
    if bar is None:
        score = metric.corpus_score(system, references, n_bootstrap=n_bootstrap)
    else:
        with bar:
            metric.advance = bar.update
            score = metric.corpus_score(system, references, n_bootstrap=n_bootstrap)
    signature = _signature(score, options.short and not is_json)
    line = score.format(options.width, options.score_only, signature, is_json)
    if options.confidence and not is_json and _colours(options):
        import re

        line = re.sub(r"\(μ = [0-9.]+ ± [0-9.]+\)", lambda match: _cyan(match.group()), line)
    print(line)


def _print_system_scores(
    metric: BLEU, options: Namespace, systems: list[_Stream], references: list[TextColumn]
) -> None:
    """One score for each system, as JSON or as a table."""
    tabulate = None if options.format == "json" else _import_tabulate()
    prepared = metric.prepare(references)
    if not options.quiet:
        say(_PROGRAM, f"Found {len(systems)} systems.")
    size = sum(system.column.nbytes for system in systems)
    scores = [
        metric.corpus_score(system.column, prepared)
        for system in _progress(systems, len(systems), "systems", size, options)
    ]
    names = [system.name for system in systems]
    numbers = [score.format(options.width, True) for score in scores]
    if tabulate is None:
        import json

        rows = [{"system": name, "BLEU": number} for name, number in zip(names, numbers, strict=True)]
        print(json.dumps(rows, indent=4))
        return
    paint = _cyan if _colours(options) else str
    table = tabulate(
        {paint("System"): names, paint("BLEU"): numbers},
        headers="keys",
        tablefmt="latex_booktabs" if options.format == "latex" else "fancy_grid",
        colalign=("right",),
        stralign="center",
        numalign="center",
        floatfmt=f".{options.width}f",
    )
    title = "Metric signatures"
    rule = "-" * len(title)
    print(f"{table}\n\n{rule}\n{title}\n{rule}\n - {'BLEU':<10} {_signature(scores[0], options.short)}")


def _explain(metric: BLEU, options: Namespace, system: _Stream, references: list[TextColumn]) -> None:
    """How the scores of some segments come about: tables, or a page written to a file."""
    from ..explain import explain, html_page
    from ..explain.text import text_table

    for number in (lines[-1] for lines in options.explain):
        if number > len(system.column):
            raise UserError(
                f"argument --explain: there is no line {number}; {system.name} has {_lines(system)}"
            )
    numbers = [number for lines in options.explain for number in lines]
    titles = [f"line {number} of {system.name}" for number in numbers]
    explanations = (
        explain(metric, system.column[number - 1], [column[number - 1] for column in references])
        for number in numbers
    )
    if options.explain_html is not None:
        page = html_page(list(explanations), titles)
        with open(options.explain_html, "w", encoding="utf-8", newline="\n") as file:
            file.write(page)
        return
    width = _terminal_width()
    for i, (title, explanation) in enumerate(zip(titles, explanations, strict=True)):
        if i:
            print()
        print(title)
        print(text_table(explanation, width, _NGRAMS_LISTED, options.width, options.short))


def _signature(score: BLEUScore, short: bool) -> str:
    return "" if score.signature is None else score.signature.format(short)


# Terminal


def _colours(options: Namespace) -> bool:
    """Whether colours are wanted and standard output shows them."""
    if options.no_color or os.environ.get("NO_COLOR") or not is_terminal(sys.stdout):
        return False
    # The classic Windows console prints escape sequences as they are; Windows Terminal sets this variable.
    return os.name != "nt" or "WT_SESSION" in os.environ


def _terminal_width() -> int:
    """Columns of the terminal that standard output is, and otherwise as many as fit anywhere."""
    if not is_terminal(sys.stdout):
        return _PLAIN_WIDTH
    from shutil import get_terminal_size

    return max(get_terminal_size().columns, _LEAST_WIDTH)


def _cyan(text: str) -> str:
    return f"{_CYAN}{text}{_RESET}"


def _import_tabulate() -> Callable[..., str]:
    try:
        import tabulate
    except ImportError:
        raise UserError(
            "the table for several systems needs the package tabulate: "
            "pip install 'fastbleu-metric[cli]' (or ask for --format json)"
        ) from None
    table: Callable[..., str] = tabulate.tabulate
    return table


def _bar(total: int, unit: str, size: int, options: Namespace) -> tqdm[Any] | None:
    """A progress bar on standard error if that is a terminal, the work long, and tqdm there."""
    if options.quiet or size < _BYTES_WORTH_A_BAR or not is_terminal(sys.stderr):
        return None
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm(total=total, unit=f" {unit}", leave=False)


def _progress(items: Iterable[Item], total: int, unit: str, size: int, options: Namespace) -> Iterable[Item]:
    """The items, counted by a bar if there is one."""
    bar = _bar(total, unit, size, options)
    if bar is None:
        return items
    return _counted(items, bar)


def _counted(items: Iterable[Item], bar: tqdm[Any]) -> Iterator[Item]:
    with bar:
        for item in items:
            yield item
            bar.update()
