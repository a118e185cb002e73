"""A comparison written out: as text for a terminal, as Markdown, as tables in LaTeX, and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from json import dumps

from ...explain.tables import Table, as_latex, as_markdown, latex_table, markdown_lines, text_lines
from ...explain.terminal import columns, cut, escaped, padded, wrapped
from ...options import check_integer
from .contents import listed_of, listed_pairs, other_columns, report
from .verdict import corrected_p

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..comparison import Comparison
    from ..results import Breakdown, Pair, Segment, System
    from .contents import Example, Part

#: Tables need as much.
_LEAST_WIDTH = 70

#: Columns that the name of a text takes at most.
_MOST_NAME = 40

#: The sign of a bound in LaTeX.
_AT_MOST = "\\le"


# Text


def text_report(comparison: Comparison, width: int) -> str:
    """Write a comparison out.

    Args:
        comparison: What to write.
        width: Columns of the terminal, at least 70.

    Raises:
        TypeError: `width` is not an integer.
        ValueError: It is too small.
    """
    width = check_integer("width", width, _LEAST_WIDTH)
    return "\n".join(line for part in report(comparison) for line in _text_part(part, width)).strip("\n")


def _text_part(part: Part, width: int) -> Iterator[str]:
    yield ""
    yield escaped(part.title)
    yield "=" * columns(escaped(part.title))
    for sentence in part.sentences:
        yield from _indented("- " if part.title != "Result" else "", sentence, width)
    for k, (title, table) in enumerate(part.tables):
        if title:
            if k:
                yield ""
            yield escaped(title)
        yield from text_lines(table, width)
    for example in part.examples:
        yield ""
        yield from _text_example(example, width)
    for note in part.notes:
        yield from _indented("", note, width)


def _indented(mark: str, text: str, width: int) -> Iterator[str]:
    for i, line in enumerate(wrapped(escaped(text).split(), width - len(mark))):
        yield f"{mark if i == 0 else ' ' * len(mark)}{line}"


def _text_example(example: Example, width: int) -> Iterator[str]:
    yield escaped(example.title)
    margin = min(max(columns(escaped(name)) for name, _ in example.texts), _MOST_NAME) + 4
    for name, text in example.texts:
        head = padded(f"  {cut(escaped(name), _MOST_NAME)}", margin)
        for i, line in enumerate(wrapped(escaped(text).split() or ["(empty)"], width - margin)):
            yield f"{head if i == 0 else ' ' * margin}{line}"


# Markdown


def markdown_report(comparison: Comparison) -> str:
    """Write a comparison out.

    Args:
        comparison: What to write.
    """
    lines = [line for part in report(comparison) for line in _markdown_part(part)]
    return "\n".join(["# Comparison of systems", *lines, ""])


def _markdown_part(part: Part) -> Iterator[str]:
    yield ""
    yield f"## {as_markdown(part.title)}"
    for sentence in part.sentences:
        yield ""
        yield as_markdown(sentence) if part.title == "Result" else f"- {as_markdown(sentence)}"
    for title, table in part.tables:
        yield ""
        if title:
            yield f"### {as_markdown(title)}"
            yield ""
        yield from markdown_lines(table)
    for example in part.examples:
        yield ""
        yield f"### {as_markdown(example.title)}"
        yield ""
        for name, text in example.texts:
            yield f"- **{as_markdown(name)}**: {as_markdown(text) or '(empty)'}"
    for note in part.notes:
        yield ""
        yield as_markdown(note)


# LaTeX


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
            ("95\\,\\% interval", _latex_interval),
            *other_columns(comparison, 1, "95\\,\\% interval", _latex_interval),
            ("BP", lambda system: f"{system.brevity_penalty:.3f}"),
            ("Length", lambda system: f"{system.length_ratio:.3f}"),
        ],
    )
    others = "".join(f" {each.name}: \\texttt{{{as_latex(each.signature)}}}." for each in comparison.others)
    caption = (
        f"BLEU of {len(systems)} systems on {comparison.num_segments:,} segments, with 95\\,\\% intervals from "
        f"{settings.resamples:,} resamples. Signature: \\texttt{{{as_latex(settings.signature)}}}.{others}"
    )
    pairs, _ = listed_pairs(comparison)
    table_of_pairs = Table.of(
        pairs,
        [
            ("Systems", lambda pair: f"{as_latex(pair.system)} -- {as_latex(pair.other)}"),
            ("Difference", _latex_difference),
            ("95\\,\\% interval", lambda pair: f"$[{pair.low:+.2f}, {pair.high:+.2f}]$"),
            ("$p$", lambda pair: f"${corrected_p(pair, at_most=_AT_MOST)}$"),
            *(
                (
                    other.name,
                    lambda pair, other=other: _latex_difference(listed_of(other, [pair])[0]),
                )
                for other in comparison.others
            ),
        ],
    )
    test = "approximate randomization" if settings.test == "randomization" else "paired bootstrap resampling"
    corrected = ""
    if len(comparison.pairs) > 1:
        is_corrected = settings.correction != "none"
        by = f"corrected by {settings.correction.title()}" if is_corrected else "not corrected"
        corrected = f", $p$ {by} for {len(comparison.pairs)} pairs"
    caption_of_pairs = (
        f"Differences in BLEU, tested by {test} ({settings.trials:,} trials, two-sided{corrected}). A star marks "
        f"$p \\le {settings.level:g}$."
    )
    return "\n".join(
        (latex_table(table, caption, "systems"), latex_table(table_of_pairs, caption_of_pairs, "pairs"))
    )


def _latex_interval(system: Any) -> str:
    return f"[{system.low:.1f}, {system.high:.1f}]"


def _latex_difference(pair: Pair) -> str:
    return f"${pair.difference:+.2f}{'^{*}' * pair.is_significant}$"


# JSON


def json_report(comparison: Comparison) -> str:
    """Write everything out, without the arrays that have a number for each segment.

    Args:
        comparison: What to write.

    Returns:
        An object. Numbers are written in full; what is unknown is null. Segments are numbered from 0.
    """
    found = {
        "verdict": list(comparison.verdict),
        "num_segments": comparison.num_segments,
        "num_references": comparison.num_references,
        "settings": asdict(comparison.settings),
        "systems": list(map(_system, comparison.systems)),
        "pairs": [_pair(pair, comparison) for pair in comparison.pairs],
        "others": [
            {
                **_fields(other, "name", "signature"),
                "systems": list(map(asdict, other.systems)),
                "pairs": [_pair(pair, comparison) for pair in other.pairs],
            }
            for other in comparison.others
        ],
        "no_agreement": comparison.no_agreement,
        "breakdowns": [_breakdown(each, comparison) for each in comparison.breakdowns],
        "findings": list(map(asdict, comparison.findings)),
        "segments": [_segment(segment, comparison) for segment in comparison.segments],
    }
    # A lone surrogate cannot be written in UTF-8.
    text = dumps(found, indent=1, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode()


def _fields(value: Any, *names: str) -> dict[str, Any]:
    """The attributes of these names."""
    return {name: getattr(value, name) for name in names}


def _system(system: System) -> dict[str, Any]:
    names = ("name", "rank", "cluster", "bleu", "low", "high", "precisions")
    figures = _fields(system, *names, "brevity_penalty", "length_ratio")
    return {**figures, **_fields(system.score, "sys_len", "ref_len", "counts", "totals")}


def _pair(pair: Pair, comparison: Comparison) -> dict[str, Any]:
    found = _fields(pair, *(name for name in pair.__slots__ if name != "detail"))
    detail = pair.detail
    if detail is not None:
        numbers = [segment.index for segment in comparison.segments]
        found["detail"] = {
            "ngrams_system": list(map(asdict, detail.ngrams_system)),
            "ngrams_other": list(map(asdict, detail.ngrams_other)),
            "better": [numbers[place] for place in detail.better],
            "worse": [numbers[place] for place in detail.worse],
        }
    return found


def _breakdown(found: Breakdown, comparison: Comparison) -> dict[str, Any]:
    values = {
        system.name: [None if value != value else value for value in row]  # noqa: PLR0124  # NaN
        for system, row in zip(comparison.systems, found.values.tolist(), strict=True)
    }
    return {**asdict(found), "values": values}


def _segment(segment: Segment, comparison: Comparison) -> dict[str, Any]:
    names = (system.name for system in comparison.systems)
    parts = zip(names, segment.scores, segment.texts, segment.systems, strict=True)
    return {
        **_fields(segment, "index", "source", "document", "domain", "language"),
        "references": segment.reference_texts,
        "systems": [
            {"name": name, "score": score, "text": text, **_fields(marked, "tokens", "orders")}
            for name, score, text, marked in parts
        ],
    }
