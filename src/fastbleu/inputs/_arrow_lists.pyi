from array import array
from typing import Any

from ..errors import Place
from ._arrow import Node
from ._column import IdColumn

class TokenNumbers: ...

class ArrowIntegers:
    def __init__(self, rows: list[Node], name: str | Place) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> int | None: ...

def split_lists(
    rows: list[Node], name: str | Place
) -> tuple[array[int], array[int], bytearray | None, list[Node]]: ...
def number_tokens(
    sources: list[Any],
    names: list[Any],
    complete: int,
    start: int,
    stop: int,
    most_tokens: int,
) -> tuple[list[IdColumn], int]: ...
