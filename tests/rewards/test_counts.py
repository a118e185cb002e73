"""Counts of samples: added up, shared out, from many threads."""

from __future__ import annotations

from fastbleu.rewards.counts import COUNTED, RewardCounts


def values(counts: RewardCounts) -> list[int]:
    return [getattr(counts, name) for name in COUNTED]


def test_counts_add_up() -> None:
    counts = RewardCounts()
    assert counts.shares() == dict.fromkeys(COUNTED[1:], 0.0)
    counts.add(perfect=1)
    counts.add(3, 1, 2, 2, 1, 1, 1, 1)
    assert values(counts) == [4, 2, 2, 2, 1, 1, 1, 1]
    assert [*counts.shares().values()] == [0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25]
    assert repr(counts) == (
        "RewardCounts(samples=4, perfect=2, zero=2, empty=2, clipped=1, cut=1, too_long=1, errors=1)"
    )
    counts.reset()
    assert values(counts) == [0] * 8
