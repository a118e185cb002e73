"""The output for each source: candidates checked and scored, and the best of them, or all."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import fsum
from typing import NamedTuple

from ...inputs._lines import pick
from ..pool_sources import as_pools
from ..pools import Pools
from ..ranking import first_largest
from .blocks import shown_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import bool_, float64, int64
    from numpy.typing import NDArray

    from ...counting.references import References
    from ...inputs._text import TextColumn
    from ...metric import BLEU
    from ...scoring.score import BLEUScore
    from .blocks import Block, Candidates, Reader
    from .layout import Layout
    from .options import Options

_NO_OTHER_WEIGHT = "scores must give weight to at least 2 candidates with --exclude-self"


class Task(NamedTuple):
    """The work on every block.

    Attributes:
        options: Those of the command line.
        metric: The options of the scores.
        layout: What is written of each source, and how.
    """

    options: Options
    metric: BLEU
    layout: Layout


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


class Chosen(NamedTuple):
    """The output for some sources.

    Attributes:
        numbers: int64: candidates, in the order in which they are written; means are written without them.
        bounds: int64 [n + 1]: those of source i are the numbers from bounds[i] to bounds[i + 1] - 1.
        values: float64: the score of each; or the mean of each source.
        places: int64: the place of each in its pool, as it was given; None where candidates do not compete.
        votes: int64: how many candidates of its pool have the same text; likewise.
    """

    numbers: NDArray[int64]
    bounds: NDArray[int64]
    values: NDArray[float64]
    places: NDArray[int64] | None = None
    votes: NDArray[int64] | None = None


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
        row: The statistics of the best candidates; None without references.
        num_references: Of each source, -1 if they differ.
    """

    sources: int = 0
    candidates: int = 0
    skipped_lines: int = 0
    skipped_sources: int = 0
    utilities: float = 0.0
    row: list[int] | None = None
    num_references: int = 0

    @classmethod
    def of(cls, found: Candidates) -> Figures:
        """Return those of a block before it is scored."""
        return cls(len(found), len(found.texts), found.skipped_lines, found.skipped_sources)

    def add(self, other: Figures) -> None:
        """Adds those of other sources."""
        self.sources += other.sources
        self.candidates += other.candidates
        self.utilities += other.utilities
        if other.row is not None:
            zeros = [0] * len(other.row)
            self.row = [a + b for a, b in zip(self.row or zeros, other.row, strict=True)]
            self.num_references = other.num_references
        self.skipped_lines += other.skipped_lines
        self.skipped_sources += other.skipped_sources


