"""Tables of n-grams that several hypotheses of a segment share."""

from fastbleu.counting._workspace cimport Index, NgramTable, Workspace

cdef int make_shared_tables(Workspace* work, Index* index, NgramTable* tables, int order) except -1 nogil
cdef void release_shared_tables(NgramTable* tables, int order) noexcept nogil
