"""sacreBLEU's metric: counted by fastbleu, scored by sacreBLEU's own formula into its own `BLEUScore`.

The functions belong to the base class of all its metrics; calls of chrF and TER run on as before. Misshapen input is
scored as sacreBLEU scores it, with a warning.
"""

from __future__ import annotations

from logging import getLogger

from ..scoring.sacrebleu.counting import TOKENIZED, count, count_rows, count_sentence
from ..scoring.sacrebleu.overriding import has_own_steps
from ..scoring.sacrebleu.tokenizing import matcher_of
from . import sacrebleu_tokenizers
from .replacing import LEFT, NOT_CONCERNED, Replacement, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

_logger = getLogger("sacrebleu")


class PreparedReferences(list["dict[str, Any]"]):
    """sacreBLEU's cache of references, with the same references prepared. It pickles as the list that it is."""

    prepared: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)


def replacements_in(module: ModuleType) -> list[Replacement]:
    """The replacements in `sacrebleu.metrics.bleu`, or in a module of `sacrebleu.tokenizers`."""
    if not hasattr(module, "BLEU"):
        return sacrebleu_tokenizers.replacements_in(module)
    bleu = module.BLEU
    base = bleu.__mro__[1]

    def concerns(metric: Any) -> Any:
        """LEFT or NOT_CONCERNED for a metric that is not counted here, else None."""
        if not isinstance(metric, bleu):
            return NOT_CONCERNED
        return LEFT if has_own_steps(metric, bleu) else None

    def corpus_score(metric: Any, hypotheses: Any, references: Any, n_bootstrap: Any) -> Any:
        not_ours = concerns(metric)
        if not_ours is not None:
            return not_ours
        if n_bootstrap > 1:
            return NOT_CONCERNED  # the original asks for the statistics, below
        metric._check_corpus_score_args(hypotheses, references)
        prepared = _prepared(metric, references)
        if prepared is None:
            return LEFT
        totals = count(matcher_of(metric), hypotheses, prepared)
        _note(metric, totals, references)
        return metric._compute_score_from_stats(totals.row)

    def sentence_score(metric: Any, hypothesis: Any, references: Any) -> Any:
        not_ours = concerns(metric)
        if not_ours is not None:
            return not_ours
        metric._check_sentence_score_args(hypothesis, references)
        row, metric.num_refs = count_sentence(matcher_of(metric), hypothesis, references)
        return metric._compute_score_from_stats(row)

    def extract_corpus_statistics(metric: Any, hypotheses: Any, references: Any) -> Any:
        not_ours = concerns(metric)
        if not_ours is not None:
            return not_ours
        prepared = _prepared(metric, references or None)
        if prepared is None:
            return LEFT
        rows, totals = count_rows(matcher_of(metric), hypotheses, prepared)
        _note(metric, totals, references)
        return rows

    def cache_references(metric: Any, references: Any) -> Any:
        not_ours = concerns(metric)
        if not_ours is not None:
            return not_ours
        streams = [list(stream) for stream in references]
        found = PreparedReferences(of_cache.original(metric, streams))
        lines = [[line for line in lines if line is not None] for lines in zip(*streams, strict=False)]
        if all(lines):
            found.prepared = matcher_of(metric).prepare_segments(lines)
        return found

    of_cache = replace(base._cache_references, cache_references)
    return [
        replace(base.corpus_score, corpus_score),
        replace(base.sentence_score, sentence_score),
        replace(base._extract_corpus_statistics, extract_corpus_statistics),
        of_cache,
    ]


def _prepared(metric: Any, references: Any) -> Any:
    """The references of a call, or those that the metric keeps if they were prepared; None if they were not."""
    if references is not None:
        return references
    return getattr(metric._ref_cache, "prepared", None)


def _note(metric: Any, totals: Any, references: Any) -> None:
    """Keep what sacreBLEU keeps of a corpus, and log what it logs."""
    if references is not None:
        metric.num_refs = totals.num_references
    if totals.tokenized >= 100 and not metric._force:
        for message in TOKENIZED:
            _logger.warning(message)
