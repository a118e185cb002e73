"""One segment matched against its references, for the loops over many."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint64_t

from fastbleu.inputs._column cimport Int64Buffer, View
from fastbleu.counting._reference_index cimport ReferenceIndex
from fastbleu.counting._workspace cimport Index, NgramTable, Workspace

cdef int read_references(
    Workspace* work, int tokenizer, const View* references, size_t streams, int64_t segment, size_t ahead,
    size_t slots_per_token, size_t n_ids, int order, Index* index,
) except -1 nogil
cdef Py_ssize_t number_hypothesis(
    Workspace* work, int tokenizer, const View* hypotheses, int64_t segment, size_t n_ids, const Index* index
) except -1 nogil
cdef int64_t chosen_length(const Index* index, int rule, int64_t length) noexcept nogil
cdef int match_hypothesis(
    Workspace* work, int tokenizer, const View* hypotheses, int64_t segment, int order, int rule, size_t n_ids,
    const Index* index, int64_t* row
) except -1 nogil
cdef int mark_hypothesis(
    const Index* index, Workspace* work, size_t base, int order, uint8_t* marks
) except -1 nogil
cdef void unload(const Index* index) noexcept nogil
cdef void forget_all(Workspace* work) noexcept nogil
cdef object no_reference(Py_ssize_t segment)

cdef class SegmentReferences:
    # Buffers.
    cdef View* views             # of the columns, by stream
    cdef NgramTable* tables      # of a prepared segment
    # No more buffers.
    cdef size_t streams
    cdef int tokenizer
    cdef int order
    cdef size_t n_ids            # all ids are below it; 0: ids may be any
    cdef ReferenceIndex prepared
    cdef ReferenceIndex scratch  # tables of one segment that has several hypotheses, or the list of its tokens
    cdef Int64Buffer numbers
    cdef Py_ssize_t first
    cdef Py_ssize_t samples      # hypotheses of each segment, next to each other
    cdef size_t tokens           # of the references that are loaded, if the workspace has read them
    cdef int expect(self, Py_ssize_t segments, uint64_t bits) except -1
    cdef bint load(self, Workspace* work, const View* hypotheses, Py_ssize_t i, Index* index) except -1 nogil
    cdef void begin(self, Workspace* work, const Index* index) noexcept nogil
    cdef object error(self, Py_ssize_t i)
