"""sacreBLEU without its caches: tokens, statistics and scores of the installed release.

Importing this module needs sacreBLEU; the tests that use it say so with `pytest.importorskip` first.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import sacrebleu
from sacrebleu.metrics.bleu import BLEU, BLEUScore, _get_tokenizer
from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp as _TokenizerRegexp

VERSION: str = sacrebleu.__version__
SMOOTHING = tuple(BLEU.SMOOTH_DEFAULTS)

# sacreBLEU's tokenizers carry no types.
TokenizerRegexp: Any = _TokenizerRegexp


def clear_caches() -> None:
    """Forget every tokenized line, as a new process would have."""
    for tokenizer in (TokenizerRegexp, *map(_get_tokenizer, ("13a", "char", "intl", "zh"))):
        tokenizer.__call__.cache_clear()
    _get_tokenizer("zh")._is_chinese_char.cache_clear()


def tokenizer(name: str) -> Callable[[str, bool], list[str]]:
    """`tokens = tokenizer(name)(text, lowercase)`, by sacreBLEU's own code with its caches stepped around."""
    instance: Any = _get_tokenizer(name)()
    call = type(instance).__call__
    uncached = partial(getattr(call, "__wrapped__", call), instance)
    if hasattr(instance, "_post_tokenizer"):
        instance._post_tokenizer = partial(TokenizerRegexp.__call__.__wrapped__, TokenizerRegexp())

    def tokens(text: str, lowercase: bool = False) -> list[str]:
        if lowercase:
            text = text.lower()
        return uncached(text.rstrip()).split()

    return tokens


def metric(references: Any, **options: Any) -> BLEU:
    """A sacreBLEU metric that holds its references."""
    return BLEU(references=references, **options)


def statistics(prepared: BLEU, hypotheses: Sequence[str]) -> list[list[int]]:
    """One row per segment against the references that the metric holds."""
    rows: list[list[int]] = prepared._extract_corpus_statistics(hypotheses, None)
    return rows


def score(row: Sequence[int], **options: Any) -> BLEUScore:
    """sacreBLEU's formula over one row. The lists are its own: `add-k` changes them."""
    order = (len(row) - 2) // 2
    return BLEU.compute_bleu(
        correct=list(row[2 : 2 + order]),
        total=list(row[2 + order :]),
        sys_len=row[0],
        ref_len=row[1],
        max_ngram_order=order,
        **options,
    )
