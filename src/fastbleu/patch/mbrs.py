"""mbrs' BLEU: scores of pairs without a pool of processes, and aggregated references in linear time.

`MetricBLEU` of mbrs 0.1.8 starts a pool of processes for each call of `scores` and `pairwise_scores`; these are counted
here, in this process. `expected_scores_reference_aggregation` and `_aggregate_references` do mbrs' own operations on
the same floats in the same order, without looking through all n-grams again for each reference. The tensors, the
aggregated references and the numbers of calls that mbrs' timer keeps are equal.

A metric that overrides a step, or whose sacreBLEU metric does, keeps its own way. Without effective order, each worker
logs sacreBLEU's advice for each pair; here fastbleu logs it once for a call.
"""

from __future__ import annotations

from collections import Counter
from math import exp, isnan, log

from ..compat.mbrs.options import metric_of
from ..rerank import pairwise
from ..scoring.sacrebleu.overriding import has_own_steps
from .replacing import LEFT, Replacement, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType
    from typing import Any

    Ngrams = Counter[tuple[str, ...]]

#: The methods that make scores.
_STEPS = (
    "_initialize_bleu",
    "_score_worker",
    "_compute_bleu",
    "_aggregate_references",
    "AggregatedReference",
)


def replacements_in(module: ModuleType) -> list[Replacement]:
    """The replacements in `mbrs.metrics.bleu`."""
    kind = module.MetricBLEU
    measure = module.timer.measure
    own = {step: vars(kind)[step] for step in _STEPS}
    wrapped = {step: getattr(kind, step) for step in _STEPS}

    def has_its_steps(metric: Any) -> bool:
        """Whether a metric, its class and its sacreBLEU metric compute as mbrs does."""
        steps = type(metric)
        if any(getattr(steps, step) is not wrapped[step] for step in _STEPS):
            return False
        return vars(metric).keys().isdisjoint(own) and not has_own_steps(metric.scorer, module.BLEU)

    def may_run(metric: Any, *texts: Any) -> bool:
        workers = metric.cfg.num_workers
        is_pool = isinstance(workers, int) and not isinstance(workers, bool) and workers > 0
        return is_pool and all(map(_are_texts, texts)) and has_its_steps(metric)

    def tensor_of(scores: Any) -> Any:
        """A tensor of the type that `Tensor` makes now."""
        return module.Tensor().new_tensor(scores)

    def pairwise_scores(metric: Any, hypotheses: Any, references: Any, *_: Any, **__: Any) -> Any:
        if not may_run(metric, hypotheses, references):
            return LEFT
        options = metric_of(metric.cfg)
        with measure("score") as timer:
            timer.set_delta_ncalls(len(hypotheses) * len(references))
            scores = pairwise(hypotheses, references, metric=options)
        return tensor_of(scores)

    def paired_scores(metric: Any, hypotheses: Any, references: Any, *_: Any, **__: Any) -> Any:
        if not may_run(metric, hypotheses, references):
            return LEFT
        options, scored = metric_of(metric.cfg), min(len(hypotheses), len(references))
        with measure("score") as timer:
            timer.set_delta_ncalls(len(hypotheses))
            scores = options.sentence_scores(list(hypotheses[:scored]), [list(references[:scored])])
        return tensor_of(scores)

    def log_shares(metric: Any, references: Any, lprobs: Any) -> list[float] | None:
        """The logarithm of each reference's weight; None for a call that is left to mbrs."""
        if not _are_texts(references) or not has_its_steps(metric):
            return None
        if lprobs is None:
            return [-log(len(references))] * len(references)
        found: list[float] = lprobs.log_softmax(dim=-1, dtype=module.torch.float32).tolist()
        return None if isnan(sum(found)) or len(found) < len(references) else found

    def aggregated(metric: Any, references: Any, numbers: list[float], kept: dict[str, Any]) -> Any:
        order = metric.scorer.max_ngram_order
        expected: Ngrams = Counter()
        lengths = []
        for text, number in zip(references, numbers, strict=False):
            if text not in kept:
                kept[text] = _ngrams(metric.scorer, text, order)
            orders, length = kept[text]
            shares: dict[int, float] = {}
            for ngrams in orders:
                for ngram, count in ngrams.items():
                    if count not in shares:
                        shares[count] = exp(log(count) + number)
                    if shares[count]:
                        expected[ngram] += shares[count]  # type: ignore[assignment]  # mbrs counts in floats
            lengths.append(exp(log(length) + number) if length else 0.0)
        metric.scorer.num_refs = 1
        return metric.AggregatedReference(expected, sum(lengths))

    def aggregate_references(metric: Any, references: Any, reference_lprobs: Any) -> Any:
        numbers = log_shares(metric, references, reference_lprobs)
        return LEFT if numbers is None else aggregated(metric, references, numbers, {})

    def expected_scores(
        metric: Any, hypotheses: Any, references: Any, source: Any, reference_lprobs: Any
    ) -> Any:
        del source  # nor does mbrs look at it
        numbers = log_shares(metric, references, reference_lprobs)
        if numbers is None or not _are_texts(hypotheses):
            return LEFT
        kept: dict[str, Any] = {}
        with measure("aggregate/references"):
            reference = aggregated(metric, references, numbers, kept)
        scorer, share_of, scores = metric.scorer, reference.ngrams.get, []
        order = scorer.max_ngram_order
        with measure("expectation") as timer:
            timer.set_delta_ncalls(len(hypotheses))
            for text in hypotheses:
                orders, length = kept[text] if text in kept else _ngrams(scorer, text, order)
                correct, total = [], []
                for n, ngrams in enumerate(orders):
                    matches = 0.0
                    for ngram, count in ngrams.items():
                        share = share_of(ngram)
                        if share is not None:
                            matches += min(count, share)
                    correct.append(matches)
                    total.append(float(max(0, length - n)))
                scores.append(
                    metric._compute_bleu(
                        correct=correct,
                        total=total,
                        sys_len=float(length),
                        ref_len=float(reference.length),
                        smooth_method=scorer.smooth_method,
                        smooth_value=scorer.smooth_value,
                        effective_order=scorer.effective_order,
                        max_ngram_order=order,
                    )
                )
        return module.torch.zeros((0,)).new_tensor(scores)

    return [
        replace(kind.pairwise_scores, pairwise_scores),
        replace(kind.scores, paired_scores),
        replace(kind._aggregate_references, aggregate_references),
        replace(kind.expected_scores_reference_aggregation, expected_scores),
    ]


def _are_texts(texts: Any) -> bool:
    """Whether there is at least one text, and nothing else."""
    return (
        isinstance(texts, (list, tuple)) and len(texts) > 0 and all(isinstance(each, str) for each in texts)
    )


def _ngrams(scorer: Any, text: str, order: int) -> tuple[list[Ngrams], int]:
    """The n-grams of a text for each n, in the order in which they first occur, and its number of tokens."""
    tokens = scorer._preprocess_segment(text).split()
    return [Counter(_of_order(tokens, n)) for n in range(1, order + 1)], len(tokens)


def _of_order(tokens: list[str], n: int) -> Iterator[tuple[str, ...]]:
    return zip(*(tokens[start:] for start in range(n)), strict=False)
