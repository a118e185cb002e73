"""sacreBLEU's metric: counted by fastbleu, scored by sacreBLEU's own formula into its own `BLEUScore`.

The functions belong to the base class of all its metrics; chrF and TER run on, but for what `remembered` keeps.
Misshapen input is scored as sacreBLEU scores it, with a warning. Its tokenizers 13a, intl and zh are replaced for
programs that tokenize with them and score, or count, by themselves; each still remembers texts, in a cache above what
is replaced.
"""

from __future__ import annotations

import sys
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
from ..scoring.sacrebleu_tokenizers import MetricTokenizer, is_own, own_names, own_tokenizer
from ..system._unchanged import Steps, Unchanged
from . import remembered
from ._calls import LEFT, NOT_CONCERNED
from .mistakes import look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from .replacing import Pairs

#: The modules of its other metrics.
_OTHERS = ("sacrebleu.metrics.chrf", "sacrebleu.metrics.ter")

#: What the metric's own code reads in its module.
_HELPERS = (
    "BLEU",
    "BLEUScore",
    "_get_tokenizer",
    "extract_all_word_ngrams",
    "math",
    "my_log",
    "sum_of_lists",
)

#: The names of a class and of its tokenizer, by module.
_TOKENIZERS = {
    "sacrebleu.tokenizers.tokenizer_13a": ("Tokenizer13a", "13a"),
    "sacrebleu.tokenizers.tokenizer_intl": ("TokenizerV14International", "intl"),
    "sacrebleu.tokenizers.tokenizer_zh": ("TokenizerZh", "zh"),
}


def reads_of(module: ModuleType) -> tuple[Unchanged, ...]:
    """Return what tells whether sacreBLEU's metric, its score and their module are as they came."""
    kinds = [base for kind in (module.BLEU, module.BLEUScore) for base in kind.__mro__[:2]]
    return (Unchanged(module, *_HELPERS), *(Unchanged(kind, *own_names(kind)) for kind in kinds))


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
    reads = reads_of(module)

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
    reads = (Unchanged(module, "BLEU"), *reads_of(sys.modules[bleu.__module__]))

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
