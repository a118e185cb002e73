"""NLTK's BLEU and GLEU. What `compat.nltk` refuses, and NLTK scores, NLTK scores."""

from __future__ import annotations

from functools import wraps

from ..compat import nltk as ours
from ..compat.nltk.smoothing import recognise
from ..scoring.nltk.smoothing import METHODS
from ..system._unchanged import Unchanged
from ..system.reads import reads_of
from ._calls import LEFT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from .replacing import Pairs


def replacements_in(module: ModuleType) -> Pairs:
    """Return the functions to replace in `nltk.translate.bleu_score` or `gleu_score`, and what replaces them."""
    if module.__name__.endswith("gleu_score"):
        reads = reads_of(("sentence_gleu",), module)
        return [
            (module.sentence_gleu, _of_lists(ours.sentence_gleu, is_corpus=False), (2, 1), reads),
            (module.corpus_gleu, _of_lists(ours.corpus_gleu, is_corpus=True), (3, 2), reads),
        ]

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


def _of_lists(function: Callable[..., Any], is_corpus: bool) -> Callable[..., Any]:
    """Leave calls to NLTK in which a segment has no reference: it looks at the tokens all the same."""

    @wraps(function)
    def called(references: Any, *others: Any, **options: Any) -> Any:
        lists = references if is_corpus else [references]
        if not isinstance(lists, (list, tuple)) or not all(lists):
            return LEFT
        return function(references, *others, **options)

    return called
