from typing import Any

from typing_extensions import Self

from ._columns import Column
from ._score import FormulaHolder

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