class Prepared:
    """The candidates of a block and what they are scored with, checked; each source has both.

    Raises:
        ValueError: Something does not fit; names file and line.
    """

    def __init__(self, task: Task, job: Job, reader: Reader, evidence: Reader | None) -> None:
        self.candidates = reader.parse(job.block)
        self._task = task
        self._options = task.options
        self._evidence = None
        self._name = reader.name
        self._job = job
        if job.evidence is not None and evidence is not None:
            self._evidence = evidence.parse(job.evidence)
            self._align(self._evidence, evidence.name)
        self._refuse_candidates(*task.layout.unwritable(self.candidates))
        use = "references" if self._options.command == "self-bleu" else "evidence"
        if use == "references" or self._options.exclude_self:
            others = "others" if use == "references" else "other"
            message = f"expected at least 2 candidates, found 1: it has no {others} as {use}"
            self._refuse(self._sizes() < 2, message)
        if self._options.weights_as is not None:
            self._check_weights(
                self._options.weights_as, evidence.name if evidence is not None else reader.name
            )

    def _sizes(self) -> NDArray[int64]:
        import numpy as np

        return np.diff(self.candidates.bounds)

    def _refuse(self, bad: NDArray[bool_], message: str = "") -> None:
        """Refuses sources, or leaves them out."""
        if not bad.any():
            return
        if not self._options.skip_bad:
            line = self.candidates.line_of(int(bad.nonzero()[0][0]))
            raise ValueError(f"{self._name}: {self.candidates.noun} {line}: {message}")
        self.candidates.keep_sources(~bad)
        if self._evidence is not None:
            self._evidence.keep_sources(~bad)

    def _refuse_candidates(self, bad: NDArray[bool_] | None, message: str) -> None:
        """Refuses candidates with all others of their sources, or leaves these sources out."""
        import numpy as np

        found = self.candidates
        if bad is None or not bad.any():
            return
        if not self._options.skip_bad:
            line = found.line_of_candidate(int(bad.argmax()))
            raise ValueError(f"{self._name}: {found.noun} {line}: {message}")
        self._refuse(np.logical_or.reduceat(bad, found.bounds[:-1]))

    def _align(self, evidence: Candidates, name: str) -> None:
        """Leaves sources that have both candidates and evidence, and refuses those whose evidence is of another."""
        import numpy as np

        found = self.candidates
        # Only where something has been left out is one without the other.
        evidence.keep_sources(np.isin(evidence.ordinals, found.ordinals))
        found.keep_sources(np.isin(found.ordinals, evidence.ordinals))
        evidence.skipped_sources = 0  # each is counted where its candidates are
        if not (found.has_ids and evidence.has_ids):
            return
        # The numbers of a Moses n-best list say nothing of sources that have names elsewhere.
        numbered = not (isinstance(found.names, list) and isinstance(evidence.names, list))
        bad = np.zeros(len(found), dtype=np.bool_)
        for i, (one, other) in enumerate(zip(found.ids(), evidence.ids(), strict=True)):
            comparable = not numbered or not (isinstance(one, str) or isinstance(other, str))
            bad[i] = None not in {one, other} and comparable and one != other
            if bad[i] and not self._options.skip_bad:
                raise ValueError(
                    f"{name}: {evidence.noun} {evidence.line_of(i)}: expected the evidence of source "
                    f"{shown_json(one)}, found that of source {shown_json(other)}"
                )
        self._refuse(bad)

    def _check_weights(self, weights_as: str, name: str) -> None:
        import numpy as np

        from ..evidence_weights import SumError, as_weights

        found = self._evidence or self.candidates
        temperature = self._options.temperature
        bad = np.zeros(len(found), dtype=np.bool_)
        numbers = _scores_of(found)
        for i, (start, stop) in enumerate(pairwise(found.bounds.tolist())):
            message = ""
            try:
                weights = as_weights(numbers[start:stop].tolist(), weights_as, temperature, "scores")
                if self._options.exclude_self and sum(weight > 0 for weight in weights) < 2:
                    message = _NO_OTHER_WEIGHT
            except SumError as error:
                instead = "--temperature 1" if weights_as == "log-probabilities" else "--weights-as counts"
                message = f"{error.problem}; else {instead}"
            except ValueError as error:
                message = str(error)
            bad[i] = bool(message)
            if message and not self._options.skip_bad:
                raise ValueError(f"{name}: {found.noun} {found.line_of(i)}: {message}")
        self._refuse(bad)

    # Scores

    def choose(self) -> tuple[Chosen, Figures]:
        """Scores the candidates, and says what to write of them."""
        import numpy as np

        options, metric, found = self._options, self._task.metric, self.candidates
        figures = Figures.of(found)
        if self._evidence is not None:
            figures.skipped_lines += self._evidence.skipped_lines
        if not len(found):
            nothing = np.empty(0, dtype=np.int64)
            chosen = Chosen(nothing, np.zeros(1, dtype=np.int64), np.empty(0))
            return self._task.layout.with_winners(chosen, found, metric.lowercase), figures
        if options.command == "self-bleu":
            return self._choose_alike(figures)
        references = self._references()
        rows = None
        if options.command == "mbr":
            utilities = self._expected()
        else:
            rows, _ = self.statistics(references)
            utilities = metric.formula.score_rows(rows)
        values = utilities
        if options.interpolate is not None:
            values = (1 - options.interpolate) * utilities + options.interpolate * _scores_of(found)
        starts = found.bounds[:-1]
        is_score = options.command == "score"
        best = starts if is_score else starts + first_largest(values, found.bounds)
        figures.utilities = fsum((utilities if is_score else utilities[best]).tolist())
        if references is not None:
            best_rows = metric.statistics(pick(found.texts, best), references) if rows is None else rows[best]
            figures.row = best_rows.sum(axis=0).tolist()
            figures.num_references = references.num_references
        return self._task.layout.choose(found, values, best, metric.lowercase), figures

    def statistics(self, references: References | None = None) -> tuple[NDArray[int64], int]:
        """Counts each candidate against the references of its source.

        Args:
            references: Those of each source, if they have been prepared.

        Returns:
            int64 [candidates, 2 + 2N], and how many references each has, 0 where there is no source.
        """
        import numpy as np

        if references is None and (references := self._references()) is None:
            raise RuntimeError("there are no references")
        numbers = np.repeat(np.arange(len(self.candidates)), self._sizes())
        rows = self._task.metric.statistics(self.candidates.texts, references[numbers])
        return rows, references.num_references

    def _references(self) -> References | None:
        """The references of each source, prepared."""
        own = self.candidates.references()
        if own is not None:
            return self._task.metric.prepare_segments(own)
        if not self._job.references:
            return None
        numbers = self.candidates.ordinals - self._job.first
        return self._task.metric.prepare([pick(column, numbers) for column in self._job.references])

    def _expected(self) -> NDArray[float64]:
        """The expected utility of each candidate."""
        from ..expected_utility import expect

        options, metric, found, evidence = self._options, self._task.metric, self.candidates, self._evidence
        weights: Any = None if options.weights_as is None else _scores_of(evidence or found)
        others = None if evidence is None else Pools(evidence.texts, offsets=evidence.bounds)
        pools = as_pools(Pools(found.texts, offsets=found.bounds), "pools")
        weighing = (options.exclude_self, options.weights_as, options.temperature, options.method)
        return expect(metric, metric.formula, pools, others, weights, *weighing)

    def _choose_alike(self, figures: Figures) -> tuple[Chosen, Figures]:
        """Self-BLEU of each candidate, and its mean over those of a source."""
        import numpy as np

        from ..self_bleu import rows_against_others

        metric, found = self._task.metric, self.candidates
        pools = as_pools(Pools(found.texts, offsets=found.bounds), "pools")
        scores = metric.formula.score_rows(rows_against_others(metric.matcher, pools, metric.max_ngram_order))
        bounds = pairwise(found.bounds.tolist())
        means = np.array([fsum(scores[start:stop].tolist()) / (stop - start) for start, stop in bounds])
        figures.utilities = fsum(means.tolist())
        layout, first = self._task.layout, found.bounds[:-1]
        return Chosen(first, found.bounds, means) if layout.means else layout.choose(
            found, scores, first
        ), figures


