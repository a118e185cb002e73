"""The output of ``fastbleu`` for scores and explanations; `results_table` prints the table of several systems."""

from __future__ import annotations

import sys

from ...system.threads import for_each
from ..common import UserError, counted, is_terminal, print_text, progress_bar, say, terminal_width
from .metrics import BLEUWithReferences
from .options import PROGRAM, resamples

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator
    from typing import TypeVar

    from ...inputs._text import TextColumn
    from ...metric import BLEU
    from ...scoring.score import BLEUScore
    from ...system.progress import ProgressBar
    from .metrics import CorpusMetric
    from .text import NamedColumn

    Batch = TypeVar("Batch")

# Less text than this is scored before a progress bar would have been drawn. Tests make it smaller.
_BYTES_WORTH_A_BAR = 64 << 20
_LINES_PER_WRITE = 1024

# N-grams of each order that an explanation lists; its page has all.
_NGRAMS_LISTED = 20


def print_sentence_scores(
    metric: CorpusMetric, options: Namespace, system: TextColumn, references: list[TextColumn]
) -> None:
    """Print a line of text for each segment, with ``--format json`` too."""
    signature = ""
    lines = []
    # Where standard output is a terminal, the lines themselves show the progress.
    wanted = not is_terminal(sys.stdout)
    with _bar(len(system), "segments", [system, *references], options, wanted) as bar:
        for score in metric.sentences(system):
            # All segments have the same number of references, and with it the same signature.
            signature = signature or metric.signature(options.short)
            lines.append(score.format(options.width, options.score_only, signature))
            if len(lines) == _LINES_PER_WRITE:
                print_text("\n".join(lines))
                bar.update(len(lines))
                lines.clear()
    if lines:
        print_text("\n".join(lines))


def print_lines(batches: Iterator[Batch], render: Callable[[Batch], list[str]], options: Namespace) -> int:
    """Print lines for each batch, made on several threads while the next one is read; returns how many they are."""
    printed = 0

    def show(lines: list[str]) -> None:
        nonlocal printed
        if lines:
            print_text("\n".join(lines))
        printed += len(lines)

    for_each(batches, render, show, options.threads, ordered=True)
    return printed


def print_scores(
    metrics: dict[str, CorpusMetric], options: Namespace, system: TextColumn, references: list[TextColumn]
) -> None:
    """Print the score of one system by each metric, as JSON or as lines of text."""
    n_bootstrap = resamples(options)
    results = []
    with _bar(len(system), "segments", [system, *references], options) as bar:
        for _, metric in sorted(metrics.items()):
            if isinstance(metric, BLEUWithReferences):
                metric.metric.advance = bar.update
            score = metric.score(system, n_bootstrap)
            results.append(_formatted(score, metric.signature, options))
    _print_aligned(results, options)


def print_score(score: BLEUScore, options: Namespace) -> None:
    """Print the score of one system by BLEU, as JSON or as a line of text."""
    _print_aligned([_formatted(score, lambda short: _signature(score, short), options)], options)


def _formatted(score: BLEUScore, signature: Callable[[bool], str], options: Namespace) -> str:
    is_json = options.format == "json"
    return score.format(options.width, options.score_only, signature(options.short and not is_json), is_json)


def _print_aligned(results: list[str], options: Namespace) -> None:
    """Print the results of one system by one or several metrics."""
    if options.format == "json":
        print_text(results[0] if len(results) == 1 else "[\n" + ",\n".join(results) + "\n]")
        return
    if "μ" in results[0]:
        import re

        from .results_table import paint

        interval = re.compile(r"\(μ = [0-9.]+ ± [0-9.]+\)")
        results = [interval.sub(lambda match: paint(match[0], "cyan", options), line) for line in results]
    if len(results) == 1:
        print_text(results[0])
        return
    # As sacreBLEU does: what has no "=", as bare scores have none, comes first and is not aligned.
    for line in results:
        if "=" not in line:
            print_text(line)
    places = {line: line.index("=") - 1 for line in results if "=" in line}
    width = max(places.values(), default=0)
    for line, place in places.items():
        print_text(f"{line[:place]:>{width}}{line[place:]}")


def print_table(
    metrics: dict[str, CorpusMetric],
    options: Namespace,
    systems: list[NamedColumn],
) -> None:
    """Print the scores of several systems as JSON, or as a table in text or LaTeX."""
    say_number(len(systems), options)
    columns: dict[str, list[str]] = {}
    signatures = {}
    with _bar(len(systems), "systems", [system.column for system in systems], options) as bar:
        for system in systems:
            for _, metric in sorted(metrics.items()):
                score = metric.score(system.column)
                columns.setdefault(score.name, []).append(score.format(options.width, True))
                signatures[score.name] = metric.signature(options.short)
            bar.update(1)
    from .results_table import print_results

    print_results([system.name for system in systems], columns, signatures, options)


def print_systems(scores: dict[str, BLEUScore], options: Namespace) -> None:
    """Print the scores of several systems that were scored already."""
    say_number(len(scores), options)
    numbers = [score.format(options.width, True) for score in scores.values()]
    signature = _signature(next(iter(scores.values())), options.short)
    from .results_table import print_results

    print_results(list(scores), {"BLEU": numbers}, {"BLEU": signature}, options)


def say_number(systems: int, options: Namespace) -> None:
    """Say how many systems were found."""
    inform(options, f"Found {counted(systems, 'system')}.")


def inform(options: Namespace, message: str) -> None:
    """Say what goes on, unless the user wants to hear of problems only."""
    if not options.quiet:
        say(PROGRAM, message)


def print_explanations(
    metric: BLEU, options: Namespace, system: NamedColumn, references: list[TextColumn]
) -> None:
    """Print how the scores of some segments come about, as tables; or write them to a page."""
    from ...explain import explain, html_page
    from ...explain.text import text_table

    for number in (lines[-1] for lines in options.explain):
        if number > len(system.column):
            raise UserError(
                f"argument --explain: there is no line {number}; {system.name} has "
                f"{counted(len(system.column), 'line')}"
            )
    numbers = [number for lines in options.explain for number in lines]
    titles = [f"line {number} of {system.name}" for number in numbers]
    explanations = (
        explain(metric, system.column[number - 1], [column[number - 1] for column in references])
        for number in numbers
    )
    if options.explain_html is not None:
        from ...system.saving import save_text

        page = html_page(list(explanations), titles)
        save_text(options.explain_html, page)
        return
    width = terminal_width()
    for i, (title, explanation) in enumerate(zip(titles, explanations, strict=True)):
        if i:
            print_text()
        print_text(title)
        print_text(text_table(explanation, width, _NGRAMS_LISTED, options.width, options.short))


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
