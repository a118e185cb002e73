from array import array
from typing import Any

from ..errors import Place

def gather(
    rows: list[Any], name: Place, start: int
) -> tuple[bytearray, tuple[array[int], array[int], int], bytearray | None]: ...
