from typing import Any

ROWS: int

def add_masked_sums(
    table: Any,
    width: int,
    bits: Any,
    first: int,
    stride: int,
    places: Any,
    out: Any,
    level: int = ...,
) -> None: ...
