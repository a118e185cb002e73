from typing import Any

from ..errors import Place

class TokenTable:
    @property
    def probes(self) -> int: ...

def as_sequence(tokens: Any, name: str | Place, i: int = -1) -> list[Any] | tuple[Any, ...]: ...
