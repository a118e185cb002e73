"""torchmetrics' BLEU and SacreBLEU: the one function in which both of them count, classes and functions alike."""

from __future__ import annotations

from functools import lru_cache, partial

from .replacing import LEFT, Unchanged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from ..compat.torchmetrics.counting import CorpusCounter
    from .replacing import Pairs

#: From here on the float32 in which torchmetrics counts is no longer exact.
_MOST_EXACT = 1 << 24


def replacements_in(module: ModuleType) -> Pairs:
    """Return the function to replace in `torchmetrics.functional.text.bleu`, and what replaces it."""
    split = module._tokenize_fn

    def update(
        preds: Any,
        target: Any,
        numerator: Any,
        denominator: Any,
        preds_len: Any,
        target_len: Any,
        n_gram: int,
        tokenizer: Any,
    ) -> Any:
        named = ("none", False) if tokenizer is split else _name_of(tokenizer)
        if named is None or not tuple(numerator.shape) == tuple(denominator.shape) == (n_gram,):
            return LEFT
        row = _counter(*named, n_gram).count(preds, target)
        matches, candidates = map(numerator.new_tensor, (row[2 : 2 + n_gram], row[2 + n_gram :]))
        sums = numerator + matches, denominator + candidates, preds_len + row[0], target_len + row[1]
        if any(float(each.max()) >= _MOST_EXACT for each in sums):
            return LEFT
        numerator += matches
        denominator += candidates
        preds_len += row[0]
        target_len += row[1]
        return preds_len, target_len

    return [(module._bleu_score_update, update, Unchanged(module, "Counter", "_count_ngram", "_tokenize_fn"))]


def _name_of(tokenizer: Any) -> tuple[str, bool] | None:
    """Return the name of one of torchmetrics' own tokenizers, and whether it lowercases; None for another."""
    kind = type(tokenizer)
    if (
        kind.__name__ == "_SacreBLEUTokenizer"
        and kind.__module__ == "torchmetrics.functional.text.sacre_bleu"
    ):
        names = {function: name for name, function in kind._TOKENIZE_FN.items()}
        name = names.get(getattr(tokenizer.tokenize_fn, "__name__", ""))
        return None if name is None else (name, bool(tokenizer.lowercase))
    if isinstance(tokenizer, partial) and not tokenizer.args:
        function, owner = tokenizer.func, getattr(tokenizer.func, "__self__", None)
        if getattr(function, "__qualname__", "") == "_SacreBLEUTokenizer.tokenize" and isinstance(
            owner, type
        ):
            return tokenizer.keywords["tokenize"], bool(tokenizer.keywords.get("lowercase", False))
    return None


@lru_cache(32)
def _counter(name: str, lowercase: bool, n_gram: int) -> CorpusCounter:
    # They import torchmetrics, which is still being imported when the replacement is made.
    from ..compat.torchmetrics.counting import CorpusCounter
    from ..compat.torchmetrics.tokens import SacreBLEUTokenizer

    return CorpusCounter(SacreBLEUTokenizer(name, lowercase), n_gram)
