from typing_extensions import Self

from ..inputs._column import Column
from .parts import Texts

class Vocabulary:
    tokens: int
    @property
    def nbytes(self) -> int: ...
    def __new__(
        cls, keys: bytes | None = None, bytes_at: bytes | None = None, long_bytes: bytes | None = None
    ) -> Self: ...
    def state(self) -> tuple[bytes, bytes, bytes]: ...

class NumberedTexts:
    texts: int
    tokens: int
    def append(self, column: Column, tokenizer: int, vocabulary: Vocabulary, grows: bool) -> None: ...
    def arrays(self) -> Texts: ...
