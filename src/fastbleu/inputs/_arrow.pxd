"""Arrow arrays, and the columns over them."""

from libc.stdint cimport int64_t, uint8_t

from fastbleu.inputs._text cimport TextColumn

cdef extern from "inputs/arrow.h" nogil:
    struct ArrowSchema:
        const char* format
        const char* name
        int64_t n_children
        ArrowSchema** children
        ArrowSchema* dictionary
        void (*release)(ArrowSchema*) noexcept
    struct ArrowArray:
        int64_t length
        int64_t null_count
        int64_t offset
        int64_t n_buffers
        int64_t n_children
        const void** buffers
        ArrowArray** children
        ArrowArray* dictionary
        void (*release)(ArrowArray*) noexcept
    struct ArrowArrayStream:
        int (*get_schema)(ArrowArrayStream*, ArrowSchema*) noexcept nogil
        int (*get_next)(ArrowArrayStream*, ArrowArray*) noexcept nogil
        const char* (*get_last_error)(ArrowArrayStream*) noexcept
        void (*release)(ArrowArrayStream*) noexcept

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

cdef class Node:
    # Some rows of an array, of its child, or of a child's child.
    cdef object owner            # holds the array and its schema
    cdef const ArrowSchema* schema
    cdef const ArrowArray* array
    cdef int64_t first           # counted without the array's offset
    cdef int64_t length
    cdef Node child(self, int64_t first, int64_t length)

cdef class TextArray:
    cdef object owner            # holds the array
    cdef Py_ssize_t length
    cdef Values values
    cdef const uint8_t* validity     # of the indices
    cdef const uint8_t* indices      # of a dictionary; NULL: there is none
    cdef int64_t index_offset
    cdef int index_size
    cdef bint index_is_signed
    cdef bint is_contiguous(self) noexcept nogil
    cdef int find(self, int64_t row, const uint8_t** text, int64_t* length) noexcept nogil

cdef class PartedText(TextColumn):
    cdef object name

cdef class ArrowText(PartedText):
    cdef list arrays
    cdef list bounds

cdef const void* buffer(const ArrowArray* array, Py_ssize_t number, bint needed, object name) except? NULL
cdef inline bint is_set(const uint8_t* bits, int64_t i) noexcept nogil:
    """Whether a bit is set, counted as Arrow does."""
    return (bits[i >> 3] >> (i & 7)) & 1
cdef dict INTEGER_BYTES
cdef object format_of(const ArrowSchema* schema)
cdef object name_type(const ArrowSchema* schema)
cdef object damaged(object name, str problem)
