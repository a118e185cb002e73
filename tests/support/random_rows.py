"""Random rows of statistics, also ones that no real system has."""

import random
from typing import Any

import numpy as np

#: Options of a formula, every method among them.
FORMULAS: list[dict[str, Any]] = [
    {},
    {"smooth_method": "none"},
    {"smooth_method": "floor", "smooth_value": 0.4},
    {"smooth_method": "add-k", "smooth_value": 0.7},
    {"smooth_method": "add-k", "smooth_value": 40.0},
    {"smooth_method": "add-one"},
    {"smooth_method": "add-k-all", "smooth_value": 0.01},
    {"smooth_method": "add-one-above-first", "effective_order": True},
    {"effective_order": True},
    {"weights": (0.1, 0.0, 0.5, 0.2)},
    {"weights": (1.0, 0.0, 0.0, 0.0), "effective_order": True},
]


def random_rows(segments: int, seed: int, order: int = 4, longest: int = 40, matched: float = 1.0) -> Any:
    """int64 [segments, 2 + 2N]: up to `longest` tokens, of which about this share of n-grams at most match."""
    generator = np.random.default_rng(seed)
    sys_len = generator.integers(0, longest + 1, segments)
    total = np.maximum(sys_len[:, np.newaxis] - np.arange(order), 0)
    most = (total * matched).astype(np.int64)
    correct = np.minimum.accumulate(generator.integers(0, most + 1), axis=1)
    return np.column_stack([sys_len, generator.integers(0, longest + 1, segments), correct, total])


def segment_rows(generator: random.Random, order: int, count: int) -> list[list[int]]:
    """Draw rows of segments and of corpora, and rows that only a caller can make."""
    rows = []
    for _ in range(count):
        sys_len = generator.choice([0, 1, 2, 3, 4, 5, 9, 30, 20_000, 3_000_000])
        total = [max(0, sys_len - n) for n in range(order)]
        if generator.random() < 0.2:
            total = [generator.choice([0, 1, 7]) for _ in range(order)]
        correct = [generator.choice([0, most, generator.randint(0, most)]) for most in total]
        ref_len = generator.choice(
            [0, sys_len, sys_len + 1, 2 * sys_len + 1, 40 * sys_len, generator.randint(0, 40)]
        )
        rows.append([sys_len, ref_len, *correct, *total])
    return rows
