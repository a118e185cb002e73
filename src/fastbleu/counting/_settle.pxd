"""Matching by the place of what a reference has once."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t

from fastbleu.counting._workspace cimport Index, Workspace

cdef enum:
    SETTLED_ORDERS = 4           # the longest n-grams that are settled

cdef bint pays_to_settle(const Index* index, const uint32_t* most, size_t base, size_t known) noexcept nogil
cdef int keep_sequences(Workspace* work, size_t base, uint32_t origin) except -1 nogil
cdef int settle(
    Workspace* work, int n, int order, size_t start, size_t stop, const uint32_t* at, const uint32_t* most,
    size_t base, uint32_t origin, uint8_t* marks
) except -1 nogil
cdef void count_settled(const uint8_t* settled, size_t base, int order, int64_t* correct) noexcept nogil
