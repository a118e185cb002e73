"""The searchers of one call: each thread takes one while it searches."""

from __future__ import annotations

from array import array

from ..options import DIRECTIONS
from ._searcher import Searcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from ..options import Direction
    from ..scoring.formula import Formula
    from ..scoring.nltk.formula import NLTKFormula

    Result = TypeVar("Result")


class Searchers:
    """Makes searchers, and keeps those that no thread uses.

    Args:
        formula: The formula that scores pairs.
        vocabulary: How many tokens have numbers.
        direction: Which of two texts is the hypothesis, or how both scores become one.
    """

    def __init__(self, formula: Formula | NLTKFormula, vocabulary: int, direction: Direction) -> None:
        self._stopped = array("q", [0])
        self._options = formula.compiled, vocabulary, DIRECTIONS.index(direction), self._stopped
        self._free: list[Searcher] = []

    def use(self, search: Callable[[Searcher], Result]) -> Result:
        """Call a function with a searcher. One that fails is not used again."""
        try:
            searcher = self._free.pop()
        except IndexError:
            searcher = Searcher(*self._options)
        result = search(searcher)
        self._free.append(searcher)
        return result

    def stop(self) -> None:
        """End the searches of all threads."""
        self._stopped[0] = 1
