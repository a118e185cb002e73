"""One index in many threads, also while one of them adds texts."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from fastbleu.search import Index, deduplicate, near_duplicates
from tests.support.threads import THREADS, hammer, run_together

TEXTS = [f"the cat {i % 7} sat on the mat {i}" for i in range(120)]
QUERIES = ["a cat 3 sat on the mat 17", "mat 64", "nothing known"]


def found(index: Index, **options: Any) -> str:
    return repr([each.tolist() for each in index.nearest(QUERIES, 3, 0.1, **options)])


def test_searches_beside_each_other() -> None:
    index = Index(TEXTS)
    pairs = near_duplicates(TEXTS, 60)
    hammer(
        {
            "nearest": lambda: found(index),
            "both directions": lambda: found(index, direction="max", threads=2),
            "all pairs": lambda: found(index, formula="nltk", smoothing="method7"),
            "pairs": lambda: [*pairs],
            "arrays": lambda: [*near_duplicates(TEXTS, 60).scores],
            "deduplicate": lambda: deduplicate(TEXTS, 60).tolist(),
        }
    )


def test_a_search_finds_the_texts_that_were_there_when_it_began() -> None:
    growing, expected = Index([]), []
    for text in TEXTS:
        growing.add([text])
        expected.append(found(growing))
    index = Index(TEXTS[:1])
    added = [1]

    def add() -> None:
        for text in TEXTS[1:]:
            index.add([text])
            added[0] += 1

    def search() -> None:
        while (before := added[0]) < len(TEXTS):
            here = found(index, threads=2)
            # A text is there a moment before it is counted.
            assert here in expected[before - 1 : added[0] + 1]

    run_together(add, *[search] * (THREADS - 1))
    assert found(index) == expected[-1]


def test_texts_that_several_threads_add_are_all_there() -> None:
    index = Index([])

    def add(start: int) -> None:
        for text in TEXTS[start::THREADS]:
            index.add([text])

    run_together(*(partial(add, start) for start in range(THREADS)))
    assert len(index) == len(TEXTS)
    scores = index.nearest(QUERIES, len(TEXTS)).scores
    np.testing.assert_array_equal(scores, Index(TEXTS).nearest(QUERIES, len(TEXTS)).scores)
