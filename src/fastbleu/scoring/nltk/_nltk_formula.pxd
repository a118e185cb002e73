"""Declare NLTK's formula for kernels: its options, and the term of an order in the score of one segment."""

from libc.stddef cimport size_t

cdef struct NLTKFormula:
    int order                    # The largest order with a weight, N.
    int counted                  # The largest order that the smoothing method needs, at least N.
    int method                   # The number of the smoothing method, 0 to 7.
    const double* weights        # One weight per order.


cdef class CompiledNLTKFormula:
    cdef NLTKFormula formula
    cdef double* weights         # The array that formula.weights points to.
    cdef readonly object unpenalised  # The function that scores without the brevity penalty under methods 5 to 7.


cdef bint adds_orders_up(const NLTKFormula* formula) noexcept nogil
cdef double weighted_log(
    const NLTKFormula* formula, int n, size_t matches, size_t length, int unmatched) noexcept nogil
