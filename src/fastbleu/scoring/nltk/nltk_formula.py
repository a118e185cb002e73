"""NLTK's BLEU from counts: its formula, its weights and brevity penalty, and the options of one formula.

This is the formula of `nltk.translate.bleu_score` (3.10.4), computed from counts where NLTK works on objects. Scores
equal NLTK's to the last bit, because operations on floats have the same order. Scores are 0..1, and the formula differs
from sacreBLEU's:

- A hypothesis too short for an order has one candidate of it, not none; each one adds 1 to a corpus' candidates.
- Precisions that are not positive are excluded from the geometric mean instead of making it 0.
- Smoothing depends on the last segment of a corpus besides the counts.

The compiled `_nltk_formula` has the methods that give each order a precision of its own (0 to 4), for millions of
pairs. The other methods are computed here, also for pairs, but only once for equal counts.
"""

from __future__ import annotations

from math import exp, fsum, isfinite, log

from ...errors import ArgumentTypeError, ArgumentValueError, Place, wrong_type, wrong_value
from ...options import NLTK_SMOOTHINGS, check_choice
from .nltk_smoothing import METHODS, NEED_FIVE_GRAMS, Constants, unsmoothed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeAlias

    from ...options import NLTKSmoothing
    from ._nltk_formula import CompiledNLTKFormula

    Smooth: TypeAlias = Callable[[list[int], list[int]], Iterable[Any]]

#: NLTK's default weights, the only ones that its `auto_reweigh` replaces.
UNIFORM = (0.25, 0.25, 0.25, 0.25)
_UNIFORM_ALONE = [UNIFORM]

#: Types that are iterable, but not sequences of numbers.
_NO_WEIGHTS = (str, bytes, dict, set, frozenset)

#: The order of the n-grams that methods 5 and 7 use after the last order.
_FIVE = 5

#: The longest n-grams of method 6. The digits of its exact fractions more than double with each order.
_MOST_INTERPOLATED = 12


def corpus_counts(row: list[int], lengths: Iterable[int]) -> tuple[list[int], list[int]]:
    """Return the matches of a corpus for the orders 1..N, and its candidates as NLTK sums them.

    Args:
        row: The sum of the segments' rows: sys_len, ref_len, correct_1..N, total_1..N.
        lengths: The number of tokens of each hypothesis; one that is too short for an order has one candidate of it.

    Example:
        >>> corpus_counts([4, 5, 2, 1, 4, 2], [3, 1])
        ([2, 1], [4, 3])
    """
    order = len(row) // 2 - 1
    candidates = row[2 + order :]
    for length in lengths:
        for i in range(length, order):
            candidates[i] += 1
    return row[2 : 2 + order], candidates


def score(
    matches: list[int],
    candidates: list[int],
    sys_len: int,
    ref_len: int,
    weightings: Sequence[Sequence[Any]],
    smooth: Smooth,
    auto_reweigh: bool = False,
) -> Any:
    """Compute NLTK's BLEU from counts.

    Args:
        matches: Matched n-grams for the orders 1..N, summed over segments. Never changed.
        candidates: Candidate n-grams of the same orders, at least 1 per segment and order.
        sys_len: Tokens in the hypotheses.
        ref_len: Tokens in the references, of the closest length.
        weightings: Any number of sequences of weights; each uses as many orders as it has weights.
        smooth: Computes precisions from matches and candidates, such as a method of `nltk_smoothing`.
        auto_reweigh: Whether to replace the weights `UNIFORM`, if `sys_len` is below 4, by equal weights of that many
            orders.

    Returns:
        The score, 0..1 (above 1 if precisions are, or if weights are negative); a list of scores unless there is
        exactly one weighting. Without any unigram match the integer 0, under any smoothing.

    Example:
        >>> score([5, 2, 1, 0], [6, 5, 4, 3], 6, 6, [UNIFORM], METHODS["method3"])
        0.34329452398451965
        >>> score([5, 2], [6, 5], 6, 7, [(0.5, 0.5), (1,)], METHODS["method2"])
        [0.546401603895046, 0.7054014374088451]
    """
    if not matches or not matches[0]:
        return no_match(weightings)
    return score_precisions(smooth(matches, candidates), sys_len, ref_len, weightings, auto_reweigh)


def score_precisions(
    precisions: Iterable[Any],
    sys_len: int,
    ref_len: int,
    weightings: Sequence[Sequence[Any]],
    auto_reweigh: bool = False,
) -> Any:
    """Compute NLTK's BLEU from smoothed precisions, if a unigram matches; other arguments and result as for `score`."""
    penalty = brevity_penalty(ref_len, sys_len)
    scores = []
    for weights in weightings:
        if auto_reweigh and sys_len < 4 and weights == UNIFORM:
            weights = (1 / sys_len,) * sys_len  # noqa: PLW2901
        logarithms = [weight * log(p) for weight, p in zip(weights, precisions) if p > 0]  # noqa: B905  # the shorter
        scores.append(penalty * exp(fsum(logarithms)))
    return scores[0] if len(weightings) == 1 else scores


