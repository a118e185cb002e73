from typing import Any

from ._column import IdColumn

class TokenNumbers: ...

def number_tokens(
    sources: list[Any],
    names: list[Any],
    complete: int,
    start: int,
    stop: int,
    most_tokens: int,
) -> tuple[list[IdColumn], int]: ...
