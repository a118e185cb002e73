from typing import Any

from typing_extensions import Self

from ..errors import Place
from ._column import IdColumn

def use_instructions(level: int) -> None: ...

class IdRule:
    def __new__(
        cls,
        pads: tuple[int, ...],
        ends: tuple[int, ...],
        ignore_id: int | None,
        unk_id: int | None,
        vocabulary_size: int | None,
    ) -> Self: ...

def read_rows(
    ids: Any,
    is_ours: bool,
    rule: IdRule,
    lengths: Any,
    start: int,
    is_reference: bool,
    name: Place,
    source: Any,
    bounds: tuple[Any, Any, int] | None = None,
    absent: Any = None,
    kept: Any = None,
) -> list[IdColumn] | None: ...
def repeated_end(ids: Any) -> int | None: ...
