"""NLTK's BLEU: counts to score, with its eight ways to smooth.

The formula of `nltk.translate.bleu_score` (3.10.4) over counts, where NLTK itself works on objects. Scores equal NLTK's
to the last bit: operations on floats come in the same order, and what NLTK computes with fractions is exact here, too.
Scores are 0..1, and the formula differs from sacreBLEU's:

- A hypothesis too short for an order has one candidate of it, not none; each one adds 1 to a corpus' candidates.
- Precisions that are not positive are left out of the geometric mean instead of making it 0.
- Smoothing sees the last segment of a corpus besides the counts.

The methods are numbered as in Chen and Cherry (2014, "A Systematic Comparison of Smoothing Techniques for
Sentence-Level BLEU", https://aclanthology.org/W14-3346); 4 and 6 are NLTK's own reading of it. Methods are called with
all of these arguments, in this order, ignore those that they do not need, and return one precision for each order 1..N:

    matches      matched n-grams for the orders 1..N, of order 1 at least one
    candidates   candidate n-grams likewise, at least 1 each
    constants    has the attributes of `Constants`
    sys_len      tokens in all hypotheses
    five_grams   matches and candidates of order 5 in the last segment, for the methods in `NEED_FIVE_GRAMS`
    last_length  tokens in the last hypothesis
"""

from __future__ import annotations

from math import exp, fsum, isfinite, log
from operator import truediv
from sys import float_info

from ..errors import describe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, TypeAlias

    #: A numerator and a denominator, exact; or a float.
    Ratio: TypeAlias = tuple[int, int] | float
    Smooth: TypeAlias = Callable[[list[int], list[int]], Iterable[Any]]

#: Method 6 computes with exact fractions up to this order, beyond it with bounds that begin with so many bits.
_EXACT_ORDERS = 8
_BITS = 256

#: NLTK's default weights, the only ones that its `auto_reweigh` replaces.
UNIFORM = (0.25, 0.25, 0.25, 0.25)
_UNIFORM_ALONE = [UNIFORM]

#: The methods that ask for the 5-grams of the last segment, whichever orders are scored.
NEED_FIVE_GRAMS = frozenset(("method5", "method7"))

#: Types that can be iterated over, but are not sequences of numbers.
_NO_WEIGHTS = (str, bytes, dict, set, frozenset)


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
        candidates: Candidate n-grams, at least 1 per segment and order, likewise.
        sys_len: Tokens in the hypotheses.
        ref_len: Tokens in the references, of the closest length.
        weightings: Weights of the orders, any number of times; each uses as many orders as it has weights.
        smooth: Makes precisions of matches and candidates, one of the methods below for example.
        auto_reweigh: If `sys_len` is below 4, spread the weights `UNIFORM` over that many orders.

    Returns:
        The score, 0..1 (above 1 where precisions are, or where weights are negative); a list of scores unless there is
        one weighting. Without any match the integer 0, whatever the smoothing.

    Example:
        >>> score([5, 2, 1, 0], [6, 5, 4, 3], 6, 6, [UNIFORM], method3)
        0.34329452398451965
        >>> score([5, 2], [6, 5], 6, 7, [(0.5, 0.5), (1,)], method2)
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
    """Compute NLTK's BLEU from smoothed precisions, where a unigram matches. Arguments and result as for `score`."""
    penalty = brevity_penalty(ref_len, sys_len)
    scores = []
    for weights in weightings:
        if auto_reweigh and sys_len < 4 and weights == UNIFORM:
            weights = (1 / sys_len,) * sys_len  # noqa: PLW2901
        logarithms = [weight * log(p) for weight, p in zip(weights, precisions) if p > 0]  # noqa: B905  # the shorter
        scores.append(penalty * exp(fsum(logarithms)))
    return scores[0] if len(weightings) == 1 else scores


def no_match(weightings: Sequence[Any]) -> int | list[int]:
    """NLTK's score where no unigram matches: the integer 0, or a list of it unless there is one weighting.

    Example:
        >>> no_match([UNIFORM]), no_match([UNIFORM, (0.5, 0.5)])
        (0, [0, 0])
    """
    return 0 if len(weightings) == 1 else [0] * len(weightings)


