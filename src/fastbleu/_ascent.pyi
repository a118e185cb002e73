from typing import Any

from ._score import FormulaHolder

def ascend(rows: Any, bounds: Any, chosen: Any, formula: FormulaHolder) -> int: ...
