"""The result of a comparison and its reports: text, JSON, an HTML page."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ArgumentValueError, counted
from ..explain.html_pages import check_page_name
from ..system.saving import save_text
from .json_report import json_report
from .text_report import text_report
from .verdict import named, verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike

    from numpy import float64
    from numpy.typing import NDArray

    from .results import Breakdown, Finding, OtherMetric, Pair, Segment, Settings, System


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Comparison:
    """The result of `compare`: which system is better, whether the difference is significant, and what causes it.

    `print(comparison)` shows it as text.

    Attributes:
        systems: The systems, best BLEU score first. Systems with equal scores are in the order in which they were
            passed.
        pairs: The pairs that were tested. With `pairs="all"`: the best system with each other system, then the second
            best with each system after it, and so on. With `pairs="baseline"`: each other system, best first, with the
            baseline.
        breakdowns: Scores by reference length, and by domain, document, language and word frequency if the data for
            them was given.
        findings: Possible problems in the data.
        segments: The segments with the largest differences between systems, sorted by index. `Pair.detail` has the
            segments of each pair.
        segment_scores: float64 [systems, n], 0..100, the BLEU score of each segment, with effective order.
        num_references: The number of references per segment; -1 if it differs between segments.
        settings: The settings of the comparison.
        tokenizer: The name of the tokenizer.
        unchecked: A sentence that names the checks of the data that could not be made, and why; "" if all were made.
        no_agreement: The reason why `Pair.agreement` is None for all pairs, as a clause; "" if it can be estimated.
        others: Scores and tests by the other metrics that were passed as `also`.
    """

    systems: tuple[System, ...]
    pairs: tuple[Pair, ...]
    breakdowns: tuple[Breakdown, ...]
    findings: tuple[Finding, ...]
    segments: tuple[Segment, ...]
    segment_scores: NDArray[float64]
    num_references: int
    settings: Settings
    tokenizer: str
    unchecked: str
    no_agreement: str
    others: tuple[OtherMetric, ...] = ()

    @property
    def num_segments(self) -> int:
        """The number of segments of each system."""
        return self.segment_scores.shape[1]

    @property
    def best(self) -> System:
        """The system with the highest score; if several have it, the one that was passed first."""
        return self.systems[0]

    @property
    def leaders(self) -> tuple[System, ...]:
        """All systems with the highest score: more than one if they tie."""
        return tuple(system for system in self.systems if system.bleu == self.best.bleu)

    @property
    def verdict(self) -> tuple[str, ...]:
        """Sentences that say which system to choose, and why, to readers who know no statistics."""
        return verdict(self)

    def pair(self, system: str, other: str) -> Pair:
        """Return the pair of two systems, with the systems swapped if `pairs` has them in the other order.

        Args:
            system: The name of one system.
            other: The name of the other system. `Pair.difference` is the score of `system` minus that of `other`.

        Raises:
            ValueError: A name is unknown, or the two systems were not tested against each other.
        """
        for pair in self.pairs:
            if (pair.system, pair.other) == (system, other):
                return pair
            if (pair.other, pair.system) == (system, other):
                return pair.turned()
        names = [each.name for each in self.systems]
        for argument, name in (("system", system), ("other", other)):
            if name not in names:
                unknown = f"is {name!r}, which is not a system; the systems are {named(names)}"
                raise ArgumentValueError(argument, unknown, value=name)
        raise ArgumentValueError(
            "other", f"is {other!r}, which was not compared with {system!r}", value=other
        )

    def __repr__(self) -> str:
        segments = counted(self.num_segments, "segment", ",")
        leaders = named([repr(system.name) for system in self.leaders])
        result = f"{leaders} {'is best' if len(self.leaders) == 1 else 'tie'}"
        return f"<Comparison of {len(self.systems)} systems, {segments}: {result}>"

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, width: int | None = 100) -> str:
        """Format the comparison for a terminal.

        Args:
            width: The number of columns of the terminal, at least 70. None: 100 columns for paragraphs, and tables as
                wide as the names of the systems need.

        Raises:
            TypeError: `width` is not an integer.
            ValueError: `width` is less than 70.
        """
        return text_report(self, width)

    def to_json(self) -> str:
        """Return the comparison as a JSON object that has every attribute except `segment_scores`."""
        return json_report(self)

    def to_html(self) -> str:
        """Return a self-contained HTML page, which needs no network and no other file.

        Raises:
            ImportError: A package of the extra `report` is missing.
        """
        from .page import render_page

        return render_page(self)

    def save_html(self, path: str | PathLike[str]) -> None:
        """Write the page of `to_html` to a file, in UTF-8.

        Args:
            path: The file, whose name must end in .html or .htm. An existing file is replaced.

        Raises:
            ValueError: The name does not end in .html or .htm.
            ImportError: A package of the extra `report` is missing.
            OSError: The file cannot be written. An existing file keeps its content, unless it must be written in
                place, as a pipe must.
        """
        check_page_name(path)
        save_text(path, self.to_html())
