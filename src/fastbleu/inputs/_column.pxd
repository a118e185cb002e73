"""Declarations of columns: segments in one contiguous buffer, which kernels read through the pointers of a `View`."""

from libc.stdint cimport int64_t, uint8_t, uint64_t

cdef enum:
    NO_INDEX = -1  # Passed as the index of a segment that error messages name without an index.
    READ_AHEAD = 128  # The number of bytes after a segment that kernels may read: two blocks of the tokenizers.
    ITEM_BYTES = 8  # The size of an int64 or float64.

cdef int64_t LONGEST_SEGMENT  # The maximum size of a segment in bytes, of text or of int64 ids.

cdef int64_t check_length(int64_t tokens, object name, Py_ssize_t i) except -1

cdef bint is_native(const char* format, const char* letters) noexcept

cdef struct View:
    const uint8_t* data  # The UTF-8 bytes or int64 ids of all segments.
    const int64_t* starts  # The offset of each segment in `data`, in bytes of text or in ids.
    const int64_t* ends  # The offset of the end of each segment (exclusive), in the unit of `starts`.
    const uint8_t* missing  # 1 for each missing segment, else 0; NULL if no segment is missing.
    const uint8_t* readable_end  # The end of the memory that may be read; kernels read beyond segments only before it.

cdef class ArrayBuffer:
    cdef Py_buffer buffer
    cdef bint is_acquired
    cdef Py_ssize_t rows
    cdef Py_ssize_t columns

cdef class Int64Buffer(ArrayBuffer):
    cdef int64_t* data

cdef class Float64Buffer(ArrayBuffer):
    cdef double* data

cdef class Column:
    cdef View view
    cdef size_t item_size  # The size of an item in bytes: 1 for text, 8 for ids.
    cdef uint64_t bits  # The bitwise OR of all ids, except ids that match nothing; all ones if not computed.
    cdef object owner  # The object whose memory `view` points to; None if the column has a copy.
    # Growable buffers. `release_all` frees all fields from here to `length`.
    cdef uint8_t* own_data
    cdef int64_t* own_offsets
    cdef uint8_t* own_missing
    cdef int64_t* own_ends
    cdef Py_ssize_t length  # The number of segments; not a buffer.
    cdef int reserve_bytes(self, size_t size) except -1
    cdef int reserve_segments(self, Py_ssize_t segments, size_t bytes=*) except -1
    cdef int set_missing(self, Py_ssize_t i) except -1
    cdef int append_missing(self) except -1
    cdef Py_ssize_t position(self, Py_ssize_t index) except -2
    cdef int append_copy(self, Column source, int64_t i) except -1
    cdef Py_ssize_t free_items(self) noexcept
    cdef void finish(self) noexcept
    cdef int reserve_ends(self) except -1
    cdef void borrow(self, object owner, const uint8_t* data, const uint8_t* readable_end) noexcept

cdef Column borrowed(type kind, object owner, const uint8_t* data, const uint8_t* readable_end, Py_ssize_t length)

cdef class IdColumn(Column):
    pass
