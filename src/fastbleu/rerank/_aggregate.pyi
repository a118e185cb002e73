from typing import Any

from typing_extensions import Self

from ..inputs._column import Column
from ..scoring._formula import CompiledFormula

class AggregateHolder:
    def __new__(cls, formula: CompiledFormula) -> Self: ...

def expect_aggregate(
    candidates: Column,
    bounds: Any,
    evidence: Column | None,
    evidence_bounds: Any,
    weights: Any,
    tokenizer: int,
    formula: CompiledFormula,
    scores: Any,
) -> None: ...
