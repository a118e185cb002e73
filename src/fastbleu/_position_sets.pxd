"""The route for references of up to a few machine words of positions."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t

from fastbleu._workspace cimport Index, Workspace

cdef enum:
    WORD = 64                    # positions in a machine word

cdef int number_with_positions(Workspace* work, Index* index, size_t slots_per_token) except -1 nogil
cdef int match_position_sets(
    const Index* index, Workspace* work, size_t base, int order, int64_t* correct
) except -1 nogil
