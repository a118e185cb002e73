"""Scores of many rows under options that are given one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastbleu.scoring.formula import Formula

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray


def batch_scores(
    rows: NDArray[Any],
    smooth_method: str,
    smooth_value: float | None,
    effective_order: bool,
    max_ngram_order: int,
    weights: tuple[float, ...] | None = None,
) -> NDArray[float64]:
    """`Formula.score_rows`, float64 [rows]."""
    return Formula(max_ngram_order, smooth_method, smooth_value, effective_order, weights).score_rows(rows)
