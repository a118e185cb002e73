"""Clusters of systems, by their definition."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from fastbleu.scoring.significance import clusters


def test_clusters_are_those_of_the_definition() -> None:
    generator = random.Random(3)
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
        assert clusters(scores, lambda a, b, same=same: (a, b) not in same) == expected  # type: ignore[misc]


def test_a_score_that_is_not_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^scores\['b'\] must be a number, got nan$"):
        clusters({"a": 1.0, "b": float("nan")}, lambda _a, _b: True)
