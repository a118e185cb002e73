from typing import Any

from ..errors import Place
from ._column import IdColumn
from ._id_array import IdArray
from ._id_rules import IdRule

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