def weightings_of(weights: Any) -> tuple[Any, int]:
    """Tell one weighting from several, as NLTK does: by whether `weights[0][0]` is there.

    Args:
        weights: Numbers, one per order; or sequences of them.

    Returns:
        The weightings, and how many orders the longest of them has.

    Raises:
        TypeError: It is neither.
        ValueError: A weight is NaN or infinite.

    Example:
        >>> weightings_of((0.5, 0.5)), weightings_of([(1,), (0.5, 0.5)])
        (([(0.5, 0.5)], 2), ([(1,), (0.5, 0.5)], 2))
    """
    if weights is UNIFORM:
        return _UNIFORM_ALONE, 4
    if isinstance(weights, _NO_WEIGHTS):
        raise _no_weights(weights)
    weightings = weights
    try:
        weights[0][0]
    except (TypeError, IndexError):
        weightings = [weights]
    try:
        for weighting in weightings:
            for i, weight in enumerate(weighting):
                if not isfinite(weight):
                    raise ValueError(f"weights must be finite, but number {i} of {weighting!r} is {weight!r}")
        longest = max(map(len, weightings))
    except TypeError:
        raise _no_weights(weights) from None
    if any(isinstance(weighting, _NO_WEIGHTS) for weighting in weightings):
        raise _no_weights(weights)
    return weightings, longest


def _no_weights(weights: Any) -> TypeError:
    return TypeError(f"weights must be a sequence of numbers, or of such sequences, not {describe(weights)}")


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


class Constants:
    """The constants of the methods; NLTK's `SmoothingFunction` has attributes of the same names."""

    #: How many matches an order without a match counts under method 1.
    epsilon: Any = 0.1
    #: How much the prior weighs under method 6.
    alpha: Any = 5
    #: Of methods 4 and 7.
    k: Any = 5


def unsmoothed(matches: list[int], candidates: list[int]) -> list[float]:
    """No smoothing, but an order without a match has the smallest positive float.

    Example:
        >>> unsmoothed([4, 2, 0], [5, 4, 3])
        [0.8, 0.5, 2.2250738585072014e-308]
    """
    precisions = list(map(truediv, matches, candidates))
    if 0 in matches:
        return [precision or float_info.min for precision in precisions]
    return precisions


def warn_of_no_match(order: int) -> None:
    """Warn, in NLTK's words, that the n-grams of an order have no match."""
    from warnings import warn

    warn(
        f"\nThe hypothesis contains 0 counts of {order}-gram overlaps.\n"
        "Therefore the BLEU score evaluates to 0, independently of\n"
        "how many N-gram overlaps of lower order it contains.\n"
        "Consider using lower n-gram order or use SmoothingFunction()",
        stacklevel=2,
    )


def method0(matches: list[int], candidates: list[int], *_: Any) -> list[float]:
    """`unsmoothed`, with a `UserWarning` for each order without a match.

    Example:
        >>> method0([4, 2], [5, 4])
        [0.8, 0.5]
    """
    if 0 not in matches:
        return list(map(truediv, matches, candidates))
    for i, count in enumerate(matches):
        if not count:
            warn_of_no_match(i + 1)
    return unsmoothed(matches, candidates)


def method1(matches: list[int], candidates: list[int], constants: Any = Constants, *_: Any) -> list[Any]:
    """An order without a match counts `epsilon` matches.

    Example:
        >>> method1([4, 0], [5, 4])
        [0.8, 0.025]
    """
    precisions = list(map(truediv, matches, candidates))
    if 0 in matches:
        for i, count in enumerate(matches):
            if not count:
                precisions[i] = (0 + constants.epsilon) / candidates[i]
    return precisions


def method2(matches: list[int], candidates: list[int], *_: Any) -> list[float]:
    """One more match and one more candidate in every order above 1.

    Example:
        >>> method2([4, 0], [5, 4])
        [0.8, 0.2]
    """
    precisions = [(count + 1) / (among + 1) for count, among in zip(matches, candidates, strict=True)]
    precisions[0] = matches[0] / candidates[0]
    return precisions


def method3(matches: list[int], candidates: list[int], *_: Any) -> list[float]:
    """The k-th order without a match counts 1 / 2^k matches (mteval-v13a.pl).

    Example:
        >>> method3([4, 0, 0], [5, 4, 3])
        [0.8, 0.125, 0.08333333333333333]
    """
    precisions = list(map(truediv, matches, candidates))
    if 0 in matches:
        doubled = 1
        for i, count in enumerate(matches):
            if not count:
                doubled *= 2
                precisions[i] = 1 / (doubled * candidates[i])
    return precisions


