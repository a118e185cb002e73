from typing import Any

from ._columns import Column

def count_each_against_others(segments: Column, tokenizer: int, order: int, rule: int, rows: Any) -> None: ...
