"""sacreBLEU's metric: counted by fastbleu, scored by sacreBLEU's own formula into its own `BLEUScore`.

The functions belong to the base class of all its metrics; calls of chrF and TER run on as before. Misshapen input is
scored as sacreBLEU scores it, with a warning. Its tokenizers 13a, intl and zh are replaced for programs that tokenize
with them and score, or count, by themselves; each still remembers texts, in a cache above what is replaced.
"""

from __future__ import annotations

from ..scoring.sacrebleu import (
    STEPS,
    Steps,
    cache_references,
    can_count,
    count,
    count_rows,
    count_sentence,
)
from ..scoring.sacrebleu_tokenizers import MetricTokenizer, OwnTokenizer
from ..system.unchanged import Unchanged
from .replacing import LEFT, NOT_CONCERNED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from .replacing import Pairs

#: What the metric's own code reads in its module.
HELPERS = ("extract_all_word_ngrams", "sum_of_lists")

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
    bleu = module.BLEU
    base, steps = bleu.__mro__[1], Steps(bleu, *STEPS)
    is_unchanged = Unchanged(module, *HELPERS)

    def of_bleu(replacement: Callable[..., Any]) -> Callable[..., Any]:
        def called(metric: Any, *arguments: Any) -> Any:
            if not isinstance(metric, bleu):
                return NOT_CONCERNED
            is_own = steps.are_own(metric) and is_unchanged()
            return replacement(metric, *arguments) if is_own else LEFT

        return called

    def corpus_score(metric: Any, hypotheses: Any, references: Any, n_bootstrap: Any) -> Any:
        if n_bootstrap > 1:
            return NOT_CONCERNED  # the original asks for the statistics, below
        metric._check_corpus_score_args(hypotheses, references)
        if not can_count(metric, references):
            return LEFT
        return metric._compute_score_from_stats(count(metric, hypotheses, references))

    def sentence_score(metric: Any, hypothesis: Any, references: Any) -> Any:
        metric._check_sentence_score_args(hypothesis, references)
        return metric._compute_score_from_stats(count_sentence(metric, hypothesis, references))

    def extract_corpus_statistics(metric: Any, hypotheses: Any, references: Any) -> Any:
        references = references or None
        return count_rows(metric, hypotheses, references) if can_count(metric, references) else LEFT

    def cache(metric: Any, references: Any) -> Any:
        cached = cache_references(metric, references, is_peers=True)
        return LEFT if cached is None else cached

    return [
        (base.corpus_score, of_bleu(corpus_score)),
        (base.sentence_score, of_bleu(sentence_score)),
        (base._extract_corpus_statistics, of_bleu(extract_corpus_statistics)),
        (base._cache_references, of_bleu(cache)),
    ]


def _tokenizer_in(module: ModuleType) -> Pairs:
    """Return the function of a tokenizer and what replaces it; nothing if a program has replaced it before."""
    class_name, name = _TOKENIZERS[module.__name__]
    kind = getattr(module, class_name)
    own, tokenize = OwnTokenizer.of(kind), MetricTokenizer(name)
    if own is None:
        return []

    def call(tokenizer: Any, line: Any) -> Any:
        if type(tokenizer) is not kind or type(line) is not str or not own.is_own(tokenizer):
            return LEFT
        return tokenize(line)

    return [(kind.__call__.__wrapped__, call)]
