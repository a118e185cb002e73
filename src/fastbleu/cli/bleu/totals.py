"""The scores of segments that come in batches: sums of rows, system by system, in flat memory."""

from __future__ import annotations

from ...counting.totals import DIFFERING
from ...system.threads import for_each
from .options import resamples
from .output import print_score, print_systems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator
    from typing import TypeVar

    from ...metric import BLEU
    from ...scoring.score import BLEUScore

    Batch = TypeVar("Batch")


class Part:
    """Summed statistics of some segments of one system.

    Attributes:
        system: What the system is called.
        row: The sum of the rows of these segments, 2 + 2N int.
        segments: How many.
        fewest: References of a segment, at the least.
        most: And at the most.
        tokenized: How many hypotheses look tokenized.
    """

    __slots__ = ("fewest", "most", "row", "segments", "system", "tokenized")

    def __init__(
        self, system: str, row: list[int], segments: int, fewest: int, most: int, tokenized: int = 0
    ) -> None:
        self.system = system
        self.row = row
        self.segments = segments
        self.fewest = fewest
        self.most = most
        self.tokenized = tokenized

    def plus(self, other: Part) -> Part:
        """Both together."""
        return Part(
            self.system,
            [a + b for a, b in zip(self.row, other.row, strict=True)],
            self.segments + other.segments,
            min(self.fewest, other.fewest),
            max(self.most, other.most),
            self.tokenized + other.tokenized,
        )

    @property
    def num_references(self) -> int:
        """References of each segment, -1 if they differ."""
        return self.most if self.fewest == self.most else DIFFERING


class Systems:
    """The parts of all systems, in the order in which the systems came.

    Args:
        metric: What scores them, and warns of hypotheses that look tokenized.
        keep_rows: Whether the row of each segment is kept, to resample from.
    """

    def __init__(self, metric: BLEU, keep_rows: bool = False) -> None:
        self._metric = metric
        self._parts: dict[str, Part] = {}
        self._rows = bytearray() if keep_rows else None

    def add(self, counted: tuple[list[Part], bytes]) -> None:
        """Adds the parts of a batch, and its rows int64 where they are kept."""
        parts, rows = counted
        for part in parts:
            before = self._parts.get(part.system)
            self._parts[part.system] = part if before is None else before.plus(part)
            self._metric.warnings.tokens(0 if before is None else before.tokenized, part.tokenized)
        if self._rows is not None:
            self._rows += rows

    def __len__(self) -> int:
        return sum(part.segments for part in self._parts.values())

    def scores(self) -> dict[str, BLEUScore]:
        """The score of each system."""
        return {name: self._score(part) for name, part in self._parts.items()}

    def resampled(self, n_bootstrap: int) -> BLEUScore:
        """The score of the one system, with its interval."""
        import numpy as np

        from ...scoring.bootstrap import interval

        ((_, part),) = self._parts.items()
        rows = np.frombuffer(self._rows or b"", dtype=np.int64).reshape(-1, len(part.row))
        mean, half_width, seed = interval(rows, n_bootstrap, self._metric.formula.score_rows)
        score = self._score(part)
        score.set_interval(mean, half_width)
        return self._metric.signed(score, part.num_references, n_bootstrap, seed)

    def _score(self, part: Part) -> BLEUScore:
        return self._metric.signed(self._metric.formula.score(part.row), part.num_references)


def print_scores_of(
    metric: BLEU,
    options: Namespace,
    batches: Iterator[Batch],
    count: Callable[[Batch], tuple[list[Part], bytes]],
    as_table: bool,
) -> int:
    """Count batches on several threads while the next one is read, and print the scores.

    Args:
        metric: What to count and score with.
        options: Those of the command line.
        batches: The segments; read by one thread at a time.
        count: What a batch comes to: parts of systems, and rows int64 [n, 2 + 2N] if there is to be an interval.
        as_table: Whether the scores are printed as those of several systems.

    Returns:
        How many segments there were; nothing is printed if there were none.
    """
    n_bootstrap = resamples(options)
    systems = Systems(metric, keep_rows=n_bootstrap > 1)
    for_each(batches, count, systems.add, options.threads, ordered=True)
    if not len(systems):
        return 0
    if n_bootstrap > 1:
        print_score(systems.resampled(n_bootstrap), options)
    elif as_table:
        print_systems(systems.scores(), options)
    else:
        ((_, score),) = systems.scores().items()
        print_score(score, options)
    return len(systems)
