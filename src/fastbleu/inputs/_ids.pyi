from typing import Any

from typing_extensions import Self

from ..errors import Place
from ._column import IdColumn

def use_instructions(level: int) -> None: ...

class IdRule:
    def __new__(
        cls,
        pad_id: int | tuple[int, ...] | None,
        eos_id: int | tuple[int, ...] | None,
        ignore_id: int | None,
        unk_id: int | None,
        vocabulary_size: int | None,
    ) -> Self: ...

class IdArray:
    def __new__(cls, array: Any, name: str | Place) -> Self: ...
    def is_of(self, array: object) -> bool: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    def repeated_end(self) -> int | None: ...

def read_matrix(
    array: IdArray,
    rule: IdRule,
    lengths: Any,
    start: int,
    stop: int,
    is_reference: bool,
    name: str | Place,
    kept: Any = None,
) -> list[IdColumn]: ...
def read_rows(
    rows: list[Any],
    rule: IdRule,
    lengths: Any,
    first: int,
    is_reference: bool,
    name: str | Place,
) -> list[IdColumn]: ...
def read_lists(
    integers: Any,
    starts: Any,
    ends: Any,
    absent: Any,
    rule: IdRule,
    lengths: Any,
    start: int,
    stop: int,
    is_reference: bool,
    name: str | Place,
) -> list[IdColumn]: ...
