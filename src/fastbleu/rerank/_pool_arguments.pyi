from typing import Any

from typing_extensions import Self

from ..inputs._column import Column

class NoEvidenceError(ValueError):
    pool: int
    candidate: int
    def __init__(self, pool: int, candidate: int) -> None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

class NoTrigramError(ValueError):
    hypothesis: int
    reference: int
    pool: int
    def __init__(self, hypothesis: int, reference: int, pool: int = 0) -> None: ...

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
