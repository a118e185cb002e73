"""mbrs' metric, for programs and for the plug-in: needs mbrs 0.1.8."""

from __future__ import annotations

from dataclasses import dataclass

from ...system.extras import imports_of
from .options import metric_of, paired, pairs

with imports_of("mbrs", "fastbleu.compat.mbrs.metric"):
    from mbrs import timer
    from mbrs.metrics import register
    from mbrs.metrics.bleu import MetricBLEU
    from torch import Tensor


@register("fastbleu")
class MetricFastBLEU(MetricBLEU):  # type: ignore[misc]  # mbrs is not installed where types are checked
    """BLEU, scored by fastbleu: the same tensors as `MetricBLEU` makes.

    Args:
        cfg: The options, those of `MetricBLEU`. `num_workers` is how many threads may share a call.
    """

    @dataclass
    class Config(MetricBLEU.Config):  # type: ignore[misc]  # likewise
        """The options of `MetricBLEU`."""

    def __init__(self, cfg: MetricFastBLEU.Config) -> None:
        super().__init__(cfg)
        self._metric = metric_of(cfg)

    def score(self, hypothesis: str, reference: str, *_: object, **__: object) -> float:
        """Score a hypothesis.

        Args:
            hypothesis: The text.
            reference: Its only reference.

        Returns:
            0..100.
        """
        return self._metric.sentence_score(hypothesis, [reference]).score

    def scores(self, hypotheses: list[str], references: list[str], *_: object, **__: object) -> Tensor:
        """Score each hypothesis against the reference at its place.

        Args:
            hypotheses: N texts.
            references: N texts.

        Returns:
            float32 [N], 0..100.
        """
        return Tensor(paired(self._metric, timer.measure, hypotheses, references))

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
        return Tensor(pairs(self._metric, timer.measure, hypotheses, references, self.cfg.num_workers))

    def corpus_score(
        self, hypotheses: list[str], references_lists: list[list[str]], sources: list[str] | None = None
    ) -> float:
        """Score a corpus.

        Args:
            hypotheses: n texts.
            references_lists: Streams of references, each of n texts.
            sources: Not looked at.

        Returns:
            0..100.
        """
        del sources
        return self._metric.corpus_score(hypotheses, references_lists).score
