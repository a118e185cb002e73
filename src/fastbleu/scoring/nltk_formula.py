"""NLTK's formula for segments by themselves: its options, the score of one row or many, and of pairs in the kernels.

A score equals `nltk.translate.bleu_score.sentence_bleu` (3.10.4) to the last bit: `nltk` has the operations. The
compiled `_nltk_formula` has those of the methods that give each order a precision of its own (0 to 4), for pairs by the
million. The other methods are computed here for pairs, too, once for equal counts.
"""

from __future__ import annotations

from ..options import NLTK_SMOOTHINGS, check_choice
from . import nltk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..options import NLTKSmoothing
    from ._nltk_formula import CompiledNLTKFormula

#: The order of the n-grams that stand above the last one under methods 5 and 7.
_FIVE = 5


class NLTKFormula:
    """The options of NLTK's formula. It never changes.

    Args:
        smoothing: One of NLTK's methods, "method0" to "method7", with NLTK's constants.
        weights: What each order counts, as NLTK's argument of this name: they are not divided by their sum.

    Attributes:
        counted: The longest n-grams that a row must count: more than there are weights under methods 5 and 7.

    Raises:
        ValueError: There is no such method; or "method6" with fewer than three orders, on which NLTK fails.

    Example:
        >>> formula = NLTKFormula("method1", (0.25,) * 4)
        >>> formula.score([6, 6, 5, 3, 2, 1, 6, 5, 4, 3])
        0.537284965911771
    """

    __slots__ = ("_compiled", "counted", "smoothing", "weights")

    def __init__(self, smoothing: NLTKSmoothing, weights: Sequence[float]) -> None:
        check_choice("smoothing", smoothing, NLTK_SMOOTHINGS)
        self.smoothing = smoothing
        self.weights = tuple(weights)
        order = len(self.weights)
        if smoothing == "method6" and order < 3:
            raise ValueError(f"smoothing='method6' needs trigrams, but max_ngram_order is {order}")
        self.counted = max(order, _FIVE) if smoothing in nltk.NEED_FIVE_GRAMS else order
        self._compiled: CompiledNLTKFormula | None = None

    @property
    def compiled(self) -> CompiledNLTKFormula:
        """The options as the kernels take them, made when they are first needed."""
        if self._compiled is None:
            from ._nltk_formula import CompiledNLTKFormula

            method = NLTK_SMOOTHINGS.index(self.smoothing)
            self._compiled = CompiledNLTKFormula(method, self.weights, self.counted, self.unpenalised)
        return self._compiled

    def score(self, row: Sequence[int]) -> float:
        """Score one row.

        Args:
            row: sys_len, ref_len, correct_1..n, total_1..n for n = `counted`.

        Returns:
            NLTK's score, 0..1; under methods 5 and 7 it may be higher.

        Raises:
            AssertionError: "method6", and no trigram matches though a token does.
        """
        if not row[2]:
            return 0.0
        matches = list(row[2 : 2 + self.counted])
        return nltk.brevity_penalty(row[1], row[0]) * self.unpenalised(matches, row[0])

    def unpenalised(self, matches: list[int], length: int) -> float:
        """Score matches without the brevity penalty.

        Args:
            matches: Of the orders 1..`counted`, of order 1 at least one.
            length: The hypothesis' tokens.

        Returns, Raises: As `score`.
        """
        order = len(self.weights)
        candidates = [max(1, length - n) for n in range(self.counted)]
        if self.smoothing == "method0":
            precisions = nltk.unsmoothed(matches[:order], candidates[:order])
        else:
            five_grams = (matches[_FIVE - 1], candidates[_FIVE - 1]) if self.counted >= _FIVE else (0, 1)
            smooth = nltk.METHODS[self.smoothing]
            precisions = smooth(
                matches[:order], candidates[:order], nltk.Constants, length, five_grams, length
            )
        score: float = nltk.score_precisions(precisions, length, 0, [self.weights])
        return score
