"""The metrics of a command line: BLEU, counted here, and chrF and TER, which sacreBLEU computes."""

from __future__ import annotations

from ...metric import BLEU
from ...metric.warning import Warnings
from ..common import make_metric, say
from .options import PROGRAM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator
    from typing import TypeAlias

    from ...counting.references import References
    from ...inputs._text import TextColumn
    from ...scoring.score import BLEUScore
    from ..sacrebleu.calls import PeerWithReferences

    #: A metric over the references of a command line.
    CorpusMetric: TypeAlias = "BLEUWithReferences | PeerWithReferences"


class _Warnings(Warnings):
    """Warnings that are printed rather than logged: `logging` takes longer to import than a score takes."""

    def log(self, *messages: str) -> None:
        """Print each message on standard error."""
        for message in messages:
            say(PROGRAM, message)


class _BLEU(BLEU):
    """A metric of the command line."""

    warnings_class = _Warnings


def make_bleu(options: Namespace, threads: int) -> BLEU:
    """BLEU with the options of a command line.

    Raises:
        UserError: One of them has a wrong value.
    """
    if options.tokenize and options.language_pair:
        # If they do not fit together, `BLEU` warns through a logger.
        import logging

        logging.basicConfig(format=f"{PROGRAM}: %(message)s")
    effective_order = options.sentence_level or options.explain is not None
    return make_metric(_BLEU, options, force=options.force, effective_order=effective_order, threads=threads)


def make_metrics(
    bleu: BLEU | None, options: Namespace, references: list[TextColumn], systems: int
) -> dict[str, CorpusMetric]:
    """The metrics that a command line names, by their names in sacreBLEU, in the order given.

    Args:
        bleu: BLEU with the options of the command line, if it names BLEU.
        options: Those of the other metrics.
        references: The streams that all of them score against.
        systems: How many systems will be scored.

    Raises:
        UserError: sacreBLEU is not installed, or refuses an option.
    """
    metrics: dict[str, CorpusMetric] = {}
    for name in options.metrics:
        if name == "bleu" and bleu is not None:
            metrics["BLEU"] = BLEUWithReferences(bleu, references, systems > 1)
        else:
            from ..sacrebleu.calls import PeerWithReferences

            metrics[name.upper()] = PeerWithReferences(name, options, references)
    return metrics


class BLEUWithReferences:
    """BLEU over the references of a command line.

    Args:
        metric: BLEU.
        references: The streams.
        prepare: Whether they are prepared first, because several systems follow.

    Attributes:
        metric: BLEU.
        references: The streams, or these prepared.
        num_references: How many streams there are.
    """

    def __init__(self, metric: BLEU, references: list[TextColumn], prepare: bool) -> None:
        self.metric = metric
        self.num_references = len(references)
        self.references: References | list[TextColumn] = metric.prepare(references) if prepare else references

    def score(self, system: TextColumn, n_bootstrap: int = 1) -> BLEUScore:
        """Scores a system."""
        return self.metric.corpus_score(system, self.references, n_bootstrap=n_bootstrap)

    def sentences(self, system: TextColumn) -> Iterator[BLEUScore]:
        """Scores each segment of a system by itself."""
        return self.metric.iterate_scores(system, self.references)
