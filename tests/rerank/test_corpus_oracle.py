"""The corpus oracle and its coordinate ascent, compared with all possible selections."""

import itertools
import math
import random
from array import array
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU
from fastbleu.rerank._corpus_oracle import ascend
from fastbleu.rerank.oracle import _gradient, corpus_oracle

METRIC = BLEU(tokenize="none", effective_order=True, max_ngram_order=2)


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
        # No single change helps after the ascent.
        chosen = start.copy()
        assert ascend(rows, bounds, chosen, metric.formula.compiled) >= 1
        assert best >= reached(chosen) >= reached(start)
        for source, size in enumerate(sizes):
            for candidate in range(size):
                other = [*chosen[:source], candidate, *chosen[source + 1 :]]
                assert reached(other) <= reached(chosen) * (1 + 1e-12)
        highest += score.score == best
    assert highest > 50


def test_the_start_is_left_alone() -> None:
    rows, bounds = rows_of(METRIC, random.Random(1), [3, 3, 3])
    start = np.zeros(3, dtype=np.int64)
    corpus_oracle(METRIC, rows, bounds, start)
    assert start.tolist() == [0, 0, 0]


@pytest.mark.parametrize("weights", [None, (3.0, 1.0)])
def test_the_gradient_has_the_slopes_of_the_logarithm(weights: tuple[float, ...] | None) -> None:
    metric = BLEU(max_ngram_order=2, weights=weights)
    row = [50_000, 60_000, 30_000, 9_000, 50_000, 49_000]
    for k, slope in enumerate(_gradient(row, weights, 1.0)):
        more, less = ([count + step * (i == k) for i, count in enumerate(row)] for step in (100, -100))
        difference = math.log(metric.score_statistics(more).score / metric.score_statistics(less).score)
        assert slope == pytest.approx(difference / 200, rel=1e-3)
    without_penalty = _gradient(row, weights, 0.0)
    assert without_penalty[:2] == [0, 0]
    assert _gradient([0] * 6, weights, 1.0)[0] == 0  # nothing is divided by


def test_nothing_to_choose() -> None:
    rows, bounds = rows_of(METRIC, random.Random(1), [1, 1])
    chosen = array("q", [0, 0])
    assert ascend(rows, bounds, chosen, METRIC.formula.compiled) == 1
    assert chosen.tolist() == [0, 0]
    assert ascend(np.empty((0, 6), dtype=np.int64), array("q", [0]), array("q"), METRIC.formula.compiled) == 1


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"rows": np.zeros((3, 4), np.int64)}, r"rows must have the shape \[candidates, 6\], not \[3, 4\]"),
        ({"bounds": array("q", [0, 3])}, "bounds must hold 3 offsets, not 2"),
        ({"bounds": array("q", [0, 2, 4])}, "bounds must hold offsets from 0 to 3"),
        ({"bounds": array("q", [2, 1, 3])}, r"bounds\[1\] = 1 must not be below 2"),
        ({"chosen": array("q", [0, 1])}, r"chosen\[1\] = 1 must be one of 1 candidates"),
        ({"chosen": array("q", [-1, 0])}, r"chosen\[0\] = -1 must be one of 2 candidates"),
        ({"bounds": array("q", [0, 0, 3])}, r"chosen\[0\] = 0 must be one of 0 candidates"),
    ],
)
def test_what_does_not_fit_is_refused(changed: dict[str, Any], words: str) -> None:
    arguments: dict[str, Any] = {
        "rows": np.zeros((3, 6), dtype=np.int64),
        "bounds": array("q", [0, 2, 3]),
        "chosen": array("q", [0, 0]),
    }
    with pytest.raises(ValueError, match=words):
        ascend(**arguments | changed, formula=METRIC.formula.compiled)
