from typing import Any

from typing_extensions import Self

from .._formula import CompiledFormula

class Trials:
    def __new__(cls, totals: Any, pairs: Any, formula: CompiledFormula, level: int = ...) -> Self: ...
    def count(self, sums: Any, counts: Any) -> None: ...
