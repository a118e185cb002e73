"""Declarations of the functions that match short references by sets of positions."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t

from fastbleu.inputs._column cimport View
from fastbleu.counting._workspace cimport Index, Workspace

cdef enum:
    WORD = 64                    # The number of positions in a machine word.
    MAX_ORDERS = 4               # The largest n: all orders are matched together, in registers.

cdef int number_with_positions(Workspace* work, Index* index, size_t slots_per_token) except -1 nogil
cdef int number_ids_with_positions(
    Workspace* work, Index* index, const View* references, size_t streams, int64_t segment, size_t n_ids
) except -1 nogil
cdef void find_numbers(const Index* index, Workspace* work, size_t base) noexcept nogil
cdef int mark_short(
    const Index* index, Workspace* work, size_t base, int order, uint8_t* marks
) except -1 nogil
cdef int match_short(
    const Index* index, Workspace* work, size_t base, int order, int64_t* correct
) except -1 nogil
