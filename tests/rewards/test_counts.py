"""Counts of samples: added up, shared out, from many threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from fastbleu.rewards.counts import COUNTED, RewardCounts


def values(counts: RewardCounts) -> list[int]:
    return [getattr(counts, name) for name in COUNTED]


def test_counts_add_up() -> None:
    counts = RewardCounts()
    assert counts.shares() == {"empty": 0.0, "clipped": 0.0, "too_long": 0.0, "errors": 0.0}
    counts.add()
    counts.add(3, 2, 1, 1, 1)
    assert values(counts) == [4, 2, 1, 1, 1]
    assert counts.shares() == {"empty": 0.5, "clipped": 0.25, "too_long": 0.25, "errors": 0.25}
    assert repr(counts) == "RewardCounts(samples=4, empty=2, clipped=1, too_long=1, errors=1)"
    counts.reset()
    assert values(counts) == [0] * 5


def test_threads() -> None:
    counts = RewardCounts()

    def add(_: int) -> None:
        for _ in range(1000):
            counts.add(5, 4, 3, 2, 1)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(8)))
    assert values(counts) == [40000, 32000, 24000, 16000, 8000]
