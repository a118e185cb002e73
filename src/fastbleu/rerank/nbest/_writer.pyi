from typing import Any

from ...inputs._text import TextColumn

def join_lines(
    column: TextColumn,
    chosen: Any,
    scores: Any,
    separator: bytes,
    decimals: int,
    numbers: tuple[tuple[bytes, Any], ...] = (),
) -> bytes: ...
