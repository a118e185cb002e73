"""NLTK's smoothing and formula over counts, beside one with fractions; its options, and what the kernels get."""

import math
import random
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from fastbleu.compat.nltk import SmoothingFunction, sentence_bleu
from fastbleu.options import NLTK_SMOOTHINGS
from fastbleu.scoring.nltk import nltk_formula as formula
from fastbleu.scoring.nltk import nltk_smoothing as smoothing
from fastbleu.scoring.nltk.nltk_formula import NLTKFormula, corpus_counts
from tests.support import oracle


def method6(matches: list[int], candidates: list[int], last_length: int, alpha: float = 5) -> list[Any]:
    constants = SimpleNamespace(alpha=alpha)
    return smoothing.method6(matches, candidates, constants, 0, (0, 1), last_length)


@pytest.mark.parametrize("alpha", [0, 0.5, 2])
def test_method_6_equals_fractions(alpha: float) -> None:
    for matches in ([4, 3, 2, 1, 1], [3, 0, 2, 1, 1], [0, 0, 2, 1, 1]):
        wanted: list[Any] = [Fraction(matches[0], 9), Fraction(matches[1], 8)]
        for i in range(2, 5):
            prior = wanted[i - 1] ** 2 / wanted[i - 2] if wanted[i - 2] else 0
            wanted.append((matches[i] + alpha * prior) / (9 - i + alpha))
        assert method6(matches, [9, 8, 7, 6, 5], 9, alpha) == list(map(float, wanted))
    with pytest.raises(ZeroDivisionError):
        method6([4, 3, 2], [4, 3, 2], 2, 0)


WEIGHTS = [(0.25,) * 4, (1.0,), (0.5, 0.5), (0.1, 0.0, 0.2, 0.3, 0.4, 1.0), (2.0, 1e-9, 3.0)]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("method", range(8))
def test_rows(method: int, weights: tuple[float, ...]) -> None:
    if method == 6 and len(weights) < 3:
        return
    formula = NLTKFormula(NLTK_SMOOTHINGS[method], weights)
    smooth = getattr(SmoothingFunction(), f"method{method}")
    generator = random.Random(method)
    for _ in range(200):
        hypothesis, reference = (
            "".join(generator.choices("abc", k=generator.randrange(10))) for _ in range(2)
        )
        row = oracle.nltk_statistics(hypothesis, [reference], formula.counted)
        if method == 6 and row[2] and not row[4]:
            with pytest.raises(AssertionError, match="non-zero precision for bigrams"):
                formula.score(row)
            continue
        expected = sentence_bleu([reference], hypothesis, weights, smooth)
        assert formula.score(row) == pytest.approx(expected, rel=1e-14)


def test_types_of_the_brevity_penalty_and_of_nothing() -> None:
    for ref_len, sys_len, expected in (
        (5, 6, 1),
        (0, 0, 0),
        (5, 0, 0),
        (6, 6, 1.0),
        (28, 12, math.exp(1 - 28 / 12)),
    ):
        found = formula.brevity_penalty(ref_len, sys_len)
        assert (found, type(found)) == (expected, type(expected))
    assert type(formula.score([0], [1], 1, 1, [formula.UNIFORM], smoothing.method1)) is int
    assert formula.score_precisions([0.5, 0.5, 0.1], 2, 0, [formula.UNIFORM], True) == pytest.approx(0.5)
    with pytest.raises(ValueError, match="order 4 is too small for a float"):
        method6([1, 1, 1, 0], [1, 10**160, 10**200, 1], 10**200)
    assert formula.score([3, 2], [4, 3], 4, 4, [(0.5, 0.5)], smoothing.method1) == pytest.approx(0.5**0.5)
    assert formula.score([], [], 4, 4, [(1,)] * 3, smoothing.method2) == [0, 0, 0]


def test_weightings() -> None:
    of = formula.weightings_of
    assert of([0.5, 0.5]) == ([[0.5, 0.5]], 2)
    assert of([(1,), [0.5, 0.5], ()]) == ([(1,), [0.5, 0.5], ()], 2)
    assert of(()) == ([()], 0)
    assert of(formula.UNIFORM) == ([(0.25,) * 4], 4)
    assert corpus_counts([4, 5, 2, 1, 0, 4, 2, 1], [3, 1, 0]) == ([2, 1, 0], [5, 4, 3])
    assert NLTKFormula("method1", [1.0]).compiled is not None
    for wrong in (None, 0.25, iter([0.5]), ("a", "b"), (None, 1), "ab"):
        with pytest.raises(TypeError, match="weights must be a sequence of numbers"):
            of(wrong)
    for nan in ((0.5, math.nan), [(1,), (math.nan, 1)], (0.5, -math.inf)):
        with pytest.raises(ValueError, match=r"^weights\[.*\] must be finite"):
            of(nan)
