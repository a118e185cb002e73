"""Sums over chosen segments and trials of a randomization, on vectors of any width, beside plain integers."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from fastbleu.scoring.formula import Formula
from fastbleu.scoring.significance._masked_sums import ROWS, add_masked_sums
from fastbleu.scoring.significance._trials import Trials
from fastbleu.scoring.significance.masked_sums import MaskedSums
from tests.support import oracle
from tests.support.fuzzed_data import FuzzedData

_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"smooth_method": "none"},
    {"smooth_method": "floor", "smooth_value": 0.4},
    {"smooth_method": "add-k", "smooth_value": 0.7},
    {"smooth_method": "add-k", "smooth_value": 40.0},
    {"effective_order": True},
)
#: Plain code, vectors that every processor has, and all that this one has.
_LEVELS = (-1, 0, 99)


def check(data: bytes) -> None:
    """Tries one of the two kernels, or what stands above one."""
    fuzzed = FuzzedData(data)
    fuzzed.choice((_check_trials, _check_masked, _check_kernel))(fuzzed)


def _row(fuzzed: FuzzedData, order: int) -> list[int]:
    """A row as counting might give it, or one that no text has."""
    if fuzzed.byte() > 240:
        return [fuzzed.integer(0, 1 << 40) for _ in range(2 + 2 * order)]
    length = fuzzed.byte() % 40
    totals = [max(0, length - n) for n in range(order)]
    correct = [fuzzed.byte() % (total + 1) for total in totals]
    return [length, max(0, length + fuzzed.byte() % 9 - 4), *correct, *totals]


def _systems(fuzzed: FuzzedData, order: int) -> list[list[list[int]]]:
    """The rows of a few systems; some systems share theirs."""
    segments = fuzzed.integer(1, 6)
    found: list[list[list[int]]] = []
    for _ in range(fuzzed.integer(2, 4)):
        shared = found and fuzzed.byte() % 4 == 0
        found.append(list(found[0]) if shared else [_row(fuzzed, order) for _ in range(segments)])
    return found


def _masks(fuzzed: FuzzedData, segments: int) -> list[list[int]]:
    """Choices of segments: none, all, and some; many of them now and then."""
    chosen = [[byte >> i & 1 for i in range(segments)] for byte in fuzzed.raw(12)]
    return [[0] * segments, [1] * segments, *chosen] * (30 if fuzzed.byte() > 240 else 1)


def _summed(rows: list[list[int]], mask: list[int]) -> list[int]:
    return [
        sum(row[k] for row, chosen in zip(rows, mask, strict=True) if chosen) for k in range(len(rows[0]))
    ]


def _check_trials(fuzzed: FuzzedData) -> None:
    """Return how many trials differ by more, counted by scores of the oracle."""
    order, options = fuzzed.integer(1, 5), fuzzed.choice(_OPTIONS)
    formula, systems = Formula(order, **options), _systems(fuzzed, order)
    masks = _masks(fuzzed, len(systems[0]))
    totals = [oracle.add_up(rows) for rows in systems]
    sums = [[_summed(rows, mask) for mask in masks] for rows in systems]
    given = np.array(sums, dtype=float).transpose(0, 2, 1).reshape(-1, len(masks))
    pairs = list(combinations(range(len(systems)), 2))

    def difference(one: list[int], other: list[int]) -> float:
        return abs(oracle.score(one, **options).score - oracle.score(other, **options).score)

    wanted = []
    for i, j in pairs:
        number = 0
        for ours, others in zip(sums[i], sums[j], strict=True):
            moved = [a - b for a, b in zip(ours, others, strict=True)]
            first = [total + x for total, x in zip(totals[j], moved, strict=True)]
            second = [total - x for total, x in zip(totals[i], moved, strict=True)]
            number += difference(first, second) > difference(totals[i], totals[j])
        wanted.append(number)
    for level in _LEVELS:
        found = np.zeros(len(pairs), dtype=np.int64)
        Trials(np.array(totals), np.array(pairs), formula.compiled, level).count(
            np.ascontiguousarray(given), found
        )
        assert found.tolist() == wanted, level


def _check_masked(fuzzed: FuzzedData) -> None:
    """Sums of rows, the bits of the choices one after the other."""
    systems = _systems(fuzzed, fuzzed.integer(1, 6))
    masks = _masks(fuzzed, len(systems[0]))
    bits = np.packbits(np.array(masks, dtype=np.uint8), bitorder="little")
    dtype = fuzzed.choice((np.int64, np.uint64))
    found = MaskedSums([np.array(rows, dtype=dtype) for rows in systems])(bits, len(masks))
    wanted = [
        [_summed(rows, mask)[k] for mask in masks] for rows in systems for k in range(len(systems[0][0]))
    ]
    assert found.tolist() == wanted


def _check_kernel(fuzzed: FuzzedData) -> None:
    """Any table, bits that lie anywhere, columns to which others are added; an error exactly where bits are missing."""
    width, rows = fuzzed.integer(1, 40), ROWS * fuzzed.integer(1, 2)
    first, stride = fuzzed.integer(0, 80), fuzzed.integer(0, 80)
    masks = fuzzed.integer(0, 20) * (60 if fuzzed.byte() > 240 else 1)
    needed = first + (masks - 1) * stride + rows + 64
    content = np.frombuffer(fuzzed.raw_of(64) + b"\1", dtype=np.int8)
    table = np.resize(content, (rows, width)).astype(np.float32)
    size = max(0, (needed + 7) // 8 + fuzzed.byte() % 4 - 1)
    bits = np.resize(np.frombuffer(fuzzed.raw_of(40) + b"\x5a", dtype=np.uint8), size).tobytes()
    places = [fuzzed.integer(0, width - 1) for _ in range(fuzzed.integer(1, 9))]
    # The first one has none before it.
    places = [places[0], *(~place if fuzzed.flag() else place for place in places[1:])]
    for level in _LEVELS[1:]:
        out = np.ones((len(places), masks))
        try:
            add_masked_sums(table, width, bits, first, stride, np.array(places), out, level)
        except ValueError:
            assert masks
            assert needed > 8 * len(bits)
            continue
        assert not masks or needed <= 8 * len(bits)
        unpacked = np.unpackbits(np.frombuffer(bits, dtype=np.uint8), bitorder="little").astype(np.int64)
        column = np.zeros(masks)
        for place, found in zip(places, out, strict=True):
            sums = [
                float(unpacked[first + m * stride :][:rows] @ table[:, max(place, ~place)].astype(np.int64))
                for m in range(masks)
            ]
            column = np.array(sums) + (column if place < 0 else 0)
            assert found.tolist() == (1 + column).tolist(), level
