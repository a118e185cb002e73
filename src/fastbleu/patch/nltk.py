"""NLTK's BLEU and GLEU. What `compat.nltk` refuses, and NLTK scores, NLTK scores."""

from __future__ import annotations

from ..compat import nltk as ours

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from .replacing import Pairs


def replacements_in(module: ModuleType) -> Pairs:
    """Return the functions to replace in `nltk.translate.bleu_score` or `gleu_score`, and what replaces them."""
    if module.__name__.endswith("gleu_score"):
        return [(module.sentence_gleu, ours.sentence_gleu), (module.corpus_gleu, ours.corpus_gleu)]

    def modified_precision(references: Any, hypothesis: Any, n: int) -> Any:
        found = ours.modified_precision(references, hypothesis, n)
        return module.Fraction(found.numerator, found.denominator, _normalize=False)

    return [
        (module.sentence_bleu, ours.sentence_bleu),
        (module.corpus_bleu, ours.corpus_bleu),
        (module.modified_precision, modified_precision),
    ]
