from collections.abc import Iterable, Mapping
from typing import Any

def weighted_tokens(
    counts: dict[Any, int], reference: Iterable[Any], weights: Mapping[Any, Any]
) -> tuple[Any, Any]: ...
