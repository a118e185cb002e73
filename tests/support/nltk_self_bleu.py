"""Self-BLEU by NLTK's own `sentence_bleu`: each text of a pool against all the others.

Importing this module needs NLTK; the tests that use it say so with `pytest.importorskip` first.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu


def scores(texts: Sequence[Sequence[Any]], method: str) -> npt.NDArray[np.float64] | None:
    """Score each text, 0..100; None where NLTK refuses, as method6 does where a text has no trigram of the others."""
    smoothing = getattr(SmoothingFunction(), method)
    others = [[*texts[:i], *texts[i + 1 :]] for i in range(len(texts))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # method0 warns of each order without a match
        try:
            values = [
                sentence_bleu(references, text, smoothing_function=smoothing)
                for references, text in zip(others, texts, strict=True)
            ]
        except (AssertionError, ZeroDivisionError):
            return None
    return 100 * np.array(values, dtype=np.float64)
