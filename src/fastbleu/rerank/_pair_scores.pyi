from typing import Any

from ..inputs._column import Column
from ..scoring._formula import CompiledFormula
from ..scoring.nltk._formula import CompiledNLTKFormula

def score_pairs(
    hypotheses: Column,
    references: Column | None,
    tokenizer: int,
    formula: CompiledFormula | CompiledNLTKFormula,
    scores: Any,
    first: int = -1,
) -> int: ...
def mirror(scores: Any) -> None: ...
def expect_scores(
    candidates: Column,
    bounds: Any,
    evidence: Column | None,
    evidence_bounds: Any,
    weights: Any,
    exclude_self: bool,
    tokenizer: int,
    formula: CompiledFormula | CompiledNLTKFormula,
    scores: Any,
) -> int: ...
