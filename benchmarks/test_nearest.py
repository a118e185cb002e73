"""Nearest texts and near duplicates: the English lines of newstest2021 against each other, one thread.

`brute_force` makes the whole matrices of `pairwise`, so it gets fewer lines. Times are those of the processor.
"""

from __future__ import annotations

import random
import resource
import time
from functools import partial
from typing import Any

import numpy as np
import pytest

from benchmarks.measures import Table, least
from fastbleu.rerank import near_duplicates, nearest, pairwise
from tests.support import newstest

if newstest.folder() is None:
    pytest.skip("needs real text", allow_module_level=True)

SEED = 1
MANY, FEW = 60_000, 6_000


def lines(number: int) -> list[str]:
    """Some of all 67,752 lines: the same sentence is in about twenty of them."""
    found = [
        line
        for pair in ("de-en", "zh-en")
        for streams in (newstest.references(pair), newstest.systems(pair))
        for lines in streams.values()
        for line in lines
    ]
    random.Random(SEED).shuffle(found)
    return found[:number]


def brute_force_nearest(texts: list[str]) -> Any:
    return np.argsort(-pairwise(texts, threads=1), axis=1, kind="stable")[:, :5]


def brute_force_pairs(texts: list[str]) -> Any:
    scores = pairwise(texts, threads=1)
    return np.argwhere(np.triu(np.maximum(scores, scores.T) >= 70, 1))


@pytest.mark.slow
def test_60_000_lines(table: Table) -> None:
    texts = lines(MANY)
    for name, call in (
        ("nearest, k = 5", partial(nearest, texts, texts, threads=1, progress=True)),
        ("near_duplicates, threshold 70", partial(near_duplicates, texts, 70, threads=1, progress=True)),
    ):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        (taken,) = least(call, rounds=1, timer=time.process_time)
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        table.add(f"{name}, {MANY:,} lines", "", taken, 120, 60, show="{:.3g} s".format)
        table.add(f"{name}, memory", "", more, 300, 100, show="{:.0f} MB".format)


@pytest.mark.parametrize(
    ("name", "ours", "theirs"),
    [
        ("nearest, k = 5", lambda texts: nearest(texts, texts, threads=1), brute_force_nearest),
        (
            "near_duplicates, threshold 70",
            lambda texts: near_duplicates(texts, 70, threads=1),
            brute_force_pairs,
        ),
    ],
)
def test_beside_brute_force(table: Table, name: str, ours: Any, theirs: Any) -> None:
    texts = lines(FEW)
    brute, taken = least(partial(theirs, texts), partial(ours, texts), rounds=3, timer=time.process_time)
    table.add(f"{name}, {FEW:,} lines", "NumPy over pairwise", brute / taken, 1, 2)
