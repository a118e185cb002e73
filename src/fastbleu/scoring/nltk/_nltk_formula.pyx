"""The formula of `formula`, compiled: what each order adds to the score of one segment, the same floats.

    score = BP * exp(w_1 log p_1 + ... + w_N log p_N)

Under methods 0 to 4 what an order adds depends on its own matches, on the hypothesis' length, and where nothing
matches, on how many orders before had no match either. Methods 5 to 7 mix the orders; those are left to Python.
"""

from libc.float cimport DBL_MIN
from libc.math cimport ldexp, log
from libc.stddef cimport size_t

from fastbleu._native.memory cimport release, reserve

cdef enum:
    METHOD_0, METHOD_1, METHOD_2, METHOD_3, METHOD_4

# NLTK's constants, as in `smoothing.Constants`.
cdef double EPSILON = 0.1
cdef double K = 5.0


cdef double precision(
    const NLTKFormula* formula, double matches, double candidates, size_t length, int k
) noexcept nogil:
    """A smoothed precision; without a match it is the k-th such order's. The operations are those of `smoothing`."""
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
    """Return whether the method gives each order a precision of its own."""
    return formula.method <= METHOD_4


cdef double weighted_log(
    const NLTKFormula* formula, int n, size_t matches, size_t length, int unmatched
) noexcept nogil:
    """Return the term of an order's precision in the logarithm of the score.

    Args:
        formula: The options; their method gives each order a precision of its own.
        n: The order, from 0 on.
        matches: Its matches.
        length: The hypothesis' tokens.
        unmatched: How many orders up to this one have no match.
    """
    cdef double candidates = <double>(length - <size_t>n) if length > <size_t>n else 1.0, added = 0.0, p
    if formula.method == METHOD_2 and n > 0:
        added = 1.0
    p = precision(formula, <double>matches + added, candidates + added, length, unmatched)
    return formula.weights[n] * log(p) if p > 0 else 0.0


cdef class CompiledNLTKFormula:
    """The options of an `NLTKFormula` as the kernels read them. They never change, so threads may share them.

    Args:
        method: The number of a smoothing method, 0 to 7.
        weights: What each order counts, at least one number.
        counted: The longest n-grams that the method asks for, at least as many as there are weights.
        unpenalised: Called with a list of matches for the orders 1..counted and a length, for methods 5 to 7; returns
            the score without its brevity penalty.

    Raises:
        TypeError: An argument of the wrong type.
        ValueError: There are no weights, or fewer orders are counted than weighed, or there is no such method.
    """

    def __cinit__(self, int method, tuple weights not None, int counted, unpenalised):
        cdef int n
        if not 0 <= method <= 7:
            raise ValueError(f"there is no method {method}")
        if not weights or counted < len(weights):
            raise ValueError(f"{len(weights)} weights do not go with {counted} orders")
        self.formula.order = <int>len(weights)
        self.formula.counted = counted
        self.formula.method = method
        self.unpenalised = unpenalised
        reserve(<void**>&self.own_weights, <size_t>self.formula.order, sizeof(double))
        for n in range(self.formula.order):
            self.own_weights[n] = weights[n]
        self.formula.weights = self.own_weights

    def __dealloc__(self):
        release(<void**>&self.own_weights)
