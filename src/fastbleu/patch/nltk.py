"""NLTK's BLEU and GLEU. What `compat.nltk` refuses, and NLTK scores, NLTK scores."""

from __future__ import annotations

from ..compat import nltk as ours
from .replacing import Replacement, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def replacements_in(module: ModuleType) -> list[Replacement]:
    """The replacements in `nltk.translate.bleu_score` or `nltk.translate.gleu_score`."""
    if module.__name__.endswith("gleu_score"):
        return [
            replace(module.sentence_gleu, ours.sentence_gleu),
            replace(module.corpus_gleu, ours.corpus_gleu),
        ]

    def modified_precision(references: Any, hypothesis: Any, n: int) -> Any:
        found = ours.modified_precision(references, hypothesis, n)
        return module.Fraction(found.numerator, found.denominator, _normalize=False)

    return [
        replace(module.sentence_bleu, ours.sentence_bleu),
        replace(module.corpus_bleu, ours.corpus_bleu),
        replace(module.modified_precision, modified_precision),
    ]
