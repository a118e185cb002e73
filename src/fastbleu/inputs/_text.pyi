from collections.abc import Iterator
from typing import Any

from ._column import Column

class TextColumn(Column):
    def __getitem__(self, index: int, /) -> str | None: ...
    def __iter__(self) -> Iterator[str | None]: ...
    repeats: bool
    def lowered(self) -> TextColumn: ...

class ReadText(TextColumn): ...

def group_texts(columns: list[Any], groups: Any) -> int: ...
def use_instructions(level: int) -> None: ...
def text_column(
    strings: list[Any] | tuple[Any, ...],
    name: str = "column",
    lowercase: bool = False,
    may_be_absent: bool = False,
) -> TextColumn: ...
def collect(
    sources: list[Any],
    names: list[Any],
    start: int,
    stop: int,
    most_bytes: int,
    lowercase: bool,
    complete: int = 1,
) -> tuple[list[TextColumn], int]: ...
