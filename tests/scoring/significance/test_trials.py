"""Trials decided in float32, by vectors of any width, are those that the formula decides."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from fastbleu.scoring.formula import Formula
from fastbleu.scoring.significance._trials import Trials
from tests.support.random_rows import FORMULAS, random_rows

#: The formula alone, vectors that every processor has, and all that this one has.
LEVELS = (-1, 0, 99)


def sums_of_trials(rows: Any, trials: int, seed: int) -> Any:
    """float64 [systems * columns, trials]."""
    masks = np.random.default_rng(seed).integers(2, size=(trials, rows.shape[1]))
    return np.ascontiguousarray(np.einsum("ts,ask->akt", masks, rows).reshape(-1, trials).astype(float))


def by_definition(formula: Formula, rows: Any, pair: tuple[int, int], sums: Any) -> int:
    """Return how often the pseudo systems of a pair differ by more than the pair."""
    totals = rows.sum(axis=1)
    moved = sums.reshape(len(rows), -1, sums.shape[1]).transpose(0, 2, 1)
    i, j = pair
    x = moved[i] - moved[j]
    observed = abs(formula.score_rows(totals)[i] - formula.score_rows(totals)[j])
    found = abs(formula.score_rows(totals[j] + x) - formula.score_rows(totals[i] - x))
    return int((found > observed).sum())


def counts(formula: Formula, rows: Any, sums: Any, level: int) -> list[int]:
    pairs = np.array(list(combinations(range(len(rows)), 2)))
    found = np.zeros(len(pairs), dtype=np.int64)
    Trials(np.ascontiguousarray(rows.sum(axis=1)), pairs, formula.compiled, level).count(sums, found)
    return found.tolist()


def check(formula: Formula, rows: Any, trials: int, seed: int) -> None:
    sums = sums_of_trials(rows, trials, seed)
    expected = [by_definition(formula, rows, pair, sums) for pair in combinations(range(len(rows)), 2)]
    for level in LEVELS:
        assert counts(formula, rows, sums, level) == expected


@pytest.mark.parametrize("options", FORMULAS)
@pytest.mark.parametrize("segments", [1, 3, 20, 400])
def test_counts_are_those_of_the_formula(options: dict[str, Any], segments: int) -> None:
    for seed, (longest, matched) in enumerate([(40, 1.0), (40, 0.2), (3, 1.0), (10, 0.9)]):
        systems = [random_rows(segments, 10 * seed + k, longest=longest, matched=matched) for k in range(3)]
        check(Formula(4, **options), np.stack(systems), 300, seed)


@pytest.mark.parametrize("order", [1, 2, 7, pytest.param(70, marks=pytest.mark.slow)])
def test_other_orders(order: int) -> None:
    check(Formula(order), np.stack([random_rows(200, k, order, longest=60) for k in range(4)]), 700, 1)


def test_large_and_lopsided_counts() -> None:
    """Sums beyond float32, short hypotheses, counts that no text has."""
    rows = np.stack([random_rows(300, k) for k in range(3)])
    check(Formula(), rows * (1 << 20) + 1, 500, 3)
    check(Formula(), np.where(np.arange(10) == 1, rows * 9, rows), 500, 3)
    check(Formula(), rows[:, :, [1, 0, *range(2, 10)]], 500, 3)


def test_counts_are_added() -> None:
    """A trial that exchanges nothing, or everything, has the difference observed, and not a larger one."""
    rows = np.stack([random_rows(50, k) for k in range(2)])
    sums = sums_of_trials(rows, 300, 1)
    sums[:, :2] = np.stack([np.zeros(20), rows.sum(axis=1).ravel()], axis=1)
    trials = Trials(rows.sum(axis=1), np.array([[0, 1]]), Formula().compiled)
    found = np.array([7])
    for part in (sums, sums[:, :130], sums[:, :2]):
        trials.count(np.ascontiguousarray(part), found)
    expected = [by_definition(Formula(), rows, (0, 1), part) for part in (sums, sums[:, :130])]
    assert found.tolist() == [7 + sum(expected)]
