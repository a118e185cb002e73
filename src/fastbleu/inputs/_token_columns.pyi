from collections.abc import Hashable
from typing import Any

from ._column import IdColumn
from ._tokens import TokenTable

def collect_tokens(
    sources: list[Any],
    names: list[Any],
    complete: int,
    start: int,
    stop: int,
    first: int = 0,
    vocabulary: dict[Hashable, int] | None = None,
    frozen: bool = False,
    most_tokens: int = ...,
    table: TokenTable | None = None,
) -> tuple[list[IdColumn], int]: ...
