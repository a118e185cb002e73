"""Declarations of the functions that match references of any length and number by classes of n-grams."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t

from fastbleu.counting._workspace cimport Index, NgramTable, Workspace

cdef size_t list_all_longer(Workspace* work, size_t stop) noexcept nogil
cdef int number_ngrams(const Index* index, Workspace* work, size_t after, const NgramTable* table) except -1 nogil
cdef int tally(const Index* index, Workspace* work, size_t after, uint32_t* max_counts) except -1 nogil
cdef int match_long(
    const Index* index, Workspace* work, size_t base, int order, int64_t* correct, uint8_t* marks
) except -1 nogil
