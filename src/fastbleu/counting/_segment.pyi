from typing import Any

from typing_extensions import Self

from ._reference_index import ReferenceIndex

class SegmentReferences:
    def __new__(
        cls,
        tokenizer: int,
        streams: int,
        prepared: ReferenceIndex | None,
        numbers: Any,
        first: int,
        order: int,
    ) -> Self: ...