def method4(matches: list[int], candidates: list[int], constants: Any, sys_len: int, *_: Any) -> list[float]:
    """The i-th order without a match counts ln(sys_len) / (2^i * k) matches; none if there is only one token.

    Example:
        >>> method4([4, 0, 0], [5, 4, 3], Constants, 5)
        [0.8, 0.040235947810852504, 0.026823965207235]
    """
    precisions = list(map(truediv, matches, candidates))
    if 0 in matches and sys_len > 1:
        doubled = 1
        for i, count in enumerate(matches):
            if not count:
                doubled *= 2
                precisions[i] = 1 / (doubled * constants.k / log(sys_len)) / candidates[i]
    return precisions


def method5(
    matches: list[int],
    candidates: list[int],
    _constants: Any,
    _sys_len: int,
    five_grams: tuple[int, int],
    *_: Any,
) -> list[float]:
    """The average of an order's precision with its neighbours', see `averages`; it may exceed 1.

    The 5-grams of the last segment stand above the last order, whichever that is.

    Example:
        >>> method5([6, 5, 4, 3], [6, 5, 4, 3], Constants, 6, (2, 2))
        [1.3333333333333333, 1.1111111111111112, 1.037037037037037, 1.0123456790123457]
    """
    ratios: list[Ratio] = [*zip(matches, candidates, strict=True), five_grams]
    return averages(ratios, len(ratios))


def averages(ratios: list[Ratio], exact: int, divide: Callable[[int, int], Any] = truediv) -> list[Any]:
    """Average each precision p_n with its neighbours: m_n = (m_(n-1) + p_n + p_(n+1)) / 3, m_0 = p_1 + 1.

    Args:
        ratios: Precisions of the orders 1..N, and the one that stands above N.
        exact: How many of the first are fractions, not floats.
        divide: Makes a number of a numerator and a denominator.

    Returns:
        N averages: what `divide` makes of exact fractions, up to the first that a float goes into; from there on
        floats, as NLTK's sums of fractions and floats are.
    """
    found = []
    if exact:
        p, e = ratios[0]  # type: ignore[misc]
        m, d = p + e, e
        for q, f in ratios[1:exact]:  # type: ignore[misc]
            m = (m * e + p * d) * f + q * d * e
            d *= 3 * e * f
            found.append(divide(m, d))
            p, e = q, f
        mean: Ratio = m, d
    else:
        mean = _value(ratios[0]) + 1
    for i in range(len(found), len(ratios) - 1):
        mean = _value(_sum(_sum(mean, ratios[i]), ratios[i + 1])) / 3
        found.append(mean)
    return found


def _sum(one: Ratio, other: Ratio) -> Ratio:
    if isinstance(one, tuple) and isinstance(other, tuple):
        return one[0] * other[1] + other[0] * one[1], one[1] * other[1]
    return _value(one) + _value(other)


def _value(ratio: Ratio) -> float:
    return ratio[0] / ratio[1] if isinstance(ratio, tuple) else ratio


def method6(
    matches: list[int],
    candidates: list[int],
    constants: Any,
    _sys_len: int,
    _five_grams: tuple[int, int],
    last_length: int,
) -> list[float]:
    """Orders above 2 lean on a prior: (m + alpha * p_(n-1)^2 / p_(n-2)) / (candidates in the last segment + alpha).

    The prior weighs `alpha`, which must be an int or a float.

    Raises:
        IndexError: There are fewer than three orders.
        AssertionError: There is no match of order 3.
        ValueError: A precision is so small that its float is 0, of which there is no logarithm.

    Example:
        >>> method6([5, 3, 1, 0], [6, 5, 4, 3], Constants, 6, (0, 1), 6)
        [0.8333333333333334, 0.6, 0.3511111111111111, 0.1284156378600823]
    """
    check_method6(matches[2])
    alpha = constants.alpha
    ratios: list[Ratio] = list(zip(matches, candidates, strict=True))
    if len(ratios) > _EXACT_ORDERS and alpha > 0:
        ratios = _enclosed(ratios, last_length, alpha)
    else:
        for i in range(2, len(ratios)):
            among = max(0, last_length - i)
            ratios[i] = _interpolated(matches[i], ratios[i - 1], ratios[i - 2], among, alpha)
    precisions = list(map(_value, ratios))
    if 0.0 in precisions:
        for i, ratio in enumerate(ratios):
            if not precisions[i] and isinstance(ratio, tuple) and ratio[0]:
                raise ValueError(f"math domain error: under method 6 order {i + 1} is too small for a float")
    return precisions


