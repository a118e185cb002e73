"""Declare NLTK's formula for kernels: its options, and the term of an order in the score of one segment."""

from libc.stddef cimport size_t

cdef struct NLTKFormula:
    int order                    # N
    int counted                  # The largest order that must be counted for the method.
    int method                   # The number of the smoothing method, 0 to 7.
    const double* weights        # One weight per order.


cdef class CompiledNLTKFormula:
    cdef NLTKFormula formula
    cdef double* own_weights
    cdef readonly object unpenalised


cdef bint adds_orders_up(const NLTKFormula* formula) noexcept nogil
cdef double weighted_log(
    const NLTKFormula* formula, int n, size_t matches, size_t length, int unmatched) noexcept nogil
