"""Tables of n-grams that several hypotheses share."""

from fastbleu.counting._workspace cimport Index, NgramTable, Workspace

cdef int keep_tables(Workspace* work, Index* index, NgramTable* tables, int order) except -1 nogil
cdef void release_tables(NgramTable* tables, int order) noexcept nogil
