"""A small corpus in torchmetrics' form, and what a metric counts in it.

Importing this module needs torch; the tests that use it say so with `pytest.importorskip` first.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch

#: A metric's counts.
STATES = ("preds_len", "target_len", "numerator", "denominator")

P = ["The cat is on the mat.", "It rained all day long", ""]
T = [["There is a cat on the mat.", "A cat is on the mat."], ["It rained all night long"], ["Rain?", ""]]
# 13a: lengths 7 + 5 + 0; closest references 7 (of 8 and 7), 5 and 0.
ROW = [12, 12, 6 + 4, 5 + 2, 4 + 1, 3 + 0, 7 + 5, 6 + 4, 5 + 3, 4 + 2]
SCORE = (10 / 12 * 7 / 10 * 5 / 8 * 3 / 6) ** 0.25
SMOOTHED = (10 / 12 * 8 / 11 * 6 / 9 * 4 / 7) ** 0.25


def row_of(metric: Any) -> list[int]:
    """A metric's counts, in the order of a row of statistics."""
    for name in STATES:
        assert getattr(metric, name).dtype == torch.int64, name
        assert metric._defaults[name].dtype == torch.int64, name
    lengths = [metric.preds_len.item(), metric.target_len.item()]
    return [*lengths, *metric.numerator.tolist(), *metric.denominator.tolist()]


def updated(metric: Any) -> Any:
    metric.update(P, T)
    return metric


def near(value: float) -> Any:
    return pytest.approx(value, rel=1e-6, abs=0)
