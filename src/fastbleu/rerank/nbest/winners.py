"""The output for each source: candidates checked and scored, and the best of them, or all."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import fsum
from typing import NamedTuple

from ...counting.totals import Sums
from ..pool_sources import as_pools
from ..pools import Pools
from ..ranking import first_largest
from .blocks import shown_json
from .layout import Chosen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import float64, int64
    from numpy.typing import NDArray

    from ...counting.references import References
    from ...inputs._text import TextColumn
    from ...metric import BLEU
    from ...metric.chrf import CHRF
    from ...scoring.score import Score
    from ..pool_sources import CheckedPools
    from .blocks import Block
    from .run import Session


class Job(NamedTuple):
    """A block, and what belongs to its sources.

    Attributes:
        block: The candidates.
        first: The ordinal of the source that the first line of the references is for.
        references: A column of each file.
        evidence: Other samples, or None.
    """

    block: Block
    first: int
    references: list[TextColumn]
    evidence: Block | None


@dataclass
class Figures:
    """The figures of the summary for some sources; they add up.

    Attributes:
        sources: How many.
        candidates: How many, over all sources.
        skipped_lines: Lines left out.
        skipped_sources: Sources left out.
        utilities: The sum over the sources of the utility of the best, or of the mean; of the command score, the sum
            over all candidates.
        sums: The statistics of the best candidates; None without references.
        resumed: How many sources the output held before.
        score: The corpus score that was looked for, or None.
    """

    sources: int = 0
    candidates: int = 0
    skipped_lines: int = 0
    skipped_sources: int = 0
    utilities: float = 0.0
    sums: Sums | None = None
    resumed: int = 0
    score: Score | None = None

    def add(self, other: Figures) -> None:
        """Adds those of other sources."""
        for name in ("sources", "candidates", "skipped_lines", "skipped_sources", "utilities"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        if other.sums is not None:
            self.sums = other.sums.plus(self.sums.row, self.sums.segments) if self.sums else other.sums


class Winners(NamedTuple):
    """The selection with a high corpus score.

    Attributes:
        indices: int64 [n]: the place of the one that is chosen of each source.
        utilities: float64 [n]: its sentence score.
        sizes: int64 [n]: how many candidates each source has.
        ordinals: int64 [n]: the places of these sources in the file.
        score: The corpus score of the selection.
    """

    indices: NDArray[int64]
    utilities: NDArray[float64]
    sizes: NDArray[int64]
    ordinals: NDArray[int64]
    score: Score

    def of(self, block: Block) -> tuple[NDArray[int64], NDArray[float64]]:
        """Return those of a block, as numbers of candidates, with their utilities.

        Raises:
            ValueError: The file has changed since it was first read.
        """
        import numpy as np

        numbers = self.ordinals.searchsorted(block.ordinals)
        if len(numbers) and (
            numbers[-1] >= len(self.sizes) or (self.sizes[numbers] != np.diff(block.bounds)).any()
        ):
            raise ValueError("the file of candidates has changed while it was read")
        return block.bounds[:-1] + self.indices[numbers], self.utilities[numbers]


class Prepared:
    """The candidates of a block and what they are scored with, checked; each source has both.

    Args:
        session: The files, and what to do.
        metric: The options of the scores.
        job: The block.

    Raises:
        ValueError: Something does not fit; names file and line.
    """

    def __init__(self, session: Session, metric: BLEU | CHRF, job: Job) -> None:
        self.block = found = session.candidates.parse(job.block)
        self._options = options = session.options
        self._layout = session.layout
        self._metric = metric
        self._job = job
        self._name = session.candidates.name
        self._evidence: Block | None = None
        evidence_name = self._name
        if job.evidence is not None and session.evidence is not None:
            self._evidence = session.evidence.parse(job.evidence)
            evidence_name = session.evidence.name
            self._align(self._evidence, evidence_name)
        bad, message = self._layout.unwritable(found)
        if bad is not None and bad.any():
            numbers = bad.nonzero()[0]
            sources = found.bounds.searchsorted(numbers, side="right") - 1
            line = found.line_of_candidate(int(numbers[0]))
            self._refuse(dict.fromkeys(sources.tolist(), message), line=line)
        if options.command == "self-bleu" or options.exclude_self:
            lacking = "others as references" if options.command == "self-bleu" else "other as evidence"
            message = f"expected at least 2 candidates, found 1: it has no {lacking}"
            self._refuse(dict.fromkeys((self._sizes() < 2).nonzero()[0].tolist(), message))
        if options.weights_as is not None:
            self._refuse(self._bad_weights(options.weights_as), evidence_name, self._evidence)

    def _sizes(self) -> NDArray[int64]:
        import numpy as np

        return np.diff(self.block.bounds)

    def _refuse(
        self, problems: dict[int, str], name: str = "", found: Block | None = None, line: int = 0
    ) -> None:
        """Refuse sources, or leave them out.

        Args:
            problems: What is wrong with each.
            name: The file that says so; empty: that of the candidates.
            found: What it holds.
            line: The line of the first problem, if the source does not begin there.
        """
        import numpy as np

        if not problems:
            return
        found = found or self.block
        if not self._options.skip_bad:
            i = min(problems)
            where = f"{name or self._name}: {found.form.noun} {line or found.line_of(i)}"
            raise ValueError(f"{where}: {problems[i]}")
        keep = np.ones(len(found), dtype=np.bool_)
        keep[list(problems)] = False
        for block in filter(None, (self.block, self._evidence)):
            block.keep_sources(keep)

    def _align(self, evidence: Block, name: str) -> None:
        """Leaves sources that have both candidates and evidence, and refuses those whose evidence is of another."""
        import numpy as np

        found = self.block
        # Only where something has been left out is one without the other.
        evidence.keep_sources(np.isin(evidence.ordinals, found.ordinals))
        found.keep_sources(np.isin(found.ordinals, evidence.ordinals))
        evidence.skipped_sources = 0  # each is counted where its candidates are
        if not (found.form.has_ids and evidence.form.has_ids):
            return
        # The numbers of a Moses n-best list say nothing of sources that have names elsewhere.
        numbered = found.form.is_numbered or evidence.form.is_numbered
        problems = {}
        for i, (one, other) in enumerate(zip(found.names, evidence.names, strict=True)):
            comparable = not numbered or not (isinstance(one, str) or isinstance(other, str))
            if None not in {one, other} and comparable and one != other:
                problems[i] = (
                    f"expected the evidence of source {shown_json(one)}, found that of source {shown_json(other)}"
                )
        self._refuse(problems, name, evidence)

    def _bad_weights(self, weights_as: str) -> dict[int, str]:
        """Say what is wrong with the weights of each source that cannot be used."""
        found = self.block if self._evidence is None else self._evidence
        scores = found.scores.tolist()
        parts = (scores[start:stop] for start, stop in pairwise(found.bounds.tolist()))
        problems = enumerate(self._problem_of_weights(part, weights_as) for part in parts)
        return {i: problem for i, problem in problems if problem}

    def _problem_of_weights(self, scores: list[float], weights_as: str) -> str:
        from ..evidence_weights import as_weights

        try:
            weights = as_weights(scores, weights_as, self._options.temperature, "scores")
        except ValueError as error:
            return str(error)
        if self._options.exclude_self and sum(weight > 0 for weight in weights) < 2:
            return "scores must give weight to at least 2 candidates with --exclude-self"
        return ""

    # Scores

    def choose(self, winners: Winners | None = None) -> tuple[Chosen, Figures]:
        """Scores the candidates, unless it is known which are chosen; says what to write of them."""
        import numpy as np

        options, metric, layout, found = self._options, self._metric, self._layout, self.block
        figures = Figures(len(found), len(found.texts), found.skipped_lines, found.skipped_sources)
        if self._evidence is not None:
            figures.skipped_lines += self._evidence.skipped_lines
        starts = found.bounds[:-1]
        if options.command == "self-bleu":
            from ..self_bleu import scores_against_others

            formula: Any = metric.formula  # BLEU's: the command has no other metric
            scores = scores_against_others(metric.matcher, formula, self._pools())
            bounds = pairwise(found.bounds.tolist())
            means = np.array([fsum(scores[start:stop].tolist()) / (stop - start) for start, stop in bounds])
            figures.utilities = fsum(means.tolist())
            if layout.means:
                return Chosen(starts, found.bounds, means), figures
            return layout.choose(found, scores, starts), figures
        if winners is not None:
            best, utilities = winners.of(found)
            figures.utilities = float(utilities.sum())
            chosen = Chosen(best, np.arange(len(best) + 1, dtype=np.int64), utilities)
            return layout.with_indices(chosen, found), figures
        references = self._references()
        rows = None
        if options.command == "mbr":
            utilities = self._expected()
        else:
            rows, _ = self.statistics(references)
            utilities = metric.formula.score_rows(rows)
        values = utilities
        if options.interpolate is not None:
            values = (1 - options.interpolate) * utilities + options.interpolate * found.scores
        is_score = options.command == "score"
        best = starts if is_score else starts + first_largest(values, found.bounds)
        figures.utilities = fsum((utilities if is_score else utilities[best]).tolist())
        if references is not None and len(found):
            best_rows = metric.statistics(found.texts.take(best), references) if rows is None else rows[best]
            figures.sums = Sums(best_rows.sum(axis=0).tolist(), {references.num_references: len(found)})
        return layout.choose(found, values, best), figures

    def statistics(self, references: References | None = None) -> tuple[NDArray[int64], int]:
        """Counts each candidate against the references of its source.

        Args:
            references: Those of each source, if they have been prepared.

        Returns:
            int64 [candidates, 2 + 2N], and how many references each has, 0 where there is no source.
        """
        import numpy as np

        found: Any = references or self._references()
        numbers = np.repeat(np.arange(len(self.block)), self._sizes())
        return self._metric.statistics(self.block.texts, found[numbers]), found.num_references

    def _references(self) -> References | None:
        """The references of each source, prepared."""
        own = self.block.references()
        if own is not None:
            return self._metric.prepare_segments(own)
        if not self._job.references:
            return None
        numbers = self.block.ordinals - self._job.first
        return self._metric.prepare([column.take(numbers) for column in self._job.references])

    def _expected(self) -> NDArray[float64]:
        """The expected utility of each candidate."""
        from ..expected_utility import expect

        options, metric, evidence = self._options, self._metric, self._evidence
        others = None if evidence is None else Pools(evidence.texts, offsets=evidence.bounds)
        weighed = self.block if evidence is None else evidence
        weights: Any = None if options.weights_as is None else weighed.scores
        weighing = (options.exclude_self, options.weights_as, options.temperature, options.method)
        return expect(metric, metric.formula, self._pools(), others, weights, *weighing)

    def _pools(self) -> CheckedPools:
        return as_pools(Pools(self.block.texts, offsets=self.block.bounds), "pools")