def no_match(weightings: Sequence[Any]) -> int | list[int]:
    """Return NLTK's score without a matching unigram: the integer 0, or a list of zeros unless there is one weighting.

    Example:
        >>> no_match([UNIFORM]), no_match([UNIFORM, (0.5, 0.5)])
        (0, [0, 0])
    """
    return 0 if len(weightings) == 1 else [0] * len(weightings)


def weightings_of(weights: Any) -> tuple[Any, int]:
    """Distinguish one weighting from several, as NLTK does: by whether `weights[0][0]` exists.

    Args:
        weights: Numbers, one per order; or sequences of numbers.

    Returns:
        The weightings, and the number of orders of the longest one.

    Raises:
        TypeError: `weights` is neither.
        ValueError: A weight is NaN or infinite.

    Example:
        >>> weightings_of((0.5, 0.5)), weightings_of([(1,), (0.5, 0.5)])
        (([(0.5, 0.5)], 2), ([(1,), (0.5, 0.5)], 2))
    """
    if weights is UNIFORM or (
        type(weights) is tuple and weights == UNIFORM and set(map(type, weights)) == {float}
    ):
        return _UNIFORM_ALONE, 4  # NLTK's own default equals ours.
    if isinstance(weights, _NO_WEIGHTS):
        raise _no_weights(weights)
    weightings = weights
    try:
        weights[0][0]
    except (TypeError, IndexError):
        weightings = [weights]
    try:
        for k, weighting in enumerate(weightings):
            for i, weight in enumerate(weighting):
                if not isfinite(weight):
                    where = Place("weights")[i if weightings is not weights else (k, i)]
                    raise wrong_value(where, "finite", weight)
        longest = max(map(len, weightings))
    except TypeError:
        raise _no_weights(weights) from None
    if any(isinstance(weighting, _NO_WEIGHTS) for weighting in weightings):
        raise _no_weights(weights)
    return weightings, longest


def _no_weights(weights: Any) -> ArgumentTypeError:
    return wrong_type("weights", "a sequence of numbers, or of such sequences", weights)


def brevity_penalty(ref_len: float, sys_len: float) -> float:
    """Compute NLTK's brevity penalty.

    Args:
        ref_len: Tokens in the references.
        sys_len: Tokens in the hypotheses.

    Returns:
        The integer 1 if the hypotheses are longer, the integer 0 if they are empty, else exp(1 - ref_len / sys_len).

    Example:
        >>> brevity_penalty(28, 12), brevity_penalty(12, 12), brevity_penalty(2, 12), brevity_penalty(0, 0)
        (0.2635971381157267, 1.0, 1, 0)
    """
    if sys_len > ref_len:
        return 1
    return exp(1 - ref_len / sys_len) if sys_len else 0


class NLTKFormula:
    """NLTK's formula: the options, and the score of a row. Immutable.

    Args:
        smoothing: One of NLTK's methods, "method0" to "method7", with NLTK's constants.
        weights: The weight of each order, as NLTK's argument of this name: they are not divided by their sum.

    Attributes:
        counted: The longest n-grams that a row must count; methods 5 and 7 need at least 5.

    Raises:
        ValueError: The method is unknown; or it is "method6" with fewer than three orders, for which NLTK fails, or
            with more than twelve, whose exact fractions have thousands of digits.

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
        if smoothing == "method6" and not 3 <= order <= _MOST_INTERPOLATED:
            needed = f"'method6' takes 3 to {_MOST_INTERPOLATED} orders, but max_ngram_order is {order}"
            raise ArgumentValueError("smoothing", needed, value=smoothing)
        self.counted = max(order, _FIVE) if smoothing in NEED_FIVE_GRAMS else order
        self._compiled: CompiledNLTKFormula | None = None

    @property
    def compiled(self) -> CompiledNLTKFormula:
        """The compiled formula for the kernels, created on first use."""
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
            NLTK's score, 0..1; under methods 5 to 7 it may exceed 1.

        Raises:
            AssertionError: The method is "method6", and a token matches but no trigram.
        """
        if not row[2]:
            return 0.0
        matches = list(row[2 : 2 + self.counted])
        return brevity_penalty(row[1], row[0]) * self.unpenalised(matches, row[0])

    def unpenalised(self, matches: list[int], length: int) -> float:
        """Score matches without the brevity penalty.

        Args:
            matches: The matches of the orders 1..`counted`, at least one of order 1.
            length: The number of tokens of the hypothesis.

        Returns, Raises: As `score`.
        """
        order = len(self.weights)
        candidates = [max(1, length - n) for n in range(self.counted)]
        if self.smoothing == "method0":
            precisions = unsmoothed(matches[:order], candidates[:order])
        else:
            five_grams = (matches[_FIVE - 1], candidates[_FIVE - 1]) if self.counted >= _FIVE else (0, 1)
            smooth = METHODS[self.smoothing]
            precisions = smooth(matches[:order], candidates[:order], Constants, length, five_grams, length)
        score: float = score_precisions(precisions, length, 0, [self.weights])
        return score
