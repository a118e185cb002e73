"""Counts to scores: one row against the oracle, many rows against one, always with ==."""

import itertools
import math
import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from fastbleu import BLEU
from fastbleu.options import SMOOTH_DEFAULTS, check_smoothing
from fastbleu.scoring._formula import CompiledFormula
from fastbleu.scoring.formula import Formula, compute_bleu
from fastbleu.scoring.smoothing import smoothed_precisions
from tests.support.oracle import fields
from tests.support.random_rows import segment_rows

SMOOTHING: list[tuple[str, float | None]] = [
    ("none", None),
    *(("exp", value) for value in (None, 0.5)),
    *(("floor", value) for value in (None, 0, 0.01)),
    *(("add-k", value) for value in (None, 0, 0.5, 3)),
]


def batch_scores(
    rows: Any, method: str, value: float | None, effective_order: bool, order: int, weights: Any = None
) -> Any:
    return Formula(order, method, value, effective_order, weights).score_rows(rows)


def test_arrays_and_tuples_count_as_lists() -> None:
    expected = fields(compute_bleu([4, 2, 1, 1], [5, 4, 3, 2], 5, 6))
    assert fields(compute_bleu((4, 2, 1, 1), (5, 4, 3, 2), 5, 6)) == expected
    for dtype in ("int64", "uint32", "float32", "float64"):
        correct, total = np.array([4, 2, 1, 1], dtype), np.array([5, 4, 3, 2], dtype)
        score = compute_bleu(correct, total, np.int64(5), np.int32(6))
        assert fields(score) == expected
        assert type(score.score) is type(score.precisions[0]) is float
        assert type(score.sys_len) is int


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([1] * 4, [1] * 5, 1, 1), ValueError, "total must hold max_ngram_order=4 counts, got 5"),
        (([1, 0, -1, 0], [1] * 4, 1, 1), ValueError, r"correct\[2\] must be finite and not negative, got -1"),
        (([1] * 4, [1, math.nan, 1, 1], 1, 1), ValueError, r"total\[1\] must be finite .* got nan"),
        (([1, True, 1, 1], [1] * 4, 1, 1), TypeError, r"correct\[1\] must be a number, not bool: True"),
        (([1, 2, 1, 1], [1] * 4, 1, 1), ValueError, r"correct\[1\] must not exceed total\[1\], got 2 and 1"),
        (([1] * 4, [1] * 4, -1, 1), ValueError, "sys_len must be at least 0, got -1"),
        (([1] * 4, [1] * 4, 1.0, 1), TypeError, "sys_len must be an int, not float: 1.0"),
        (([1] * 4, [1] * 4, 1, 1, "nist"), ValueError, "smooth_method 'nist' is unknown"),
        (([1] * 4, [1] * 4, 1, 1, "floor", -1), ValueError, "smooth_value must be finite and not negative"),
        (([], [], 1, 1, "none", None, False, 0), ValueError, "max_ngram_order must be at least 1, got 0"),
        (([1], [1], 1, 1, "none", None, False, True), TypeError, "max_ngram_order must be an int, not bool"),
    ],
)
def test_bad_arguments_are_refused(arguments: tuple[Any, ...], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        compute_bleu(*arguments)


@pytest.mark.parametrize("scale", [1, 1e-320, 1e-300, 1e299])
def test_weights(scale: float) -> None:
    """Weights are of any size, and an order of weight 0 may be without a match."""
    for weights in ((1, 1, 1, 1), (1, 0, 0, 0), (0.5, 0.5, 0, 0), (0, 0, 3, 1)):
        logs = [w * math.log(p) for p, w in zip((4 / 5, 2 / 4, 1 / 3, 1 / 2), weights, strict=True)]
        score = compute_bleu(
            [4, 2, 1, 1], [5, 4, 3, 2], 5, 5, weights=[weight * scale for weight in weights]
        ).score
        assert score == pytest.approx(100 * math.exp(sum(logs) / sum(weights)), rel=1e-9)
    assert compute_bleu([4, 0], [4, 3], 4, 4, max_ngram_order=2, weights=(1, 0)).score == pytest.approx(100)
    assert compute_bleu([4, 0], [4, 3], 4, 4, max_ngram_order=2, weights=(1, 1)).score == 0.0


def test_weights_are_renormalised_over_the_effective_orders() -> None:
    one, half = ([2, 1, 0, 0], [2, 1, 0, 0], 2, 2), ([2, 1, 0, 0], [4, 2, 0, 0], 4, 4)
    for row, method, weights, expected in (
        (one, "none", (3, 1, 1, 1), 100),
        (([1, 1, 0, 0], [2, 1, 0, 0], 2, 2), "none", (3, 1, 1, 1), 100 * 0.5**0.75),
        (one, "none", (0, 0, 0, 1), 0),  # nothing that is used has a weight
        (half, "none", (1e-320, 1e-320, 1.0, 0.0), 50),
        (half, "none", (5e-324, 5e-324, 0.0, 1e300), 50),
        (half, "exp", (0, 5e-324, 1, 1), 50),
    ):
        found = compute_bleu(*row, method, effective_order=True, weights=weights)
        assert found.score == pytest.approx(expected)


@pytest.mark.parametrize(
    ("weights", "kind", "words"),
    [
        ((1, 1, 1), ValueError, "weights must hold max_ngram_order=4 numbers, got 3"),
        ((1, 1, 1, math.nan), ValueError, r"weights\[3\] must be finite and not negative, got nan"),
        ((1, 1, -0.5, 1), ValueError, r"weights\[2\] must be finite and not negative, got -0.5"),
        ((0, 0, 0, 0), ValueError, "weights must not all be 0"),
        ((1, 1, "1", 1), TypeError, r"weights\[2\] must be a number, not str: '1'"),
        ("1111", TypeError, "weights must be a sequence of numbers, not str"),
        *(((weight, 1, 1, 1), ValueError, r"weights\[0\] must be") for weight in (1e301, 10**400)),
    ],
)
def test_bad_weights(weights: Any, kind: Any, words: str) -> None:
    with pytest.raises(kind, match=words):
        compute_bleu([4, 2, 1, 1], [5, 4, 3, 2], 5, 5, weights=weights)
    with pytest.raises(kind, match=words):
        BLEU(weights=weights)


def test_add_one_scores_without_any_match_but_not_without_tokens() -> None:
    found = compute_bleu([0, 0], [2, 1], 2, 2, "add-one", max_ngram_order=2)
    assert found.precisions == [100 / 3, 50.0]
    assert found.score == pytest.approx(100 * (1 / 6) ** 0.5)
    assert (found.counts, found.totals) == ([0, 0], [2, 1])
    assert compute_bleu([0, 0], [2, 1], 2, 2, "add-one-above-first", max_ngram_order=2).score == 0.0
    for method in ("add-one", "add-one-above-first"):
        assert compute_bleu([0, 0], [0, 0], 0, 0, method, max_ngram_order=2).score == 0.0
        assert compute_bleu([0, 0], [0, 0], 0, 3, method, max_ngram_order=2).score == 0.0


ALL_SMOOTHING: list[tuple[str, float | None]] = [
    *SMOOTHING,
    ("add-one", None),
    ("add-one-above-first", None),
    # As far as floats go.
    *(("add-k-all", value) for value in (0.01, 0, 5e-324)),
    *(("floor", value) for value in (5e-324, 1e-300, 1e300)),
    *(("add-k", value) for value in (5e-324, 1e-30, 10**200)),
]

# By what they are; each is cut to the order at hand.
WEIGHTS: list[tuple[float, ...] | None] = [
    None,
    (1.0,) * 12,
    (0.0, 0.5, 2.0, 0.0, 1.0, 0.1, 0.0, 3.0, 1.0, 0.0, 1.0, 0.0),
    (1.0, 0.3) + (0.0,) * 10,
    (5e-324, 1e-300, 1.0, 1e300, 0.0, 1e-160, 1e300, 1e-10, 5e-324, 1.0, 1.0, 7.0),
]


def any_rows(generator: random.Random, order: int, count: int) -> list[list[int]]:
    """Rows of counts of any size, with holes, far too short hypotheses, and orders in no sensible relation."""
    rows = []
    for _ in range(count):
        bits = generator.choice([3, 8, 16, 41, 62])
        sys_len, *total = (int(2 ** generator.uniform(0, bits)) for _ in range(order + 1))
        total = [generator.choice([0, most, most, most, most, most]) for most in total]
        correct = [generator.choice([0, most, generator.randint(0, most)]) for most in total]
        sys_len = generator.choice([0, sys_len, sys_len, sys_len])
        ref_len = int(
            sys_len * generator.choice([0.5, 1.01, generator.uniform(1, 4), generator.uniform(1, 800)])
        )
        rows.append([sys_len, min(ref_len, 2**62), *correct, *total])
    return rows


def assert_same(scores: Any, rows: list[list[int]], *options: Any, weights: Any = None) -> None:
    """The scores are those of the scalar formula: the same floats, as long as floats hold all counts exactly."""
    order = options[3]
    for score, row in zip(scores.tolist(), rows, strict=True):
        expected = compute_bleu(
            row[2 : 2 + order], row[2 + order :], row[0], row[1], *options, weights=weights
        ).score
        same = score == expected or (math.isnan(score) and math.isnan(expected))
        close = max(row) > 2**53 and score == pytest.approx(expected, rel=1e-12, abs=1e-300)
        assert same or close, (score, expected, row, options, weights)


@pytest.mark.parametrize(("method", "value"), ALL_SMOOTHING)
@pytest.mark.parametrize("effective_order", [False, True])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_batch_equals_the_scalar_formula(
    method: str, value: float | None, effective_order: bool, weights: tuple[float, ...] | None
) -> None:
    for order in (1, 2, 4, 9, 12):
        generator = random.Random(f"{order} {method} {value}")
        weighted = None if weights is None else weights[:order]
        if weighted is not None and not any(weighted):
            continue
        options = (method, check_smoothing(method, value), effective_order, order)
        rows = segment_rows(generator, order, 20) + any_rows(generator, order, 20)
        array = np.array(rows)
        with np.errstate(all="raise"):  # a caller may have said so: a tiny score is not an error
            scores = batch_scores(array, *options, weighted)
            assert scores.dtype == np.float64
            assert array.tolist() == rows
            assert_same(scores, rows, *options, weights=weighted)
            # Sums of resamples: whole numbers that floats hold.
            sums = np.array([[count & (2**53 - 1) for count in row] for row in rows], dtype=np.float64)
            sums[:, 2 : 2 + order] = np.minimum(sums[:, 2 : 2 + order], sums[:, 2 + order :])
            scores = batch_scores(sums, *options, weighted)
        assert_same(scores, sums.astype(int).tolist(), *options, weights=weighted)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "order"),
    [*itertools.product(SMOOTH_DEFAULTS, (30, 1023, 1024, 1100, 5000)), ("exp", 65_536)],
)
def test_batch_of_many_orders(method: str, order: int) -> None:
    rows = []
    for length in (order - 7, 2 * order):
        total = [max(0, length - n) for n in range(order)]
        for live in (order // 90, order):  # 2^1024 halvings leave nothing
            correct = [count * 2 // 3 if n < live else 0 for n, count in enumerate(total)]
            rows.append([length, length + length // 9, *correct, *total])
    for effective_order in (False, True):
        options = (method, SMOOTH_DEFAULTS[method], effective_order, order)
        for weights in (None, tuple(1.0 + n % 3 for n in range(order))):
            assert_same(batch_scores(np.array(rows), *options, weights), rows, *options, weights=weights)


@pytest.mark.parametrize(
    ("row", "value", "weights"),
    [
        # A penalty that is 0, though it would not be in one exponential with so large a mean.
        ([1, 762, 1206, 0, 0, 1206, 1206, 1206], 1e300, None),
        # A product that loses digits on its way, and comes back.
        ([300, 300, 300, 0, 1, *[300] * 21, *[300] * 24], 1.5e-321, None),
        # Infinity.
        *(([4, 4, 3, *[0] * 11, 4, *[3] * 11], 1e308, weights) for weights in (None, WEIGHTS[1], WEIGHTS[2])),
    ],
)
def test_batch_of_values_at_the_limits_of_floats(row: list[int], value: float, weights: Any) -> None:
    options = ("floor", value, False, len(row) // 2 - 1)
    assert_same(batch_scores(np.array([row]), *options, weights), [row], *options, weights=weights)


def test_batch_of_any_array() -> None:
    rows = np.array([row for row in segment_rows(random.Random(5), 4, 500) if max(row) < 100])
    expected = batch_scores(rows, "exp", None, True, 4)
    assert expected.any()
    wide = np.zeros((len(rows), 23), dtype=np.int64)
    wide[:, 2:22:2] = rows
    misaligned = np.frombuffer(b"?" + rows.tobytes(), dtype=np.int8)[1:].view(np.int64).reshape(rows.shape)
    read_only = rows.copy()
    read_only.flags.writeable = False
    arrays = [
        rows.astype(dtype) for dtype in (*"bBhHiIlLqQfdg", ">i2", ">i8", ">u8", ">f8", "float16", "object")
    ]
    arrays += [np.asfortranarray(rows), rows[::-1][::-1], wide[:, 2:22:2], misaligned, read_only]
    for array in arrays:
        assert batch_scores(array, "exp", None, True, 4).tolist() == expected.tolist()
    for part in (slice(None, None, -3), slice(0), slice(17, 18)):
        assert batch_scores(rows[part], "exp", None, True, 4).tolist() == expected[part].tolist()


def test_rows_may_change_while_they_are_scored() -> None:
    full = np.array([[5, 5, 4, 2, 1, 1, 5, 4, 3, 2]] * 50_000)
    rows, scores = full.copy(), np.empty(len(full))
    formula = CompiledFormula(4, "exp", None, True, None)
    with ThreadPoolExecutor(1) as pool:
        for _ in range(20):
            under_way = pool.submit(formula.score_rows, rows, scores)
            rows[:] = 0
            rows[:] = full
            under_way.result()
    formula.score_rows(rows, scores)
    assert set(scores.tolist()) == set(batch_scores(full[:1], "exp", None, True, 4).tolist())


def test_bad_arrays_are_refused() -> None:
    formula = CompiledFormula(4, "exp", None, True, None)
    rows, scores = np.zeros((3, 10), dtype=np.int64), np.empty(3)
    swapped = np.dtype("f8").newbyteorder()
    for bad, out, message in (
        (rows[:2], scores, r"rows must have the shape \[3, 10\], not \[2, 10\]"),
        (rows[0], scores, "rows must be int64 with 2 dimensions, not '[lq]' with 1"),
        (
            rows.astype(swapped),
            scores,
            "rows must be float64 with 2 dimensions, not '[<>]d' with 2",
        ),
        (np.asfortranarray(rows), scores, "contiguous"),
        (rows, scores.astype("float32"), "scores must be float64 with 1 dimensions, not 'f' with 1"),
        (rows, scores[::-1], "contiguous"),
        (rows, np.broadcast_to(scores[:1], 3), r"contiguous|read-only"),
    ):
        with pytest.raises(ValueError, match=message):
            formula.score_rows(bad, out)
    with pytest.raises(TypeError):
        formula.score_rows(rows.tolist(), scores)
    for bad in (rows[0], rows[:, :8]):
        with pytest.raises(ValueError, match="rows must"):
            batch_scores(bad, "exp", None, True, 4)


CORRECT, TOTAL = [3, 1, 0, 0, 0], [5, 4, 3, 2, 0]


def test_values_are_resolved() -> None:
    given = (("exp", None), ("floor", None), ("add-k", None), ("floor", 0), ("exp", 0.5))
    resolved = [check_smoothing(method, value) for method, value in given]
    assert (resolved, list(map(type, resolved))[1:4]) == ([None, 0.1, 1, 0, None], [float, int, int])


@pytest.mark.parametrize(
    ("method", "value", "precisions"),
    [
        ("none", None, [60.0, 25.0, 0.0, 0.0, 0.0]),
        ("floor", 0.1, [60.0, 25.0, 100.0 * 0.1 / 3, 5.0, 0.0]),
        ("exp", None, [60.0, 25.0, 100.0 / 6, 12.5, 0.0]),
        # An order without candidates has those that were added.
        ("add-k", 1, [60.0, 40.0, 25.0, 100.0 / 3, 100.0]),
        ("add-k", 0, [60.0, 25.0, 0.0, 0.0, 0.0]),
        ("add-k-all", 1, [400 / 6, 40.0, 25.0, 100.0 / 3, 100.0]),
        ("add-one", None, [400 / 6, 40.0, 25.0, 100.0 / 3, 100.0]),
        ("add-one-above-first", None, [60.0, 40.0, 25.0, 100.0 / 3, 100.0]),
    ],
)
def test_precisions(method: str, value: float | None, precisions: list[float]) -> None:
    correct, total, found, orders = smoothed_precisions(CORRECT, TOTAL, method, value)
    assert found == precisions
    assert orders == (5 if method == "add-k" and value else 4)
    added = value or 0 if method == "add-k" else 0
    assert correct == [3, *(count + added for count in CORRECT[1:])]
    assert total == [5, *(count + added for count in TOTAL[1:])]
    assert (CORRECT, TOTAL) == ([3, 1, 0, 0, 0], [5, 4, 3, 2, 0])


@pytest.mark.parametrize(
    ("method", "value", "error", "message"),
    [
        ("Exp", None, ValueError, "smooth_method 'Exp' is unknown.* none, floor, add-k, exp"),
        (b"exp", None, TypeError, "smooth_method must be a str"),
        *(
            (method, value, ValueError, f"smooth_value must be finite and not negative, got {value!r}")
            for method in SMOOTH_DEFAULTS
            for value in (-0.1, float("nan"), float("inf"))
        ),
        *(("floor", value, TypeError, "smooth_value must be a number") for value in (True, "0.1", 1j, [1])),
    ],
)
def test_bad_smoothing_is_refused(method: Any, value: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        check_smoothing(method, value)
