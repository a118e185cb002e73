"""NLTK's eight smoothing methods, 0 to 7, computed from counts.

The operations are those of `nltk.translate.bleu_score.SmoothingFunction` (3.10.4) in the same order, so the floats are
the same to the last bit. Results that NLTK computes with fractions are exact. The methods are numbered as in
Chen and Cherry (2014, "A Systematic Comparison of Smoothing Techniques for Sentence-Level BLEU",
https://aclanthology.org/W14-3346); 4 and 6 are NLTK's interpretations. `_nltk_formula` has the methods 0 to 4 in C.

The methods are called with these arguments, in this order, and ignore those that they do not need. They return the
precisions of the orders 1..N.

    matches      the matched n-grams of the orders 1..N; at least one of order 1
    candidates   the candidate n-grams of the orders 1..N; at least one of each order
    constants    an object with the attributes of `Constants`
    sys_len      the number of tokens in all hypotheses
    five_grams   the matches and candidates of order 5 in the last segment, for the methods in `NEED_FIVE_GRAMS`
    last_length  the number of tokens in the last hypothesis
"""

from __future__ import annotations

from math import log
from operator import truediv
from sys import float_info

from ...system.warning_origin import Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    #: A precision: exact, as its numerator and its denominator, or a float.
    Ratio: TypeAlias = tuple[int, int] | float

#: The methods that need the 5-grams of the last segment, whatever the largest order is.
NEED_FIVE_GRAMS = frozenset(("method5", "method7"))

_NO_MATCH = (
    "\nThe hypothesis contains 0 counts of {}-gram overlaps.\n"
    "Therefore the BLEU score evaluates to 0, independently of\n"
    "how many N-gram overlaps of lower order it contains.\n"
    "Consider using lower n-gram order or use SmoothingFunction()"
)


class Constants:
    """The constants of the methods. NLTK's `SmoothingFunction` has the same public attributes."""

    #: NLTK's statement that warns of an order without a match under method 0.
    _no_match = Origin("nltk.translate.bleu_score", "method0", 577, "warnings.warn(")
    #: The number of matches that method 1 counts for an order without a match.
    epsilon: Any = 0.1
    #: The weight of the prior under method 6.
    alpha: Any = 5
    #: The constant k in the formula of method 4, which method 7 also uses.
    k: Any = 5


def _unmatched(matches: list[int]) -> list[int]:
    """Return the indices, from 0 on, of the orders without a match."""
    return [i for i, count in enumerate(matches) if not count]


def unsmoothed(matches: list[int], candidates: list[int]) -> list[float]:
    """Return the precisions; that of an order without a match is the smallest positive normal float.

    Example:
        >>> unsmoothed([4, 2, 0], [5, 4, 3])
        [0.8, 0.5, 2.2250738585072014e-308]
    """
    precisions = list(map(truediv, matches, candidates))
    return [precision or float_info.min for precision in precisions] if 0 in matches else precisions


def warn_of_no_match(order: int) -> None:
    """Warn of an order without a match, in NLTK's words."""
    from warnings import warn

    warn(_NO_MATCH.format(order), stacklevel=2)


def method0(matches: list[int], candidates: list[int], constants: Any = Constants, *_: Any) -> list[float]:
    """Return the result of `unsmoothed`, and warn of each order without a match as if from NLTK's source line.

    Example:
        >>> method0([4, 2], [5, 4])
        [0.8, 0.5]
    """
    if 0 in matches:
        import warnings

        for i in _unmatched(matches):
            getattr(constants, "_no_match", Constants._no_match).run(warnings.warn, _NO_MATCH.format(i + 1))
    return unsmoothed(matches, candidates)


def method1(matches: list[int], candidates: list[int], constants: Any = Constants, *_: Any) -> list[Any]:
    """Count `epsilon` matches (0.1 by default) for an order without a match.

    Example:
        >>> method1([4, 0], [5, 4])
        [0.8, 0.025]
    """
    precisions: list[Any] = list(map(truediv, matches, candidates))
    if 0 in matches:
        for i, count in enumerate(matches):
            if not count:
                precisions[i] = (0 + constants.epsilon) / candidates[i]
    return precisions


