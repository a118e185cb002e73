from typing import Any

from ..inputs._column import Column

class ChrfCounter:
    def __init__(
        self, char_order: int, word_order: int, whitespace: bool, factor: float, eps_smoothing: bool
    ) -> None: ...
    @property
    def char_order(self) -> int: ...
    @property
    def word_order(self) -> int: ...
    @property
    def width(self) -> int: ...
    @property
    def whitespace(self) -> bool: ...
    @property
    def eps_smoothing(self) -> bool: ...
    @property
    def factor(self) -> float: ...
    def count(
        self,
        hypotheses: Column,
        references: list[Any],
        first: int = 0,
        rows: Any = None,
        samples: int = 1,
        numbers: Any = None,
    ) -> tuple[list[int], int, int]: ...
    def count_one(
        self, hypothesis: object, references: Any, lowercase: bool = False
    ) -> tuple[list[int], int, int]: ...

def score_rows(rows: Any, factor: float, eps_smoothing: bool, scores: Any) -> None: ...
