from typing import Any

from typing_extensions import Self

from ..scoring._formula import CompiledFormula
from ..scoring.nltk._formula import CompiledNLTKFormula
from ._lists import Part
from ._vocabulary import NumberedTexts

class Searcher:
    def __new__(
        cls, formula: CompiledFormula | CompiledNLTKFormula, vocabulary: int, direction: int, stopped: Any
    ) -> Self: ...
    def find_best(
        self, queries: NumberedTexts, parts: list[Part], at_least: float, indices: Any, scores: Any
    ) -> None: ...
    def find_pairs(
        self, part: Part, texts: Any, at_least: float, marks: Any, keeps: bool
    ) -> tuple[bytes, int]: ...