def _scores_of(candidates: Candidates) -> NDArray[float64]:
    if candidates.scores is None:
        raise RuntimeError("scores were not read")
    return candidates.scores


class CorpusWinners:
    """The selection with a high corpus BLEU, handed out block by block.

    Args:
        task: What is done with every block.
        rows: int64 [candidates, 2 + 2N]: the statistics of all candidates in the file.
        sizes: int64 [n]: how many candidates each source has.
        ordinals: int64 [n]: the places of these sources in the file.
        num_references: Of each source.

    Attributes:
        score: The corpus BLEU of the selection.
    """

    def __init__(
        self,
        task: Task,
        rows: NDArray[int64],
        sizes: NDArray[int64],
        ordinals: NDArray[int64],
        num_references: int,
    ) -> None:
        import numpy as np

        from ..corpus_oracle import corpus_oracle

        metric = task.metric
        bounds = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
        indices = first_largest(metric.formula.score_rows(rows), bounds)
        self._indices, score = corpus_oracle(metric, rows, bounds, indices)
        self.score: BLEUScore = metric.signed(score, num_references)
        self._task = task
        self._utilities = metric.formula.score_rows(rows[bounds[:-1] + self._indices])
        self._sizes = sizes
        self._ordinals = ordinals

    def choose(self, candidates: Candidates) -> tuple[Chosen, Figures]:
        """Return the output for a block.

        Raises:
            ValueError: The file has changed since it was first read.
        """
        import numpy as np

        numbers = self._ordinals.searchsorted(candidates.ordinals)
        if len(numbers) and (
            numbers[-1] >= len(self._sizes) or (self._sizes[numbers] != np.diff(candidates.bounds)).any()
        ):
            raise ValueError("the file of candidates has changed while it was read")
        utilities = self._utilities[numbers]
        figures = Figures.of(candidates)
        figures.utilities = float(utilities.sum())
        chosen = candidates.bounds[:-1] + self._indices[numbers]
        bounds = np.arange(len(chosen) + 1, dtype=np.int64)
        return self._task.layout.with_winners(
            Chosen(chosen, bounds, utilities), candidates, self._task.metric.lowercase
        ), figures
