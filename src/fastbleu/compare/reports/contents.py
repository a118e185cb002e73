"""The contents of a report, part by part; `forms` writes it out."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...explain.tables import Table
from ..human import as_percent
from ..power import why_none_significant
from .glossary import glossary
from .verdict import corrected_p, named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from ..comparison import Comparison
    from ..results import Breakdown, Finding, NgramDifference, OtherMetric, Pair, PairDetail, Segment

#: With more groups, only those are listed in which the first pair differs most.
_MOST_GROUPS = 10

#: Groups listed then, either way.
_GROUPS_LISTED = 5

#: Segments shown of a pair, either way.
_SEGMENTS_SHOWN = 3

#: The number of pairs whose n-grams and segments are shown.
_PAIRS_SHOWN = 2

#: With more findings of a kind, a few are listed, and where the others are; each with some numbers of segments.
_MOST_FINDINGS = 4
_FINDINGS_LISTED = 2
_NUMBERS_LISTED = 5

#: With more systems, a segment is shown with the two of the pair.
_SYSTEMS_SHOWN = 4

#: With more pairs, only those of neighbours and of the best system are listed.
_PAIRS_LISTED = 45


@dataclass(slots=True)
class Example:
    """A segment, with what each system made of it.

    Attributes:
        title: Which one it is.
        texts: What is shown: for each line its name, and the text.
    """

    title: str
    texts: list[tuple[str, str]]


@dataclass(slots=True)
class Part:
    """A part of a report.

    Attributes:
        title: Its heading.
        sentences: What it says.
        tables: Its tables, each with a heading, which may be "".
        examples: Its segments.
        notes: What stands below.
    """

    title: str
    sentences: list[str] = field(default_factory=list)
    tables: list[tuple[str, Table]] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def report(comparison: Comparison) -> Iterator[Part]:
    """The parts of a report, the answer first."""
    yield Part("Result", list(comparison.verdict))
    if comparison.findings:
        yield _findings(comparison)
    yield Part("Systems", tables=[("", systems_table(comparison))])
    yield _pairs(comparison)
    yield Part(
        "Where it comes from",
        tables=[(each.title, breakdown_table(comparison, each)) for each in comparison.breakdowns],
    )
    detailed = [(pair, pair.detail) for pair in comparison.pairs if pair.detail is not None]
    yield from (_detail(comparison, *each) for each in detailed[:_PAIRS_SHOWN])
    yield Part("How to read this", glossary(comparison))


# Tables


def systems_table(comparison: Comparison) -> Table:
    """A row for each system."""
    has_clusters = comparison.systems[0].cluster is not None
    columns = [
        ("system", lambda system: system.name),
        ("cluster", lambda system: str(system.cluster)) if has_clusters else None,
        ("BLEU", lambda system: f"{system.bleu:.2f}"),
        ("95 % interval", _interval),
        *other_columns(comparison, 2, "95 % interval", _interval),
        *(
            (f"{n + 1}-gram", lambda system, n=n: f"{system.precisions[n]:.1f}")
            for n in range(comparison.settings.max_ngram_order)
        ),
        ("brevity penalty", lambda system: f"{system.brevity_penalty:.3f}"),
        ("length ratio", lambda system: f"{system.length_ratio:.3f}"),
    ]
    return Table.of(comparison.systems, columns)


def _interval(system: Any) -> str:
    return f"{system.low:.2f} to {system.high:.2f}"


def other_columns(
    comparison: Comparison, digits: int, heading: str, interval: Callable[[Any], str]
) -> list[tuple[str, Callable[[Any], str]]]:
    """The columns of other metrics in a table of systems: scores, and intervals under a heading."""

    def columns_of(other: OtherMetric) -> list[tuple[str, Callable[[Any], str]]]:
        found = {system.name: system for system in other.systems}
        return [
            (other.name, lambda system: f"{found[system.name].score:.{digits}f}"),
            (heading, lambda system: interval(found[system.name])),
        ]

    return [column for other in comparison.others for column in columns_of(other)]


def pairs_table(pairs: list[Pair], has_agreement: bool) -> Table:
    """A row for each pair; its p is the corrected one."""
    columns = [
        ("pair", lambda pair: f"{pair.system}\nvs. {pair.other}"),
        ("difference", lambda pair: f"{pair.difference:+.2f}" if pair.difference else "0.00"),
        ("95 % interval", lambda pair: f"{pair.low:+.2f} to {pair.high:+.2f}"),
        ("p", corrected_p),
        ("significant", lambda pair: "yes" if pair.is_significant else "no"),
        ("judges agree", lambda pair: as_percent(pair.agreement)) if has_agreement else None,
        ("detectable", lambda pair: "-" if pair.detectable is None else f"{pair.detectable:.2f}"),
        ("better/ equal/ worse", lambda pair: f"{pair.wins}/{pair.ties}/{pair.losses}"),
    ]
    return Table.of(pairs, columns)


def breakdown_table(comparison: Comparison, found: Breakdown) -> Table:
    """A column for each group and a row for each system; of many groups, those in which the first pair differs most."""
    if len(found.groups) <= _MOST_GROUPS:
        rows = [[f"({found.counted})", *(f"{size:,}" for size in found.sizes)]]
        for system, values in zip(comparison.systems, found.values.tolist(), strict=True):
            rows.append([system.name, *("-" if value != value else f"{value:.1f}" for value in values)])  # noqa: PLR0124
        return Table([found.value, *found.groups], rows)
    pair = comparison.pairs[0]
    names = [system.name for system in comparison.systems]
    mine, theirs = (found.values[names.index(name)] for name in (pair.system, pair.other))
    gains = mine - theirs
    order = sorted(range(len(found.groups)), key=lambda k: -gains[k])
    columns = [
        (found.kind, lambda k: found.groups[k]),
        (found.counted, lambda k: f"{found.sizes[k]:,}"),
        (pair.system, lambda k: f"{mine[k]:.1f}"),
        (pair.other, lambda k: f"{theirs[k]:.1f}"),
        ("difference", lambda k: f"{gains[k]:+.1f}"),
    ]
    return Table.of([*order[:_GROUPS_LISTED], *order[-_GROUPS_LISTED:]], columns)


def ngrams_table(ngrams: tuple[NgramDifference, ...], pair: Pair) -> Table:
    """A row for each n-gram that one system of a pair matches more often."""
    columns = [
        ("n-gram", lambda each: " ".join(each.tokens)),
        (pair.system, lambda each: str(each.system_count)),
        (pair.other, lambda each: str(each.other_count)),
        ("references", lambda each: str(each.reference_count)),
    ]
    return Table.of(ngrams, columns)


# Parts


def _findings(comparison: Comparison) -> Part:
    of_kinds: dict[str, list[Finding]] = {}
    for finding in comparison.findings:
        of_kinds.setdefault(finding.kind, []).append(finding)
    lines: list[str] = []
    for found in of_kinds.values():
        listed = found if len(found) <= _MOST_FINDINGS else found[:_FINDINGS_LISTED]
        lines += map(_finding, listed)
        if len(found) > len(listed):
            others = named([finding.where for finding in found[len(listed) :]])
            lines.append(f"The same, more or less, holds for {others}.")
    return Part("What looks wrong", lines)


def _finding(finding: Finding) -> str:
    numbers = ", ".join(str(i + 1) for i in finding.segments[:_NUMBERS_LISTED])
    if not numbers:
        return f"{finding.where}: {finding.message}"
    word = "Segment" if finding.count == 1 else "Segments"
    more = " and others" if finding.count > _NUMBERS_LISTED else ""
    return f"{finding.where}: {finding.message} {word} {numbers}{more}."


def _pairs(comparison: Comparison) -> Part:
    pairs, notes = listed_pairs(comparison)
    table = pairs_table(pairs, has_agreement=not comparison.no_agreement)
    why = why_none_significant(comparison.settings, len(comparison.pairs))
    if why:
        notes = [why, *notes]
    others = [
        (other.name, pairs_table(listed_of(other, pairs), has_agreement=False)) for other in comparison.others
    ]
    return Part("Differences", tables=[("BLEU" if others else "", table), *others], notes=notes)


def listed_of(other: OtherMetric, pairs: list[Pair]) -> list[Pair]:
    """The pairs of another metric that are among these pairs of systems."""
    listed = {(pair.system, pair.other) for pair in pairs}
    return [pair for pair in other.pairs if (pair.system, pair.other) in listed]


def listed_pairs(comparison: Comparison, most: int = _PAIRS_LISTED) -> tuple[list[Pair], list[str]]:
    """The pairs to list, and what to say of those left out.

    Args:
        comparison: What has the pairs.
        most: With more pairs, only those of neighbours and of the best system are listed.
    """
    pairs = list(comparison.pairs)
    if len(pairs) <= most:
        return pairs, []
    best = comparison.best.name
    places = {system.name: place for place, system in enumerate(comparison.systems)}
    listed = [pair for pair in pairs if pair.system == best or places[pair.other] == places[pair.system] + 1]
    left = len(pairs) - len(listed)
    return listed, [f"{left} more pairs are in the page and in the JSON report."]


def _detail(comparison: Comparison, pair: Pair, detail: PairDetail) -> Part:
    part = Part(f"{pair.system} against {pair.other}")
    for name, ngrams in ((pair.system, detail.ngrams_system), (pair.other, detail.ngrams_other)):
        if ngrams:
            part.tables.append((f"n-grams that {name} gets more often", ngrams_table(ngrams, pair)))
    for name, places in ((pair.system, detail.better), (pair.other, detail.worse)):
        for place in places[:_SEGMENTS_SHOWN]:
            part.examples.append(_example(comparison, pair, name, comparison.segments[place]))
    if not part.tables and not part.examples:
        part.sentences.append("The two differ in no segment and in no n-gram of the references.")
    if part.examples:
        part.notes.append("In the segments, [words in brackets] match a reference.")
    return part


def _example(comparison: Comparison, pair: Pair, better: str, segment: Segment) -> Example:
    texts = [] if segment.source is None else [("source", segment.source)]
    for k, text in enumerate(segment.reference_texts):
        if text is not None:
            texts.append(("reference" if len(segment.reference_texts) == 1 else f"reference {k + 1}", text))
    shown = len(comparison.systems) <= _SYSTEMS_SHOWN
    for s, system in enumerate(comparison.systems):
        if shown or system.name in (pair.system, pair.other):
            texts.append((f"{system.name} {segment.scores[s]:.1f}", bracketed(segment, s)))
    return Example(f"segment {segment.index + 1}, where {better} is better", texts)


def bracketed(segment: Segment, system: int) -> str:
    """The tokens of a system, those that match a reference in brackets.

    Args:
        segment: The segment.
        system: The place of the system.
    """
    marked = segment.marked(system)
    words = []
    for i, (token, order) in enumerate(zip(marked.tokens, marked.orders, strict=True)):
        opens = order and not (i and marked.orders[i - 1])
        closes = order and not (i + 1 < len(marked.orders) and marked.orders[i + 1])
        words.append(f"{'[' if opens else ''}{token}{']' if closes else ''}")
    return " ".join(words)
