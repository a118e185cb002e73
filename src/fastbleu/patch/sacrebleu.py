"""sacreBLEU's metric: counted by fastbleu, scored by sacreBLEU's own formula into its own `BLEUScore`.

The functions belong to the base class of all its metrics; chrF and TER run on, but for what `remembered` keeps.
Misshapen input is scored as sacreBLEU scores it, with a warning. Its tokenizers 13a, intl and zh are replaced for
programs that tokenize with them and score, or count, by themselves; each still remembers texts, in a cache above what
is replaced.
"""

from __future__ import annotations

from functools import lru_cache

from ..scoring._score import make_peers_score
from ..scoring.sacrebleu import (
    STEPS,
    cache_references,
    can_count,
    count,
    count_rows,
    count_sentence,
    formula_of,
    is_plain,
    is_plain_corpus,
)
from ..scoring.sacrebleu_tokenizers import MetricTokenizer, is_own, own_tokenizer
from ..system._unchanged import Steps
from ..system.reads import reads_of
from . import remembered
from ._calls import LEFT, NOT_CONCERNED
from .mistakes import look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from .replacing import Pairs

#: The methods of a metric that programs call to have something scored.
METHODS = ("corpus_score", "sentence_score")

#: The modules of its other metrics.
_OTHERS = ("sacrebleu.metrics.chrf", "sacrebleu.metrics.ter")

#: The names of a class and of its tokenizer, by module.
_TOKENIZERS = {
    "sacrebleu.tokenizers.tokenizer_13a": ("Tokenizer13a", "13a"),
    "sacrebleu.tokenizers.tokenizer_intl": ("TokenizerV14International", "intl"),
    "sacrebleu.tokenizers.tokenizer_zh": ("TokenizerZh", "zh"),
}


def replacements_in(module: ModuleType) -> Pairs:
    """Return the functions to replace in `sacrebleu.metrics.bleu` or a module of tokenizers, and what replaces them."""
    if module.__name__ in _TOKENIZERS:
        return _tokenizer_in(module)
    if module.__name__ in _OTHERS:
        remembered.watch(module)
        return []
    if module.__name__ == "sacrebleu.compat":
        return _functions_in(module)
    bleu, made = module.BLEU, module.BLEUScore
    base, steps = bleu.__mro__[1], Steps(bleu, *STEPS)
    reads = reads_of(METHODS, bleu)

    def of_bleu(replacement: Callable[..., Any]) -> Callable[..., Any]:
        def called(metric: Any, *arguments: Any) -> Any:
            if not isinstance(metric, bleu):
                return NOT_CONCERNED
            return replacement(metric, *arguments) if steps.are_own(metric) else LEFT

        return called

    def score(metric: Any, row: list[int]) -> Any:
        formula = formula_of(metric)
        found = None if formula is None else formula.compiled.score_one(row)
        if found is None:
            return metric._compute_score_from_stats(row)
        return make_peers_score(made, found, row[0], row[1])

    def corpus_score(metric: Any, hypotheses: Any, references: Any, n_bootstrap: Any) -> Any:
        if n_bootstrap > 1:
            return NOT_CONCERNED  # the original asks for the statistics, below
        if not is_plain_corpus(hypotheses, references):
            metric._check_corpus_score_args(hypotheses, references)
        if not can_count(metric, references):
            return LEFT
        row = count(metric, hypotheses, references)
        look(metric, hypotheses)
        return score(metric, row)

    def sentence_score(metric: Any, hypothesis: Any, references: Any) -> Any:
        if not (type(hypothesis) is str and is_plain(references)):
            metric._check_sentence_score_args(hypothesis, references)
        row = count_sentence(metric, hypothesis, references)
        look(metric, (hypothesis,))
        return score(metric, row)

    def extract_corpus_statistics(metric: Any, hypotheses: Any, references: Any) -> Any:
        references = references or None
        return count_rows(metric, hypotheses, references) if can_count(metric, references) else LEFT

    counts = of_bleu(extract_corpus_statistics)

    def extract(metric: Any, *arguments: Any) -> Any:
        if isinstance(metric, bleu):
            return counts(metric, *arguments)
        return remembered.statistics(metric, *arguments)

    def cache(metric: Any, references: Any) -> Any:
        cached = cache_references(metric, references, is_peers=True)
        return LEFT if cached is None else cached

    return [
        (base.corpus_score, of_bleu(corpus_score), *reads),
        (base.sentence_score, of_bleu(sentence_score), *reads),
        (base._extract_corpus_statistics, extract, *reads),
        (base._cache_references, of_bleu(cache), *reads),
    ]


def _functions_in(module: ModuleType) -> Pairs:
    """Return sacreBLEU's functions and what replaces them: the same, but with metrics that are kept."""
    bleu = module.BLEU
    reads = *reads_of(("corpus_bleu", "sentence_bleu"), module), *reads_of(METHODS, bleu)

    @lru_cache(64, typed=True)
    def kept(
        smooth_method: Any, smooth_value: Any, force: Any, lowercase: Any, tokenize: Any, order: Any
    ) -> Any:
        return bleu(lowercase, force, tokenize, smooth_method, smooth_value, effective_order=order)

    def corpus_bleu(hypotheses: Any, references: Any, *options: Any) -> Any:
        metric = kept(*options)
        return metric.corpus_score(hypotheses, references) if is_own(metric.tokenizer) else LEFT

    def sentence_bleu(hypothesis: Any, references: Any, method: Any, value: Any, *options: Any) -> Any:
        metric = kept(method, value, False, *options)
        return metric.sentence_score(hypothesis, references) if is_own(metric.tokenizer) else LEFT

    return [(module.corpus_bleu, corpus_bleu, *reads), (module.sentence_bleu, sentence_bleu, *reads)]


def _tokenizer_in(module: ModuleType) -> Pairs:
    """Return the function of a tokenizer and what replaces it; nothing if a program has replaced it before."""
    class_name, name = _TOKENIZERS[module.__name__]
    kind = getattr(module, class_name)
    own, tokenize = own_tokenizer(kind), MetricTokenizer(name)
    if own is None:
        return []

    def call(tokenizer: Any, line: Any) -> Any:
        if type(tokenizer) is not kind or type(line) is not str or not own.is_own(tokenizer):
            return LEFT
        return tokenize(line)

    return [(kind.__call__.__wrapped__, call)]
