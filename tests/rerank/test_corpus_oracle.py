"""Selections for the highest corpus BLEU, compared with trying all of them."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU
from fastbleu.rerank.oracle import _gains, corpus_oracle


def rows_of(metric: BLEU, generator: random.Random, sizes: list[int]) -> tuple[Any, Any]:
    rows: list[Any] = []
    for size in sizes:
        reference = " ".join(generator.choices("abc", k=generator.randrange(3, 9)))
        texts = [" ".join(generator.choices("abc", k=generator.randrange(1, 10))) for _ in range(size)]
        rows.extend(metric.statistics(texts, [[reference] * size]))
    return np.array(rows), np.array([0, *itertools.accumulate(sizes)])


@pytest.mark.parametrize(
    "options", [{}, {"weights": (3, 1)}, {"smooth_method": "none"}, {"smooth_method": "add-k"}]
)
def test_never_below_its_starts_and_most_often_the_highest(options: dict[str, Any]) -> None:
    generator = random.Random(4)
    metric = BLEU(tokenize="none", effective_order=True, max_ngram_order=2, **options)
    highest = 0
    for _ in range(60):
        sizes = [generator.randrange(1, 5) for _ in range(generator.randrange(1, 6))]
        rows, bounds = rows_of(metric, generator, sizes)

        def reached(places: Any, rows: Any = rows, bounds: Any = bounds) -> float:
            return metric.score_statistics(rows[bounds[:-1] + np.array(places)]).score

        start = np.array([generator.randrange(size) for size in sizes])
        selection, score = corpus_oracle(metric, rows, bounds, start.copy())
        assert score.score == reached(selection) >= reached(start)
        assert score.score >= max(reached([place] * len(sizes)) for place in range(min(sizes)))
        best = max(reached(places) for places in itertools.product(*map(range, sizes)))
        assert score.score <= best
        highest += score.score == best
    assert highest > 50


def test_the_start_is_left_alone() -> None:
    metric = BLEU(tokenize="none", max_ngram_order=2)
    rows, bounds = rows_of(metric, random.Random(1), [3, 3, 3])
    start = np.zeros(3, dtype=np.int64)
    corpus_oracle(metric, rows, bounds, start)
    assert start.tolist() == [0, 0, 0]


@pytest.mark.parametrize("weights", [None, (3.0, 1.0)])
def test_gains_are_the_slopes_of_the_logarithm(weights: tuple[float, ...] | None) -> None:
    metric = BLEU(max_ngram_order=2, weights=weights)
    row = [50_000, 60_000, 30_000, 9_000, 50_000, 49_000]
    for k, gain in enumerate(_gains(row, weights, 1.0)):
        more, less = ([count + step * (i == k) for i, count in enumerate(row)] for step in (100, -100))
        slope = math.log(metric.score_statistics(more).score / metric.score_statistics(less).score) / 200
        assert gain == pytest.approx(slope, rel=1e-3)
    without_price = _gains(row, weights, 0.0)
    assert without_price[:2].tolist() == [0, 0]
    assert _gains([0] * 6, weights, 1.0)[0] == 0  # nothing is divided by
