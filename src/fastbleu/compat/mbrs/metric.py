"""The metrics for mbrs, imported by programs and by the plug-in. This module needs mbrs 0.1.8."""

from __future__ import annotations

import gc

from ...system.extras import imports_of
from .mbrs_options import chrf_of, metric_of, score_paired, score_pairwise

with imports_of("mbrs", "fastbleu.compat.mbrs.metric"):
    from mbrs import timer
    from mbrs.metrics import register
    from mbrs.metrics.bleu import MetricBLEU
    from mbrs.metrics.chrf import MetricChrF
    from torch import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...metric import BLEU
    from ...metric.chrf import CHRF


def _collect_argument_parser() -> None:
    """Collect garbage, because mbrs-decode could otherwise lose buffered output at exit.

    The argument parser of mbrs-decode is in reference cycles, which keep the output file open.
    """
    gc.collect()


class _Scored:
    """Methods that override those of mbrs' metrics, and score with the fastbleu metric in `_metric`."""

    cfg: Any
    _metric: BLEU | CHRF

    def score(self, hypothesis: str, reference: str, *_: object, **__: object) -> float:
        """Score a hypothesis.

        Args:
            hypothesis: The text.
            reference: Its only reference.

        Returns:
            The score, 0..100.
        """
        return self._metric.sentence_score(hypothesis, [reference]).score

    def scores(self, hypotheses: list[str], references: list[str], *_: object, **__: object) -> Tensor:
        """Score each hypothesis against the reference with the same index.

        Args:
            hypotheses: N texts.
            references: N texts.

        Returns:
            float32 [N], 0..100.
        """
        return Tensor(score_paired(self._metric, timer.measure, hypotheses, references))

    def pairwise_scores(
        self, hypotheses: list[str], references: list[str], *_: object, **__: object
    ) -> Tensor:
        """Score each hypothesis against each reference.

        Args:
            hypotheses: H texts.
            references: R texts.

        Returns:
            float32 [H, R], 0..100.
        """
        return Tensor(
            score_pairwise(self._metric, timer.measure, hypotheses, references, self.cfg.num_workers)
        )

    def corpus_score(
        self, hypotheses: list[str], references_lists: list[list[str]], sources: list[str] | None = None
    ) -> float:
        """Score a corpus.

        Args:
            hypotheses: n texts.
            references_lists: Streams of references, each of n texts.
            sources: Ignored.

        Returns:
            The score, 0..100.
        """
        del sources
        return self._metric.corpus_score(hypotheses, references_lists).score


@register("fastbleu")
class MetricFastBLEU(_Scored, MetricBLEU):  # type: ignore[misc]  # mbrs is not installed for type checks
    """mbrs' `MetricBLEU`, computed by fastbleu. It returns equal tensors.

    Args:
        cfg: The options of `MetricBLEU`. `num_workers` is the number of threads of a call.
    """

    def __init__(self, cfg: MetricBLEU.Config) -> None:
        super().__init__(cfg)
        _collect_argument_parser()
        self._metric = metric_of(cfg)


@register("fastbleu_chrf")
class MetricFastBLEUChrF(_Scored, MetricChrF):  # type: ignore[misc]  # mbrs is not installed for type checks
    """mbrs' `MetricChrF`, computed by fastbleu. It returns equal tensors.

    Args:
        cfg: The options of `MetricChrF`. `num_workers` is the number of threads of a call.

    Raises:
        ValueError: `fastchrf` is set. It is not supported, because it changes the scores.
    """

    def __init__(self, cfg: MetricChrF.Config) -> None:
        super().__init__(cfg)
        if cfg.fastchrf:
            raise ValueError(
                "cfg.fastchrf is not supported by fastbleu_chrf, because it changes scores: use mbrs' own metric chrf"
            )
        _collect_argument_parser()
        self._metric = chrf_of(cfg)
