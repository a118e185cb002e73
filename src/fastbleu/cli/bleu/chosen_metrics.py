"""Create the metrics that are chosen on the command line."""

from __future__ import annotations

from ...metric import BLEU
from ...metric.metric_warnings import Warnings
from ..chrf_options import make_chrf
from ..common import in_options, make_metric, say
from .score_options import PROGRAM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import TypeAlias

    from ...metric.chrf import CHRF

    AnyMetric: TypeAlias = BLEU | CHRF


class _Warnings(Warnings):
    """Prints warnings instead of logging them, since importing `logging` takes longer than computing a score."""

    @staticmethod
    def log(*messages: str) -> None:
        """Print each message on standard error."""
        for message in messages:
            say(PROGRAM, in_options(message))


class _BLEU(BLEU):
    """A BLEU that prints its warnings."""

    warnings_class = _Warnings


def make_metrics(options: Namespace, threads: int) -> dict[str, AnyMetric]:
    """Create the metrics that are chosen on the command line; return them by name, such as "bleu".

    Raises:
        UserError: An option has a wrong value.
    """
    makers = {"bleu": _make_bleu, "chrf": make_chrf}
    return {name: makers[name](options, threads) for name in options.metrics}


def _make_bleu(options: Namespace, threads: int) -> AnyMetric:
    effective_order = options.sentence_level or options.explain is not None
    return make_metric(_BLEU, options, force=options.force, effective_order=effective_order, threads=threads)
