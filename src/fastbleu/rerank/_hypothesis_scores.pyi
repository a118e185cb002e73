from typing_extensions import Self

from ..scoring._formula import CompiledFormula
from ..scoring.nltk._formula import CompiledNLTKFormula

class NoTrigramError(ValueError): ...

class PairsHolder:
    def __new__(
        cls, formula: CompiledFormula | CompiledNLTKFormula | tuple[int, int, float, bool]
    ) -> Self: ...
