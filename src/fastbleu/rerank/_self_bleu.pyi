from typing import Any

from ..inputs._column import Column

def count_each_against_others(segments: Column, tokenizer: int, order: int, rule: int, rows: Any) -> None: ...
