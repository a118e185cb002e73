"""NLTK's formula as kernels use it: its options, and what an order adds to the score of one segment."""

from libc.stddef cimport size_t

cdef struct NLTKFormula:
    int order                    # N
    int counted                  # the longest n-grams that the method asks for
    int method                   # by number
    const double* weights        # by order


cdef class CompiledNLTKFormula:
    cdef NLTKFormula formula
    cdef double* own_weights
    cdef readonly object unpenalised


cdef bint adds_orders_up(const NLTKFormula* formula) noexcept nogil
cdef double weighted_log(
    const NLTKFormula* formula, int n, size_t matches, size_t length, int unmatched) noexcept nogil
