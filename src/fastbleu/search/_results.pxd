"""The results of a search: the k best texts, or all pairs."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t

cdef struct Found:
    double score
    int64_t index


cdef struct Pair:
    int64_t first
    int64_t second
    double score


cdef struct Results:
    # Buffers.
    Found* best                  # a heap with the worst on top
    Pair* pairs
    # No more buffers.
    size_t k
    size_t n_pairs

cdef void begin_best(Results* results) noexcept nogil
cdef bint put_best(Results* results, double score, int64_t index) noexcept nogil
cdef int put_pair(Results* results, int64_t one, int64_t other, double score) except -1 nogil
cdef void take_best(Results* results, int64_t* indices, double* scores) noexcept nogil
