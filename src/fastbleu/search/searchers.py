"""The searchers of one call: each thread takes one while it searches.

Where bounds exclude few texts, the kernel for all pairs of `rerank.pairwise` takes less time than a search. Searchers
say when it would, and leave the queries that are left to it.
"""

from __future__ import annotations

from array import array

from ..options import DIRECTIONS
from ..rerank._pair_scores import score_pairs
from ..tokenizers._tokenize import TOKENIZE_IDS
from ._searcher import Searcher
from .parts import blocks_of, starts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from numpy import float64, int64
    from numpy.typing import NDArray

    from ..inputs._column import Column
    from ..options import Direction
    from ..scoring.formula import Formula
    from ..scoring.nltk.formula import NLTKFormula
    from ._lists import Part
    from ._vocabulary import NumberedTexts

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
        self._direction = DIRECTIONS.index(direction)
        self._options = formula.compiled, vocabulary, self._direction, self._stopped
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

    def find_best(
        self,
        queries: NumberedTexts,
        parts: list[Part],
        at_least: float,
        indices: NDArray[int64],
        scores: NDArray[float64],
    ) -> None:
        """Find the texts that score highest with each query, as `Searcher.find_best`, by searches or by all pairs."""
        import numpy as np

        done = self.use(lambda searcher: searcher.find_best(queries, parts, at_least, indices, scores))
        if done == queries.texts:
            return
        indices[done:] = -1
        numbers, lengths, _ = queries.arrays()
        for rows, ours in blocks_of(numbers, starts_of(lengths), np.arange(done, queries.texts)):
            best = indices[rows[0] : rows[-1] + 1], scores[rows[0] : rows[-1] + 1]
            base = 0
            for part in parts:
                starts, tokens, order = part.arrays[:3]
                for texts, theirs in blocks_of(tokens, starts, np.arange(part.texts), indices.shape[1]):
                    known, names = self.score_all(ours, theirs), order[texts] + np.int64(base)
                    self.use(lambda searcher: searcher.keep_best(known, names, at_least, *best))  # noqa: B023
                base += part.texts

    def score_all(self, queries: Column, texts: Column) -> NDArray[float64]:
        """Return the scores of all pairs: float64 [queries, texts]."""
        import numpy as np

        if self._stopped[0]:
            raise KeyboardInterrupt
        found = []
        for way, (hypotheses, references) in enumerate(((queries, texts), (texts, queries))):
            found.append(np.empty((len(hypotheses), len(references))))
            if self._direction != 1 - way:
                score_pairs(hypotheses, references, TOKENIZE_IDS, self._options[0], found[-1])
        if self._direction:
            self.use(lambda searcher: searcher.combine(*found))
        return found[0]

    def stop(self) -> None:
        """End the searches of all threads."""
        self._stopped[0] = 1
