"""Replace the counting and scoring of sacreBLEU's BLEU and chrF. Scores are objects of sacreBLEU's classes.

The replaced methods are those of the base class of BLEU, chrF and TER. For TER, the original code runs. Malformed input
is scored as in sacreBLEU, with a warning. The tokenizers 13a, intl and zh are replaced as well, for programs that call
only a tokenizer. sacreBLEU's cache of tokenized texts is still used, because it wraps the replaced functions.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from ..scoring._score import make_sacrebleu_score
from ..scoring.sacrebleu_chrf import CHRF_METHODS, ChrfReferenceCache, chrf_matcher_of
from ..scoring.sacrebleu_statistics import (
    BLEU_METHODS,
    ReferenceCache,
    cache_references,
    can_count,
    count,
    count_rows,
    count_sentence,
    formula_of,
    is_plain,
    is_plain_corpus,
    matcher_of,
)
from ..scoring.sacrebleu_tokenizers import MetricTokenizer, is_unchanged, unchanged_tokenizer
from ..system._program_changes import MethodRecord, all_unchanged
from ..system.watched_names import reads_of
from ._calls import RUN_ORIGINAL, RUN_UNCOUNTED
from .mistakes import check_metric

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from ..counting.matcher import Matcher
    from ..system._program_changes import Unchanged
    from .replacing import Pairs

#: The original code preprocesses a single reference of at most this number of characters faster than fastbleu does.
_FEW_CHARACTERS = 64

#: The methods of a metric that compute a score.
METHODS = ("corpus_score", "sentence_score")

#: The class and the name of the tokenizer that each module of sacreBLEU defines.
_TOKENIZERS = {
    "sacrebleu.tokenizers.tokenizer_13a": ("Tokenizer13a", "13a"),
    "sacrebleu.tokenizers.tokenizer_intl": ("TokenizerV14International", "intl"),
    "sacrebleu.tokenizers.tokenizer_zh": ("TokenizerZh", "zh"),
}


class _Kind(NamedTuple):
    """The functions that count and score for a class of metrics, and objects that detect changes of the class.

    Attributes:
        methods: A record of the methods that compute a score, to detect objects that override one of them.
        checks: Objects that detect changes of the globals and the functions that these methods use.
        matcher_of: A function that returns the matcher of a metric.
        score: A function of a metric and sufficient statistics, which returns the score.
        cache: The class of the objects that store preprocessed references.
    """

    methods: MethodRecord
    checks: tuple[Unchanged, ...]
    matcher_of: Callable[[Any], Matcher]
    score: Callable[[Any, list[int]], Any]
    cache: type[ReferenceCache]


#: The functions for each class of metrics, `BLEU` and `CHRF`. `TER` has the same base class, but is not replaced.
_kinds: dict[type, _Kind] = {}

#: The keys of `_kinds`. The replacements of methods get this list, and run only for metrics of these classes.
_classes: list[type] = []


def replacements_in(module: ModuleType) -> Pairs:
    """Return the functions to replace in a module of sacreBLEU, with their replacements."""
    if module.__name__ in _TOKENIZERS:
        return _tokenizer_in(module)
    if module.__name__ == "sacrebleu.compat":
        return _functions_in(module)
    if module.__name__ == "sacrebleu.metrics.chrf":
        score_of = module.CHRF._compute_score_from_stats
        _add_kind(module.CHRF, CHRF_METHODS, chrf_matcher_of, score_of, ChrfReferenceCache)
        return []
    kind, made = module.BLEU, module.BLEUScore

    def score(metric: Any, row: list[int]) -> Any:
        formula = formula_of(metric)
        numbers = None if formula is None else formula.compiled.score_one(row)
        if numbers is None:
            return metric._compute_score_from_stats(row)
        return make_sacrebleu_score(made, numbers, row[0], row[1])

    _add_kind(kind, BLEU_METHODS, matcher_of, score, ReferenceCache)
    base = kind.__mro__[1]
    return [
        (base.corpus_score, _corpus_score, (0, 2, 3), (), _classes),
        (base.sentence_score, _sentence_score, (0, 1, 2), (), _classes),
        (base._extract_corpus_statistics, _extract_corpus_statistics, (0, 2, 3), (), _classes),
        (base._cache_references, _cache_references, (0, 3), (), _classes),
    ]


def _add_kind(kind: type, methods: tuple[str, ...], *functions: Any) -> None:
    """Add a class of metrics to `_kinds`, unless it was added before.

    Args:
        kind: sacreBLEU's `BLEU` or `CHRF`.
        methods: The names of the methods that compute a score.
        functions: The values of the fields `matcher_of`, `score` and `cache` of `_Kind`.
    """
    if kind not in _kinds:
        _kinds[kind] = _Kind(MethodRecord(kind, *methods), reads_of(METHODS, kind), *functions)
        _classes.append(kind)


def _unmodified_kind(metric: Any) -> _Kind | None:
    """Return the functions for a metric; None if a program has changed its class or overrides a method."""
    kind = _kinds.get(type(metric)) or _kind_of(type(metric).__mro__)
    return kind if all_unchanged(kind.checks) and kind.methods.are_original(metric) else None


@lru_cache(64)
def _kind_of(mro: tuple[type, ...]) -> _Kind:
    """Return the functions for a subclass of `BLEU` or `CHRF`, given the method resolution order of the subclass."""
    return next(_kinds[each] for each in mro if each in _kinds)


def _corpus_score(metric: Any, hypotheses: Any, references: Any, n_bootstrap: Any) -> Any:
    if n_bootstrap > 1:
        return RUN_UNCOUNTED  # The original calls `_extract_corpus_statistics`, which is replaced.
    if not can_count(metric, references) or (kind := _unmodified_kind(metric)) is None:
        return RUN_ORIGINAL  # The original code checks the arguments and may raise an error.
    if not is_plain_corpus(hypotheses, references):
        metric._check_corpus_score_args(hypotheses, references)
    row = count(metric, kind.matcher_of(metric), hypotheses, references)
    check_metric(metric, hypotheses)
    return kind.score(metric, row)


def _sentence_score(metric: Any, hypothesis: Any, references: Any) -> Any:
    if (kind := _unmodified_kind(metric)) is None:
        return RUN_ORIGINAL
    if not (type(hypothesis) is str and is_plain(references)):
        metric._check_sentence_score_args(hypothesis, references)
    row = count_sentence(metric, kind.matcher_of(metric), hypothesis, references)
    check_metric(metric, (hypothesis,))
    return kind.score(metric, row)


def _extract_corpus_statistics(metric: Any, hypotheses: Any, references: Any) -> Any:
    references = references or None
    if not can_count(metric, references) or (kind := _unmodified_kind(metric)) is None:
        return RUN_ORIGINAL
    return count_rows(metric, kind.matcher_of(metric), hypotheses, references)


def _cache_references(metric: Any, references: Any) -> Any:
    if type(references) is list and len(references) == 1 and is_plain(references[0]):
        (texts,) = references
        if len(texts) == 1 and len(texts[0]) <= _FEW_CHARACTERS:
            return RUN_ORIGINAL
    if (kind := _unmodified_kind(metric)) is None:
        return RUN_ORIGINAL
    kind.matcher_of(metric)  # This raises an error for options that only the original supports.
    cached = cache_references(metric, references, True, kind.cache)
    return RUN_ORIGINAL if cached is None else cached


def _functions_in(module: ModuleType) -> Pairs:
    """Return the functions to replace in `sacrebleu.compat`, with replacements that cache up to 64 metric objects."""
    bleu = module.BLEU
    checks = *reads_of(("corpus_bleu", "sentence_bleu"), module), *reads_of(METHODS, bleu)

    @lru_cache(64, typed=True)
    def cached_metric(
        smooth_method: Any, smooth_value: Any, force: Any, lowercase: Any, tokenize: Any, order: Any
    ) -> Any:
        return bleu(lowercase, force, tokenize, smooth_method, smooth_value, effective_order=order)

    def corpus_bleu(hypotheses: Any, references: Any, *options: Any) -> Any:
        metric = cached_metric(*options)
        return metric.corpus_score(hypotheses, references) if is_unchanged(metric.tokenizer) else RUN_ORIGINAL

    def sentence_bleu(hypothesis: Any, references: Any, method: Any, value: Any, *options: Any) -> Any:
        metric = cached_metric(method, value, False, *options)
        return (
            metric.sentence_score(hypothesis, references) if is_unchanged(metric.tokenizer) else RUN_ORIGINAL
        )

    return [
        (module.corpus_bleu, corpus_bleu, (2, 3), checks),
        (module.sentence_bleu, sentence_bleu, (1, 2), checks),
    ]


def _tokenizer_in(module: ModuleType) -> Pairs:
    """Return a tokenizer's function with its replacement; an empty list if a program has changed the tokenizer."""
    class_name, name = _TOKENIZERS[module.__name__]
    kind = getattr(module, class_name)
    record, tokenize = unchanged_tokenizer(kind), MetricTokenizer(name)
    if record is None:
        return []

    def call(tokenizer: Any, line: Any) -> Any:
        if type(tokenizer) is not kind or type(line) is not str or not record.is_unchanged(tokenizer):
            return RUN_ORIGINAL
        return tokenize(line)

    return [(kind.__call__.__wrapped__, call)]
