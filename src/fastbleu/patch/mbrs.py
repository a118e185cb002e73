"""Replace `scores` and `pairwise_scores` of mbrs' `MetricBLEU`.

mbrs 0.1.8 starts a pool of processes for each call. The replacements score in the calling process. They return equal
tensors, and record equal numbers of calls in mbrs' timer. The original code runs if a metric overrides a method that
is used for scoring, or if a program has changed sacreBLEU's metric or tokenizer. If a metric is without effective
order, mbrs logs for each pair of texts that sacreBLEU recommends it, and the replacements log this once per call.
"""

from __future__ import annotations

from ..compat.mbrs.mbrs_options import metric_of, score_paired, score_pairwise
from ..scoring.sacrebleu_tokenizers import is_unchanged
from ..system._program_changes import MethodRecord
from ..system.watched_names import reads_of
from ._calls import RUN_ORIGINAL
from .sacrebleu import METHODS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .replacing import Pairs


def replacements_in(module: ModuleType) -> Pairs:
    """Return the functions to replace in `mbrs.metrics.bleu`, with their replacements."""
    kind, measure = module.MetricBLEU, module.timer.measure
    methods = MethodRecord(kind, "_initialize_bleu", "_score_worker")
    checks = *reads_of(("_initialize_bleu", "_score_worker"), kind), *reads_of(METHODS, module.BLEU)

    def is_supported(metric: Any, *texts: Any) -> bool:
        options = metric.cfg
        workers = options.num_workers
        if not isinstance(workers, int) or isinstance(workers, bool) or workers <= 0:
            return False
        if not methods.are_original(metric) or not all(map(_are_texts, texts)):
            return False
        # mbrs creates a sacreBLEU metric in each call, so changes that a program makes to sacreBLEU affect the scores.
        return is_unchanged(module.BLEU(tokenize=options.tokenize, trg_lang=options.trg_lang).tokenizer)

    def pairwise_scores(metric: Any, hypotheses: Any, references: Any, *_: Any, **__: Any) -> Any:
        if not is_supported(metric, hypotheses, references):
            return RUN_ORIGINAL
        scores = score_pairwise(metric_of(metric.cfg), measure, hypotheses, references)
        return module.Tensor().new_tensor(scores)  # `Tensor()` has torch's default dtype.

    def paired_scores(metric: Any, hypotheses: Any, references: Any, *_: Any, **__: Any) -> Any:
        if not is_supported(metric, hypotheses, references):
            return RUN_ORIGINAL
        return module.Tensor().new_tensor(
            score_paired(metric_of(metric.cfg), measure, hypotheses, references)
        )

    return [
        (kind.pairwise_scores, pairwise_scores, (0, 2, 2), checks),
        (kind.scores, paired_scores, (0, 2, 2), checks),
    ]


def _are_texts(texts: Any) -> bool:
    """Return whether `texts` is a non-empty list or tuple of str."""
    return (
        isinstance(texts, (list, tuple)) and len(texts) > 0 and all(isinstance(each, str) for each in texts)
    )
