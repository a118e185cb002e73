"""Declarations of the functions that make tables of a segment's n-grams for several hypotheses."""

from fastbleu.counting._workspace cimport Index, NgramTable, Workspace

cdef int make_shared_tables(Workspace* work, Index* index, NgramTable* tables, int order) except -1 nogil
cdef void release_shared_tables(NgramTable* tables, int order) noexcept nogil
