"""Sums over chosen segments: exact, whatever the blocks and the type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fastbleu.scoring.significance import masked_sums
from fastbleu.scoring.significance._masked_sums import add_masked_sums
from fastbleu.scoring.significance.masked_sums import MaskedSums
from tests.support.random_rows import random_rows


@pytest.mark.parametrize("segments", [1, 2, 33, 500])
@pytest.mark.parametrize("order", [1, 2, 4, 6])
@pytest.mark.parametrize("block", [1 << 12, 32])
@pytest.mark.parametrize("factor", [1, 1 << 16, 1 << 38])
def test_sums_are_exact(
    monkeypatch: pytest.MonkeyPatch, segments: int, order: int, block: int, factor: int
) -> None:
    monkeypatch.setattr(masked_sums, "_BLOCK_SEGMENTS", block)
    rows: list[Any] = [random_rows(segments, k, order) * factor for k in range(3)]
    rows.append(rows[0].astype(np.uint64))
    masks = np.random.default_rng(1).integers(2, size=(40, segments), dtype=np.uint8)
    bits = np.packbits(masks, bitorder="little")
    found = MaskedSums(rows)(bits, 40)
    expected = np.concatenate([(masks.astype(np.int64) @ each.astype(np.int64)).T for each in rows])
    assert found.dtype == float
    assert (found == expected).all()


@pytest.mark.parametrize("level", [0, 99])
@pytest.mark.parametrize("width", [1, 16, 35])
def test_any_vectors_and_any_bits(level: int, width: int) -> None:
    """Masks that lie at any bit, and columns to which the one before is added."""
    generator = np.random.default_rng(width)
    table = np.ascontiguousarray(generator.integers(-50, 50, (64, width)), dtype=np.float32)
    masks = 700
    for first, stride in [(0, 64), (3, 64), (13, 71), (5, 0), (7, 1)]:
        bits = generator.integers(256, size=(first + masks * stride + 64 + 64) // 8 + 1, dtype=np.uint8)
        places = generator.integers(0, width, 9)
        places[[4, 5, 8]] = ~places[[4, 5, 8]]
        out = generator.integers(0, 9, (9, masks)).astype(float)
        before = out.copy()
        add_masked_sums(table, width, bits, first, stride, places, out, level)
        unpacked = np.unpackbits(bits, bitorder="little")
        chosen = np.array([unpacked[first + m * stride : first + m * stride + 64] for m in range(masks)])
        sums = chosen.astype(np.int64) @ table.astype(np.int64)
        column = np.zeros(masks, dtype=np.int64)
        for k, place in enumerate(places.tolist()):
            column = sums[:, place] if place >= 0 else column + sums[:, ~place]
            assert (out[k] - before[k] == column).all()
