"""Replace torchmetrics' internal functions that count n-grams for BLEU, SacreBLEU and chrF.

The original code runs for input other than lists of str, because an iterator can be read only once. It also runs if a
program has replaced the tensors that store the sums.
"""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import chain
from operator import add

from ..errors import notice
from ..system._program_changes import Unchanged, all_unchanged
from ..system.watched_names import reads_of
from ._calls import RUN_ORIGINAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from ..compat.torchmetrics.corpus_counter import CorpusCounter
    from .replacing import Pairs

_MAX_EXACT = 1 << 24  # torchmetrics counts in float32, which is not exact from here on.

_LISTS = {list, tuple}

#: For each tokenizer class of torchmetrics, objects that detect whether a program has changed the class.
_tokenizers: dict[type, tuple[Unchanged, ...]] = {}


def replacements_in(module: ModuleType) -> Pairs:
    """Return the function to replace in a module of `torchmetrics.functional.text`, with its replacement.

    In the module `sacre_bleu`, nothing is replaced, but its tokenizer class is recorded to detect changes of the class.
    """
    if module.__name__.endswith(".sacre_bleu"):
        kind = module._SacreBLEUTokenizer
        _tokenizers.setdefault(kind, reads_of(tuple(vars(kind)), kind))
        return []
    if module.__name__.endswith(".chrf"):
        return [(module._chrf_score_update, _update_chrf, (), reads_of(("_chrf_score_update",), module))]
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
        if tokenizer is split and _is_single_token(preds, target) and type(n_gram) is int and n_gram > 0:
            return _add_single_token(preds[0], target[0], numerator, denominator, preds_len, target_len)
        named = ("none", False) if tokenizer is split else _name_of(tokenizer)
        tensors = numerator, denominator, preds_len, target_len
        if named is None or type(n_gram) is not int or not _are_texts(preds, target):
            return RUN_ORIGINAL
        if not _are_sums([(n_gram,), (n_gram,), (), ()], *tensors):
            return RUN_ORIGINAL
        row = _counter(*named, n_gram).count(preds, target)
        before = preds_len.item(), target_len.item(), *numerator.tolist(), *denominator.tolist()
        after = list(map(add, before, row))
        if max(after) >= _MAX_EXACT:
            return RUN_ORIGINAL
        # A tensor operation takes about as long as counting a short text, so counts of 0 are skipped.
        preds_len.fill_(after[0])
        target_len.fill_(after[1])
        for i in range(2 * n_gram):
            if row[2 + i]:
                tensors[i // n_gram][i % n_gram] = after[2 + i]
        return preds_len, target_len

    checks = *reads_of(("_bleu_score_update",), module), Unchanged(vars(module), split.__name__)
    return [(module._bleu_score_update, update, (), checks)]


def _update_chrf(
    preds: Any,
    target: Any,
    preds_chars: Any,
    preds_words: Any,
    target_chars: Any,
    target_words: Any,
    matching_chars: Any,
    matching_words: Any,
    n_char_order: int,
    n_word_order: int,
    _: float,
    beta: float,
    lowercase: bool,
    whitespace: bool,
    sentence_scores: Any,
) -> Any:
    """Replace `_chrf_score_update`. Each dict, such as `preds_chars`, has a tensor with a sum for each order >= 1."""
    from ..compat.torchmetrics.functional import chrf_options, count_chrf_corpus

    if not (isinstance(preds, str) or type(preds) in _LISTS) or type(target) not in _LISTS:
        return RUN_ORIGINAL
    if not set(map(type, target)) <= {str, *_LISTS}:
        return RUN_ORIGINAL  # The original accepts iterators, but could not read them again after this call.
    sums = preds_chars, preds_words, target_chars, target_words, matching_chars, matching_words
    tensors = [tensor for by_order in sums for tensor in by_order.values()]
    options = chrf_options(n_char_order, n_word_order, beta, lowercase, whitespace)
    if not _are_sums([()] * (3 * (n_char_order + n_word_order)), *tensors):
        return RUN_ORIGINAL
    counts, scores = count_chrf_corpus(preds, target, options)
    added = counts.T.ravel().tolist()
    totals = [tensor.item() + number for tensor, number in zip(tensors, added, strict=True)]
    if max(totals) >= _MAX_EXACT:
        return RUN_ORIGINAL
    for tensor, number, total in zip(tensors, added, totals, strict=True):
        if number:
            tensor.fill_(total)
    if sentence_scores is not None:
        sentence_scores += [score.reshape(1).clone() for score in scores]
    return *sums, sentence_scores


def _are_sums(shapes: list[tuple[int, ...]], *tensors: Any) -> bool:
    """Return whether the tensors are distinct, and have these shapes and one float dtype, as torchmetrics' sums do."""
    dtype = tensors[0].dtype
    return (
        str(dtype) in ("torch.float32", "torch.float64")
        and [tensor.shape for tensor in tensors] == shapes
        and all(tensor.dtype is dtype and not tensor.requires_grad for tensor in tensors)
        and len(set(map(id, tensors))) == len(tensors)
    )


def _are_texts(preds: Any, target: Any) -> bool:
    """Return whether every prediction has a list of references, and all texts are str. Iterators are not read."""
    if isinstance(preds, str):
        notice("preds is a bare str, whose characters torchmetrics scores as texts; pass a list")
    if not {type(preds), type(target)} <= _LISTS:
        return False
    if len(preds) != len(target):
        notice(
            f"there are {len(preds)} preds and {len(target)} targets; torchmetrics truncates the longer list"
        )
        return False
    return set(map(type, target)) <= _LISTS and all(target) and set(map(type, chain(preds, *target))) <= {str}


def _is_single_token(preds: Any, target: Any) -> bool:
    """Return whether the corpus is a single text of at most one token, with a list of references."""
    return (
        type(preds) is type(target) is list
        and len(preds) == len(target) == 1
        and type(preds[0]) is str
        and len(preds[0].split(None, 1)) < 2
        and type(target[0]) is list
        and len(target[0]) > 0
        and {str}.issuperset(map(type, target[0]))
    )


def _add_single_token(
    pred: str, target: list[str], numerator: Any, denominator: Any, preds_len: Any, target_len: Any
) -> tuple[Any, Any]:
    """Add the counts of a text of at most one token to the tensors, by the same operations as torchmetrics."""
    tokens, references = pred.split(), [text.split() for text in target]
    number = len(tokens)
    preds_len += number
    target_len += min(map(len, references), key=lambda length: abs(number - length))
    if number:
        if any(tokens[0] in reference for reference in references):
            numerator[0] += 1
        denominator[0] += 1
    return preds_len, target_len


def _name_of(tokenizer: Any) -> tuple[str, bool] | None:
    """Return the name of a tokenizer of torchmetrics, and whether it lowercases; None for other tokenizers."""
    is_partial = isinstance(tokenizer, partial) and not tokenizer.args
    kind: Any = getattr(tokenizer.func, "__self__", None) if is_partial else type(tokenizer)
    checks = _tokenizers.get(kind, ()) if isinstance(kind, type) else ()
    if not checks or not all_unchanged(checks):
        return None
    if is_partial:
        options = tokenizer.keywords
        is_unchanged = tokenizer.func == kind.tokenize
        return (options["tokenize"], bool(options.get("lowercase"))) if is_unchanged else None
    for name, method in kind._TOKENIZE_FN.items():
        if tokenizer.tokenize_fn == getattr(kind, method):
            is_unchanged = vars(tokenizer).keys() == {"tokenize_fn", "lowercase"}
            return (name, bool(tokenizer.lowercase)) if is_unchanged else None
    return None


@lru_cache(32)
def _counter(name: str, lowercase: bool, n_gram: int) -> CorpusCounter:
    # This is imported only when it is needed, because this module is imported during the import of torchmetrics.
    from ..compat.torchmetrics.corpus_counter import CorpusCounter, SacreBLEUTokenizer

    return CorpusCounter(SacreBLEUTokenizer(name, lowercase), n_gram)
