"""What each command makes of a block: checked candidates, their utilities, and which of them are written."""

from __future__ import annotations

from itertools import pairwise
from math import fsum

from ..pools import Pools, as_pools
from ..ranking import first_largest
from .messages import shown_json
from .output import Chosen
from .tasks import Figures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import bool_, float64, int64
    from numpy.typing import NDArray

    from ...counting.references import References
    from .blocks import BlockReader, Candidates
    from .tasks import Job, Task


_NO_OTHER_WEIGHT = "scores must give weight to at least 2 candidates with --exclude-self"


class Prepared:
    """The candidates of a block and what they are scored with, checked; no source is without.

    Raises:
        ValueError: Something does not fit; names file and line.
    """

    def __init__(self, task: Task, job: Job, reader: BlockReader, evidence: BlockReader | None) -> None:
        self.task = task
        self.candidates = reader.parse(job.block)
        self.evidence = None
        self._name = reader.name
        self._job = job
        if job.evidence is not None and evidence is not None:
            self.evidence = evidence.parse(job.evidence)
            self._align(evidence.name)
        self._refuse_candidates(*task.layout.unwritable(self.candidates))
        if task.command == "self-bleu":
            self._refuse(
                self._sizes() < 2, "expected at least 2 candidates, found 1: it has no others as references"
            )
        if task.exclude_self:
            self._refuse(
                self._sizes() < 2, "expected at least 2 candidates, found 1: it has no other as evidence"
            )
        if task.weights_as is not None:
            self._check_weights(evidence.name if evidence is not None else reader.name)

    def lines(self) -> int:
        """How many lines are written of these sources."""
        return self.task.layout.lines(self._sizes())

    def _sizes(self) -> NDArray[int64]:
        import numpy as np

        return np.diff(self.candidates.bounds)

    def _refuse(self, bad: NDArray[bool_] | None, message: str = "") -> None:
        """Refuses sources, or leaves them out."""
        if bad is None or not bad.any():
            return
        if not self.task.skip_bad:
            line = self.candidates.line_of(int(bad.nonzero()[0][0]))
            raise ValueError(f"{self._name}: line {line}: {message}")
        self.candidates.keep_sources(~bad)
        if self.evidence is not None:
            self.evidence.keep_sources(~bad)

    def _refuse_candidates(self, bad: NDArray[bool_] | None, message: str) -> None:
        """Refuses candidates with all others of their sources, or leaves these sources out."""
        import numpy as np

        found = self.candidates
        if bad is None or not bad.any():
            return
        if not self.task.skip_bad:
            raise ValueError(f"{self._name}: line {found.line_of_candidate(int(bad.argmax()))}: {message}")
        self._refuse(np.logical_or.reduceat(bad, found.bounds[:-1]))

    def _align(self, name: str) -> None:
        """Leaves sources that have both candidates and evidence, and refuses those whose evidence is of another."""
        import numpy as np

        evidence, found = self.evidence, self.candidates
        if evidence is None:
            return
        # Only where something has been left out is one without the other.
        evidence.keep_sources(np.isin(evidence.ordinals, found.ordinals))
        found.keep_sources(np.isin(found.ordinals, evidence.ordinals))
        evidence.skipped_sources = 0  # each is counted where its candidates are
        if not (found.has_ids and evidence.has_ids):
            return
        ids, others = found.ids(), evidence.ids()
        # The numbers of a Moses n-best list say nothing of sources that have names elsewhere.
        numbered = not (isinstance(found.names, list) and isinstance(evidence.names, list))
        bad = np.zeros(len(found), dtype=np.bool_)
        for i, (one, other) in enumerate(zip(ids, others, strict=True)):
            comparable = not numbered or not (isinstance(one, str) or isinstance(other, str))
            bad[i] = None not in {one, other} and comparable and one != other
            if bad[i] and not self.task.skip_bad:
                raise ValueError(
                    f"{name}: line {evidence.line_of(i)}: expected the evidence of source {shown_json(one)}, "
                    f"found that of source {shown_json(other)}"
                )
        self._refuse(bad)

    def _check_weights(self, name: str) -> None:
        import numpy as np

        from ..evidence_weights import as_weights

        found = self.evidence or self.candidates
        bad = np.zeros(len(found), dtype=np.bool_)
        bounds = found.bounds.tolist()
        for i in range(len(found)):
            weights = self._numbers(found)[bounds[i] : bounds[i + 1]].tolist()
            try:
                weights = as_weights(weights, self.task.weights_as or "", self.task.temperature, "scores")
                if self.task.exclude_self and sum(weight > 0 for weight in weights) < 2:
                    raise ValueError(_NO_OTHER_WEIGHT)  # noqa: TRY301  # as what as_weights says
            except ValueError as error:
                if not self.task.skip_bad:
                    message = str(error).replace("else pass weights_as='counts'", "else --weights-as counts")
                    message = message.replace(
                        "else pass a temperature (1 normalises)", "else --temperature 1"
                    )
                    raise ValueError(f"{name}: line {found.line_of(i)}: {message}") from None
                bad[i] = True
        self._refuse(bad)

    @staticmethod
    def _numbers(candidates: Candidates) -> NDArray[float64]:
        if candidates.scores is None:
            raise RuntimeError("scores were not read")
        return candidates.scores

    # Scores

    def choose(self) -> tuple[Chosen, Figures]:
        """Scores the candidates, and says what to write of them."""
        import numpy as np

        task, found = self.task, self.candidates
        figures = Figures()
        figures.sources, figures.candidates = len(found), len(found.texts)
        figures.skipped_lines, figures.skipped_sources = found.skipped_lines, found.skipped_sources
        if self.evidence is not None:
            figures.skipped_lines += self.evidence.skipped_lines
        if not len(found):
            nothing = np.empty(0, dtype=np.int64)
            return Chosen(nothing, np.zeros(1, dtype=np.int64), np.empty(0)), figures
        if task.command == "self-bleu":
            return self._choose_alike(figures)
        references = self._references()
        rows = None
        if task.command == "mbr":
            utilities = self._expected()
        else:
            rows, _ = self.statistics(references)
            utilities = task.metric.formula.score_rows(rows)
        values = utilities
        if task.interpolate is not None:
            values = (1 - task.interpolate) * utilities + task.interpolate * self._numbers(found)
        starts = found.bounds[:-1]
        best = starts if task.command == "score" else starts + first_largest(values, found.bounds)
        figures.utilities = fsum((utilities if task.command == "score" else utilities[best]).tolist())
        if references is not None:
            if rows is not None:
                best_rows = rows[best]
            else:
                from ._lines import pick

                best_rows = task.metric.statistics(pick(found.texts, best), references)
            figures.row = best_rows.sum(axis=0).tolist()
            figures.num_references = references.num_references
        return task.layout.choose(found.bounds, values, best), figures

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
        return self.task.metric.statistics(
            self.candidates.texts, references[numbers]
        ), references.num_references

    def _references(self) -> References | None:
        """The references of each source, prepared."""
        from ._lines import pick

        if not self._job.references:
            return None
        numbers = self.candidates.ordinals - self._job.first
        return self.task.metric.prepare([pick(column, numbers) for column in self._job.references])

    def _expected(self) -> NDArray[float64]:
        """The expected utility of each candidate."""
        import numpy as np

        from ..expected_utility import Expectation

        task, found, evidence = self.task, self.candidates, self.evidence
        weights: Any = None if task.weights_as is None else self._numbers(evidence or found)
        expectation = Expectation(
            task.metric,
            Pools(found.texts, offsets=found.bounds),
            None if evidence is None else Pools(evidence.texts, offsets=evidence.bounds),
            weights,
            task.exclude_self,
            task.weights_as,
            task.temperature,
            task.method,
        )
        utilities = np.empty(len(found.texts))

        def keep(start: int, stop: int, scores: NDArray[float64]) -> None:
            utilities[found.bounds[start] : found.bounds[stop]] = scores

        expectation.compute(keep, 1, False)
        return utilities

    def _choose_alike(self, figures: Figures) -> tuple[Chosen, Figures]:
        """Self-BLEU of each candidate, and its mean over those of a source."""
        import numpy as np

        from ..self_bleu import rows_against_others

        metric, found = self.task.metric, self.candidates
        pools = as_pools(Pools(found.texts, offsets=found.bounds), "pools")
        scores = metric.formula.score_rows(rows_against_others(metric.matcher, pools, metric.max_ngram_order))
        means = np.array(
            [
                fsum(scores[start:stop].tolist()) / (stop - start)
                for start, stop in pairwise(found.bounds.tolist())
            ]
        )
        figures.utilities = fsum(means.tolist())
        return self.task.layout.choose(found.bounds, scores, found.bounds[:-1], means), figures
