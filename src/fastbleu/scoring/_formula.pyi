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
    ) -> Self: ...

def score_rows(rows: Any, scores: Any, formula: CompiledFormula) -> None: ...
