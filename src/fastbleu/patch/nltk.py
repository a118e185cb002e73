"""Replace NLTK's functions for BLEU, GLEU and chrF. The original code runs for input that `compat.nltk` rejects."""

from __future__ import annotations

from functools import wraps
from itertools import chain

from ..compat import nltk as ours
from ..compat.arguments import are_plain
from ..compat.nltk.smoothing import recognise
from ..scoring.nltk.nltk_smoothing import METHODS
from ..system._program_changes import Unchanged
from ..system.watched_names import reads_of
from ._calls import RUN_ORIGINAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from .replacing import Pairs


def replacements_in(module: ModuleType) -> Pairs:
    """Return the functions to replace in a module of `nltk.translate`, with their replacements."""
    return _REPLACEMENTS[module.__name__.rpartition(".")[2]](module)


def _of_bleu(module: Any) -> Pairs:
    """Return the functions to replace in `nltk.translate.bleu_score`, with their replacements."""

    def modified_precision(references: Any, hypothesis: Any, n: int) -> Any:
        if len(hypothesis) < n:
            texts = [hypothesis, *references]
            if len(texts) < 2 or not are_plain(texts) or any(len(text) >= n for text in texts):
                return RUN_ORIGINAL  # The original reads the references even if the hypothesis has no n-gram.
            return module.Fraction(0, 1, _normalize=False)
        precision = ours.modified_precision(references, hypothesis, n)
        return module.Fraction(precision.numerator, precision.denominator, _normalize=False)

    methods = Unchanged(module.SmoothingFunction, "__init__", *METHODS)
    if methods():
        recognise(module.SmoothingFunction)
    checks = reads_of(("sentence_bleu",), module)
    return [
        (module.sentence_bleu, ours.sentence_bleu, (2, 1), checks),
        (module.corpus_bleu, ours.corpus_bleu, (3, 2), checks),
        (module.modified_precision, modified_precision, (2, 1), reads_of(("modified_precision",), module)),
    ]


def _of_gleu(module: Any) -> Pairs:
    """Return the functions to replace in `nltk.translate.gleu_score`, with their replacements."""
    checks = reads_of(("sentence_gleu",), module)
    return [
        (module.sentence_gleu, _of_lists(ours.sentence_gleu, is_corpus=False), (2, 1), checks),
        (module.corpus_gleu, _of_lists(ours.corpus_gleu, is_corpus=True), (3, 2), checks),
    ]


def _of_chrf(module: Any) -> Pairs:
    """Return the functions to replace in `nltk.translate.chrf_score`, with their replacements."""
    if not hasattr(module, "redos"):
        return []  # Releases before 3.10.4 have another definition of white space.

    def sentence_chrf(reference: Any, hypothesis: Any, *options: Any) -> Any:
        return corpus_chrf([reference], [hypothesis], *options)

    def corpus_chrf(references: Any, hypotheses: Any, *options: Any) -> Any:
        # The original accepts iterators of words, but it could not read them again after this call.
        if not set(map(type, chain(references, hypotheses))) <= {str, list, tuple}:
            return RUN_ORIGINAL
        return ours.corpus_chrf(references, hypotheses, *options)

    checks = reads_of(("sentence_chrf",), module)
    return [
        (module.sentence_chrf, sentence_chrf, (2, 2), checks),
        (module.corpus_chrf, corpus_chrf, (3, 3), checks),
    ]


def _of_lists(function: Callable[..., Any], is_corpus: bool) -> Callable[..., Any]:
    """Wrap a replacement, so that the original code runs if a segment has no references.

    The original code checks the tokens of such a segment, and the replacement does not.

    Args:
        function: The replacement.
        is_corpus: Whether the first argument of the replacement has the references of several segments, not of one.
    """

    @wraps(function)
    def called(references: Any, *others: Any, **options: Any) -> Any:
        lists = references if is_corpus else [references]
        if not isinstance(lists, (list, tuple)) or not all(lists):
            return RUN_ORIGINAL
        return function(references, *others, **options)

    return called


_REPLACEMENTS = {"bleu_score": _of_bleu, "chrf_score": _of_chrf, "gleu_score": _of_gleu}
