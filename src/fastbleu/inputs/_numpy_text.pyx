"""NumPy's arrays of text, of one width or of StringDType -> columns of UTF-8, copied when kernels read them."""

from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memcpy

from fastbleu.inputs._column cimport LONGEST_SEGMENT
from fastbleu.inputs._text cimport ENCODE, FB_ENCODE_SLACK, ReadText, TextColumn, is_utf8, not_utf8, too_long

from fastbleu.errors import ArgumentValueError, place

cdef extern from "_native/bits.h" nogil:
    void fb_fetch(const void* start, size_t bytes)

cdef enum:
    ROW = 3                      # the place in ENCODE
    FETCHED_AHEAD = 4096         # bytes: rows are read faster than they come from memory
    # The places of functions in NumPy's table of its C interface, which never change.
    NPYSTRING_LOAD = 313
    NPYSTRING_ACQUIRE_ALLOCATOR = 316
    NPYSTRING_RELEASE_ALLOCATOR = 318

cdef struct StaticString:        # npy_static_string
    size_t size
    const uint8_t* text

ctypedef int (*Load)(void* allocator, const void* packed, StaticString* found) noexcept nogil
ctypedef void* (*Acquire)(PyObject* dtype) noexcept
ctypedef void (*Release)(void* allocator) noexcept


cdef class NumpyText(ReadText):
    """Segments of text in an array of one dimension.

    Args:
        array: Of str of one width, aligned and in the machine's order of bytes; or of StringDType, in which what is
            missing is an absent segment.
        name: What errors call it.
    """

    cdef object array
    cdef const char* rows
    cdef Py_ssize_t stride
    cdef size_t width            # characters of a row
    cdef void** functions        # of NumPy; NULL where all rows have one width

    def __init__(self, array not None, name not None):
        self.array = array
        self.name = name
        self.rows = <const char*><size_t>array.__array_interface__["data"][0]
        self.stride = array.strides[0]
        self.length = len(array)
        self.width = array.itemsize // sizeof(uint32_t)
        if array.dtype.kind == "T":
            from numpy._core._multiarray_umath import _ARRAY_API

            self.functions = <void**>PyCapsule_GetPointer(_ARRAY_API, NULL)

    cdef TextColumn part(self, Py_ssize_t start, Py_ssize_t stop, object name, Py_ssize_t most_bytes):
        cdef TextColumn column = TextColumn()
        cdef void* allocator = NULL
        cdef Py_ssize_t i = start
        cdef int64_t before = 0, used = 0
        cdef const char* row
        dtype = self.array.dtype
        column.reserve_segments(stop - start)
        if self.functions != NULL:
            # Other threads cannot change the strings until it is released. No object of Python is made meanwhile:
            # that may collect garbage, whose callbacks may wait for the same strings.
            allocator = (<Acquire>self.functions[NPYSTRING_ACQUIRE_ALLOCATOR])(<PyObject*>dtype)
        try:
            while i < stop and used <= most_bytes:
                row, before = self.rows + i * self.stride, used
                if allocator == NULL:
                    used = self.append_characters(column, row, used)
                else:
                    used = self.append_string(column, row, used, <Load>self.functions[NPYSTRING_LOAD], allocator)
                if used < 0 or used - before > LONGEST_SEGMENT:
                    break
                if allocator != NULL and not is_utf8(column.own_data + before, column.own_data + used):
                    break
                column.length += 1
                column.own_offsets[column.length] = before = used
                i += 1
        finally:
            if allocator != NULL:
                (<Release>self.functions[NPYSTRING_RELEASE_ALLOCATOR])(allocator)
        if used < 0:
            raise ArgumentValueError(place(name, i), "holds a number that is not a character")
        if used - before > LONGEST_SEGMENT:
            raise too_long(place(name, i), used - before)
        if used > before:
            raise not_utf8(place(name, i), column.own_data + before, <size_t>(used - before))
        column.finish()
        return column

    cdef int64_t append_characters(self, TextColumn column, const char* row, int64_t used) except -2:
        """Writes a row of characters of four bytes; returns where it ends, or -1 if a number is too large for one."""
        cdef size_t bytes = self.width * sizeof(uint32_t)
        cdef const uint8_t* end
        fb_fetch(<const void*>(<size_t>row + FETCHED_AHEAD), bytes)
        column.make_room(<size_t>used + bytes + FB_ENCODE_SLACK)
        end = ENCODE[ROW](row, self.width, column.own_data + used)
        return -1 if end == NULL else end - column.own_data

    cdef int64_t append_string(
        self, TextColumn column, const char* row, int64_t used, Load load, void* allocator
    ) except -2:
        """Copies a string, if there is one; returns where it ends, or -1 if NumPy cannot read it."""
        cdef StaticString found
        cdef int outcome = load(allocator, row, &found)
        if outcome < 0:
            return -1
        if outcome:
            column.set_absent(column.length)
            return used
        column.make_room(<size_t>used + found.size)
        if found.size:
            memcpy(column.own_data + used, found.text, found.size)
        return used + <int64_t>found.size
