"""A column as the kernels see it: raw pointers that its owner keeps alive."""

from libc.stdint cimport int64_t, uint8_t, uint64_t

cdef enum:
    NOWHERE = -1                 # the number of a segment that has none
    READ_AHEAD = 128             # two blocks of the tokenizers
    ITEM_BYTES = 8               # of the numbers in arrays

cdef int64_t LONGEST_SEGMENT     # bytes of text, or eight times the number of ids

cdef int64_t check_length(int64_t tokens, object name, Py_ssize_t i) except -1

cdef bint is_native(const char* format, const char* letters) noexcept

cdef struct View:
    const uint8_t* data          # UTF-8 bytes, or int64 ids
    const int64_t* starts        # of each segment: bytes, or ids
    const int64_t* ends
    const uint8_t* absent        # 1 where there is no such segment; NULL: all are there
    const uint8_t* readable_end  # of the READ_AHEAD bytes after a segment, those before it may be read

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
    cdef size_t item_size        # bytes of a character, 1, or of an id
    cdef uint64_t bits           # that any id has set, except ids that match nothing; all of them if nobody has looked
    cdef object owner            # keeps borrowed memory alive
    # Buffers.
    cdef uint8_t* own_data
    cdef int64_t* own_offsets
    cdef uint8_t* own_absent
    cdef int64_t* own_ends
    # No more buffers.
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
    cdef int point_to(self, Py_ssize_t i, Column source, int64_t k) except -1

cdef Column borrowed(type kind, object owner, const uint8_t* data, const uint8_t* readable_end, Py_ssize_t length)

cdef class IdColumn(Column):
    pass
