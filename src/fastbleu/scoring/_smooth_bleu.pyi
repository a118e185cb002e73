from collections.abc import Callable
from typing import Any

def sum_scores(rows: Any, smooth: bool = True) -> list[float]: ...
def single_pairs(
    references: dict[Any, Any], predictions: dict[Any, Any], rewrite: Callable[[Any], str]
) -> tuple[list[str], list[str]] | None: ...
