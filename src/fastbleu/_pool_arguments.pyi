from typing import Any

from typing_extensions import Self

from ._columns import Column

class PoolArguments:
    def __new__(
        cls,
        candidates: Column,
        bounds: Any,
        evidence: Column | None,
        evidence_bounds: Any,
        weights: Any,
        tokenizer: int,
        scores: Any,
    ) -> Self: ...
