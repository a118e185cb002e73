"""Compute NLTK's BLEU from counts.

This is the formula of `nltk.translate.bleu_score` (3.10.4). Scores are 0..1, and equal NLTK's to the last bit, because
floating-point operations have the same order. The formula differs from sacreBLEU's:

- A hypothesis that is too short for an order has one candidate of this order, not none. So each such hypothesis adds 1
  to the candidates of a corpus.
- Precisions that are not positive are excluded from the geometric mean. In sacreBLEU, the mean is then 0.
- Some smoothing methods depend on the number of tokens, or on the last segment of a corpus.

The kernels that score many pairs of texts compute the smoothing methods 0 to 4 by the compiled `_nltk_formula`. For the
methods 5 to 7 they call this module, but only once for all pairs that have the same counts.
"""

from __future__ import annotations

from math import exp, fsum, isfinite, log

from ...errors import ArgumentTypeError, ArgumentValueError, Location, wrong_type, wrong_value
from ...options import NLTK_SMOOTHINGS, check_choice
from .nltk_smoothing import METHODS, NEED_FIVE_GRAMS, Constants, unsmoothed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeAlias

    from ...options import NLTKSmoothing
    from ._nltk_formula import CompiledNLTKFormula

    Smooth: TypeAlias = Callable[[list[int], list[int]], Iterable[Any]]

#: NLTK's default weights, the only weights that its `auto_reweigh` replaces.
UNIFORM = (0.25, 0.25, 0.25, 0.25)
_UNIFORM_ALONE = [UNIFORM]

#: Iterable types that are not sequences of numbers.
_NO_WEIGHTS = (str, bytes, dict, set, frozenset)

#: The order of n-grams that methods 5 and 7 always use, whatever the largest order is.
_FIVE = 5

#: The largest order under method 6. The number of digits of its exact fractions more than doubles with each order.
_MOST_INTERPOLATED = 12


def corpus_counts(row: list[int], lengths: Iterable[int]) -> tuple[list[int], list[int]]:
    """Return the matches and the candidates of a corpus for the orders 1..N, as NLTK sums them.

    Args:
        row: The sum of the rows of all segments, [2 + 2N]: sys_len, ref_len, correct_1..N, total_1..N.
        lengths: The number of tokens in each hypothesis. A hypothesis that is too short for an order adds one candidate
            to it.

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
        matches: The matched n-grams of the orders 1..N, summed over segments. Never changed.
        candidates: The candidate n-grams of the same orders, at least 1 per segment and order.
        sys_len: The number of tokens in the hypotheses.
        ref_len: The number of tokens in the closest references.
        weightings: Any number of sequences of weights; each sequence has a weight per order and gives one score.
        smooth: A function that returns the precisions for matches and candidates, such as a method of `nltk_smoothing`.
        auto_reweigh: If `sys_len` is below 4, replace the weights `UNIFORM` by equal weights of `sys_len` orders.

    Returns:
        The score if there is exactly one weighting, else a list of scores. A score is 0..1, or more if a precision is
        above 1 or a weight is negative; the integer 0 if no unigram matches.

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
    """Compute NLTK's BLEU from the smoothed precisions of the orders 1..N, if at least one unigram matches.

    The result, and the arguments other than `precisions`, are those of `score`.
    """
    penalty = brevity_penalty(ref_len, sys_len)
    scores = []
    for weights in weightings:
        if auto_reweigh and sys_len < 4 and weights == UNIFORM:
            weights = (1 / sys_len,) * sys_len  # noqa: PLW2901
        logarithms = [weight * log(p) for weight, p in zip(weights, precisions) if p > 0]  # noqa: B905  # the shorter
        scores.append(penalty * exp(fsum(logarithms)))
    return scores[0] if len(weightings) == 1 else scores


def no_match(weightings: Sequence[Any]) -> int | list[int]:
    """Return NLTK's score if no unigram matches: the integer 0 for one weighting, else a list of zeros.

    Example:
        >>> no_match([UNIFORM]), no_match([UNIFORM, (0.5, 0.5)])
        (0, [0, 0])
    """
    return 0 if len(weightings) == 1 else [0] * len(weightings)


def weightings_of(weights: Any) -> tuple[Any, int]:
    """Return one or several weightings as a list. As in NLTK, there are several if `weights[0][0]` exists.

    Args:
        weights: Numbers, one per order; or sequences of numbers.

    Returns:
        The weightings, and the number of orders of the longest weighting.

    Raises:
        TypeError: `weights` is neither a sequence of numbers nor a sequence of sequences of numbers.
        ValueError: A weight is NaN or infinite.

    Example:
        >>> weightings_of((0.5, 0.5)), weightings_of([(1,), (0.5, 0.5)])
        (([(0.5, 0.5)], 2), ([(1,), (0.5, 0.5)], 2))
    """
    if weights is UNIFORM or (
        type(weights) is tuple and weights == UNIFORM and set(map(type, weights)) == {float}
    ):
        return _UNIFORM_ALONE, 4
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
                    where = Location("weights")[i if weightings is not weights else (k, i)]
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
        ref_len: The number of tokens in the references.
        sys_len: The number of tokens in the hypotheses.

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
    """NLTK's formula, with its options, which never change.

    Args:
        smoothing: A smoothing method of NLTK, "method0" to "method7", with NLTK's constants.
        weights: The weight of each order. As in NLTK, they are not divided by their sum.

    Attributes:
        counted: The largest order that a row must count; for methods 5 and 7 at least 5.

    Raises:
        ValueError: The method is unknown; or it is "method6" with fewer than three orders, for which NLTK fails, or
            with more than twelve, for which exact fractions have thousands of digits.

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
        """Return the compiled formula for kernels, which is created on first use."""
        if self._compiled is None:
            from ._nltk_formula import CompiledNLTKFormula

            method = NLTK_SMOOTHINGS.index(self.smoothing)
            self._compiled = CompiledNLTKFormula(method, self.weights, self.counted, self.unpenalised)
        return self._compiled

    def score(self, row: Sequence[int]) -> float:
        """Score one row.

        Args:
            row: [2 + 2M] int, with M = `counted`: sys_len, ref_len, correct_1..M, total_1..M.

        Returns:
            The score, 0..1; it may exceed 1 under methods 5 to 7.

        Raises:
            AssertionError: The method is "method6", and a token matches, but no trigram matches.
        """
        if not row[2]:
            return 0.0
        matches = list(row[2 : 2 + self.counted])
        return brevity_penalty(row[1], row[0]) * self.unpenalised(matches, row[0])

    def unpenalised(self, matches: list[int], length: int) -> float:
        """Score matches without the brevity penalty.

        Args:
            matches: The matches of the orders 1..`counted`, at least one of order 1.
            length: The number of tokens in the hypothesis.

        Returns:
            The score, 0..1; it may exceed 1 under methods 5 to 7.

        Raises:
            AssertionError: The method is "method6", and no trigram matches.
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
