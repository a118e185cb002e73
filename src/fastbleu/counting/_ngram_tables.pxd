"""The route for long or very many references: n-grams numbered in tables."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t

from fastbleu.counting._workspace cimport Index, NgramEntry, Workspace

cdef int number_tokens(Workspace* work, Index* index) except -1 nogil
cdef size_t ngram_positions(const Index* index, int n) noexcept nogil
cdef void fill_table(const Index* index, Workspace* work, int n, size_t mask, NgramEntry* table) noexcept nogil
cdef int match_by_tables(
    const Index* index, Workspace* work, size_t base, int order, int64_t* correct, uint8_t* marks
) except -1 nogil
