"""Print scores and explanations of scores. `results_table` prints the table of the scores of several systems."""

from __future__ import annotations

import sys

from ...errors import counted
from ..common import UserError, byte_bar, is_terminal, print_text, say, terminal_width
from .score_options import PROGRAM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from ...inputs._text import TextColumn
    from ...system.progress import ProgressBar
    from .text_blocks import Streams

# The maximum number of n-grams of each order in a printed explanation. An HTML page lists all n-grams.
_NGRAMS_LISTED = 20


def print_scores(names: list[str], scores: list[list[Any]], options: Namespace) -> None:
    """Print the scores of one system as JSON or text, or the scores of several systems as a table.

    Args:
        names: The names of the systems.
        scores: For each metric, the score of each system, with a signature.
        options: The options of the command line.
    """
    if len(names) == 1:
        is_json = options.format == "json"
        short = options.short and not is_json
        _print_aligned(
            [
                score.format(options.width, options.score_only, score.signature.format(short), is_json)
                for (score,) in scores
            ],
            options,
        )
        return
    from .results_table import print_results

    say_number(len(names), options)
    columns = {
        of_metric[0].name: [score.format(options.width, True) for score in of_metric] for of_metric in scores
    }
    signatures = {of_metric[0].name: of_metric[0].signature.format(options.short) for of_metric in scores}
    print_results(names, columns, signatures, options)


def _print_aligned(results: list[str], options: Namespace) -> None:
    """Print the scores of one system. If there are several metrics, align the text at the first "=" of each score.

    Args:
        results: The formatted score for each metric.
        options: The options of the command line.
    """
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
    # As in sacreBLEU, print lines without "=" first. They have only a number.
    for line in results:
        if "=" not in line:
            print_text(line)
    positions = {line: line.index("=") - 1 for line in results if "=" in line}
    width = max(positions.values(), default=0)
    for line, position in positions.items():
        print_text(f"{line[:position]:>{width}}{line[position:]}")


def say_number(systems: int, options: Namespace) -> None:
    """Print the number of systems on standard error."""
    inform(options, f"Found {counted(systems, 'system')}.")


def inform(options: Namespace, message: str) -> None:
    """Print a progress message to standard error, except with ``--quiet``."""
    if not options.quiet:
        say(PROGRAM, message)


def print_explanations(
    metric: Any, options: Namespace, systems: Streams, references: list[TextColumn]
) -> None:
    """Print or save explanations of the scores of some segments.

    Args:
        metric: The BLEU metric.
        options: The options of the command line, which contain the line numbers and the name of an HTML page, if any.
        systems: The only system, with its name.
        references: The streams of references.

    Raises:
        UserError: There is no line with a given number.
        OSError: The HTML page cannot be written.
    """
    ((name, system),) = systems
    from ...explain import explain, html_page
    from ...explain.explanation_text import text_table
    from ...explain.terminal import PLAIN_WIDTH

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

        save_text(options.explain_html, html_page(list(explanations), titles))
        return
    width = terminal_width(sys.stdout) or PLAIN_WIDTH
    for i, (title, explanation) in enumerate(zip(titles, explanations, strict=True)):
        if i:
            print_text()
        print_text(title)
        print_text(text_table(explanation, width, _NGRAMS_LISTED, options.width, options.short))


def file_bar(size: int | None, options: Namespace) -> ProgressBar:
    """Return a progress bar for reading `size` bytes, or an unknown number if `size` is None.

    The bar is hidden with ``--quiet``, and if sentence scores are printed to a terminal.
    """
    return byte_bar(size, not options.quiet and not (options.sentence_level and is_terminal(sys.stdout)))
