"""What ``fastbleu`` prints: scores as JSON or text, the table of several systems as text or LaTeX, explanations."""

from __future__ import annotations

import os
import sys

from ..threads import for_each
from .bleu_options import PROGRAM
from .common import UserError, is_terminal, progress_bar, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator
    from typing import TypeVar

    from ..inputs._text import TextColumn
    from ..metric import BLEU
    from ..progress import ProgressBar
    from ..scoring.score import BLEUScore

    Batch = TypeVar("Batch")

# Less text than this is scored before a progress bar would have been drawn. Tests make it smaller.
_BYTES_WORTH_A_BAR = 64 << 20
_LINES_PER_WRITE = 1024

# N-grams of each order that an explanation lists; its page has all.
_NGRAMS_LISTED = 20

# Columns of an explanation where standard output is no terminal, and at the least where it is.
_PLAIN_WIDTH = 100
_LEAST_WIDTH = 70

_CYAN = "\x1b[36m"
_RESET = "\x1b[0m"


#: A number of hypotheses that looked tokenized before: no further warning is due then. Threads count batches, and
#: what they find together is warned of.
WARNED = sys.maxsize


class NamedColumn:
    """A column, and what to call it."""

    __slots__ = ("column", "name")

    def __init__(self, name: str, column: TextColumn) -> None:
        self.name = name
        self.column = column


def counted_lines(stream: NamedColumn) -> str:
    """How many lines a column has, in words."""
    return f"{len(stream.column)} {'line' if len(stream.column) == 1 else 'lines'}"


def print_sentence_scores(
    metric: BLEU, options: Namespace, system: TextColumn, references: list[TextColumn]
) -> None:
    """Print a line of text for each segment, with ``--format json`` too."""
    signature = ""
    lines = []
    # Where standard output is a terminal, the lines themselves show the progress.
    wanted = not is_terminal(sys.stdout)
    with _bar(len(system), "segments", [system, *references], options, wanted) as bar:
        for score in metric.iterate_scores(system, references):
            # All segments have the same number of references, and with it the same signature.
            signature = signature or _signature(score, options.short)
            lines.append(score.format(options.width, options.score_only, signature))
            if len(lines) == _LINES_PER_WRITE:
                print("\n".join(lines))
                bar.update(len(lines))
                lines.clear()
    if lines:
        print("\n".join(lines))


def print_lines(batches: Iterator[Batch], render: Callable[[Batch], list[str]], options: Namespace) -> int:
    """Print lines for each batch, made on several threads while the next one is read; returns how many they are."""
    printed = 0

    def show(lines: list[str]) -> None:
        nonlocal printed
        if lines:
            print("\n".join(lines))
        printed += len(lines)

    for_each(batches, render, show, options.threads, ordered=True)
    return printed


def print_score(metric: BLEU, options: Namespace, system: TextColumn, references: list[TextColumn]) -> None:
    """Print the score of one system as JSON or as a line of text."""
    n_bootstrap = options.confidence_n if options.confidence else 1
    with _bar(len(system), "segments", [system, *references], options) as bar:
        metric.advance = bar.update
        score = metric.corpus_score(system, references, n_bootstrap=n_bootstrap)
    print_one(score, options)


def print_one(score: BLEUScore, options: Namespace) -> None:
    """Print the score of one system as JSON or as a line of text."""
    is_json = options.format == "json"
    signature = _signature(score, options.short and not is_json)
    line = score.format(options.width, options.score_only, signature, is_json)
    if options.confidence and not is_json and _colours(options):
        import re

        line = re.sub(r"\(μ = [0-9.]+ ± [0-9.]+\)", lambda match: _cyan(match.group()), line)
    print(line)


def print_table(
    metric: BLEU, options: Namespace, systems: list[NamedColumn], references: list[TextColumn]
) -> None:
    """Print the scores of several systems as JSON, or as a table in text or LaTeX."""
    check_table(options)
    prepared = metric.prepare(references)
    _say_number(len(systems), options)
    scores = {}
    with _bar(len(systems), "systems", [system.column for system in systems], options) as bar:
        for system in systems:
            scores[system.name] = metric.corpus_score(system.column, prepared)
            bar.update(1)
    _print_table(scores, options)


def print_systems(scores: dict[str, BLEUScore], options: Namespace) -> None:
    """Print the scores of several systems that were scored already, likewise."""
    _say_number(len(scores), options)
    _print_table(scores, options)


def check_table(options: Namespace) -> None:
    """Check, before anything is scored, that a table can be printed.

    Raises:
        UserError: A package is missing.
    """
    if options.format != "json":
        _import_tabulate()


def _say_number(systems: int, options: Namespace) -> None:
    if not options.quiet:
        say(PROGRAM, f"Found {systems} system{'s' if systems > 1 else ''}.")


def _print_table(scores: dict[str, BLEUScore], options: Namespace) -> None:
    names = list(scores)
    numbers = [score.format(options.width, True) for score in scores.values()]
    if options.format == "json":
        import json

        rows = [{"system": name, "BLEU": number} for name, number in zip(names, numbers, strict=True)]
        print(json.dumps(rows, indent=4))
        return
    tabulate = _import_tabulate()
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
    signature = _signature(next(iter(scores.values())), options.short)
    print(f"{table}\n\n{rule}\n{title}\n{rule}\n - {'BLEU':<10} {signature}")


def print_explanations(
    metric: BLEU, options: Namespace, system: NamedColumn, references: list[TextColumn]
) -> None:
    """Print how the scores of some segments come about, as tables; or write them to a page."""
    from ..explain import explain, html_page
    from ..explain.text import text_table

    for number in (lines[-1] for lines in options.explain):
        if number > len(system.column):
            raise UserError(
                f"argument --explain: there is no line {number}; {system.name} has {counted_lines(system)}"
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


def _bar(
    total: int, unit: str, columns: list[TextColumn], options: Namespace, wanted: bool = True
) -> ProgressBar:
    """A progress bar for long work."""
    long = sum(column.nbytes for column in columns) >= _BYTES_WORTH_A_BAR
    return progress_bar(total, f" {unit}", wanted and long and not options.quiet)


def file_bar(size: int | None, options: Namespace) -> ProgressBar:
    """A progress bar for the bytes of a file that is read part by part; None: it is not known how many these are."""
    # Short work is over before a bar would have been drawn; lines on a terminal show the progress themselves.
    wanted = not options.quiet and not (options.sentence_level and is_terminal(sys.stdout))
    return progress_bar(size, "B", wanted, unit_scale=True, unit_divisor=1024, delay=1)


def _colours(options: Namespace) -> bool:
    """Whether colours are wanted and standard output shows them."""
    if options.no_color or os.environ.get("NO_COLOR") or not is_terminal(sys.stdout):
        return False
    # The classic Windows console prints escape sequences as they are; Windows Terminal sets this variable.
    return os.name != "nt" or "WT_SESSION" in os.environ


def _cyan(text: str) -> str:
    return f"{_CYAN}{text}{_RESET}"


def _terminal_width() -> int:
    """Columns of the terminal that standard output is, or a width that fits most places."""
    if not is_terminal(sys.stdout):
        return _PLAIN_WIDTH
    from shutil import get_terminal_size

    return max(get_terminal_size().columns, _LEAST_WIDTH)


def _import_tabulate() -> Callable[..., str]:
    try:
        import tabulate
    except ImportError:
        raise UserError(
            'the table for several systems needs the package tabulate: pip install "fastbleu-metric[cli]" '
            "(or ask for --format json)"
        ) from None
    table: Callable[..., str] = tabulate.tabulate
    return table
