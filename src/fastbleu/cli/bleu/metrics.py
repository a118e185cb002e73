"""The metrics of a command line: BLEU and chrF, counted here, and TER, which sacreBLEU computes."""

from __future__ import annotations

from ...metric import BLEU
from ...metric.warning import Warnings
from ..chrf_options import make_chrf
from ..common import make_metric, say
from .options import PROGRAM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from ...inputs._text import TextColumn
    from ...metric.chrf import CHRF
    from ...scoring.score import Score
    from ..sacrebleu.calls import TERWithReferences

    #: A metric that is counted here.
    OurMetric: TypeAlias = BLEU | CHRF
    #: A metric over the references of a command line.
    CorpusMetric: TypeAlias = "MetricWithReferences | TERWithReferences"


class _Warnings(Warnings):
    """Warnings that are printed rather than logged: `logging` takes longer to import than a score takes."""

    def log(self, *messages: str) -> None:
        """Print each message on standard error."""
        for message in messages:
            say(PROGRAM, message)


class _BLEU(BLEU):
    """A metric of the command line."""

    warnings_class = _Warnings


def make_ours(options: Namespace, threads: int) -> dict[str, OurMetric]:
    """The metrics of a command line that are counted here, by the names that it has for them.

    Raises:
        UserError: One of their options has a wrong value.
    """
    makers = {"bleu": _make_bleu, "chrf": make_chrf}
    return {name: makers[name](options, threads) for name in options.metrics if name in makers}


def _make_bleu(options: Namespace, threads: int) -> OurMetric:
    if options.tokenize and options.language_pair:
        # If they do not fit together, `BLEU` warns through a logger.
        import logging

        logging.basicConfig(format=f"{PROGRAM}: %(message)s")
    effective_order = options.sentence_level or options.explain is not None
    return make_metric(_BLEU, options, force=options.force, effective_order=effective_order, threads=threads)


def make_metrics(
    ours: dict[str, OurMetric], options: Namespace, references: list[TextColumn], systems: int
) -> dict[str, CorpusMetric]:
    """The metrics that a command line names, by their names in sacreBLEU, in the order given.

    Args:
        ours: Those that are counted here.
        options: Those of the command line.
        references: The streams that all of them score against.
        systems: How many systems will be scored.

    Raises:
        UserError: sacreBLEU is not installed, or refuses an option.
    """
    metrics: dict[str, CorpusMetric] = {}
    for name in options.metrics:
        if name in ours:
            metrics[name.upper()] = MetricWithReferences(ours[name], references, systems > 1)
        else:
            from ..sacrebleu.calls import TERWithReferences

            metrics[name.upper()] = TERWithReferences(options, references)
    return metrics


class MetricWithReferences:
    """A metric that is counted here, over the references of a command line.

    Args:
        metric: The metric.
        references: The streams.
        prepare: Whether they are prepared first, because several systems follow.

    Attributes:
        metric: The metric.
        references: The streams, or these prepared.
        num_references: How many streams there are.
    """

    def __init__(self, metric: OurMetric, references: list[TextColumn], prepare: bool) -> None:
        self.metric = metric
        self.num_references = len(references)
        self.references: Any = metric.prepare(references) if prepare else references

    def score(self, system: TextColumn, n_bootstrap: int = 1) -> Score:
        """Scores a system."""
        return self.metric.corpus_score(system, self.references, n_bootstrap=n_bootstrap)

    def sentences(self, system: TextColumn) -> Iterator[Score]:
        """Scores each segment of a system by itself."""
        return self.metric.iterate_scores(system, self.references)
