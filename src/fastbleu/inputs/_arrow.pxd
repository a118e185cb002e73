"""Arrow arrays."""

from libc.stdint cimport int64_t, uint8_t

# The structures of Arrow's C data interface and C stream interface, as its specification gives them.
cdef struct ArrowSchema:
    const char* format
    const char* name
    const char* metadata
    int64_t flags
    int64_t n_children
    ArrowSchema** children
    ArrowSchema* dictionary
    void (*release)(ArrowSchema*) noexcept nogil
    void* private_data

cdef struct ArrowArray:
    int64_t length
    int64_t null_count
    int64_t offset
    int64_t n_buffers
    int64_t n_children
    const void** buffers
    ArrowArray** children
    ArrowArray* dictionary
    void (*release)(ArrowArray*) noexcept nogil
    void* private_data

cdef struct ArrowArrayStream:
    int (*get_schema)(ArrowArrayStream*, ArrowSchema*) noexcept nogil
    int (*get_next)(ArrowArrayStream*, ArrowArray*) noexcept nogil
    const char* (*get_last_error)(ArrowArrayStream*) noexcept nogil
    void (*release)(ArrowArrayStream*) noexcept nogil
    void* private_data

cdef class Node:
    # Some rows of an array, of its child, or of a child's child.
    cdef object owner            # holds the array and its schema
    cdef const ArrowSchema* schema
    cdef const ArrowArray* array
    cdef int64_t first           # counted without the array's offset
    cdef int64_t length

cdef const void* buffer(const ArrowArray* array, Py_ssize_t number, bint needed, object name) except? NULL
cdef inline bint is_set(const uint8_t* bits, int64_t i) noexcept nogil:
    """Return whether a bit is set, counted as Arrow does."""
    return (bits[i >> 3] >> (i & 7)) & 1
cdef dict INTEGER_BYTES
cdef object format_of(const ArrowSchema* schema)
cdef object name_type(const ArrowSchema* schema)
cpdef object damaged(object name, str problem)