def _enclosed(ratios: list[Ratio], last_length: int, alpha: float) -> list[Ratio]:
    """Method 6 with a positive alpha for any number of orders: fractions that give the same floats as the exact ones.

    The digits of the exact fractions double from order to order. So each is enclosed between two fractions of limited
    length, and the limit is doubled until both give the same float.
    """
    bits = _BITS
    while True:
        lower, upper = ratios.copy(), ratios.copy()
        for i in range(2, len(ratios)):
            count, among = ratios[i][0], max(0, last_length - i)  # type: ignore[index]
            low = high = _interpolated(count, lower[i - 1], upper[i - 2], among, alpha)
            if lower[i - 1] is not upper[i - 1] or lower[i - 2] is not upper[i - 2]:
                high = _interpolated(count, upper[i - 1], lower[i - 2], among, alpha)
            lower[i], upper[i] = _shortened(low, bits, False), _shortened(high, bits, True)
        if list(map(_value, lower)) == list(map(_value, upper)):
            return lower
        bits *= 2


def check_method6(order_3: Any) -> None:
    """Check that method 6 can start from order 3, given its matches or precision."""
    if not order_3:
        raise AssertionError(
            "This smoothing method requires non-zero precision for bigrams. (NLTK tests the trigrams for it.)"
        )


def _interpolated(count: int, below: Ratio, two_below: Ratio, among: int, alpha: float) -> Ratio:
    """An order's precision under method 6; exact, as NLTK's fractions are, until a float comes in."""
    prior: float = 0
    if isinstance(below, tuple) and isinstance(two_below, tuple):
        above, beneath = below[0] ** 2 * two_below[1], below[1] ** 2 * two_below[0]
        if beneath and isinstance(alpha, int):
            if not among + alpha:
                raise ZeroDivisionError("alpha and the candidates in the last segment come to 0")
            return count * beneath + alpha * above, beneath * (among + alpha)
        if beneath:
            prior = above / beneath
    elif two_below := _value(two_below):
        prior = _value(below) ** 2 / two_below
    return (count + alpha * prior) / (among + alpha)


def _shortened(ratio: Ratio, bits: int, up: bool) -> Ratio:
    """A lower or an upper bound of a positive fraction, the shorter of its two numbers cut to so many bits."""
    if not isinstance(ratio, tuple):
        return ratio
    numerator, denominator = ratio
    excess = min(numerator.bit_length(), denominator.bit_length()) - bits
    if excess <= 0:
        return ratio
    return (numerator >> excess) + up, (denominator >> excess) + (not up)


def method7(
    matches: list[int],
    candidates: list[int],
    constants: Any,
    sys_len: int,
    five_grams: tuple[int, int],
    *_: Any,
) -> list[float]:
    """Method 5 over the precisions of method 4.

    Example:
        >>> method7([4, 2, 1, 0], [5, 4, 3, 2], Constants, 5, (0, 1))
        [1.0333333333333334, 0.6222222222222222, 0.34534248372575355, 0.14193812644915285]
    """
    if 0 not in matches or sys_len < 2:  # method 4 changes nothing
        return method5(matches, candidates, constants, sys_len, five_grams)
    ratios: list[Ratio] = [*zip(matches, candidates, strict=True), five_grams]
    for i, precision in enumerate(method4(matches, candidates, constants, sys_len)):
        if not matches[i]:
            ratios[i] = precision
    return averages(ratios, matches.index(0))


#: The methods, by name.
METHODS: dict[str, Callable[..., list[Any]]] = {
    "method0": method0,
    "method1": method1,
    "method2": method2,
    "method3": method3,
    "method4": method4,
    "method5": method5,
    "method6": method6,
    "method7": method7,
}
