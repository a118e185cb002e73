"""Print scores or results of paired tests of several systems as JSON, or as a text or LaTeX table with signatures."""

from __future__ import annotations

import os
import re
import sys
from itertools import zip_longest

from ..common import is_terminal, print_text, printable, terminal_width
from .score_options import is_paired

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any, TypeAlias

    #: The result of a paired test for one system, as `result` returns it.
    Result: TypeAlias = dict[str, Any]

_RESET = "\x1b[0m"
_COLOURS = {"red": "\x1b[31m", "green": "\x1b[32m", "yellow": "\x1b[33m", "cyan": "\x1b[36m"}

_COLOUR_CODE = re.compile("\x1b\\[[0-9]*m")

_BASELINE = "Baseline:"

_MIN_NAME_WIDTH = 12  # The minimum width, in columns, to which names of systems are cut.

#: The LaTeX code of each character that has a special meaning in LaTeX.
_LATEX_ESCAPES = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        **{character: rf"\ensuremath{{{character}}}" for character in "<>"},
        "^": r"\^{}",
        "~": r"\textasciitilde{}",
        "\\": r"\textbackslash{}",
    }
)

#: The significance level. Larger p-values are printed in red, all others with a star.
_SIGNIFICANCE_LEVEL = 0.05


def result(score: float, p_value: float | None, mean: float | None, half_width: float | None) -> Result:
    """Return the result of a paired test for one system as a dict with sacreBLEU's keys, in sacreBLEU's order.

    Args:
        score: The score of the system, 0..100.
        p_value: The p-value of the difference from the baseline, 0..1; None for the baseline.
        mean: The mean score of the bootstrap resamples; None for an approximate randomization test.
        half_width: Half the width of the 95 % confidence interval around the mean; None for an approximate
            randomization test.
    """
    return {"score": score, "p_value": p_value, "mean": mean, "ci": half_width}


def _cell(value: str | Result, options: Namespace) -> str:
    """Return the text of a table cell.

    Args:
        value: A formatted score, or the result of a test. The cell of a result has the score, the interval if there is
            one, and the p-value, which has a star if the difference is significant.
        options: The options of the command line.
    """
    if isinstance(value, str):
        return value
    score, p_value, mean, half_width = value.values()
    text = f"{score:.{options.width}f}"
    if mean is not None:
        text += f" ({mean:.{options.width}f} ± {half_width:.{options.width}f})"
    if p_value is not None:
        shown = f"(p = {p_value:.4f})"
        shown = paint(shown, "red", options) if p_value > _SIGNIFICANCE_LEVEL else f"{shown}*"
        text += f"{' ' if options.format == 'latex' else chr(10)}{shown}"
    return text


def print_results(
    names: list[str],
    columns: dict[str, list[str]] | dict[str, list[Result]],
    signatures: dict[str, str],
    options: Namespace,
) -> None:
    """Print the results of several systems.

    Args:
        names: The names of the systems.
        columns: For each metric, by its name, the formatted scores or the results of all systems.
        signatures: For each metric, by its name, the signature. It is not printed in JSON.
        options: The options of the command line.
    """
    if options.format == "json":
        import json

        rows = [
            {"system": name, **dict(zip(columns, of_system, strict=True))}
            for name, *of_system in zip(names, *columns.values(), strict=True)
        ]
        print_text(json.dumps(rows, indent=4))
        return
    titles, cells = ["System"], []
    for metric, results in columns.items():
        # As in sacreBLEU, if one title mentions intervals, all later titles mention them as well.
        has_interval = "μ" in titles[-1] or any(
            not isinstance(value, str) and value["mean"] is not None for value in results
        )
        titles.append(f"{metric} (μ ± 95% CI)" if has_interval else metric)
        cells.append([_cell(value, options) for value in results])
    # Escape terminal control sequences in file names.
    names = list(map(printable, names))
    print_text(f"{_table(titles, names, cells, options)}\n")
    if is_paired(options):
        print_text(_explain_test(names[0] if names[0].startswith(_BASELINE) else "", options))
    title = "Metric signatures"
    rule = "-" * len(title)
    lines = [f" - {metric:<10} {signature}" for metric, signature in signatures.items()]
    print_text("\n".join([rule, title, rule, *lines]))


