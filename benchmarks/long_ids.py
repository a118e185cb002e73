"""Matrices of token ids for the benchmarks of long segments, and how they are timed.

Times of one thread are its processor's, so that other programs on the machine matter less.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from time import thread_time
from typing import Any

import numpy as np

from benchmarks import data, measures
from benchmarks.measures import Call
from fastbleu import BLEU

Matrix = np.ndarray[Any, Any]

VOCABULARY = 32_000
ZIPF = 1.15
"""Probability of the token of rank r: r ** -ZIPF, so that two ids make a third of the tokens."""

TOKENS = 1 << 16
"""In each matrix, whatever its width."""

NAMES = {
    "uniform": "uniform ids",
    "real": "real text (en-de, 13a tokens as ids)",
    "zipf": f"Zipf({ZIPF}) ids",
}
ROUNDS = 15

METRIC = BLEU(tokenize="none", effective_order=True)
ratio = "{:.2f}x".format
least = partial(measures.least, timer=thread_time)


@cache
def real_ids() -> tuple[Matrix, Matrix]:
    """All systems' lines, one after another, and their references: tokens of 13a as ids."""
    tokenize = BLEU().tokenize
    numbers: dict[str, int] = {}

    def numbered(lines: list[str]) -> list[list[int]]:
        return [[numbers.setdefault(token, len(numbers)) for token in tokenize(line)] for line in lines]

    hypotheses, streams = data.all_systems("en-de", 1)
    sides: tuple[list[int], list[int]] = ([], [])
    # The longer one of two lines is cut, so that both sides stay side by side.
    for ours, theirs in zip(numbered(hypotheses), numbered(streams[0]), strict=True):
        shared = min(len(ours), len(theirs))
        for side, line in zip(sides, (ours, theirs), strict=True):
            side.extend(line[:shared])
    return np.array(sides[0]), np.array(sides[1])


@cache
def ids(kind: str, rows: int, width: int) -> tuple[Matrix, Matrix]:
    """Hypotheses and references, both int64 [rows, width]."""
    size = rows * width
    generator = np.random.default_rng(width)
    if kind == "real":
        first, second = (np.resize(side, size).reshape(rows, width) for side in real_ids())
        return first, second
    shape = (rows, width)
    if kind == "uniform":
        return generator.integers(0, VOCABULARY, shape), generator.integers(0, VOCABULARY, shape)
    return zipf(generator, shape), zipf(generator, shape)


def zipf(generator: np.random.Generator, shape: tuple[int, ...]) -> Matrix:
    weights = 1 / np.arange(1, VOCABULARY + 1) ** ZIPF
    return generator.choice(VOCABULARY, shape, p=weights / weights.sum())


def counted(hypotheses: Any, references: Sequence[Any], metric: BLEU = METRIC) -> Call:
    return partial(metric.statistics, hypotheses, references)


def once(benchmark: Any, call: Call) -> None:
    benchmark.pedantic(call, rounds=3)


def listed(names: Sequence[object], nanoseconds: Sequence[float]) -> str:
    return ", ".join(f"{name}: {value:.1f}" for name, value in zip(names, nanoseconds, strict=True))
