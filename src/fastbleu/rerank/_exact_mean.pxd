"""Weighted means, rounded once."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from fastbleu.scoring._formula cimport ExactSum

cdef bint divide(const ExactSum* sum, const ExactSum* weight, size_t terms, double* low, double* high) noexcept nogil
cdef double exact_mean(
    const double* scores, const uint32_t* places, const double* weights, size_t n, size_t left_out, double low,
    double high,
) except? -1 nogil
