from collections.abc import Hashable, Iterable
from typing import Any

from ..errors import Place
from ._column import IdColumn

class TokenTable:
    @property
    def probes(self) -> int: ...

def as_sequence(tokens: Any, name: str | Place, i: int = -1) -> list[Any] | tuple[Any, ...]: ...
def types_of(values: Iterable[Any]) -> set[type]: ...
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
