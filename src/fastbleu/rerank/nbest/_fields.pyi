from array import array
from typing import Any

from ...inputs._text import TextColumn

FINE: int
NOT_UTF8: int
FEW_FIELDS: int
NO_NUMBER: int
NOT_FINITE: int
TOO_LONG: int

def id_of(lines: TextColumn, i: int) -> int: ...
def group_by_id(
    lines: TextColumn, expected: int, at_end: bool, skip_bad: bool
) -> tuple[int, array[int], array[int], array[int], int, tuple[int, int, int] | None]: ...
def parse_fields(
    lines: TextColumn, text_field: int, score_field: int
) -> tuple[TextColumn, array[float] | None, bytearray | None]: ...
def join_lines(
    column: TextColumn,
    chosen: Any,
    scores: Any,
    separator: bytes,
    decimals: int,
    numbers: tuple[tuple[bytes, Any], ...] = (),
) -> bytes: ...
