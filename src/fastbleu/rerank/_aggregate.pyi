from typing import Any

from typing_extensions import Self

from ..inputs._column import Column
from ..scoring._formula import FormulaHolder

class AggregateHolder:
    def __new__(cls, formula: FormulaHolder) -> Self: ...

def expect_aggregate(
    candidates: Column,
    bounds: Any,
    evidence: Column | None,
    evidence_bounds: Any,
    weights: Any,
    tokenizer: int,
    formula: FormulaHolder,
    scores: Any,
) -> None: ...
