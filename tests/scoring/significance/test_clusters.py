"""Clusters of systems, by their definition."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from fastbleu.scoring.significance import clusters


def test_no_difference_makes_one_cluster_and_all_make_many() -> None:
    scores = {"b": 2.0, "a": 3.0, "c": 1.0}
    assert clusters(scores, lambda _a, _b: False) == [["a", "b", "c"]]
    assert clusters(scores, lambda _a, _b: True) == [["a"], ["b"], ["c"]]


def test_a_pair_across_a_border_joins() -> None:
    """a and b differ, and b and c; but a and c do not, so that there is no border between any of them."""
    same = {("a", "c"), ("c", "d")}
    scores = {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}
    assert clusters(scores, lambda a, b: (a, b) not in same) == [["a", "b", "c", "d"]]


def test_equal_scores_keep_their_order() -> None:
    assert clusters({"b": 1.0, "a": 1.0, "c": 1.0}, lambda _a, _b: False) == [["b", "a", "c"]]


def test_clusters_are_those_of_the_definition() -> None:
    generator = random.Random(3)
    same: set[tuple[str, str]] = set()

    def differ(better: str, worse: str) -> bool:
        return (better, worse) not in same

    for _ in range(200):
        scores = {name: generator.random() for name in "abcdefg"[: generator.randint(2, 7)]}
        order = sorted(scores, key=lambda name: -scores[name])
        same = {pair for pair in combinations(order, 2) if generator.random() < 0.15}
        borders = [
            stop
            for stop in range(1, len(order))
            if not any(order.index(a) < stop <= order.index(b) for a, b in same)
        ]
        expected = [order[i:j] for i, j in zip([0, *borders], [*borders, len(order)], strict=True)]
        assert clusters(scores, differ) == expected


def test_a_score_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^scores\['b'\] must be a number, got nan$"):
        clusters({"a": 1.0, "b": float("nan")}, lambda _a, _b: True)
