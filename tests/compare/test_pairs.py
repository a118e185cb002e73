"""Clusters of systems, and which segments are shown: those that differ most, shared fairly by the pairs."""

import random
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fastbleu.compare.pairs import _clusters, most_different


def test_clusters_are_those_of_the_definition() -> None:
    """A cluster ends where each of its systems is significantly better than each one after it."""
    generator = random.Random(3)
    settings: Any = SimpleNamespace(pairs="all", units=100, level=0.05)
    for _ in range(200):
        names = "abcdefg"[: generator.randint(2, 7)]
        p = {pair: generator.choice((0.05, 0.05, 0.05, 0.06)) for pair in combinations(names, 2)}
        tested: Any = SimpleNamespace(
            pairs=[SimpleNamespace(first=a, second=b, corrected_p_value=value) for (a, b), value in p.items()]
        )
        expected, cluster, start = {}, 1, 0
        for stop, name in enumerate(names):
            if stop and all(p[a, b] <= 0.05 for a in names[start:stop] for b in names[stop:]):
                cluster, start = cluster + 1, stop
            expected[name] = cluster
        assert _clusters(names, tested, settings) == expected


@pytest.mark.parametrize("seed", range(40))
def test_each_pair_has_the_first_of_its_ranking(seed: int) -> None:
    generator = random.Random(seed)
    systems, segments = generator.randint(2, 5), generator.randint(0, 30)
    scores = np.array(
        [[generator.randint(0, 9) for _ in range(segments)] for _ in range(systems)], dtype=float
    )
    pairs = [(i, j) for i in range(systems) for j in range(i + 1, systems)]
    most = generator.choice((0, 1, 3, 10, 1000))
    lists = most_different(scores, pairs, most)
    numbers = {segment for both in lists for found in both for segment in found}
    assert len(numbers) <= most
    sizes = []
    for (first, second), (better, worse) in zip(pairs, lists, strict=True):
        for chosen, gains in (
            (better, scores[first] - scores[second]),
            (worse, scores[second] - scores[first]),
        ):
            wanted = [i for i in np.argsort(-gains, kind="stable").tolist() if gains[i] > 0]
            assert chosen == wanted[: len(chosen)]
            if len(chosen) < len(wanted):
                sizes.append(len(chosen))
                # It stopped where the limit was reached.
                assert len(numbers) == most
    if len(numbers) < most:
        assert not sizes


def test_every_pair_gets_its_first_before_any_gets_its_second() -> None:
    scores = np.array([[9.0, 8, 7, 0, 0, 0], [0.0, 0, 0, 1, 0, 0], [0.0, 0, 0, 0, 2, 3]])
    assert most_different(scores, [(0, 1), (1, 2)], 3) == [([0], [3]), ([3], [5])]
