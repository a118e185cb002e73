"""NLTK's `SmoothingFunction`: the methods of `nltk_score` over lists of fractions, and the shorter way around them."""

from __future__ import annotations

from math import log
from sys import float_info

from ...scoring import nltk as nltk_score
from .counts import count_pair, fraction, modified_precision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    FiveGrams: TypeAlias = tuple[int, int] | None
    Smoother: TypeAlias = Callable[..., Iterable[Any]]


class SmoothingFunction:
    """The smoothing methods of NLTK 3.10.4, to be passed as `smoothing_function=SmoothingFunction().method1`.

    They take a list of fractions, the precisions from order 1 on, and return the list of smoothed ones, fractions still
    where they can be; methods 3 to 7 change the list that they are given, as NLTK's do. `nltk_score` says more of each.
    A subclass may override any of them, and NLTK's `corpus_bleu` takes them as well.

    Args:
        epsilon: What no match counts as in method 1.
        alpha: How much the prior weighs in method 6.
        k: The constant of method 4.

    Example:
        Before release 3.5, NLTK's method 4 put 1 / (i + k / ln(length)) in the place of the order i + 1, not divided by
        its candidates. A method of one's own brings the scores back that were published with it:

        >>> from math import log
        >>> from fastbleu.compat.nltk import SmoothingFunction, sentence_bleu
        >>> class Before3Point5(SmoothingFunction):
        ...     def method4(self, p_n, references, hypothesis, hyp_len=None, *args, **kwargs):
        ...         length = hyp_len or len(hypothesis)
        ...         return [
        ...             1 / (i + self.k / log(length)) if p.numerator == 0 and length > 1 else p
        ...             for i, p in enumerate(p_n)
        ...         ]
        >>> reference, hypothesis = "are you ready ?".split(), "you are ready ?".split()
        >>> sentence_bleu([reference], hypothesis, smoothing_function=SmoothingFunction().method7)
        0.3265309055565624
        >>> sentence_bleu([reference], hypothesis, smoothing_function=Before3Point5().method7)
        0.4002926439114545
    """

    def __init__(self, epsilon: Any = 0.1, alpha: Any = 5, k: Any = 5) -> None:
        self.epsilon = epsilon
        self.alpha = alpha
        self.k = k

    def method0(self, p_n: Any, *_args: Any, **_kwargs: Any) -> list[Any]:
        """No smoothing; warns of an order without a match, and gives it the smallest positive float."""
        precisions = []
        for i, p in enumerate(p_n):
            if p.numerator == 0:
                nltk_score.warn_of_no_match(i + 1)
            precisions.append(float_info.min if p.numerator == 0 else p)
        return precisions

    def method1(self, p_n: Any, *_args: Any, **_kwargs: Any) -> list[Any]:
        """No match counts as `epsilon` matches."""
        return [(p.numerator + self.epsilon) / p.denominator if p.numerator == 0 else p for p in p_n]

    def method2(self, p_n: Any, *_args: Any, **_kwargs: Any) -> list[Any]:
        """One more match and one more candidate in every order above 1."""
        return [fraction(p.numerator + 1, p.denominator + 1) if i else p for i, p in enumerate(p_n)]

    def method3(self, p_n: Any, *_args: Any, **_kwargs: Any) -> Any:
        """The k-th order without a match counts 1 / 2^k matches."""
        doubled = 1
        for i, p in enumerate(p_n):
            if p.numerator == 0:
                doubled *= 2
                p_n[i] = 1 / (doubled * p.denominator)
        return p_n

    def method4(
        self,
        p_n: Any,
        references: Any,  # noqa: ARG002  # the methods have one signature
        hypothesis: Any,
        hyp_len: int | None = None,
        *_args: Any,
        **_kwargs: Any,
    ) -> Any:
        """The i-th order without a match counts ln(hyp_len) / (2^i * k) matches; 0 if there is but one token."""
        length = hyp_len or len(hypothesis)
        doubled = 1
        for i, p in enumerate(p_n):
            if p.numerator == 0 and length > 1:
                doubled *= 2
                p_n[i] = 1 / (doubled * self.k / log(length)) / p.denominator
        return p_n

    def method5(
        self,
        p_n: Any,
        references: Any,
        hypothesis: Any,
        hyp_len: int | None = None,  # noqa: ARG002  # the methods have one signature
        *_args: Any,
        **_kwargs: Any,
    ) -> Any:
        """The average of an order's precision with its neighbours', the 5-grams' standing above the last order."""
        neighbours = [*p_n[1:], modified_precision(references, hypothesis, 5)]
        mean = p_n[0] + 1
        for i, p in enumerate(p_n):
            mean = p_n[i] = (mean + p + neighbours[i]) / 3
        return p_n

    def method6(
        self,
        p_n: Any,
        references: Any,  # noqa: ARG002  # the methods have one signature
        hypothesis: Any,
        hyp_len: int | None = None,  # noqa: ARG002
        *_args: Any,
        **_kwargs: Any,
    ) -> Any:
        """Orders above 2 lean on a prior that the two orders below give."""
        nltk_score.check_method6(p_n[2])
        for i in range(2, len(p_n)):
            prior = 0 if p_n[i - 2] == 0 else p_n[i - 1] ** 2 / p_n[i - 2]
            candidates = max(0, len(hypothesis) - i)
            p_n[i] = (p_n[i].numerator + self.alpha * prior) / (candidates + self.alpha)
        return p_n

    def method7(
        self,
        p_n: Any,
        references: Any,
        hypothesis: Any,
        hyp_len: int | None = None,
        *_args: Any,
        **_kwargs: Any,
    ) -> Any:
        """Method 5 over what method 4 returns."""
        length = hyp_len or len(hypothesis)
        p_n = self.method4(p_n, references, hypothesis, length)
        return self.method5(p_n, references, hypothesis, length)


