from typing import Any

from ..errors import Place
from ._column import IdColumn
from ._id_array import IdArray
from ._id_rules import IdRule
from .arrow import ArrowLists

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
    rows: list[Any] | ArrowLists,
    rule: IdRule,
    lengths: Any,
    start: int,
    stop: int,
    is_reference: bool,
    name: str | Place,
) -> list[IdColumn]: ...
