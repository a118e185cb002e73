from array import array
from typing import Any

from ..errors import Place
from ._column import IdColumn
from ._id_rules import IdRule

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
def gather(
    rows: list[Any], name: Place, start: int
) -> tuple[bytearray, tuple[array[int], array[int], int], bytearray | None]: ...
