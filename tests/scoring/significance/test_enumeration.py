"""The exact test against every assignment, made one by one."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from fastbleu.scoring.formula import Formula
from fastbleu.scoring.significance import approximate_randomization, enumeration
from tests.support.random_rows import random_rows

FORMULA = Formula()


def score(rows: Any) -> float:
    return FORMULA.score(rows.sum(axis=0).tolist()).score


def one_by_one(first: Any, second: Any) -> tuple[int, int]:
    """Of all assignments of the rows to two systems, those with a difference at least as large, and their number."""
    observed = abs(score(first) - score(second))
    found = [
        abs(
            score(np.where(np.array(swap)[:, None], second, first))
            - score(np.where(np.array(swap)[:, None], first, second))
        )
        for swap in product([False, True], repeat=len(first))
    ]
    return sum(each >= observed for each in found), len(found)


@pytest.mark.parametrize("segments", [1, 2, 3, 7, 10])
@pytest.mark.parametrize("at_once", [3, 1 << 14])
def test_every_assignment_is_counted(monkeypatch: pytest.MonkeyPatch, segments: int, at_once: int) -> None:
    monkeypatch.setattr(enumeration, "_ASSIGNMENTS_AT_ONCE", at_once)
    for seed in range(5):
        rows = {"a": random_rows(segments, seed, longest=9), "b": random_rows(segments, seed + 50, longest=9)}
        pair = approximate_randomization(rows).pair("a", "b")
        at_least, assignments = one_by_one(rows["a"], rows["b"])
        assert pair.exact
        # Exchanging equal rows changes nothing.
        assert pair.extreme * 2**segments == at_least * pair.trials
        assert pair.p_value == (at_least / assignments if pair.difference else 1)


def test_one_segment_tells_nothing() -> None:
    pair = approximate_randomization({"a": random_rows(1, 1), "b": random_rows(1, 2)}).pairs[0]
    assert (pair.exact, pair.p_value, pair.trials) == (True, 1, 2)


def test_few_ways_are_enumerated_and_many_are_not() -> None:
    rows = {"a": random_rows(100, 1), "b": random_rows(100, 1)}
    rows["b"][:6] = random_rows(6, 2)
    differing = int((rows["a"] != rows["b"]).any(axis=1).sum())
    assert approximate_randomization(rows, n_trials=2**differing).pairs[0].trials == 2**differing
    fewer = approximate_randomization(rows, n_trials=2**differing - 1).pairs[0]
    assert (fewer.exact, fewer.trials) == (False, 2**differing - 1)
    assert not approximate_randomization(rows, exact=False).pairs[0].exact
    assert approximate_randomization(rows, n_trials=1, exact=True).pairs[0].trials == 2**differing


def test_too_many_ways_are_refused() -> None:
    rows = {"a": random_rows(25, 1), "b": random_rows(25, 2)}
    with pytest.raises(ValueError, match="exact is True, but 'a' and 'b' differ in more than 24 rows"):
        approximate_randomization(rows, exact=True)
