"""Format a comparison as text for a terminal."""

from __future__ import annotations

from itertools import groupby

from ..explain.terminal import PLAIN_WIDTH, columns, cut_names, escaped, padded, table_lines, wrapped
from ..options import check_integer
from .glossary import glossary
from .human import as_percent
from .pairs import listed_of, listed_pairs
from .power import why_none_significant
from .verdict import corrected_p, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..explain.terminal import Columns
    from ..scoring.significance import SystemInterval
    from .comparison import Comparison
    from .results import Breakdown, Finding, NgramDifference, Pair, PairDetail, Segment, System

#: The smallest width that a caller may choose, in columns; tables would not fit into less.
_LEAST_WIDTH = 70

#: The largest width of the label before a text of a segment, such as "reference" or a system's name, in columns.
_LABEL_WIDTH = 40

#: List all groups of a breakdown that has at most this many.
_MOST_GROUPS = 10

#: If a breakdown has more than `_MOST_GROUPS` groups, list this many for each system of the first pair: the groups in
#: which that system is most ahead of the other.
_GROUPS_LISTED = 5

#: The number of pairs whose n-grams and segments are shown.
_PAIRS_SHOWN = 2

#: The number of segments that are shown for each pair and direction.
_SEGMENTS_SHOWN = 3

#: The number of findings that are listed.
_FINDINGS_LISTED = 8

#: The number of segments that are listed for each finding.
_NUMBERS_LISTED = 5

#: If there are at most this many systems, show the output of every system for a segment; otherwise, only the outputs of
#: the two systems of the pair.
_SYSTEMS_SHOWN = 4

#: List all pairs if there are at most this many. Otherwise list the pairs of neighbors in the ranking and those of the
#: best system.
_PAIRS_LISTED = 45


def text_report(comparison: Comparison, width: int | None) -> str:
    """Format a comparison as text, with the verdict first.

    Args:
        comparison: The comparison.
        width: The number of columns of the terminal, at least 70. None: 100 columns for paragraphs, and tables as wide
            as the names of the systems need.

    Raises:
        TypeError: `width` is not an integer.
        ValueError: `width` is less than 70.
    """
    width = None if width is None else check_integer("width", width, _LEAST_WIDTH)
    lines: list[str] = []
    for title, content in _sections(comparison, width):
        heading = escaped(title)
        lines += ["", heading, "=" * columns(heading), *content]
    return "\n".join(lines).strip("\n")


