from typing import Any

from ..errors import Place
from ._text import TextColumn

class TextArray: ...
class ReadPart: ...
class LatestPart: ...

class PartedText(TextColumn):
    def take(self, segments: Any) -> TextColumn: ...  # type: ignore[override]  # it is copied, not sliced

class ArrowText(PartedText):
    def __init__(self, rows: list[Any], name: str | Place) -> None: ...
    def take(self, segments: Any) -> TextColumn: ...  # type: ignore[override]  # it is copied, not sliced

class StreamText(PartedText):
    def __init__(
        self, flat: TextColumn, starts: Any, ends: Any, k: int, latest: LatestPart, name: str | Place
    ) -> None: ...
    @property
    def shares_parts(self) -> bool: ...

def streams_of(
    flat: TextColumn, starts: Any, ends: Any, number: int, name: str | Place
) -> list[StreamText]: ...
