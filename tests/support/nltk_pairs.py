"""Every pair of texts by NLTK's own `sentence_bleu`, in the double loop of those who need a matrix.

Importing this module needs NLTK; the tests that use it say so with `pytest.importorskip` first.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu


def matrix(
    texts: Sequence[Sequence[Any]], method: str, weights: tuple[float, ...], upper_triangle: bool
) -> npt.NDArray[np.float64] | None:
    """NLTK's scores, 0..1, mirrored if `upper_triangle`; None where NLTK refuses, as method6 does without trigrams."""
    smoothing = getattr(SmoothingFunction(), method)
    scores = np.zeros((len(texts), len(texts)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # method0 warns of each order without a match
        for i, hypothesis in enumerate(texts):
            for j in range(i if upper_triangle else 0, len(texts)):
                try:
                    scores[i, j] = sentence_bleu([texts[j]], hypothesis, weights, smoothing)
                except AssertionError:
                    return None
                if upper_triangle:
                    scores[j, i] = scores[i, j]
    return scores
