"""An array of integers, seen through the buffer protocol."""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cdef class IdArray:
    cdef Py_buffer buffer
    cdef const PyObject* source  # only compared, never read: the object may be gone
    cdef bint held
    cdef bint is_signed
    cdef bint swapped
    cdef const char* row(self, Py_ssize_t i, Py_ssize_t k) noexcept nogil
    cdef bint is_plain(self) noexcept nogil
    cdef tuple run_at_end(self, const char* row)
    cdef void load(self, const char* row, size_t width, int64_t* out) noexcept nogil
