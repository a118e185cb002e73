from typing import Any

from typing_extensions import Self

from ..inputs._column import Column
from ..scoring._formula import CompiledFormula

class PairsHolder:
    def __new__(cls, formula: CompiledFormula) -> Self: ...

def score_pairs(
    hypotheses: Column, references: Column | None, tokenizer: int, formula: CompiledFormula, scores: Any
) -> None: ...
def expect_scores(
    candidates: Column,
    bounds: Any,
    evidence: Column | None,
    evidence_bounds: Any,
    weights: Any,
    exclude_self: bool,
    tokenizer: int,
    formula: CompiledFormula,
    scores: Any,
) -> None: ...
