"""Tables of a comparison for a paper, in LaTeX."""

from __future__ import annotations

from .parts import listed_pairs
from .verdict import corrected_p

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..comparison import Comparison
    from ..results import Pair, System

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
    settings = comparison.settings
    has_clusters = comparison.systems[0].cluster is not None
    rows = [_system(system, has_clusters) for system in comparison.systems]
    head = ["System", *(["Cluster"] if has_clusters else []), "BLEU", "95\\,\\% interval", "BP", "Length"]
    test = "approximate randomization" if settings.test == "randomization" else "paired bootstrap resampling"
    caption = (
        f"BLEU of {len(rows)} systems on {comparison.num_segments:,} segments, with 95\\,\\% intervals from "
        f"{settings.resamples:,} resamples. Signature: \\texttt{{{as_latex(settings.signature)}}}."
    )
    pairs, _ = listed_pairs(comparison)
    corrected = ""
    if len(comparison.pairs) > 1:
        by = (
            "not corrected"
            if settings.correction == "none"
            else f"corrected by {settings.correction.title()}"
        )
        corrected = f", $p$ {by} for {len(comparison.pairs)} pairs"
    exact = sum(pair.exact for pair in comparison.pairs)
    trials = f"{settings.trials:,} trials"
    if exact:
        trials = "exact" if exact == len(comparison.pairs) else f"{trials}, or exact"
    caption_of_pairs = (
        f"Differences in BLEU, tested by {test} ({trials}, two-sided{corrected}). A star marks "
        f"$p \\le {settings.level:g}$."
    )
    head_of_pairs = ["Systems", "Difference", "95\\,\\% interval", "$p$"]
    return "\n".join(
        (
            _table(head, rows, caption, "systems"),
            _table(head_of_pairs, list(map(_pair, pairs)), caption_of_pairs, "pairs"),
        )
    )


def as_latex(text: str) -> str:
    r"""Text that LaTeX sets as it is.

    Example:
        >>> print(as_latex("a_b & 5 %"))
        a\_b \& 5 \%
    """
    printable = "".join(each if each.isprintable() else " " for each in text)
    return printable.translate(_ESCAPES)


def _system(system: System, has_clusters: bool) -> list[str]:
    return [
        as_latex(system.name),
        *([str(system.cluster)] if has_clusters else []),
        f"{system.bleu:.1f}",
        f"[{system.low:.1f}, {system.high:.1f}]",
        f"{system.brevity_penalty:.3f}",
        f"{system.length_ratio:.3f}",
    ]


def _pair(pair: Pair) -> list[str]:
    star = "^{*}" if pair.is_significant else ""
    return [
        f"{as_latex(pair.system)} -- {as_latex(pair.other)}",
        f"${pair.difference:+.2f}{star}$",
        f"$[{pair.low:+.2f}, {pair.high:+.2f}]$",
        f"${corrected_p(pair, at_most=_AT_MOST)}$",
    ]


def _table(head: list[str], rows: list[list[str]], caption: str, label: str) -> str:
    lines = [
        "\\begin{table}",
        "\\centering",
        f"\\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}",
        "\\toprule",
        f"{' & '.join(head)} \\\\",
        "\\midrule",
        *(f"{' & '.join(row)} \\\\" for row in rows),
        "\\bottomrule",
        "\\end{tabular}",
        f"\\caption{{{caption}}}",
        f"\\label{{tab:{label}}}",
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"
