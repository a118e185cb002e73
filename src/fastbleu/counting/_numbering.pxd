"""Declarations of the functions that number the tokens of a segment."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t

from fastbleu.counting._workspace cimport Index, Workspace
from fastbleu.inputs._column cimport View

cdef int number_tokens(Workspace* work, Index* index, size_t slots_per_token) except -1 nogil
cdef uint32_t origin_of_hypothesis(const Index* index, size_t base) noexcept nogil
cdef int list_known_tokens(const Index* index, Workspace* work, size_t base) except -1 nogil
cdef int number_ids(
    Workspace* work, Index* index, const View* references, size_t streams, int64_t segment, size_t n_ids
) except -1 nogil
cdef void find_numbers_by_id(
    const Index* index, const int64_t* ids, size_t count, size_t n_ids, uint32_t* numbers
) noexcept nogil
cdef int list_known_ids(
    const Index* index, Workspace* work, size_t base, const int64_t* ids, size_t count, size_t n_ids
) except -1 nogil
cdef void forget_ids(const Index* index) noexcept nogil
