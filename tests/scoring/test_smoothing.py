"""The smoothing methods: their values, and what each makes of a row of counts."""

from __future__ import annotations

from typing import Any

import pytest

from fastbleu.options import SMOOTH_DEFAULTS, check_smoothing
from fastbleu.scoring.smoothing import smoothed_precisions

CORRECT, TOTAL = [3, 1, 0, 0, 0], [5, 4, 3, 2, 0]


@pytest.mark.parametrize(
    ("method", "value", "resolved"),
    [
        ("none", None, None),
        ("exp", None, None),
        ("floor", None, 0.1),
        ("add-k", None, 1),
        ("floor", 0, 0),
        ("floor", 0.25, 0.25),
        ("add-k", 3, 3),
        # Ignored where the method takes no value.
        ("exp", 0.5, None),
        ("none", 1, None),
    ],
)
def test_values_are_resolved(method: str, value: float | None, resolved: float | None) -> None:
    assert check_smoothing(method, value) == resolved
    assert type(check_smoothing(method, value)) is type(resolved)


@pytest.mark.parametrize("method", ["", "Exp", "addk", "method1"])
def test_unknown_method_is_refused_and_the_known_ones_named(method: str) -> None:
    with pytest.raises(ValueError, match=f"unknown smooth_method {method!r}.* none, floor, add-k, exp"):
        check_smoothing(method, None)


@pytest.mark.parametrize("method", [None, 1, b"exp", ["exp"]])
def test_method_of_another_type_is_refused(method: Any) -> None:
    with pytest.raises(TypeError, match="smooth_method must be a str"):
        check_smoothing(method, None)


@pytest.mark.parametrize("method", SMOOTH_DEFAULTS)
@pytest.mark.parametrize("value", [-1, -0.1, float("nan"), float("inf"), float("-inf")])
def test_value_out_of_range_is_refused(method: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"smooth_value must be finite and not negative, got {value!r}"):
        check_smoothing(method, value)


@pytest.mark.parametrize("method", SMOOTH_DEFAULTS)
@pytest.mark.parametrize("value", [True, "0.1", 1j, [1]])
def test_value_of_another_type_is_refused(method: str, value: Any) -> None:
    with pytest.raises(TypeError, match="smooth_value must be an int or a float"):
        check_smoothing(method, value)


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


@pytest.mark.parametrize("method", SMOOTH_DEFAULTS)
def test_series_ends_at_the_first_order_without_candidates(method: str) -> None:
    value = SMOOTH_DEFAULTS[method]
    assert smoothed_precisions([0, 1], [0, 1], method, value) == ([0, 1], [0, 1], [0.0, 0.0], 0)


def test_defaults_are_the_documented_ones() -> None:
    assert SMOOTH_DEFAULTS == {
        "none": None,
        "floor": 0.1,
        "add-k": 1,
        "exp": None,
        "add-k-all": 1,
        "add-one": None,
        "add-one-above-first": None,
    }
