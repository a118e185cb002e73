"""Columns as the kernels read them: raw pointers into memory that the owner keeps alive."""

from libc.stdint cimport int64_t, uint8_t, uint64_t

cdef enum:
    NOWHERE = -1  # The index of a segment that has no index.
    READ_AHEAD = 128  # Two blocks of the tokenizers, in bytes.
    ITEM_BYTES = 8  # The size of an array item.

cdef int64_t LONGEST_SEGMENT  # The maximum size of a segment: bytes of text, or eight times the number of ids.

cdef int64_t check_length(int64_t tokens, object name, Py_ssize_t i) except -1

cdef bint is_native(const char* format, const char* letters) noexcept

cdef struct View:
    const uint8_t* data  # The UTF-8 bytes or int64 ids of all segments.
    const int64_t* starts  # The offset in `data` of the first item of each segment: a byte or an id.
    const int64_t* ends  # The offset after the last item of each segment.
    const uint8_t* absent  # 1 for each missing segment, else 0; NULL if no segment is missing.
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
    # The buffers that `release_all` frees, up to `length`.
    cdef uint8_t* own_data
    cdef int64_t* own_offsets
    cdef uint8_t* own_absent
    cdef int64_t* own_ends
    # The end of the buffers.
    cdef Py_ssize_t length
    cdef int make_room(self, size_t size) except -1
    cdef int reserve_segments(self, Py_ssize_t segments, size_t bytes=*) except -1
    cdef int set_absent(self, Py_ssize_t i) except -1
    cdef int append_absent(self) except -1
    cdef Py_ssize_t position(self, Py_ssize_t index) except -2
    cdef int append_copy(self, Column source, int64_t i) except -1
    cdef Py_ssize_t room(self) noexcept
    cdef void finish(self) noexcept
    cdef int reserve_ends(self) except -1
    cdef void borrow(self, object owner, const uint8_t* data, const uint8_t* readable_end) noexcept

cdef Column borrowed(type kind, object owner, const uint8_t* data, const uint8_t* readable_end, Py_ssize_t length)

cdef class IdColumn(Column):
    pass
