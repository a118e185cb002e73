"""Both tests by their definition, and how often approximate randomization is wrong and right."""

import random
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fastbleu import CHRF
from fastbleu.scoring import bootstrap
from fastbleu.scoring.formula import Formula
from fastbleu.scoring.significance import approximate_randomization, paired_bootstrap, randomization
from tests.support.random_rows import FORMULAS, random_rows
from tests.support.simulated_systems import random_systems, statistics_rows

SYSTEMS = {name: random_rows(75, seed) for seed, name in enumerate("abcde")}


def test_no_intervals_without_resamples() -> None:
    before = {name: rows.copy() for name, rows in SYSTEMS.items()}
    found = approximate_randomization(SYSTEMS, documents=[i // 5 for i in range(75)])
    assert all((SYSTEMS[name] == rows).all() for name, rows in before.items())
    assert found.n_resamples == 0
    for system in found.systems:
        assert (system.mean, system.low, system.high, system.half_width) == (None,) * 4
    assert {(pair.low, pair.high) for pair in found.pairs} == {(None, None)}


@pytest.mark.parametrize("options", FORMULAS)
@pytest.mark.parametrize("segments", [1, 3, 75])
@pytest.mark.parametrize("factor", [1, 1 << 30])
def test_every_trial_by_its_definition(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], segments: int, factor: int
) -> None:
    """Each trial scores what it exchanges, however many trials and segments are summed at a time."""
    monkeypatch.setattr(randomization, "_CHOICES_PER_CHUNK", 2500)
    monkeypatch.setattr(bootstrap, "_SEGMENTS_PER_PRODUCT", 32)
    metric = SimpleNamespace(formula=Formula(4, **options))
    systems = {name: random_rows(segments, k, matched=0.9) * factor for k, name in enumerate("abc")}
    found = approximate_randomization(systems, metric, 130, seed=3)
    swaps = np.random.default_rng(3).integers(2, size=(130, segments), dtype=bool)[:, :, np.newaxis]
    score = metric.formula.score_rows
    for pair in found.pairs:
        first, second = systems[pair.first], systems[pair.second]
        changed = score(np.where(swaps, second, first).sum(axis=1))
        differences = changed - score(np.where(swaps, first, second).sum(axis=1))
        assert pair.extreme == (abs(differences) > abs(pair.difference)).sum()
        least = 2.0 ** (1 - (first != second).any(axis=1).sum())
        assert pair.p_value == (max(least, (pair.extreme + 1) / 131) if pair.difference else 1)


def test_few_segments_that_differ_cannot_be_significant() -> None:
    """Exchanging all of them, or none, leaves the difference as large as it is."""
    for differing in (1, 2, 5, 13):
        rows = {"a": random_rows(100, 1), "b": random_rows(100, 1)}
        rows["a"][:differing] = [20, 20, 20, 19, 18, 17, 20, 19, 18, 17]
        rows["b"][:differing] = [20, 20, 4, 3, 2, 1, 20, 19, 18, 17]
        pair = approximate_randomization(rows).pairs[0]
        assert pair.extreme == 0
        assert pair.p_value == max(2 / 2**differing, 1 / 10_001)


@pytest.mark.parametrize(
    ("eps_smoothing", "exchanged", "drawn", "mean", "half_width"),
    [
        (False, [5, 1, 184, 0], [0, 0, 72, 0], 38.44193649291992, 5.812227249145508),
        (True, [4, 1, 184, 0], [0, 0, 72, 0], 38.43711853027344, 5.810445785522461),
    ],
)
def test_chrf(
    eps_smoothing: bool, exchanged: list[int], drawn: list[int], mean: float, half_width: float
) -> None:
    """The numbers of sacreBLEU's `PairedTest`."""
    systems, references = random_systems(random.Random(7), 40)
    chrf = CHRF(2, 1, eps_smoothing=eps_smoothing)
    rows = {name: chrf.statistics(lines, references) for name, lines in systems}
    found = approximate_randomization(rows, chrf, 200, pairs="baseline")
    assert [pair.extreme for pair in found.pairs] == exchanged
    found = paired_bootstrap(rows, chrf, 200, pairs="baseline")
    assert [pair.extreme for pair in found.pairs] == drawn
    # NumPy 2 computes them in float32, NumPy 1 in float64.
    assert (found.systems[0].mean, found.systems[0].half_width) == pytest.approx((mean, half_width), rel=1e-6)
    # Without a match a score is a float in both.
    scores = chrf.formula.score_float32_rows(np.array([[9, 9, 0] * 3, [9, 9, 1] * 3]))
    assert (scores.dtype, scores[0]) == (float, 1e-14 if eps_smoothing else 0)
    assert scores[1] == pytest.approx(100 / 9, rel=1e-6)


def share_significant(pairs: int, segments: int, better: float = 0.0, **options: Any) -> float:
    """Count the simulated pairs of systems that differ significantly at 0.05."""
    generator = np.random.default_rng(1)
    found = 0
    for seed in range(pairs):
        first, second = statistics_rows(generator, segments, better=better)
        test = approximate_randomization({"a": first, "b": second}, None, 999, seed=seed, **options)
        found += test.pairs[0].p_value <= 0.05
    return found / pairs


@pytest.mark.slow
@pytest.mark.parametrize("segments", [20, 100])
def test_equally_good_systems_differ_in_one_case_of_twenty(segments: int) -> None:
    """With 2,000 pairs the standard deviation is half a percent."""
    assert 0.04 <= share_significant(2000, segments) <= 0.06


@pytest.mark.slow
def test_better_systems_are_found() -> None:
    assert share_significant(200, 400, better=0.03) > 0.85


@pytest.mark.slow
def test_dependent_segments_ask_for_documents() -> None:
    """Every segment four times, as an extreme document: taken one by one, they pretend to be more evidence."""
    generator = np.random.default_rng(1)
    documents = np.repeat(np.arange(60), 4)
    wrong = right = 0
    for seed in range(300):
        first, second = (np.repeat(rows, 4, axis=0) for rows in statistics_rows(generator, 60))
        systems = {"a": first, "b": second}
        one_by_one = approximate_randomization(systems, None, 199, seed=seed)
        whole = approximate_randomization(systems, None, 199, seed=seed, documents=documents)
        wrong += one_by_one.pairs[0].p_value <= 0.05
        right += whole.pairs[0].p_value <= 0.05
    assert wrong / 300 > 0.2
    assert 0.02 <= right / 300 <= 0.08


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


def test_one_unit_tells_nothing() -> None:
    pair = paired_bootstrap({"a": random_rows(1, 1), "b": random_rows(1, 2)}).pairs[0]
    assert pair.difference
    assert (pair.p_value, pair.corrected_p_value, pair.extreme) == (1, 1, 0)