def method2(
    matches: list[int], candidates: list[int], *_: Any, divide: Callable[[int, int], Any] = truediv
) -> list[Any]:
    """Count one more match and one more candidate in every order above 1.

    Example:
        >>> method2([4, 0], [5, 4])
        [0.8, 0.2]
    """
    precisions = [divide(count + 1, total + 1) for count, total in zip(matches, candidates, strict=True)]
    precisions[:1] = map(divide, matches[:1], candidates)
    return precisions


def method3(matches: list[int], candidates: list[int], *_: Any) -> list[float]:
    """Count 1 / 2^k matches for the k-th order without a match (mteval-v13a.pl).

    Example:
        >>> method3([4, 0, 0], [5, 4, 3])
        [0.8, 0.125, 0.08333333333333333]
    """
    precisions = list(map(truediv, matches, candidates))
    if 0 in matches:
        for k, i in enumerate(_unmatched(matches), start=1):
            precisions[i] = 1 / ((1 << k) * candidates[i])
    return precisions


def method4(matches: list[int], candidates: list[int], constants: Any, sys_len: int, *_: Any) -> list[float]:
    """Count ln(sys_len) / (2^k * constants.k) matches for the k-th order without a match; 0 if `sys_len` is at most 1.

    Example:
        >>> method4([4, 0, 0], [5, 4, 3], Constants, 5)
        [0.8, 0.040235947810852504, 0.026823965207235]
    """
    precisions = list(map(truediv, matches, candidates))
    if 0 in matches and sys_len > 1:
        for k, i in enumerate(_unmatched(matches), start=1):
            precisions[i] = 1 / ((1 << k) * constants.k / log(sys_len)) / candidates[i]
    return precisions


def method5(
    matches: list[int],
    candidates: list[int],
    _constants: Any,
    _sys_len: int,
    five_grams: tuple[int, int],
    *_: Any,
) -> list[float]:
    """Average the precision of each order with those of the orders before and after it (`averages`).

    The precision after order N is always that of the 5-grams in the last segment. The results may exceed 1.

    Example:
        >>> method5([6, 5, 4, 3], [6, 5, 4, 3], Constants, 6, (2, 2))
        [1.3333333333333333, 1.1111111111111112, 1.037037037037037, 1.0123456790123457]
    """
    ratios: list[Ratio] = [*zip(matches, candidates, strict=True), five_grams]
    return averages(ratios, len(ratios))


def averages(ratios: list[Ratio], exact: int, divide: Callable[[int, int], Any] = truediv) -> list[Any]:
    """Average each precision p_n with its neighbours: m_n = (m_(n-1) + p_n + p_(n+1)) / 3, where m_0 = p_1 + 1.

    Args:
        ratios: The precisions p_1..p_N, and p_(N+1).
        exact: The number of precisions before the first one that is a float.
        divide: A function that returns a number for a numerator and a denominator.

    Returns:
        The averages m_1..m_N. An average that depends only on fractions is computed exactly, and is the result of
        `divide`. The first average that depends on a float, and all after it, are floats, as in NLTK.
    """
    means = []
    if exact:
        # Each fraction is a numerator and a denominator: p / e is the precision p_n, q / f is p_(n+1), m / d is m_n.
        p, e = ratios[0]  # type: ignore[misc]
        m, d = p + e, e
        for q, f in ratios[1:exact]:  # type: ignore[misc]
            m = (m * e + p * d) * f + q * d * e
            d *= 3 * e * f
            means.append(divide(m, d))
            p, e = q, f
        mean: Ratio = m, d
    else:
        mean = _value(ratios[0]) + 1
    for i in range(len(means), len(ratios) - 1):
        ratio = ratios[i]
        if isinstance(mean, tuple) and isinstance(ratio, tuple):
            mean = mean[0] * ratio[1] + ratio[0] * mean[1], mean[1] * ratio[1]
        else:
            mean = _value(mean) + _value(ratio)
        mean = (_value(mean) + _value(ratios[i + 1])) / 3
        means.append(mean)
    return means


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
    """Interpolate each order n above 2 with a prior: p_n = (matches + alpha * p_(n-1)^2 / p_(n-2)) / (total + alpha).

    `total` is the number of candidates in the last segment, and `alpha`, an int or a float, is the weight of the prior.

    Raises:
        IndexError: There are fewer than three orders.
        AssertionError: Order 3 has no match.
        ValueError: A precision is so small that its float is 0, which has no logarithm.

    Example:
        >>> method6([5, 3, 1, 0], [6, 5, 4, 3], Constants, 6, (0, 1), 6)
        [0.8333333333333334, 0.6, 0.3511111111111111, 0.1284156378600823]
    """
    check_method6(matches[2])
    alpha = constants.alpha
    ratios: list[Ratio] = list(zip(matches, candidates, strict=True))
    for i in range(2, len(ratios)):
        total = max(0, last_length - i)
        ratios[i] = _interpolated(matches[i], ratios[i - 1], ratios[i - 2], total, alpha)
    precisions = list(map(_value, ratios))
    if 0.0 in precisions:
        for i, ratio in enumerate(ratios):
            if not precisions[i] and isinstance(ratio, tuple) and ratio[0]:
                raise ValueError(f"math domain error: under method 6 order {i + 1} is too small for a float")
    return precisions


