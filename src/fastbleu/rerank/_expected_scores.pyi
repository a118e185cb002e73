from typing import Any

from ..inputs._column import Column
from ..scoring._formula import CompiledFormula
from ..scoring.nltk._formula import CompiledNLTKFormula

def expect_scores(
    candidates: Column,
    bounds: Any,
    evidence: Column | None,
    evidence_bounds: Any,
    weights: Any,
    exclude_self: bool,
    tokenizer: int,
    formula: CompiledFormula | CompiledNLTKFormula | tuple[int, int, float, bool],
    scores: Any,
    aggregate: bool = False,
) -> tuple[int, int]: ...
