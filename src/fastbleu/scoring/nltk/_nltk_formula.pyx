"""Compute NLTK's BLEU in C, with the same floats as `nltk_formula` and the methods 0 to 4 of `nltk_smoothing`.

    score = BP * exp(w_1 log p_1 + ... + w_N log p_N)

Under the smoothing methods 0 to 4, the term of an order depends on its matches and on the length of the hypothesis, and
for an order without a match also on the number of smaller orders without a match. Under the methods 5 to 7, it also
depends on the matches of other orders, so these methods are computed in Python.
"""

from libc.float cimport DBL_MIN
from libc.math cimport ldexp, log
from libc.stddef cimport size_t

from fastbleu._native.memory cimport release, reserve

cdef enum:
    METHOD_0, METHOD_1, METHOD_2, METHOD_3, METHOD_4

# NLTK's constants, which are the same as in `nltk_smoothing.Constants`.
cdef double EPSILON = 0.1
cdef double K = 5.0


cdef double precision(
    const NLTKFormula* formula, double matches, double candidates, size_t length, int k
) noexcept nogil:
    """Return the precision of an order, smoothed as by `method0` to `method4` of `nltk_smoothing`.

    Args:
        formula: The options.
        matches, candidates: The counts of the order, including the 1 that method 2 adds.
        length: The number of tokens in the hypothesis.
        k: The number of orders without a match up to and including this one.
    """
    if matches > 0:
        return matches / candidates
    if formula.method == METHOD_0:
        return DBL_MIN
    if formula.method == METHOD_1:
        return EPSILON / candidates
    if formula.method == METHOD_3:
        return 1.0 / ldexp(candidates, k)
    if formula.method == METHOD_4 and length > 1:
        return 1.0 / (ldexp(K, k) / log(<double>length)) / candidates
    return 0.0


cdef bint adds_orders_up(const NLTKFormula* formula) noexcept nogil:
    """Return whether the logarithm of the score is the sum of `weighted_log` over the orders."""
    return formula.method <= METHOD_4


cdef double weighted_log(
    const NLTKFormula* formula, int n, size_t matches, size_t length, int unmatched
) noexcept nogil:
    """Return the term of an order in the logarithm of the score.

    Args:
        formula: The options, with one of the methods 0 to 4.
        n: The index of the order: 0 for unigrams.
        matches: The matches of the order.
        length: The number of tokens in the hypothesis.
        unmatched: The number of orders without a match up to and including this one.

    Returns:
        The weight times the logarithm of the precision; 0 if the precision is 0.
    """
    cdef double candidates = <double>(length - <size_t>n) if length > <size_t>n else 1.0, added = 0.0, p
    if formula.method == METHOD_2 and n > 0:
        added = 1.0
    p = precision(formula, <double>matches + added, candidates + added, length, unmatched)
    return formula.weights[n] * log(p) if p > 0 else 0.0


cdef class CompiledNLTKFormula:
    """The checked options of an `NLTKFormula`, for kernels. They never change, so threads may share an object.

    Args:
        method: The number of a smoothing method, 0 to 7.
        weights: The weight of each order, at least one number.
        counted: The largest order that the method needs, at least the number of weights.
        unpenalised: The method `NLTKFormula.unpenalised`, by which kernels score under the methods 5 to 7.

    Raises:
        TypeError: An argument has the wrong type.
    """

    def __cinit__(self, int method, tuple weights not None, int counted, unpenalised):
        cdef int n
        self.formula.order = <int>len(weights)
        self.formula.counted = counted
        self.formula.method = method
        self.unpenalised = unpenalised
        reserve(<void**>&self.weights, <size_t>self.formula.order, sizeof(double))
        for n in range(self.formula.order):
            self.weights[n] = weights[n]
        self.formula.weights = self.weights

    def __dealloc__(self):
        release(<void**>&self.weights)
