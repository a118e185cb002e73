"""Create fastbleu metrics from the options of mbrs' metrics `bleu` and `chrf`, and score with them."""

from __future__ import annotations

from ...metric.chrf import CHRF
from ...metric.sacrebleu_functions import DropInBLEU
from ...rerank import pairwise
from ...tokenizers.languages import tokenizer_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...metric import BLEU

#: The options of `mbrs.metrics.bleu.MetricBLEU.Config` that affect scores.
_OPTIONS = (
    "lowercase",
    "force",
    "tokenize",
    "smooth_method",
    "smooth_value",
    "max_ngram_order",
    "effective_order",
    "trg_lang",
)


def metric_of(config: Any) -> BLEU:
    """Return a `BLEU` object with the options of mbrs' metric `bleu`.

    Args:
        config: A `mbrs.metrics.bleu.MetricBLEU.Config`.

    Example:
        >>> from types import SimpleNamespace
        >>> options = dict.fromkeys(_OPTIONS, False) | {"smooth_method": "exp", "smooth_value": None, "trg_lang": "ja"}
        >>> metric = metric_of(SimpleNamespace(**options | {"max_ngram_order": 4, "tokenize": "char"}))
        >>> str(metric.signature_for(1)).rpartition("|version")[0]
        'nrefs:1|case:mixed|eff:no|tok:char|smooth:exp'
    """
    options = {name: getattr(config, name) for name in _OPTIONS}
    options["tokenize"] = options["tokenize"] or tokenizer_for(options["trg_lang"])
    metric = DropInBLEU(**options)
    metric.warnings.of_script.is_over = True  # mbrs does not warn of an unsuitable tokenizer.
    return metric


def chrf_of(config: Any) -> CHRF:
    """Return a `CHRF` object with the options of mbrs' metric `chrf`.

    Args:
        config: A `mbrs.metrics.chrf.MetricChrF.Config`.
    """
    options = ("char_order", "word_order", "beta", "lowercase", "whitespace", "eps_smoothing")
    return CHRF(**{name: getattr(config, name) for name in options})


def score_paired(metric: BLEU | CHRF, measure: Any, hypotheses: Any, references: Any) -> Any:
    """Score each hypothesis against the reference with the same index, and record time and calls in mbrs' timer.

    Args:
        metric: The fastbleu metric.
        measure: mbrs' `timer.measure`.
        hypotheses: H texts.
        references: R texts. Only the first N = min(H, R) hypotheses and references are scored.

    Returns:
        float64 [N], 0..100.
    """
    number = min(len(hypotheses), len(references))
    with measure("score") as timer:
        timer.set_delta_ncalls(len(hypotheses))
        return metric.sentence_scores(list(hypotheses[:number]), [list(references[:number])])


def score_pairwise(
    metric: BLEU | CHRF, measure: Any, hypotheses: Any, references: Any, threads: int = 1
) -> Any:
    """Score each hypothesis against each reference, and record time and calls in mbrs' timer.

    Args:
        metric: The fastbleu metric.
        measure: mbrs' `timer.measure`.
        hypotheses: H texts.
        references: R texts.
        threads: The number of threads.

    Returns:
        float64 [H, R], 0..100.
    """
    with measure("score") as timer:
        timer.set_delta_ncalls(len(hypotheses) * len(references))
        return pairwise(hypotheses, references, metric=metric, threads=threads)