def smoother(smoothing_function: Any) -> Smoother:
    """What makes precisions of counts as a smoothing function does: without fractions, if the function is one of ours.

    Args:
        smoothing_function: A method of a `SmoothingFunction`, ours or NLTK's; a callable that can stand in for one; or
            None, which is method 0.

    Returns:
        A function of the smoothing function; matches and candidates per order; tokens in all hypotheses; the last
        segment's references; the last segment; and its matches and candidates of order 5, or None if unknown.
        It returns an iterable of precisions.
    """
    if not smoothing_function:
        return _method0
    return _OVER_COUNTS.get(getattr(smoothing_function, "__func__", None), _with_fractions)


def _with_fractions(
    function: Any,
    matches: list[int],
    candidates: list[int],
    sys_len: int,
    references: Any,
    hypothesis: Any,
    _: FiveGrams,
) -> Any:
    p_n = list(map(fraction, matches, candidates))
    return function(p_n, references=references, hypothesis=hypothesis, hyp_len=sys_len)


def _method0(_: Any, matches: list[int], candidates: list[int], *__: Any) -> list[Any]:
    return nltk_score.method0(matches, candidates)


def _method1(function: Any, matches: list[int], candidates: list[int], *_: Any) -> list[Any]:
    return nltk_score.method1(matches, candidates, function.__self__.epsilon)


def _method2(_: Any, matches: list[int], candidates: list[int], *__: Any) -> list[Any]:
    return nltk_score.method2(matches, candidates)


def _method3(_: Any, matches: list[int], candidates: list[int], *__: Any) -> list[Any]:
    return nltk_score.method3(matches, candidates)


def _method4(function: Any, matches: list[int], candidates: list[int], sys_len: int, *_: Any) -> list[Any]:
    return nltk_score.method4(matches, candidates, sys_len, function.__self__.k)


def _method5(
    _: Any,
    matches: list[int],
    candidates: list[int],
    __: int,
    references: Any,
    hypothesis: Any,
    five_grams: FiveGrams,
) -> list[Any]:
    return nltk_score.method5(matches, candidates, five_grams or _five_grams(references, hypothesis))


def _method6(
    function: Any,
    matches: list[int],
    candidates: list[int],
    sys_len: int,
    references: Any,
    hypothesis: Any,
    five_grams: FiveGrams,
) -> Any:
    alpha = function.__self__.alpha
    if type(alpha) not in {int, float}:
        return _with_fractions(function, matches, candidates, sys_len, references, hypothesis, five_grams)
    return nltk_score.method6(matches, candidates, len(hypothesis), alpha)


def _method7(
    function: Any,
    matches: list[int],
    candidates: list[int],
    sys_len: int,
    references: Any,
    hypothesis: Any,
    five_grams: FiveGrams,
) -> Any:
    smoothing = function.__self__
    if smoother(smoothing.method4) is not _method4 or smoother(smoothing.method5) is not _method5:
        return _with_fractions(function, matches, candidates, sys_len, references, hypothesis, five_grams)
    five_grams = five_grams or _five_grams(references, hypothesis)
    return nltk_score.method7(matches, candidates, sys_len, five_grams, smoothing.k)


def _five_grams(references: Any, hypothesis: Any) -> tuple[int, int]:
    row = count_pair(references, hypothesis, 5)
    return row[6], row[11] or 1


_OVER_COUNTS: dict[Any, Smoother] = {
    SmoothingFunction.method0: _method0,
    SmoothingFunction.method1: _method1,
    SmoothingFunction.method2: _method2,
    SmoothingFunction.method3: _method3,
    SmoothingFunction.method4: _method4,
    SmoothingFunction.method5: _method5,
    SmoothingFunction.method6: _method6,
    SmoothingFunction.method7: _method7,
}

#: Those that ask for the 5-grams of the last segment.
NEED_FIVE_GRAMS = frozenset((_method5, _method7))
