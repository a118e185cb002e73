"""NLTK's BLEU, GLEU and chrF. Whatever `compat.nltk` refuses, NLTK's own code scores."""

from __future__ import annotations

from functools import wraps
from itertools import chain

from ..compat import nltk as ours
from ..compat.nltk.smoothing import recognise
from ..scoring.nltk.nltk_smoothing import METHODS
from ..system._unchanged import Unchanged
from ..system.reads import reads_of
from ._calls import LEFT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from .replacing import Pairs

_FEW_CHARACTERS = 16  # Shorter pairs take NLTK less time than the fixed cost of a call here.


def replacements_in(module: ModuleType) -> Pairs:
    """Return the functions to replace in a module of `nltk.translate`, and what replaces them."""
    return _REPLACEMENTS[module.__name__.rpartition(".")[2]](module)


def _of_bleu(module: Any) -> Pairs:
    def modified_precision(references: Any, hypothesis: Any, n: int) -> Any:
        if len(hypothesis) < n:
            return LEFT  # NLTK looks at the references all the same
        found = ours.modified_precision(references, hypothesis, n)
        return module.Fraction(found.numerator, found.denominator, _normalize=False)

    methods = Unchanged(module.SmoothingFunction, "__init__", *METHODS)
    if methods():
        recognise(module.SmoothingFunction)
    reads = reads_of(("sentence_bleu",), module)
    return [
        (module.sentence_bleu, ours.sentence_bleu, (2, 1), reads),
        (module.corpus_bleu, ours.corpus_bleu, (3, 2), reads),
        (module.modified_precision, modified_precision, (2, 1), reads_of(("modified_precision",), module)),
    ]


def _of_gleu(module: Any) -> Pairs:
    reads = reads_of(("sentence_gleu",), module)
    return [
        (module.sentence_gleu, _of_lists(ours.sentence_gleu, is_corpus=False), (2, 1), reads),
        (module.corpus_gleu, _of_lists(ours.corpus_gleu, is_corpus=True), (3, 2), reads),
    ]


def _of_chrf(module: Any) -> Pairs:
    if not hasattr(module, "redos"):
        return []  # an older release, which leaves out other white space

    def sentence_chrf(reference: Any, hypothesis: Any, *options: Any) -> Any:
        if type(reference) is type(hypothesis) is str and len(reference) + len(hypothesis) < _FEW_CHARACTERS:
            return LEFT
        return corpus_chrf([reference], [hypothesis], *options)

    def corpus_chrf(references: Any, hypotheses: Any, *options: Any) -> Any:
        # An iterator of words could not be read again if the call is left to NLTK.
        if not set(map(type, chain(references, hypotheses))) <= {str, list, tuple}:
            return LEFT
        return ours.corpus_chrf(references, hypotheses, *options)

    reads = reads_of(("sentence_chrf",), module)
    return [
        (module.sentence_chrf, sentence_chrf, (2, 2), reads),
        (module.corpus_chrf, corpus_chrf, (3, 3), reads),
    ]


def _of_lists(function: Callable[..., Any], is_corpus: bool) -> Callable[..., Any]:
    """Leave calls to NLTK in which a segment has no reference: it looks at the tokens all the same."""

    @wraps(function)
    def called(references: Any, *others: Any, **options: Any) -> Any:
        lists = references if is_corpus else [references]
        if not isinstance(lists, (list, tuple)) or not all(lists):
            return LEFT
        return function(references, *others, **options)

    return called


_REPLACEMENTS = {"bleu_score": _of_bleu, "chrf_score": _of_chrf, "gleu_score": _of_gleu}
