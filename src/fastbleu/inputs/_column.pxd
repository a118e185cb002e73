"""Declarations of columns. Kernels read them through raw pointers into memory that the column keeps alive."""

from libc.stdint cimport int64_t, uint8_t, uint64_t

cdef enum:
    NO_INDEX = -1  # Passed in place of an index for a value that has none.
    READ_AHEAD = 128  # Kernels may read this many bytes after a segment: two blocks of the tokenizers.
    ITEM_BYTES = 8  # The size of an array item.

cdef int64_t LONGEST_SEGMENT  # The maximum size of a segment: bytes of text, or eight times the number of ids.

cdef int64_t check_length(int64_t tokens, object name, Py_ssize_t i) except -1

cdef bint is_native(const char* format, const char* letters) noexcept

cdef struct View:
    const uint8_t* data  # The UTF-8 bytes or int64 ids of all segments.
    const int64_t* starts  # The offset in `data` of the first item of each segment: a byte or an id.
    const int64_t* ends  # The offset after the last item of each segment.
    const uint8_t* missing  # 1 for each missing segment, else 0; NULL if no segment is missing.
    const uint8_t* readable_end  # The READ_AHEAD bytes after a segment may be read up to this address.

cdef class ArrayBuffer:
    cdef Py_buffer buffer
    cdef bint held
    cdef Py_ssize_t rows
    cdef Py_ssize_t columns

cdef class Int64Buffer(ArrayBuffer):
    cdef int64_t* data

cdef class Float64Buffer(ArrayBuffer):
    cdef double* data

cdef class Column:
    cdef View view
    cdef size_t item_size  # The bytes of an item: 1 for text, 8 for ids.
    cdef uint64_t bits  # Bitwise OR of all ids, except ids that match nothing; all ones if not computed.
    cdef object owner  # Keeps borrowed memory alive.
    # Buffers. `release_all` frees these fields, up to `length`.
    cdef uint8_t* own_data
    cdef int64_t* own_offsets
    cdef uint8_t* own_missing
    cdef int64_t* own_ends
    # The fields below are not buffers.
    cdef Py_ssize_t length  # The number of segments.
    cdef int make_room(self, size_t size) except -1
    cdef int reserve_segments(self, Py_ssize_t segments, size_t bytes=*) except -1
    cdef int set_missing(self, Py_ssize_t i) except -1
    cdef int append_missing(self) except -1
    cdef Py_ssize_t position(self, Py_ssize_t index) except -2
    cdef int append_copy(self, Column source, int64_t i) except -1
    cdef Py_ssize_t room(self) noexcept
    cdef void finish(self) noexcept
    cdef int reserve_ends(self) except -1
    cdef void borrow(self, object owner, const uint8_t* data, const uint8_t* readable_end) noexcept

cdef Column borrowed(type kind, object owner, const uint8_t* data, const uint8_t* readable_end, Py_ssize_t length)

cdef class IdColumn(Column):
    pass
