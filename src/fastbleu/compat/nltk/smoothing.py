"""NLTK's `SmoothingFunction`: the methods of `scoring.nltk.nltk_smoothing` in NLTK's shapes, lists of fractions."""

from __future__ import annotations

from ...scoring.nltk import nltk_smoothing as formula
from .counts import fraction, modified_precision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class SmoothingFunction:
    """The smoothing methods of NLTK 3.10.4, to be passed as `smoothing_function=SmoothingFunction().method1`.

    They take a list of fractions, the precisions from order 1 on, and return the list of smoothed ones, which are still
    fractions where they can be. Methods 3 to 7 change the list that they are given, as NLTK's do. A subclass may
    override any of them, and NLTK's `corpus_bleu` takes them as well.

    Args:
        epsilon: How many matches an order without a match counts under method 1.
        alpha: How much the prior weighs under method 6.
        k: The constant of method 4.

    Example:
        Before release 3.5, NLTK's method 4 gave the order i + 1 the precision 1 / (i + k / ln(length)), which is not
        divided by its candidates. A method of one's own gives the scores that were published with it:

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
        """Do not smooth; warn of an order without a match, and give it the smallest positive float."""
        return self._smoothed("method0", p_n)

    def method1(self, p_n: Any, *_args: Any, **_kwargs: Any) -> list[Any]:
        """Count `epsilon` matches for an order without a match."""
        return self._smoothed("method1", p_n)

    def method2(self, p_n: Any, *_args: Any, **_kwargs: Any) -> list[Any]:
        """Count one more match and one more candidate in every order above 1."""
        return [*p_n[:1], *formula.method2(*_counts(p_n), divide=fraction)[1:]]

    def method3(self, p_n: Any, *_args: Any, **_kwargs: Any) -> Any:
        """Count 1 / 2^k matches for the k-th order without a match."""
        p_n[:] = self._smoothed("method3", p_n)
        return p_n

    def method4(
        self, p_n: Any, references: Any, hypothesis: Any, hyp_len: Any = None, *_args: Any, **_kwargs: Any
    ) -> Any:
        """Count ln(hyp_len) / (2^i * k) matches for the i-th order without a match; none if there is only one token."""
        p_n[:] = self._smoothed("method4", p_n, hyp_len or len(hypothesis))
        return p_n

    def method5(
        self, p_n: Any, references: Any, hypothesis: Any, hyp_len: Any = None, *_args: Any, **_kwargs: Any
    ) -> Any:
        """Average an order's precision with its neighbours'; the 5-grams' stands above the last order."""
        from fractions import Fraction

        above = modified_precision(references, hypothesis, 5)
        ratios = [(p.numerator, p.denominator) if hasattr(p, "numerator") else p for p in (*p_n, above)]
        exact = next((i for i, ratio in enumerate(ratios) if not isinstance(ratio, tuple)), len(ratios))
        p_n[:] = formula.averages(ratios, exact, Fraction)
        return p_n

    def method6(
        self, p_n: Any, references: Any, hypothesis: Any, hyp_len: Any = None, *_args: Any, **_kwargs: Any
    ) -> Any:
        """Let orders above 2 lean on a prior that the two orders below give."""
        formula.method6_of_fractions(p_n, self.alpha, len(hypothesis))
        return p_n

    def method7(
        self, p_n: Any, references: Any, hypothesis: Any, hyp_len: Any = None, *_args: Any, **_kwargs: Any
    ) -> Any:
        """Apply method 5 to what method 4 returns."""
        length = hyp_len or len(hypothesis)
        p_n = self.method4(p_n, references, hypothesis, length)
        return self.method5(p_n, references, hypothesis, length)

    def _smoothed(self, method: str, p_n: Any, length: int = 0) -> list[Any]:
        """Return the fractions as they are, but for orders without a match the smoothed precisions."""
        smoothed = formula.METHODS[method](*_counts(p_n), self, length)
        return [p if p.numerator else precision for p, precision in zip(p_n, smoothed, strict=True)]


def _counts(p_n: Any) -> tuple[list[int], list[int]]:
    """Return the matches and the candidates that fractions are made of."""
    return [p.numerator for p in p_n], [p.denominator for p in p_n]


_names: dict[Any, str] = {}


def recognise(kind: Any) -> None:
    """Recognise the methods of a class as those of NLTK's `SmoothingFunction`, from now on."""
    _names.update({getattr(kind, name): name for name in formula.METHODS})


recognise(SmoothingFunction)


def method_of(smoothing_function: Any) -> str:
    """Find the method that does over counts what a smoothing function does over fractions.

    Args:
        smoothing_function: A method of a `SmoothingFunction`, ours or NLTK's; a callable that can stand in for one; or
            None, which is method 0.

    Returns:
        A name in `scoring.nltk.nltk_smoothing.METHODS`, or "" if the function needs fractions.
    """
    if not smoothing_function:
        return "method0"
    name = _names.get(getattr(smoothing_function, "__func__", None), "")
    if name == "method6":
        return name if type(smoothing_function.__self__.alpha) in {int, float} else ""
    if name == "method7":
        own = smoothing_function.__self__
        return name if (method_of(own.method4), method_of(own.method5)) == ("method4", "method5") else ""
    return name


def smooth(
    smoothing_function: Any,
    method: str,
    matches: list[int],
    candidates: list[int],
    sys_len: int,
    references: Any,
    hypothesis: Any,
    five_grams: tuple[int, int],
) -> Any:
    """Smooth as a smoothing function does, without fractions if possible.

    Args:
        smoothing_function: As for `method_of`.
        method: What that returns for it.
        matches: Matched n-grams for the orders 1..N.
        candidates: Candidate n-grams of these orders, each at least 1.
        sys_len: Tokens in all hypotheses.
        references: The last segment's references.
        hypothesis: The last segment.
        five_grams: Its matches and candidates of order 5, for the methods in `NEED_FIVE_GRAMS`.

    Returns:
        An iterable of precisions.
    """
    if not method:
        p_n = list(map(fraction, matches, candidates))
        return smoothing_function(p_n, references=references, hypothesis=hypothesis, hyp_len=sys_len)
    constants = smoothing_function.__self__ if smoothing_function else formula.Constants
    return formula.METHODS[method](matches, candidates, constants, sys_len, five_grams, len(hypothesis))
