from collections.abc import Sequence
from typing import Any

from typing_extensions import Self

class FormulaHolder:
    def __new__(
        cls,
        smooth_method: str,
        smooth_value: float | None,
        effective_order: bool,
        max_ngram_order: int,
        weights: Sequence[float] | None,
    ) -> Self: ...

def score_rows(rows: Any, scores: Any, formula: FormulaHolder, exactly: bool = False) -> None: ...
