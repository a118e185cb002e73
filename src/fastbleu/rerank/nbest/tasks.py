"""What is to be done with every block, what a block comes with, and what it adds to the summary."""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...inputs._text import TextColumn
    from ...metric import BLEU
    from .blocks import Block
    from .output import Layout


class Task(NamedTuple):
    """What the command line asks for, of every block alike.

    Attributes:
        command: "oracle", "mbr", "self-bleu" or "score".
        metric: The options of the scores.
        layout: What is written of each source, and how.
        skip_bad: Leave out what is broken.
        method: Of mbr: "exact" or "aggregate".
        exclude_self: Of mbr: a candidate is no evidence for itself.
        weights_as: Of mbr: what the scores of the evidence are as weights; None: they are none.
        temperature: Of their softmax, or None.
        interpolate: What the models' scores of candidates count, 0..1; None: nothing.
    """

    command: str
    metric: BLEU
    layout: Layout
    skip_bad: bool
    method: str
    exclude_self: bool
    weights_as: str | None
    temperature: float | None
    interpolate: float | None


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


class Figures:
    """What the summary says of some sources; adds up.

    Attributes:
        sources: How many.
        candidates: How many, over all sources.
        utilities: The sum over the sources of the utility of the best, or of the mean.
        row: The statistics of the best candidates; None without references.
        num_references: Of each source, -1 if they differ.
        skipped_lines: Lines left out.
        skipped_sources: Sources left out.
    """

    def __init__(self) -> None:
        self.sources = 0
        self.candidates = 0
        self.utilities = 0.0
        self.row: list[int] | None = None
        self.num_references = 0
        self.skipped_lines = 0
        self.skipped_sources = 0

    def add(self, other: Figures) -> None:
        """Adds those of other sources."""
        self.sources += other.sources
        self.candidates += other.candidates
        self.utilities += other.utilities
        if other.row is not None:
            self.row = (
                other.row if self.row is None else [a + b for a, b in zip(self.row, other.row, strict=True)]
            )
            self.num_references = other.num_references
        self.skipped_lines += other.skipped_lines
        self.skipped_sources += other.skipped_sources
