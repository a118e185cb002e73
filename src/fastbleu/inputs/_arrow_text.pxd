"""Columns of text over Arrow arrays."""

from libc.stdint cimport int64_t, uint8_t

from fastbleu.inputs._text cimport TextColumn

cdef enum Form:
    OFFSETS_32
    OFFSETS_64
    VIEWS

cdef struct Values:
    # The strings of an array, without the indices of a dictionary.
    int form
    int64_t offset               # of the first one
    int64_t length
    const uint8_t* validity      # a bit for each string; NULL: all are there
    const void* offsets          # int32 or int64 [offset + length + 1], or views of 16 bytes
    const uint8_t* data
    int64_t size                 # bytes of data
    const void** buffers         # of views: theirs begin at the third
    const int64_t* sizes         # of these buffers
    int64_t n_buffers

cdef class TextArray:
    cdef object owner            # holds the array
    cdef Py_ssize_t length
    cdef Values values
    cdef const uint8_t* validity     # of the indices
    cdef const uint8_t* indices      # of a dictionary; NULL: there is none
    cdef int64_t index_offset
    cdef int index_size
    cdef bint index_is_signed
    cdef int64_t* sizes              # a buffer: of the buffers of views
    cdef int keep_sizes(self) except -1
    cdef bint is_contiguous(self) noexcept nogil
    cdef int find(self, int64_t row, const uint8_t** text, int64_t* length) noexcept nogil

cdef class ArrowText(TextColumn):
    cdef object name             # what errors call them where nobody gives another name
    cdef list arrays
    cdef list bounds
