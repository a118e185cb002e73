from typing import Any

from ..counting._counter import NgramCounter
from ..counting._reference_index import ReferenceIndex
from ..inputs._column import Column
from ._formula import CompiledFormula

def score_prefixes(
    counter: NgramCounter,
    formula: CompiledFormula,
    hypotheses: Column,
    references: list[Any] | ReferenceIndex,
    numbers: Any = None,
    first: int = 0,
    samples: int = 1,
) -> tuple[bytes, bytes]: ...
