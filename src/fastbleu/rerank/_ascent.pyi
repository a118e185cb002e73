from typing import Any

from ..scoring._formula import CompiledFormula

def ascend(rows: Any, bounds: Any, chosen: Any, formula: CompiledFormula) -> int: ...
