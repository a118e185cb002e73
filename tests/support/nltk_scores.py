"""Scores of a pool of texts by NLTK's own `sentence_bleu`: of every pair, and of each text against all the others.

Importing this module needs NLTK; the tests that use it say so with `pytest.importorskip` first.
"""

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

Scores = npt.NDArray[np.float64]


def score(references: Sequence[Any], hypothesis: Any, method: str, weights: tuple[float, ...]) -> float:
    """Score one text, 0..1; NaN where NLTK refuses, as method6 does without trigrams."""
    smoothing = getattr(SmoothingFunction(), method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # method0 warns of each order without a match
        try:
            found: float = sentence_bleu(references, hypothesis, weights, smoothing)
        except (AssertionError, ZeroDivisionError):
            return math.nan
    return found


def of_pairs(
    texts: Sequence[Any], method: str, weights: tuple[float, ...], upper_triangle: bool
) -> Scores | None:
    """Score every pair, 0..1, mirrored if `upper_triangle`; None where NLTK refuses."""
    scores = np.zeros((len(texts), len(texts)))
    for i, hypothesis in enumerate(texts):
        for j in range(i if upper_triangle else 0, len(texts)):
            scores[i, j] = score([texts[j]], hypothesis, method, weights)
    if upper_triangle:
        scores += np.triu(scores, 1).T
    return None if np.isnan(scores).any() else scores


def against_others(
    texts: Sequence[Any], method: str, weights: tuple[float, ...] = (0.25,) * 4
) -> Scores | None:
    """Score each text against all the others, 0..100; None where NLTK refuses."""
    others = [[*texts[:i], *texts[i + 1 :]] for i in range(len(texts))]
    found = [score(each, text, method, weights) for text, each in zip(texts, others, strict=True)]
    return None if np.isnan(found).any() else 100 * np.array(found)
