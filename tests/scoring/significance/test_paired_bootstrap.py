"""The paired bootstrap by its definition, on any number of threads."""

from __future__ import annotations

import sys
from itertools import combinations

import numpy as np
import pytest

from fastbleu.scoring.formula import Formula
from fastbleu.scoring.significance import paired_bootstrap
from tests.support.random_rows import random_rows

module = sys.modules[paired_bootstrap.__module__]

SYSTEMS = {name: random_rows(75, seed) for seed, name in enumerate("abcd")}


def test_every_number_by_its_definition() -> None:
    found = paired_bootstrap(SYSTEMS, None, 200, seed=3)
    drawn = np.random.default_rng(3).choice(75, size=(200, 75))
    score = Formula().score_rows
    scores = {name: score(rows[drawn].sum(axis=1)) for name, rows in SYSTEMS.items()}
    for system in found.systems:
        ordered = np.sort(scores[system.name])
        assert system.mean == pytest.approx(ordered.mean(), rel=1e-6)
        assert (system.low, system.high) == (
            pytest.approx(ordered[5], rel=1e-6),
            pytest.approx(ordered[-6], rel=1e-6),
        )
    for pair, (a, b) in zip(found.pairs, combinations(SYSTEMS, 2), strict=True):
        differences = scores[a] - scores[b]
        assert (pair.first, pair.second) == (a, b)
        statistic = abs(differences) - abs(differences).mean()
        assert pair.extreme == (statistic > abs(pair.difference)).sum()
        assert pair.p_value == (pair.extreme + 1) / 201
        ordered = np.sort(differences)
        assert (pair.low, pair.high) == (
            pytest.approx(ordered[5], rel=1e-4),
            pytest.approx(ordered[-6], rel=1e-4),
        )
    assert (found.n_trials, found.n_resamples, found.units, found.seed) == (200, 200, 75, "3")


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("draws_at_once", [1, 1000, 1 << 30])
def test_chunks_and_threads_change_nothing(
    monkeypatch: pytest.MonkeyPatch, threads: int, draws_at_once: int
) -> None:
    expected = paired_bootstrap(SYSTEMS, None, 303)
    monkeypatch.setattr(module, "_DRAWS_AT_ONCE", draws_at_once)
    assert paired_bootstrap(SYSTEMS, None, 303, threads=threads) == expected


def test_one_unit_tells_nothing() -> None:
    pair = paired_bootstrap({"a": random_rows(1, 1), "b": random_rows(1, 2)}).pairs[0]
    assert pair.difference
    assert (pair.p_value, pair.corrected_p_value, pair.extreme, pair.trials) == (1, 1, 0, 1000)
