"""Sums over chosen segments are exact; trials decided in float32, by vectors of any width, are those of the formula."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from fastbleu.scoring.formula import Formula
from fastbleu.scoring.significance import masked_sums
from fastbleu.scoring.significance._masked_sums import add_masked_sums
from fastbleu.scoring.significance._trials import Trials
from fastbleu.scoring.significance.masked_sums import MaskedSums
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


@pytest.mark.parametrize("segments", [1, 2, 33, 500])
@pytest.mark.parametrize("order", [1, 2, 4, 6])
@pytest.mark.parametrize("block", [1 << 12, 32])
@pytest.mark.parametrize("factor", [1, 1 << 16, 1 << 38])
def test_sums_are_exact(
    monkeypatch: pytest.MonkeyPatch, segments: int, order: int, block: int, factor: int
) -> None:
    monkeypatch.setattr(masked_sums, "_BLOCK_SEGMENTS", block)
    rows: list[Any] = [random_rows(segments, k, order) * factor for k in range(3)]
    rows.append(rows[0].astype(np.uint64))
    masks = np.random.default_rng(1).integers(2, size=(40, segments), dtype=np.uint8)
    bits = np.packbits(masks, bitorder="little")
    found = MaskedSums(rows)(bits, 40)
    expected = np.concatenate([(masks.astype(np.int64) @ each.astype(np.int64)).T for each in rows])
    assert found.dtype == float
    assert (found == expected).all()


@pytest.mark.parametrize("level", [0, 99])
@pytest.mark.parametrize("width", [1, 16, 35])
def test_any_vectors_and_any_bits(level: int, width: int) -> None:
    """Masks that lie at any bit, and columns to which the one before is added."""
    generator = np.random.default_rng(width)
    table = np.ascontiguousarray(generator.integers(-50, 50, (64, width)), dtype=np.float32)
    masks = 700
    for first, stride in [(0, 64), (3, 64), (13, 71), (5, 0), (7, 1)]:
        bits = generator.integers(256, size=(first + masks * stride + 64 + 64) // 8 + 1, dtype=np.uint8)
        places = generator.integers(0, width, 9)
        places[[4, 5, 8]] = ~places[[4, 5, 8]]
        out = generator.integers(0, 9, (9, masks)).astype(float)
        before = out.copy()
        add_masked_sums(table, width, bits, first, stride, places, out, level)
        unpacked = np.unpackbits(bits, bitorder="little")
        chosen = np.array([unpacked[first + m * stride : first + m * stride + 64] for m in range(masks)])
        sums = chosen.astype(np.int64) @ table.astype(np.int64)
        column = np.zeros(masks, dtype=np.int64)
        for k, place in enumerate(places.tolist()):
            column = sums[:, place] if place >= 0 else column + sums[:, ~place]
            assert (out[k] - before[k] == column).all()
