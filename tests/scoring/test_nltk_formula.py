"""NLTK's formula with its options: rows against the slow one, and what the kernels get."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from fastbleu.options import NLTK_SMOOTHINGS
from fastbleu.scoring._nltk_formula import CompiledNLTKFormula
from fastbleu.scoring.nltk_formula import NLTKFormula
from tests.support import nltk_oracle

WEIGHTS = [
    (0.25,) * 4,
    (1.0,),
    (0.5, 0.5),
    (0.33, 0.33, 0.33),
    (0.1, 0.0, 0.2, 0.3, 0.4, 1.0),
    (2.0, 1e-9, 3.0),
]


def by_oracle(method: int, hypothesis: str, reference: str, weights: tuple[float, ...]) -> float:
    counted = [nltk_oracle.counts([reference], hypothesis, n) for n in range(1, len(weights) + 1)]
    if not counted[0][0]:
        return 0.0
    precisions = nltk_oracle.precisions(method, counted, ([reference], hypothesis), len(hypothesis))
    logs = [weight * math.log(p) for weight, p in zip(weights, precisions, strict=True) if p > 0]
    penalty = 1.0 if len(hypothesis) > len(reference) else math.exp(1 - len(reference) / len(hypothesis))
    return penalty * math.exp(math.fsum(logs))


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("method", range(8))
def test_rows(method: int, weights: tuple[float, ...]) -> None:
    if method == 6 and len(weights) < 3:
        return
    formula = NLTKFormula(NLTK_SMOOTHINGS[method], weights)
    generator = random.Random(method)
    for _ in range(200):
        hypothesis, reference = (
            "".join(generator.choices("abc", k=generator.randrange(10))) for _ in range(2)
        )
        counted = [nltk_oracle.counts([reference], hypothesis, n) for n in range(1, formula.counted + 1)]
        row = [len(hypothesis), len(reference), *(m for m, _ in counted), *(c for _, c in counted)]
        if method == 6 and counted[0][0] and not counted[2][0]:
            with pytest.raises(AssertionError, match="non-zero precision for bigrams"):
                formula.score(row)
            continue
        assert formula.score(row) == pytest.approx(
            by_oracle(method, hypothesis, reference, weights), rel=1e-14
        )


def test_what_is_counted() -> None:
    assert NLTKFormula("method1", (0.5, 0.5)).counted == 2
    assert NLTKFormula("method5", (0.5, 0.5)).counted == 5
    assert NLTKFormula("method7", (0.1,) * 8).counted == 8
    formula = NLTKFormula("method1", [1.0, 2.0])
    assert formula.weights == (1.0, 2.0)
    assert formula.compiled is formula.compiled


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("method8", (1.0,)), "smoothing must be one of method0, .*, method7, got 'method8'"),
        (("method6", (0.5, 0.5)), "smoothing='method6' needs trigrams, but max_ngram_order is 2"),
    ],
)
def test_bad_options(arguments: Any, words: str) -> None:
    with pytest.raises(ValueError, match=f"^{words}"):
        NLTKFormula(*arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((8, (1.0,), 1, None), "there is no method 8"),
        ((1, (), 0, None), "0 weights do not go with 0 orders"),
        ((1, (1.0, 1.0), 1, None), "2 weights do not go with 1 orders"),
    ],
)
def test_bad_arguments_of_the_kernel(arguments: Any, words: str) -> None:
    with pytest.raises(ValueError, match=f"^{words}$"):
        CompiledNLTKFormula(*arguments)
