"""Corrections of p-values by their definition, and against SciPy where it is installed."""

import random
from typing import Any

import pytest

from fastbleu.scoring.significance import correct_p_values


def random_p_values(n: int, seed: int) -> list[float]:
    generator = random.Random(seed)
    return [generator.choice([0.0, 1.0, 0.05, generator.random(), generator.random() ** 8]) for _ in range(n)]


@pytest.mark.parametrize("n", [0, 1, 2, 5, 60])
def test_definitions(n: int) -> None:
    """Correct by Holm's method: the largest of (n - rank) * p over all p-values up to this one."""
    p_values = random_p_values(n, n)
    assert correct_p_values(p_values, "none") == p_values
    assert correct_p_values(p_values, "bonferroni") == [min(1.0, n * p) for p in p_values]
    order = sorted(range(n), key=lambda i: p_values[i])
    for rank, i in enumerate(order):
        expected = max((n - r) * p_values[order[r]] for r in range(rank + 1))
        assert correct_p_values(p_values, "holm")[i] == min(1.0, expected)


@pytest.mark.parametrize("n", [1, 2, 5, 190])
def test_benjamini_hochbergs_is_scipys(n: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    p_values = random_p_values(n, n)
    expected = stats.false_discovery_control(p_values).tolist()
    assert correct_p_values(p_values, "benjamini-hochberg") == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    ("p_values", "correction", "error", "message"),
    [
        ([0.5, float("nan")], "holm", ValueError, r"p_values\[1\] must be from 0 to 1, got nan"),
        (["0.5"], "none", TypeError, r"p_values\[0\] must be a number, not str: '0.5'"),
        ([], "bonferoni", ValueError, "correction must be one of none, .*, got 'bonferoni'"),
    ],
)
def test_bad_arguments_are_refused(
    p_values: Any, correction: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        correct_p_values(p_values, correction)
