"""NLTK's `SmoothingFunction`, whose methods smooth lists of fractions by the formulas in `scoring.nltk`."""

from __future__ import annotations

from ...scoring.nltk import nltk_smoothing as formula
from .counts import fraction, modified_precision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class SmoothingFunction:
    """The smoothing methods of NLTK 3.10.4, to be passed as `smoothing_function=SmoothingFunction().method1`.

    Every method takes the same arguments:

    - `p_n`: the precisions of the orders 1..N, fractions of matches and candidates. Methods 3 to 7 change this list in
      place, as in NLTK.
    - `references`: the references of the last segment, for methods 5 and 7.
    - `hypothesis`: the last segment, for methods 4 to 7.
    - `hyp_len`: the number of tokens in all hypotheses, for methods 4 and 7; None for the length of `hypothesis`.

    Each method returns the N smoothed precisions. They are fractions if NLTK returns fractions. Subclasses may override
    methods, and the methods can also be passed to NLTK's `corpus_bleu`.

    Args:
        epsilon: The number of matches that method 1 counts for an order without a match.
        alpha: The weight of the prior in method 6.
        k: The constant K of method 4 (Chen and Cherry 2014, https://aclanthology.org/W14-3346).

    Example:
        Before release 3.5, NLTK's method 4 gave order i + 1 the precision 1 / (i + k / ln(length)), without dividing by
        the number of candidates. This subclass reproduces scores that were published with it:

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
        """Warn of each order without a match, and use the smallest positive normal float as its precision."""
        return self._smoothed("method0", p_n)

    def method1(self, p_n: Any, *_args: Any, **_kwargs: Any) -> list[Any]:
        """Count `epsilon` matches for an order without a match."""
        return self._smoothed("method1", p_n)

    def method2(self, p_n: Any, *_args: Any, **_kwargs: Any) -> list[Any]:
        """Count one more match and one more candidate in every order above 1."""
        return [*p_n[:1], *formula.method2(*_counts(p_n), divide=fraction)[1:]]

    def method3(self, p_n: Any, *_args: Any, **_kwargs: Any) -> Any:
        """Count 1 / 2^i matches for the i-th order without a match."""
        p_n[:] = self._smoothed("method3", p_n)
        return p_n

    def method4(
        self, p_n: Any, references: Any, hypothesis: Any, hyp_len: Any = None, *_args: Any, **_kwargs: Any
    ) -> Any:
        """Count ln(hyp_len) / (2^i * k) matches for the i-th order without a match, or 0 if `hyp_len` is 1."""
        p_n[:] = self._smoothed("method4", p_n, hyp_len or len(hypothesis))
        return p_n

    def method5(
        self, p_n: Any, references: Any, hypothesis: Any, hyp_len: Any = None, *_args: Any, **_kwargs: Any
    ) -> Any:
        """Average each precision with those of the orders below and above. Above order N, use the 5-gram precision."""
        from fractions import Fraction

        above = modified_precision(references, hypothesis, 5)
        ratios = [(p.numerator, p.denominator) if hasattr(p, "numerator") else p for p in (*p_n, above)]
        exact = next((i for i, ratio in enumerate(ratios) if not isinstance(ratio, tuple)), len(ratios))
        p_n[:] = formula.averages(ratios, exact, Fraction)
        return p_n

    def method6(
        self, p_n: Any, references: Any, hypothesis: Any, hyp_len: Any = None, *_args: Any, **_kwargs: Any
    ) -> Any:
        """Interpolate the precision of each order above 2 with a prior, estimated from the two orders before it.

        Raises:
            AssertionError: No trigram matches.
            IndexError: There are fewer than three orders.
        """
        formula.method6_of_fractions(p_n, self.alpha, len(hypothesis))
        return p_n

    def method7(
        self, p_n: Any, references: Any, hypothesis: Any, hyp_len: Any = None, *_args: Any, **_kwargs: Any
    ) -> Any:
        """Apply method 4, and then method 5."""
        length = hyp_len or len(hypothesis)
        p_n = self.method4(p_n, references, hypothesis, length)
        return self.method5(p_n, references, hypothesis, length)

    def _smoothed(self, method: str, p_n: Any, length: int = 0) -> list[Any]:
        """Apply a smoothing method to the orders without a match, and return the precisions of all orders."""
        smoothed = formula.METHODS[method](*_counts(p_n), self, length)
        return [p if p.numerator else precision for p, precision in zip(p_n, smoothed, strict=True)]


def _counts(p_n: Any) -> tuple[list[int], list[int]]:
    """Return the numerators of fractions, which are matches, and the denominators, which are candidates."""
    return [p.numerator for p in p_n], [p.denominator for p in p_n]


#: The method name of each function that `method_of` recognises.
_names: dict[Any, str] = {}


def recognise(kind: Any) -> None:
    """Let `method_of` recognise the methods of `kind`, which is the `SmoothingFunction` of this module or of NLTK."""
    _names.update({getattr(kind, name): name for name in formula.METHODS})


recognise(SmoothingFunction)


def method_of(smoothing_function: Any) -> str:
    """Return the name of the formula that computes the result of a smoothing function from counts.

    Args:
        smoothing_function: A method of a `SmoothingFunction`, of this module or NLTK's; another callable with the same
            arguments; or None for method 0.

    Returns:
        A name in `scoring.nltk.nltk_smoothing.METHODS`, or "" if there is no such formula, so that the smoothing
        function itself must be called with fractions.
    """
    if not smoothing_function:
        return "method0"
    name = _names.get(getattr(smoothing_function, "__func__", None), "")
    if name == "method6":
        return name if type(smoothing_function.__self__.alpha) in {int, float} else ""
    if name == "method7":
        # Subclasses may override the two methods that method 7 calls.
        smoothing = smoothing_function.__self__
        names = method_of(smoothing.method4), method_of(smoothing.method5)
        return name if names == ("method4", "method5") else ""
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
    """Smooth precisions by the formula `method`, or call the smoothing function if `method` is "".

    Args:
        smoothing_function: As for `method_of`.
        method: The name of a formula or "", the result of `method_of(smoothing_function)`.
        matches: The numbers of matched n-grams of the orders 1..N.
        candidates: The numbers of candidate n-grams of the orders 1..N, each at least 1.
        sys_len: The number of tokens in all hypotheses.
        references: The references of the last segment.
        hypothesis: The last segment.
        five_grams: The numbers of matched and of candidate 5-grams in the last segment, for methods 5 and 7.

    Returns:
        An iterable of N smoothed precisions.

    Raises:
        Exception: The smoothing function raises an error.
    """
    if not method:
        p_n = list(map(fraction, matches, candidates))
        return smoothing_function(p_n, references=references, hypothesis=hypothesis, hyp_len=sys_len)
    constants = smoothing_function.__self__ if smoothing_function else formula.Constants
    return formula.METHODS[method](matches, candidates, constants, sys_len, five_grams, len(hypothesis))
