"""NLTK's BLEU and GLEU. What `compat.nltk` refuses, and NLTK scores, NLTK scores."""

from __future__ import annotations

from ..compat import nltk as ours
from .replacing import Replacement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def replacements_in(module: ModuleType) -> list[Replacement]:
    """The replacements in `nltk.translate.bleu_score` or `nltk.translate.gleu_score`."""
    if module.__name__.endswith("gleu_score"):
        return [
            Replacement(module.sentence_gleu, ours.sentence_gleu),
            Replacement(module.corpus_gleu, ours.corpus_gleu),
        ]

    def modified_precision(references: Any, hypothesis: Any, n: int) -> Any:
        found = ours.modified_precision(references, hypothesis, n)
        return module.Fraction(found.numerator, found.denominator, _normalize=False)

    return [
        Replacement(module.sentence_bleu, ours.sentence_bleu),
        Replacement(module.corpus_bleu, ours.corpus_bleu),
        Replacement(module.modified_precision, modified_precision),
    ]
