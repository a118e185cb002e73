from collections.abc import Iterable
from typing import Any

from typing_extensions import Self

from ..inputs._column import Column
from ._reference_index import ReferenceIndex
from ._script_watch import ScriptWatch

class WorkspaceHolder: ...

class NgramCounter:
    def __new__(cls, tokenizer: int, order: int, rule: int = 0) -> Self: ...
    @property
    def tokenizer(self) -> int: ...
    @property
    def order(self) -> int: ...
    @property
    def width(self) -> int: ...
    @property
    def rule(self) -> int: ...
    @property
    def scripts(self) -> ScriptWatch: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def count(
        self,
        hypotheses: Column,
        references: list[Any] | ReferenceIndex,
        first: int = 0,
        rows: Any = None,
        samples: int = 1,
        numbers: Any = None,
    ) -> tuple[list[int], int, int]: ...
    def count_one(
        self, hypothesis: object, references: Iterable[Any], lowercase: bool = False
    ) -> tuple[list[int], int, int]: ...
    def index(self, index: ReferenceIndex, references: Column, ranges: Any, first: int = 0) -> int: ...