def method6_of_fractions(p_n: Any, alpha: Any, last_length: int) -> None:
    """Apply method 6 to precisions that are fractions or floats, in place.

    Args:
        p_n: The precisions of the orders 1..N.
        alpha: The weight of the prior, a number of any type.
        last_length: The number of tokens in the last hypothesis.

    Raises:
        AssertionError: Order 3 has no match.
    """
    check_method6(p_n[2])
    for i in range(2, len(p_n)):
        prior = 0 if p_n[i - 2] == 0 else p_n[i - 1] ** 2 / p_n[i - 2]
        p_n[i] = (p_n[i].numerator + alpha * prior) / (max(0, last_length - i) + alpha)


def check_method6(order_3: Any) -> None:
    """Check that order 3 has a match, as method 6 requires.

    Args:
        order_3: The number of matches of order 3, or its precision.

    Raises:
        AssertionError: Order 3 has no match.
    """
    if not order_3:
        raise AssertionError(
            "This smoothing method requires non-zero precision for bigrams. (NLTK tests the trigrams for it.)"
        )


def _interpolated(count: int, below: Ratio, two_below: Ratio, total: int, alpha: float) -> Ratio:
    """Return the precision of an order under method 6: a fraction if all arguments are exact, else a float, as in NLTK.

    Args:
        count: The matches of the order n.
        below: The precision of order n - 1.
        two_below: The precision of order n - 2.
        total: The candidates of order n in the last segment.
        alpha: The weight of the prior.

    Raises:
        ZeroDivisionError: `total` and `alpha` add up to 0.
    """
    prior: float = 0
    if isinstance(below, tuple) and isinstance(two_below, tuple):
        numerator, denominator = below[0] ** 2 * two_below[1], below[1] ** 2 * two_below[0]
        if denominator and isinstance(alpha, int):
            if not total + alpha:
                raise ZeroDivisionError("alpha and the candidates in the last segment add up to 0")
            return count * denominator + alpha * numerator, denominator * (total + alpha)
        if denominator:
            prior = numerator / denominator
    elif two_below := _value(two_below):
        prior = _value(below) ** 2 / two_below
    return (count + alpha * prior) / (total + alpha)


def method7(
    matches: list[int],
    candidates: list[int],
    constants: Any,
    sys_len: int,
    five_grams: tuple[int, int],
    *_: Any,
) -> list[float]:
    """Apply method 5 to the precisions of method 4.

    Example:
        >>> method7([4, 2, 1, 0], [5, 4, 3, 2], Constants, 5, (0, 1))
        [1.0333333333333334, 0.6222222222222222, 0.34534248372575355, 0.14193812644915285]
    """
    if 0 not in matches or sys_len < 2:  # Method 4 would change nothing.
        return method5(matches, candidates, constants, sys_len, five_grams)
    ratios: list[Ratio] = [*zip(matches, candidates, strict=True), five_grams]
    for i, precision in enumerate(method4(matches, candidates, constants, sys_len)):
        if not matches[i]:
            ratios[i] = precision
    return averages(ratios, matches.index(0))


#: The methods, by name.
METHODS: dict[str, Callable[..., list[Any]]] = {
    method.__name__: method
    for method in (method0, method1, method2, method3, method4, method5, method6, method7)
}
