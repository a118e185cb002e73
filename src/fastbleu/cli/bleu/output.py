"""The output of ``fastbleu`` for scores and explanations; `results_table` prints the table of several systems."""

from __future__ import annotations

import sys

from ...counting.totals import DIFFERING, Sums
from ...errors import counted
from ...system.threads import for_each
from ..common import UserError, byte_bar, is_terminal, print_text, progress_bar, say, terminal_width
from .options import PROGRAM, resamples

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeAlias, TypeVar

    from ...inputs._text import TextColumn
    from ...scoring.score import Score
    from ...system.progress import ProgressBar
    from .metrics import OurMetric

    Batch = TypeVar("Batch")

    #: A batch: for each system its name, the sum of its rows, its segments by their number of references, and how
    #: many hypotheses look tokenized; and the bytes of all rows where they are kept.
    Counted: TypeAlias = "tuple[list[tuple[str, list[int], dict[int, int], int]], bytes]"
    #: The name of a system, its score by a metric, and the signature.
    Scored: TypeAlias = tuple[str, Score, Any]

# Less text than this is scored before a progress bar would have been drawn. Tests make it smaller.
_BYTES_WORTH_A_BAR = 64 << 20

# N-grams of each order that an explanation lists; its page has all.
_NGRAMS_LISTED = 20


def sentence_lines(
    metric: OurMetric, options: Namespace, rows: Iterable[list[int]], numbers: list[int]
) -> list[str]:
    """A line for the score of each row; `numbers` has the number of references of each."""
    signatures = {each: metric.signature_for(each).format(options.short) for each in set(numbers)}
    score = metric.formula.score
    return [
        score(row).format(options.width, options.score_only, signatures[number])
        for row, number in zip(rows, numbers, strict=True)
    ]


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


def scores_of(
    metric: OurMetric, options: Namespace, batches: Iterator[Batch], count: Callable[[Batch], Counted]
) -> list[Scored]:
    """Count batches on several threads while the next one is read.

    Args:
        metric: What to count and score with.
        options: Those of the command line.
        batches: The segments; read by one thread at a time.
        count: Returns the sums of a batch, system by system, and rows int64 [n, columns] if there is to be an interval.

    Returns:
        The score of each system; none if there are no segments.
    """
    systems: dict[str, Sums] = {}
    tokenized: dict[str, int] = {}
    all_rows = bytearray()

    def add(counted: Counted) -> None:
        parts, rows = counted
        for name, row, segments, looking in parts:
            systems[name] = systems[name].plus(row, segments) if name in systems else Sums(row, segments)
            before = tokenized.get(name, 0)
            metric.warn_of_tokens(before, looking)
            tokenized[name] = before + looking
        all_rows.extend(rows)

    for_each(batches, count, add, options.threads, ordered=True)
    scores = []
    n_bootstrap = resamples(options)
    for name, sums in systems.items():
        score: Any = metric.formula.score(sums.row)
        number = sums.num_references() or DIFFERING
        if n_bootstrap > 1:
            import numpy as np

            from ...scoring.bootstrap import interval

            rows = np.frombuffer(all_rows, dtype=np.int64).reshape(-1, len(sums.row))
            mean, half_width, seed = interval(rows, n_bootstrap, metric.formula.score_resamples)
            score.set_interval(mean, half_width)
            metric.signed(score, number, n_bootstrap, seed)
        else:
            metric.signed(score, number)
        scores.append((name, score, score.signature))
    return scores


def print_scores(scores: list[Scored], options: Namespace, as_table: bool) -> None:
    """Print scores, if there are any: as those of several systems, or of one as JSON or lines of text."""
    if not scores:
        return
    if not as_table:
        is_json = options.format == "json"
        _print_aligned(
            [
                score.format(
                    options.width,
                    options.score_only,
                    signature.format(options.short and not is_json),
                    is_json,
                )
                for _, score, signature in scores
            ],
            options,
        )
        return
    from .results_table import print_results

    names = list(dict.fromkeys(name for name, _, _ in scores))
    say_number(len(names), options)
    columns: dict[str, list[str]] = {}
    signatures: dict[str, str] = {}
    for _, score, signature in scores:
        columns.setdefault(score.name, []).append(score.format(options.width, True))
        signatures.setdefault(score.name, signature.format(options.short))
    print_results(names, columns, signatures, options)


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


def say_number(systems: int, options: Namespace) -> None:
    """Say how many systems were found."""
    inform(options, f"Found {counted(systems, 'system')}.")


def inform(options: Namespace, message: str) -> None:
    """Say what goes on, unless the user wants to hear of problems only."""
    if not options.quiet:
        say(PROGRAM, message)


def print_explanations(
    metric: Any, options: Namespace, name: str, system: TextColumn, references: list[TextColumn]
) -> None:
    """Print how the scores of some segments of a system come about, as tables; or write them to a page."""
    from ...explain import explain, html_page
    from ...explain.text import text_table

    for number in (lines[-1] for lines in options.explain):
        if number > len(system):
            raise UserError(
                f"argument --explain: there is no line {number}; {name} has {counted(len(system), 'line')}"
            )
    numbers = [number for lines in options.explain for number in lines]
    titles = [f"line {number} of {name}" for number in numbers]
    explanations = (
        explain(metric, system[number - 1], [column[number - 1] for column in references])
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


def segment_bar(total: int, columns: list[TextColumn], options: Namespace) -> ProgressBar:
    """A bar for the segments of text that is all at hand, if there is much of it."""
    long = sum(column.nbytes for column in columns) >= _BYTES_WORTH_A_BAR
    return progress_bar(total, " segments", long and _wants_bar(options))


def file_bar(size: int | None, options: Namespace) -> ProgressBar:
    """The bar of `byte_bar` for a file of this size."""
    return byte_bar(size, _wants_bar(options))


def _wants_bar(options: Namespace) -> bool:
    """Return whether to show a bar; lines on a terminal show the progress themselves."""
    return not options.quiet and not (options.sentence_level and is_terminal(sys.stdout))
