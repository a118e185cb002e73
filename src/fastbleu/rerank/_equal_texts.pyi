from array import array
from typing import Any

from ..inputs._column import Column

def count_equal(candidates: Column, bounds: Any) -> tuple[array[int], array[int]]: ...
