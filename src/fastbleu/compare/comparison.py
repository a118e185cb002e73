"""The result of a comparison and its reports: text, JSON, an HTML page."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ArgumentValueError, counted
from ..explain.all_pages import check_page_name
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
        systems: The systems, best score first; equal scores in the order given.
        pairs: The pairs that were tested, in the order of the systems: the best with each other one, then the second
            best with those after it, and so on; or each one with the baseline.
        breakdowns: Scores by length of the reference, domain, document, language and frequency of words, as far as
            the data for them is given.
        findings: Problems found in the data.
        segments: The segments in which systems differ most, in full, in the order of their indices. Those of each pair
            are in `Pair.detail`.
        segment_scores: float64 [systems, n], 0..100: the score of each segment, with effective order.
        num_references: References per segment, -1 if segments differ in it.
        settings: The settings of the comparison.
        tokenizer: The name of the tokenizer.
        unchecked: The checks of the data that could not be made, and why, as text for people; "" if all were made.
        no_agreement: The reason why `Pair.agreement` is None, as text for people; "" if it is not None.
        others: Scores and tests by other metrics; everything else is by BLEU.
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
        """The system with the highest score; of equal ones, the first that was given."""
        return self.systems[0]

    @property
    def leaders(self) -> tuple[System, ...]:
        """The systems with the highest score: more than one if they tie."""
        return tuple(system for system in self.systems if system.bleu == self.best.bleu)

    @property
    def verdict(self) -> tuple[str, ...]:
        """The system to choose, and why, as sentences for people without statistics."""
        return verdict(self)

    def pair(self, system: str, other: str) -> Pair:
        """Return the comparison of one system with another: of `pairs`, or that pair `turned`.

        Args:
            system: The name of one system. The difference is its score minus that of the other.
            other: The name of the other one.

        Raises:
            ValueError: A name is unknown, or the two were not tested against each other.
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
            width: Columns of the terminal, at least 70. None: no name is cut.
        """
        return text_report(self, width)

    def to_json(self) -> str:
        """Return everything except `segment_scores` as JSON."""
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
            path: The file, which ends in .html or .htm; an existing one is replaced.

        Raises:
            ValueError: The name has another ending.
            ImportError: A package of the extra `report` is missing.
            OSError: The file cannot be written. Its old content is kept, or it does not exist, unless it is written
                in place, as a pipe is.
        """
        check_page_name(path)
        save_text(path, self.to_html())
