"""Coordinate ascent on the corpus score, compared with trying every selection, and with its own promise."""

from __future__ import annotations

import itertools
import random
from array import array
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU
from fastbleu.rerank._ascent import ascend, choose_by_gains

METRIC = BLEU(tokenize="none", effective_order=True, max_ngram_order=2)


def drawn(generator: random.Random, sizes: list[int]) -> tuple[Any, Any]:
    """Rows of random candidates, and where each source's begin."""
    rows: list[Any] = []
    bounds = array("q", [0])
    for size in sizes:
        reference = " ".join(generator.choices("abc", k=generator.randrange(2, 8)))
        texts = [" ".join(generator.choices("abc", k=generator.randrange(1, 9))) for _ in range(size)]
        rows.extend(METRIC.statistics(texts, [[reference] * size]))
        bounds.append(len(rows))
    return np.array(rows), bounds


def corpus_score(rows: Any, bounds: Any, chosen: Any) -> float:
    return METRIC.score_statistics(rows[[start + k for start, k in zip(bounds, chosen, strict=False)]]).score


def test_no_single_change_helps_after_it() -> None:
    generator = random.Random(3)
    best = 0
    for _ in range(60):
        sizes = [generator.randrange(1, 4) for _ in range(generator.randrange(1, 6))]
        rows, bounds = drawn(generator, sizes)
        start = np.array([generator.randrange(size) for size in sizes])
        chosen = start.copy()
        sweeps = ascend(rows, bounds, chosen, METRIC.formula.compiled)
        found = corpus_score(rows, bounds, chosen)
        assert sweeps >= 1
        assert found >= corpus_score(rows, bounds, start)
        for source, size in enumerate(sizes):
            for candidate in range(size):
                other = chosen.copy()
                other[source] = candidate
                assert corpus_score(rows, bounds, other) <= found * (1 + 1e-12)
        highest = max(corpus_score(rows, bounds, every) for every in itertools.product(*map(range, sizes)))
        assert found <= highest
        best += found == highest
    assert best > 45  # most often it is the highest of all


def test_nothing_to_choose() -> None:
    rows, bounds = drawn(random.Random(1), [1, 1])
    chosen = array("q", [0, 0])
    assert ascend(rows, bounds, chosen, METRIC.formula.compiled) == 1
    assert chosen.tolist() == [0, 0]
    assert ascend(np.empty((0, 6), dtype=np.int64), array("q", [0]), array("q"), METRIC.formula.compiled) == 1


def test_gains() -> None:
    rows = np.array([[1, 0, 0, 0, 0, 0], [2, 0, 1, 0, 0, 0], [2, 0, 1, 0, 0, 0], [0, 5, 0, 0, 0, 0]])
    chosen = array("q", [0, 0])
    choose_by_gains(rows, array("q", [0, 3, 4]), array("d", [1, -1, 0.5, 0, 0, 0]), chosen)
    assert chosen.tolist() == [1, 0]  # the first of two equals
    choose_by_gains(rows, array("q", [0, 3, 4]), array("d", [-1, 0, 0, 0, 0, 0]), chosen)
    assert chosen.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (
            {"rows": np.zeros((3, 4), dtype=np.int64)},
            r"rows must have the shape \[candidates, 6\], not \[3, 4\]",
        ),
        ({"bounds": array("q", [0, 3])}, "bounds must hold 3 places, not 2"),
        ({"bounds": array("q", [0, 2, 4])}, "bounds must hold places among 3"),
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
    if "rows" not in changed:
        with pytest.raises(ValueError, match=words):
            choose_by_gains(**arguments | changed, gains=array("d", bytes(48)))
