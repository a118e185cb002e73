"""Declarations of the functions that match one segment with its references, for loops over many segments."""

cimport cython

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint64_t

from fastbleu.inputs._column cimport View
from fastbleu.counting._workspace cimport Index, NgramTable, Options, Workspace

cdef Py_ssize_t number_hypothesis(
    Workspace* work, const Options* options, const View* hypotheses, int64_t i, const Index* index
) except -1 nogil
cdef int match_hypothesis(
    Workspace* work, const Options* options, const View* hypotheses, int64_t i, const Index* index, int64_t* row
) except -1 nogil
cdef int mark_hypothesis(
    Workspace* work, const Options* options, const Index* index, size_t base, uint8_t* marks
) except -1 nogil
cdef void unload(const Index* index) noexcept nogil
cdef void forget_all(Workspace* work) noexcept nogil
cpdef object no_reference(Py_ssize_t segment)


@cython.final
cdef class SegmentReferences:
    # Buffers (memory.pxd).
    cdef View* views             # The views of the columns of references.
    cdef int64_t* starts         # [segment]: the index of the segment's first reference; NULL for streams.
    cdef int64_t* stops          # [segment]: one after the index of the segment's last reference; NULL for streams.
    cdef NgramTable* tables      # The n-gram tables of the loaded references, by order - 1.
    # End of the buffers.
    cdef Options options
    cdef size_t streams          # The number of views.
    cdef Py_ssize_t length       # The number of segments.
    cdef Py_ssize_t group_size   # The number of consecutive hypotheses for each segment.
    cdef size_t tokens           # The number of the loaded references' tokens in the workspace; see `begin`.
    cdef size_t arena_used       # The number of bytes of the arena that the loaded references use; see `begin`.
    cdef int set_columns(self, list columns, object ranges) except -1
    cdef int set_hypotheses(self, Py_ssize_t hypotheses, uint64_t bits) except -1
    cdef size_t locate(self, Py_ssize_t segment, int64_t* position) noexcept nogil
    cdef Py_ssize_t count_sharing(self, Py_ssize_t i) noexcept nogil
    cdef Py_ssize_t load(
        self, Workspace* work, const View* hypotheses, Py_ssize_t i, bint marks, Index* index
    ) except -1 nogil
    cdef int index_references(
        self, Workspace* work, size_t references, int64_t position, bint are_shared, Index* index
    ) except -1 nogil
    cdef void begin(self, Workspace* work) noexcept nogil
