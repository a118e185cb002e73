from typing import Any

from ..inputs._column import Column
from ..scoring._formula import CompiledFormula
from ..scoring.nltk._formula import CompiledNLTKFormula

def score_pairs(
    hypotheses: Column,
    references: Column | None,
    tokenizer: int,
    formula: CompiledFormula | CompiledNLTKFormula | tuple[int, int, float, bool],
    scores: Any,
    first: int = -1,
) -> int: ...
