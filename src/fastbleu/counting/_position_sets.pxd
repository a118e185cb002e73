"""The route for references whose positions fit a few machine words."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t

from fastbleu.inputs._column cimport View
from fastbleu.counting._workspace cimport Index, Workspace

cdef enum:
    WORD = 64                    # positions in a machine word

cdef int number_with_positions(Workspace* work, Index* index, size_t slots_per_token) except -1 nogil
cdef int number_ids_with_positions(
    Workspace* work, Index* index, const View* references, size_t streams, int64_t segment, size_t n_ids
) except -1 nogil
cdef void forget_ids(const Index* index) noexcept nogil
cdef void find_numbers(const Index* index, Workspace* work, size_t base) noexcept nogil
cdef void find_numbers_by_id(
    const Index* index, const int64_t* ids, size_t count, size_t n_ids, uint32_t* numbers
) noexcept nogil
cdef int mark_position_sets(
    const Index* index, Workspace* work, size_t base, int order, uint8_t* marks
) except -1 nogil
cdef int match_position_sets(
    const Index* index, Workspace* work, size_t base, int order, int64_t* correct
) except -1 nogil
