"""The corpus oracle of a file: statistics of all its candidates first, then the selection."""

from __future__ import annotations

from .output import Chosen
from .scoring import Prepared
from .session import Session
from .tasks import Figures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from numpy import float64, int64
    from numpy.typing import NDArray

    from ...scoring.score import BLEUScore
    from .blocks import Candidates
    from .tasks import Job, Task


class Chooser:
    """The selection, handed out block by block.

    Attributes:
        score: The corpus BLEU that it reaches.
    """

    def __init__(
        self,
        ordinals: NDArray[int64],
        sizes: NDArray[int64],
        indices: NDArray[int64],
        utilities: NDArray[float64],
        score: BLEUScore,
    ) -> None:
        self.score = score
        self._ordinals = ordinals
        self._sizes = sizes
        self._indices = indices
        self._utilities = utilities

    def choose(self, candidates: Candidates) -> tuple[Chosen, Figures]:
        """What to write of a block.

        Raises:
            ValueError: The file has changed since it was first read.
        """
        import numpy as np

        numbers = np.searchsorted(self._ordinals, candidates.ordinals)
        if len(numbers) and (
            numbers[-1] >= len(self._sizes) or (self._sizes[numbers] != np.diff(candidates.bounds)).any()
        ):
            raise ValueError("the file of candidates has changed while it was read")
        utilities = self._utilities[numbers]
        figures = Figures()
        figures.sources, figures.candidates = len(candidates), len(candidates.texts)
        figures.skipped_lines, figures.skipped_sources = candidates.skipped_lines, candidates.skipped_sources
        figures.utilities = float(utilities.sum())
        chosen = candidates.bounds[:-1] + self._indices[numbers]
        return Chosen(chosen, np.arange(len(chosen) + 1, dtype=np.int64), utilities), figures


def select(task: Task, options: Namespace) -> Chooser:
    """Read a file and look for the selection with the highest corpus BLEU."""
    import numpy as np

    from ..corpus_oracle import corpus_oracle
    from ..ranking import first_largest
    from .pipeline import in_order

    metric = task.metric
    rows, sizes, ordinals = bytearray(), bytearray(), bytearray()
    num_references = 0
    with Session(options) as session:

        def count(job: Job) -> tuple[bytes, bytes, bytes, int]:
            prepared = Prepared(task, job, session.candidates.reader, None)
            found = prepared.candidates
            counts, number = prepared.statistics()
            return counts.tobytes(), np.diff(found.bounds).tobytes(), found.ordinals.tobytes(), number

        for counts, numbers, sources, number in in_order(session.jobs(), count, options.threads):
            rows += counts
            sizes += numbers
            ordinals += sources
            num_references = number or num_references
    width = 2 + 2 * metric.max_ngram_order
    table = np.frombuffer(rows, dtype=np.int64).reshape(-1, width)
    size = np.frombuffer(sizes, dtype=np.int64)
    bounds = np.concatenate(([0], np.cumsum(size, dtype=np.int64)))
    if not len(size):
        raise ValueError(
            f"{session.candidates.reader.name}: expected candidates, found none that are not broken"
        )
    indices = first_largest(metric.formula.score_rows(table), bounds)
    indices, score = corpus_oracle(metric, table, bounds, indices)
    metric.signed(score, num_references)
    utilities = metric.formula.score_rows(table[bounds[:-1] + indices])
    return Chooser(np.frombuffer(ordinals, dtype=np.int64), size, indices, utilities, score)