def _sections(comparison: Comparison, width: int | None) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield the heading and the lines of each section."""
    yield comparison.settings.title or "Result", _paragraphs("", comparison.verdict, width)
    if comparison.findings or comparison.unchecked:
        yield "Possible problems", _paragraphs("- ", _findings(comparison), width)
    yield "Systems", table_lines(_systems(comparison), width)
    yield "Differences", _differences(comparison, width)
    breakdowns = [(each.title, _breakdown(comparison, each)) for each in comparison.breakdowns]
    yield "Where the differences come from", _tables(breakdowns, width)
    detailed = [(pair, pair.detail) for pair in comparison.pairs if pair.detail is not None]
    for pair, detail in detailed[:_PAIRS_SHOWN]:
        yield f"{pair.system} against {pair.other}", _detail(comparison, pair, detail, width)
    yield "How to read this", _paragraphs("- ", glossary(comparison), width)


def _paragraphs(mark: str, texts: Iterable[str], width: int | None) -> Iterator[str]:
    """Yield the lines of wrapped texts. Each text begins with `mark`; its further lines are indented by spaces."""
    for text in texts:
        for i, line in enumerate(wrapped(escaped(text).split(), (width or PLAIN_WIDTH) - len(mark))):
            yield f"{' ' * len(mark) if i else mark}{line}"


def _tables(tables: Sequence[tuple[str, Columns]], width: int | None) -> Iterator[str]:
    """Yield the lines of several tables, each with its title above it and an empty line in between."""
    for k, (title, table) in enumerate(tables):
        if k:
            yield ""
        if title:
            yield escaped(title)
        yield from table_lines(table, width)


# The contents of the sections


def _findings(comparison: Comparison) -> Iterator[str]:
    """Yield the first findings as text, the number of further findings, and the checks that were not made."""
    yield from map(_finding, comparison.findings[:_FINDINGS_LISTED])
    more = len(comparison.findings) - _FINDINGS_LISTED
    if more > 0:
        yield f"{more} more are on the HTML page and in the JSON report."
    if comparison.unchecked:
        yield comparison.unchecked


def _finding(finding: Finding) -> str:
    numbers = [str(i + 1) for i in finding.segments[:_NUMBERS_LISTED]]
    more = ", …" if finding.count > _NUMBERS_LISTED else ""
    segments = f" Segments: {', '.join(numbers)}{more}" if numbers else ""
    return f"{finding.where}: {finding.message}{segments}"


def _systems(comparison: Comparison) -> Columns:
    """Return the columns of the table of systems."""
    systems = comparison.systems
    has_clusters = systems[0].cluster is not None
    return [
        ("system", [system.name for system in systems]),
        *([("clus\u00adter", [str(system.cluster) for system in systems])] if has_clusters else []),
        *_scores("BLEU", [system.bleu for system in systems], systems),
        *(
            column
            for other in comparison.others
            for column in _scores(other.name, [each.score for each in other.systems], other.systems)
        ),
        *(
            (f"{n}-gram", [f"{system.score.precisions[n - 1]:.1f}" for system in systems])
            for n in range(1, comparison.settings.max_ngram_order + 1)
        ),
        ("brevity penalty", [f"{system.score.bp:.3f}" for system in systems]),
        ("length ratio", [f"{system.score.ratio:.3f}" for system in systems]),
    ]


def _scores(name: str, scores: Sequence[float], systems: Sequence[System | SystemInterval]) -> Columns:
    """Return the two columns of a metric in the table of systems: scores and intervals."""
    return [
        (name, [f"{score:.2f}" for score in scores]),
        ("95 % interval", [f"{system.low:.1f} to {system.high:.1f}" for system in systems]),
    ]


def _differences(comparison: Comparison, width: int | None) -> Iterator[str]:
    """Yield the lines of the tables of pairs, one per metric, followed by notes."""
    pairs = listed_pairs(comparison, _PAIRS_LISTED)
    others = [(other.name, _pairs(listed_of(other, pairs))) for other in comparison.others]
    yield from _tables([("BLEU" if others else "", _pairs(pairs)), *others], width)
    notes = [why_none_significant(comparison.settings, len(comparison.pairs))]
    if len(pairs) < len(comparison.pairs):
        more = len(comparison.pairs) - len(pairs)
        notes.append(f"{more} more pairs are on the HTML page and in the JSON report.")
    yield from _paragraphs("", filter(None, notes), width)


def _pairs(pairs: Sequence[Pair]) -> Columns:
    """Return the columns of the table of pairs, in which p is corrected."""
    has_agreement = any(pair.agreement is not None for pair in pairs)
    agreement = [("judges agree", [as_percent(pair.agreement) for pair in pairs])] if has_agreement else []
    significant = ["equal" if pair.is_tie else "yes" if pair.is_significant else "no" for pair in pairs]
    detectable = ["-" if pair.detectable is None else f"{pair.detectable:.2f}" for pair in pairs]
    return [
        ("pair", [f"{pair.system} vs. {pair.other}" for pair in pairs]),
        ("differ\u00adence", [signed(pair.difference) for pair in pairs]),
        ("95 % interval", [f"{pair.low:.2f} to {pair.high:.2f}" for pair in pairs]),
        ("p", [corrected_p(pair) for pair in pairs]),
        ("signifi\u00adcant", significant),
        *agreement,
        ("detect\u00adable", detectable),
        ("better/ equal/ worse", [f"{pair.wins}/{pair.ties}/{pair.losses}" for pair in pairs]),
    ]


def _breakdown(comparison: Comparison, breakdown: Breakdown) -> Columns:
    """Return the columns of a breakdown's table.

    The table has one column per group and one row per system. If there are more than `_MOST_GROUPS` groups, it lists
    only the groups with the largest differences between the systems of the first pair, one row per group.
    """
    names = [system.name for system in comparison.systems]
    values = breakdown.values.tolist()
    if len(breakdown.groups) <= _MOST_GROUPS:
        groups = zip(breakdown.groups, breakdown.sizes, zip(*values, strict=True), strict=True)
        return [
            (breakdown.value, [f"({breakdown.counted})", *names]),
            *(
                (group, [f"{size:,}", *("-" if value != value else f"{value:.1f}" for value in of_group)])  # noqa: PLR0124
                for group, size, of_group in groups
            ),
        ]
    pair = comparison.pairs[0]
    mine, theirs = (values[names.index(name)] for name in (pair.system, pair.other))
    gains = [a - b for a, b in zip(mine, theirs, strict=True)]
    order = sorted(range(len(gains)), key=lambda k: -gains[k])
    listed = [*order[:_GROUPS_LISTED], *order[-_GROUPS_LISTED:]]
    return [
        (breakdown.kind, [breakdown.groups[k] for k in listed]),
        (breakdown.counted, [f"{breakdown.sizes[k]:,}" for k in listed]),
        (pair.system, [f"{mine[k]:.1f}" for k in listed]),
        (pair.other, [f"{theirs[k]:.1f}" for k in listed]),
        ("difference", [f"{gains[k]:+.1f}" for k in listed]),
    ]


def _detail(comparison: Comparison, pair: Pair, detail: PairDetail, width: int | None) -> Iterator[str]:
    """Yield the lines of the n-grams and segments in which two systems differ."""
    ngrams = ((pair.system, detail.ngrams[0]), (pair.other, detail.ngrams[1]))
    tables = [(f"n-grams matched more often by {name}", _ngrams(each, pair)) for name, each in ngrams if each]
    examples = [
        (name, segment)
        for name, segments in ((pair.system, detail.better), (pair.other, detail.worse))
        for segment in segments[:_SEGMENTS_SHOWN]
    ]
    if not tables and not examples:
        yield "- The two systems differ in no segment and in no n-gram of the references."
    yield from _tables(tables, width)
    for name, segment in examples:
        yield ""
        yield escaped(f"segment {segment.index + 1}, where {name} is better")
        yield from _example(comparison, pair, segment, width)
    if examples:
        yield "In the segments, [words in brackets] match a reference."


def _ngrams(ngrams: Sequence[NgramDifference], pair: Pair) -> Columns:
    return [
        ("n-gram", [" ".join(each.tokens) for each in ngrams]),
        (pair.system, [str(each.system_count) for each in ngrams]),
        (pair.other, [str(each.other_count) for each in ngrams]),
        ("references", [str(each.reference_count) for each in ngrams]),
    ]


def _example(comparison: Comparison, pair: Pair, segment: Segment, width: int | None) -> Iterator[str]:
    """Yield the lines of a segment: its source, its references, and the output of each system."""
    texts = [] if segment.source is None else [("source", segment.source)]
    references = segment.reference_texts
    for k, text in enumerate(references):
        if text is not None:
            texts.append(("reference" if len(references) == 1 else f"reference {k + 1}", text))
    for s, system in enumerate(comparison.systems):
        if len(comparison.systems) <= _SYSTEMS_SHOWN or system.name in (pair.system, pair.other):
            texts.append((f"{system.name} {segment.scores[s]:.1f}", bracketed(segment, s)))
    names = [escaped(name) for name, _ in texts]
    if width is not None:
        names = cut_names(names, _LABEL_WIDTH)
    margin = max(map(columns, names)) + 4
    text_width = max((width or PLAIN_WIDTH) - margin, PLAIN_WIDTH // 3)
    for name, (_, text) in zip(names, texts, strict=True):
        head = padded(f"  {name}", margin)
        for i, line in enumerate(wrapped(escaped(text).split() or ["(empty)"], text_width)):
            yield f"{' ' * margin if i else head}{line}"


def bracketed(segment: Segment, system: int) -> str:
    """Return the tokens of the output of the system with this index; matched tokens are in brackets."""
    marked = segment.marked(system)
    runs = []
    for is_match, run in groupby(zip(marked.tokens, marked.orders, strict=True), lambda each: each[1] > 0):
        text = " ".join(token for token, _ in run)
        runs.append(f"[{text}]" if is_match else text)
    return " ".join(runs)
