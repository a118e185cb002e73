from typing_extensions import Self

from ..scoring._formula import CompiledFormula
from ..scoring._nltk_formula import CompiledNLTKFormula

class NoTrigramError(ValueError):
    hypothesis: int
    reference: int
    pool: int
    def __init__(self, hypothesis: int, reference: int, pool: int = 0) -> None: ...

class PairsHolder:
    def __new__(cls, formula: CompiledFormula | CompiledNLTKFormula) -> Self: ...
