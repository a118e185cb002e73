"""Tables of a comparison for a paper, in LaTeX."""

from __future__ import annotations

from .contents import Table, listed_pairs
from .verdict import corrected_p

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..comparison import Comparison

#: Characters that mean something in LaTeX, and what stands for them.
_ESCAPES = str.maketrans({
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}",
    "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}", '"': "\\char34{}",
})  # fmt: skip

_AT_MOST = "\\le"


def latex_tables(comparison: Comparison) -> str:
    """Make a table of the systems and one of the pairs; they need the package booktabs.

    Args:
        comparison: What to write.
    """
    settings, systems = comparison.settings, comparison.systems
    table = Table.of(
        systems,
        [
            ("System", lambda system: as_latex(system.name)),
            None if systems[0].cluster is None else ("Cluster", lambda system: str(system.cluster)),
            ("BLEU", lambda system: f"{system.bleu:.1f}"),
            ("95\\,\\% interval", lambda system: f"[{system.low:.1f}, {system.high:.1f}]"),
            ("BP", lambda system: f"{system.brevity_penalty:.3f}"),
            ("Length", lambda system: f"{system.length_ratio:.3f}"),
        ],
    )
    caption = (
        f"BLEU of {len(systems)} systems on {comparison.num_segments:,} segments, with 95\\,\\% intervals from "
        f"{settings.resamples:,} resamples. Signature: \\texttt{{{as_latex(settings.signature)}}}."
    )
    pairs, _ = listed_pairs(comparison)
    table_of_pairs = Table.of(
        pairs,
        [
            ("Systems", lambda pair: f"{as_latex(pair.system)} -- {as_latex(pair.other)}"),
            ("Difference", lambda pair: f"${pair.difference:+.2f}{'^{*}' * pair.is_significant}$"),
            ("95\\,\\% interval", lambda pair: f"$[{pair.low:+.2f}, {pair.high:+.2f}]$"),
            ("$p$", lambda pair: f"${corrected_p(pair, at_most=_AT_MOST)}$"),
        ],
    )
    test = "approximate randomization" if settings.test == "randomization" else "paired bootstrap resampling"
    corrected = ""
    if len(comparison.pairs) > 1:
        is_corrected = settings.correction != "none"
        by = f"corrected by {settings.correction.title()}" if is_corrected else "not corrected"
        corrected = f", $p$ {by} for {len(comparison.pairs)} pairs"
    exact = sum(pair.exact for pair in comparison.pairs)
    trials = f"{settings.trials:,} trials"
    if exact:
        trials = "exact" if exact == len(comparison.pairs) else f"{trials}, or exact"
    caption_of_pairs = (
        f"Differences in BLEU, tested by {test} ({trials}, two-sided{corrected}). A star marks "
        f"$p \\le {settings.level:g}$."
    )
    return "\n".join((_table(table, caption, "systems"), _table(table_of_pairs, caption_of_pairs, "pairs")))


def as_latex(text: str) -> str:
    r"""Text that LaTeX sets as it is.

    Example:
        >>> print(as_latex("a_b & 5 %"))
        a\_b \& 5 \%
    """
    printable = "".join(each if each.isprintable() else " " for each in text)
    return printable.translate(_ESCAPES)


def _table(table: Table, caption: str, label: str) -> str:
    lines = [
        "\\begin{table}",
        "\\centering",
        f"\\begin{{tabular}}{{l{'r' * (len(table.head) - 1)}}}",
        "\\toprule",
        f"{' & '.join(table.head)} \\\\",
        "\\midrule",
        *(f"{' & '.join(row)} \\\\" for row in table.rows),
        "\\bottomrule",
        "\\end{tabular}",
        f"\\caption{{{caption}}}",
        f"\\label{{tab:{label}}}",
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"
