from collections.abc import Sequence
from typing import Any

from typing_extensions import Self

class CompiledFormula:
    def __new__(
        cls,
        max_ngram_order: int,
        smooth_method: str,
        smooth_value: float | None,
        effective_order: bool,
        weights: Sequence[float] | None,
        single: int = ...,
    ) -> Self: ...
    def score(self, kind: type, row: list[int]) -> Any: ...
    def score_one(self, row: list[int]) -> tuple[float, list[int], list[int], list[float], float] | None: ...
    def score_rows(self, rows: Any, scores: Any) -> None: ...

def score_chrf_rows(rows: Any, factor: float, eps_smoothing: bool, scores: Any) -> None: ...
def score_chrf_row(row: list[int], factor: float, eps_smoothing: bool) -> float: ...
