"""Check and score the candidates of a block of an n-best list, and choose the candidates that are written."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import fsum
from typing import Any, NamedTuple

from ...counting.row_sums import Sums
from ..evidence_weights import as_weights
from ..expected_utility import expect
from ..pool_sources import as_pools
from ..pools import Pools
from ..ranking import best_first, first_largest
from ..self_bleu import scores_against_others
from .blocks import Chosen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from numpy import float64, int64
    from numpy.typing import NDArray

    from ...counting.references import References
    from ...metric import BLEU
    from ...metric.chrf import CHRF
    from ...scoring.score import Score
    from ..pool_sources import CheckedPools
    from .blocks import Block
    from .nbest_options import Options
    from .reader import Job, Reader


@dataclass
class Figures:
    """The figures of some blocks, from which the summary of `fastbleu-rerank` is computed.

    Attributes:
        sources: The number of sources.
        candidates: The number of candidates of these sources.
        skipped_lines: The number of skipped lines.
        skipped_sources: The number of skipped sources.
        utilities: A sum over all sources or candidates. For the commands oracle and mbr, it adds up the utility of the
            best candidate of each source; for self-bleu, the mean score of each source; for score, the score of each
            candidate.
        sums: The summed sufficient statistics of the best candidates; None without references.
        resumed: The number of sources that an earlier run had finished.
        score: The corpus score of the selected candidates, for the oracle at the corpus level; otherwise None.
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
        """Add the figures of other blocks to these."""
        for name in ("sources", "candidates", "skipped_lines", "skipped_sources", "utilities"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        if other.sums is not None:
            self.sums = other.sums.plus(self.sums.row, self.sums.segments) if self.sums else other.sums


class Selected(NamedTuple):
    """The candidates that the corpus oracle has chosen for the n sources of a file.

    Attributes:
        indices: int64 [n]: the index of the chosen candidate among the candidates of its source.
        utilities: float64 [n]: the sentence scores of the chosen candidates.
        sizes: int64 [n]: the number of candidates of each source.
        ordinals: int64 [n]: the ordinal of each source in the file, from 0, in ascending order.
        score: The corpus score of the chosen candidates.
    """

    indices: NDArray[int64]
    utilities: NDArray[float64]
    sizes: NDArray[int64]
    ordinals: NDArray[int64]
    score: Score

    def in_block(self, block: Block) -> tuple[NDArray[int64], NDArray[float64]]:
        """Find the chosen candidates of the sources of a block.

        Returns:
            The indexes of the chosen candidates among all candidates of the block, int64 [sources]; and their sentence
            scores, float64 [sources].

        Raises:
            ValueError: The file has changed since it was first read.
        """
        sources = self.ordinals.searchsorted(block.ordinals)
        if len(sources) and (sources[-1] >= len(self.sizes) or (self.sizes[sources] != block.sizes).any()):
            raise ValueError("the n-best list changed while it was read; run the command again")
        return block.bounds[:-1] + self.indices[sources], self.utilities[sources]


class Scorer:
    """Scores blocks, and chooses the candidates that are written. Several threads may share one object.

    Args:
        reader: The reader of the n-best list and the references.
        options: The command and its options.
        metric: The metric that scores candidates.
        selected: The candidates to write, if the corpus oracle has already chosen them; otherwise None.
    """

    def __init__(
        self, reader: Reader, options: Options, metric: BLEU | CHRF, selected: Selected | None = None
    ) -> None:
        self._reader = reader
        self._options = options
        self._metric = metric
        self._selected = selected

    def choose(self, job: Job) -> tuple[Block, Chosen, Figures]:
        """Parse and score a block, and choose the candidates that are written.

        Returns:
            The parsed block, the candidates that are written, and the figures of the block.

        Raises:
            ValueError: A line or a source is malformed; the error names the file and the line.
        """
        import numpy as np

        options, block = self._options, self._checked(job.block)
        figures = Figures(len(block), len(block.texts), block.skipped_lines, block.skipped_sources)
        starts = block.bounds[:-1]
        if options.command == "self-bleu":
            formula: Any = self._metric.formula  # This command has no chrF, so the formula is that of BLEU.
            values = scores_against_others(self._metric.matcher, formula, _pools(block))
            means = np.array(
                [fsum(values[i:k].tolist()) / (k - i) for i, k in pairwise(block.bounds.tolist())]
            )
            figures.utilities = fsum(means.tolist())
            if options.writes_means:
                return block, Chosen(starts, block.bounds, means), figures
            best = starts
        elif self._selected is not None:
            best, utilities = self._selected.in_block(block)
            figures.utilities = float(utilities.sum())
            return block, self._with_indices(block, best, np.arange(len(best) + 1), utilities), figures
        else:
            values, best = self._utilities(job, block, figures)
        if options.all or options.command == "score":
            numbers, bounds = np.arange(len(values)), block.bounds
        elif options.top_k is None:
            numbers, bounds = best, np.arange(len(best) + 1)
        else:
            numbers, bounds = best_first(values, block.bounds, options.top_k)
        return block, self._with_indices(block, numbers, bounds, values[numbers]), figures

    def _with_indices(
        self, block: Block, numbers: NDArray[int64], bounds: NDArray[int64], values: NDArray[float64]
    ) -> Chosen:
        """Return a `Chosen` with these fields, and with the indices and ranks if the options request them."""
        import numpy as np

        options = self._options
        indices = block.indices()[numbers] if options.command in {"oracle", "mbr"} else None
        firsts = np.repeat(bounds[:-1], np.diff(bounds))
        ranks = None if options.top_k is None else 1 + np.arange(len(numbers)) - firsts
        return Chosen(numbers, bounds, values, indices, ranks)

    def _utilities(self, job: Job, block: Block, figures: Figures) -> tuple[NDArray[float64], NDArray[int64]]:
        """Score the candidates of a block, and complete its figures.

        Returns:
            The numbers by which candidates are ranked, float64 [candidates]; and the index of the best candidate of
            each source among all candidates of the block, int64 [sources].
        """
        options, metric = self._options, self._metric
        references, rows = self._references(job, block), None
        if options.command == "mbr":
            weights = None if options.weights_as is None else block.scores
            weighing = (options.exclude_self, options.weights_as, options.temperature, options.method)
            utilities = expect(metric, metric.formula, _pools(block), None, weights, *weighing)
        else:
            rows = self._count(block, references)
            utilities = metric.formula.score_rows(rows)
        values = utilities
        if options.interpolate is not None:
            values = (1 - options.interpolate) * utilities + options.interpolate * block.scores
        is_score = options.command == "score"
        best = block.bounds[:-1] if is_score else block.bounds[:-1] + first_largest(values, block.bounds)
        figures.utilities = fsum((utilities if is_score else utilities[best]).tolist())
        if references is not None and len(block):
            best_rows = metric.statistics(block.texts.take(best), references) if rows is None else rows[best]
            figures.sums = Sums(best_rows.sum(axis=0).tolist(), {references.num_references: len(block)})
        return values, best

    def statistics(self, job: Job) -> tuple[Block, NDArray[int64], int]:
        """Parse a block, and compute the statistics of each candidate against the references of its source.

        Returns:
            The parsed block; the sufficient statistics, int64 [candidates, width of the formula]; and the number of
            references per source, which is -1 if it varies, and 0 if the block has no sources.
        """
        block = self._checked(job.block)
        references: Any = self._references(job, block)
        return block, self._count(block, references), references.num_references

    def _references(self, job: Job, block: Block) -> References | None:
        """Return the references of the sources of a block, prepared for counting; None if there are none.

        They are read from the files of references; without such files, from the lines of the block.
        """
        if not job.references:
            texts = self._reader.format.references(block)
            return None if texts is None else self._metric.prepare_segments(texts)
        numbers = block.ordinals - job.first
        return self._metric.prepare([column.take(numbers) for column in job.references])

    def _count(self, block: Block, references: Any) -> NDArray[int64]:
        """Return the sufficient statistics of each candidate, int64 [candidates, width of the formula]."""
        import numpy as np

        return self._metric.statistics(block.texts, references[np.repeat(np.arange(len(block)), block.sizes)])

    # Checks

    def _checked(self, block: Block) -> Block:
        """Parse a block, and check that its sources have the candidates and the weights that the command needs.

        Raises:
            ValueError: A source does not have them, and malformed sources are not skipped.
        """
        options, block = self._options, self._reader.parse(block)
        if options.command == "self-bleu" or options.exclude_self:
            use = "references" if options.command == "self-bleu" else "evidence"
            message = f"expected at least 2 candidates, found 1, which has no other candidates as {use}"
            self._skip_or_raise(block, dict.fromkeys((block.sizes < 2).nonzero()[0].tolist(), message))
        if options.weights_as is not None:
            ranges = pairwise(block.bounds.tolist())
            problems = (self._problem_of_weights(block.scores[i:k].tolist()) for i, k in ranges)
            self._skip_or_raise(block, {i: problem for i, problem in enumerate(problems) if problem})
        return block

    def _problem_of_weights(self, scores: list[float]) -> str:
        """Return the error message if the scores of a source cannot be used as weights; otherwise return ""."""
        options = self._options
        try:
            weights = as_weights(scores, options.weights_as or "", options.temperature, "scores")
        except ValueError as error:
            message = str(error).replace("pass weights_as='counts'", "give --weights-as counts")
            return message.replace("pass temperature=1", "give --temperature 1")
        if options.exclude_self and sum(weight > 0 for weight in weights) < 2:
            return "scores must give 2 or more candidates a weight above 0 with --exclude-self"
        return ""

    def _skip_or_raise(self, block: Block, problems: dict[int, str]) -> None:
        """Skip malformed sources, or raise a ValueError for the first one.

        Args:
            block: The parsed block; malformed sources are removed from it.
            problems: The error message for each malformed source, by its index in the block.
        """
        import numpy as np

        if problems and not self._options.skip_bad:
            i = min(problems)
            raise ValueError(f"{self._reader.name}: line {block.line_of(i)}: {problems[i]}")
        if problems:
            keep = np.ones(len(block), dtype=np.bool_)
            keep[list(problems)] = False
            block.keep(keep.repeat(block.sizes))


def _pools(block: Block) -> CheckedPools:
    """Return the candidates of a parsed block as pools."""
    return as_pools(Pools(block.texts, offsets=block.bounds), "pools")
