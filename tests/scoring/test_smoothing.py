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
        ("exp", None, None),
        ("floor", None, 0.1),
        ("add-k", None, 1),
        ("floor", 0, 0),
        ("exp", 0.5, None),  # ignored
    ],
)
def test_values_are_resolved(method: str, value: float | None, resolved: float | None) -> None:
    assert check_smoothing(method, value) == resolved
    assert type(check_smoothing(method, value)) is type(resolved)


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
        ("Exp", None, ValueError, "unknown smooth_method 'Exp'.* none, floor, add-k, exp"),
        (b"exp", None, TypeError, "smooth_method must be a str"),
        *(
            (method, value, ValueError, f"smooth_value must be finite and not negative, got {value!r}")
            for method in SMOOTH_DEFAULTS
            for value in (-0.1, float("nan"), float("inf"))
        ),
        *(
            ("floor", value, TypeError, "smooth_value must be an int or a float")
            for value in (True, "0.1", 1j, [1])
        ),
    ],
)
def test_bad_arguments_are_refused(method: Any, value: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        check_smoothing(method, value)
