from collections.abc import Callable
from typing import Any

def plain_texts(texts: list[Any], rewrite: Callable[[Any], str]) -> list[str]: ...
def single_pairs(
    references: dict[Any, Any], predictions: dict[Any, Any], rewrite: Callable[[Any], str]
) -> tuple[list[str], list[str]] | None: ...
