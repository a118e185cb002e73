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
    ) -> int: ...
    def combine(self, scores: Any, backward: Any) -> None: ...
    def keep_best(self, all_scores: Any, texts: Any, at_least: float, indices: Any, scores: Any) -> None: ...
    def find_pairs(self, part: Part, start: int, stop: int, at_least: float) -> tuple[bytes, int, bool]: ...
    def keep_first(
        self,
        part: Part,
        at_least: float,
        start: int,
        stop: int,
        before: int,
        places: Any,
        first_kept: Any,
        kept: Any,
    ) -> int: ...