def _table(titles: list[str], names: list[str], cells: list[list[str]], options: Namespace) -> str:
    """Return the table as sacreBLEU prints it. If the output is a terminal, names are cut to its width.

    Args:
        titles: The title of each column.
        names: The names of the systems.
        cells: For each metric, the cell of each system, which has one or two lines.
        options: The options of the command line.
    """
    from ...explain.terminal import columns, cut_names

    def width(title: str, column: list[str]) -> int:
        # As in sacreBLEU, a column is at least two characters wider than its title.
        lines = [_COLOUR_CODE.sub("", line) for cell in column for line in cell.split("\n")]
        return max(len(title) + 2, *map(columns, lines))

    has_baseline = names[0].startswith(_BASELINE)
    limit = terminal_width(sys.stdout)
    if limit is not None and options.format == "text":
        limit -= 4 + sum(3 + width(title, column) for title, column in zip(titles[1:], cells, strict=True))
        names = cut_names(names, max(limit, _MIN_NAME_WIDTH))
    widths = [width(title, column) for title, column in zip(titles, (names, *cells), strict=True)]
    rows = [[paint(title, "cyan", options) for title in titles], *map(list, zip(names, *cells, strict=True))]
    if has_baseline:
        rows[1] = [paint(cell, "yellow", options) for cell in rows[1]]

    def aligned(text: str, k: int) -> str:
        hidden = len(text) - columns(_COLOUR_CODE.sub("", text))
        return f" {text:{'^' if k else '>'}{widths[k] + hidden}} "

    if options.format == "latex":
        lines = [
            "&".join(aligned(cell, k).translate(_LATEX_ESCAPES) for k, cell in enumerate(row)) for row in rows
        ]
        begin = rf"\begin{{tabular}}{{r{'c' * len(cells)}}}"
        head, *body = (rf"{line}\\" for line in lines)
        return "\n".join([begin, r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"])

    def rule(left: str, fill: str, crossing: str, right: str) -> str:
        return left + crossing.join(fill * (width + 2) for width in widths) + right

    drawn = [rule(*"╒═╤╕")]
    for i, row in enumerate(rows):
        if i:
            drawn.append(rule(*("╞═╪╡" if i == 1 else "├─┼┤")))
        split = zip_longest(*(cell.split("\n") for cell in row), fillvalue="")
        drawn += [f"│{'│'.join(aligned(text, k) for k, text in enumerate(texts))}│" for texts in split]
    return "\n".join([*drawn, rule(*"╘═╧╛")])


def paint(text: str, colour: str, options: Namespace) -> str:
    """Return text with the escape sequences of a color. Return it unchanged if colors are disabled or not supported.

    Args:
        text: The text.
        colour: "red", "green", "yellow" or "cyan".
        options: The options of the command line.
    """
    return f"{_COLOURS[colour]}{text}{_RESET}" if shows_colours(options) else text


def shows_colours(options: Namespace) -> bool:
    """Return whether colors are enabled and standard output supports them."""
    if options.no_color or os.environ.get("NO_COLOR") or not is_terminal(sys.stdout):
        return False
    # On Windows, only Windows Terminal, which sets WT_SESSION, is known to interpret escape sequences.
    return os.name != "nt" or "WT_SESSION" in os.environ


def _explain_test(baseline: str, options: Namespace) -> str:
    """Return the explanation that sacreBLEU prints below the table of a paired test.

    Args:
        baseline: The name of the baseline as in the table, or "".
        options: The options of the command line.
    """
    # As in sacreBLEU, print the requested number of trials, even if the default is used instead.
    title = (
        f"Paired bootstrap resampling test with {options.paired_bs_n} resampling trials"
        if options.paired_bs
        else f"Paired approximate randomization test with {options.paired_ar_n} trials"
    )
    provided = (
        "Actual system score / bootstrap estimated true mean / 95% CI are provided for each metric."
        if options.paired_bs
        else "Actual system score is provided for each metric."
    )
    rule = "-" * len(title)
    named = paint(baseline, "yellow", options)
    line = paint("baseline", "yellow", options)
    hypothesis = paint("Null hypothesis", "green", options)
    red = paint("highlighted in red", "red", options)
    return f"""{rule}
{title}
{rule}
 - Each system is pairwise compared to {named}.
   {provided}

 - {hypothesis}: the system and the {line} translations are essentially
   generated by the same underlying process. For a given system and the {line},
   the p-value is roughly the probability of the absolute score difference (delta)
   or higher occurring due to chance, under the assumption that the {hypothesis.lower()} is correct.

 - Assuming a significance threshold of 0.05, the {hypothesis.lower()} can be rejected
   for p-values < 0.05 (marked with "*"). This means that the delta is unlikely to be attributed
   to chance, hence the system is significantly "different" than the {line}.
   Otherwise, the p-values are {red}.

 - NOTE: Significance does not tell whether a system is "better" than the {line} but rather
   emphasizes the "difference" of the systems in terms of the replicability of the delta.
"""
