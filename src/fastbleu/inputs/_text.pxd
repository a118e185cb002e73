"""Declarations of columns of text, for modules that write them."""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint8_t

from fastbleu.inputs._column cimport Column

cdef extern from "inputs/encode.h" nogil:
    const size_t FB_ENCODE_SLACK
    ctypedef uint8_t* (*fb_encoder)(const void* characters, size_t length, uint8_t* out) noexcept nogil

cdef const fb_encoder* ENCODE  # Encoders: index 0 for characters of 1 byte, 1 for 2 bytes, 2 for 4 bytes.

cdef class TextColumn(Column):
    cdef TextColumn part(self, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t max_bytes)
    cdef int append(self, object text, object name, Py_ssize_t i, bint lowercase, bint may_be_missing) except -1

cdef struct Source:
    # A list or tuple that is read into a column. All references are borrowed from lists that hold them.
    PyObject* items
    PyObject* name               # The name of the list in errors.
    PyObject* column
    bint is_list
    bint may_be_missing           # Whether an item may be None, for a missing segment.

cdef object too_long(object where, int64_t length)
cdef object item(const Source* source, Py_ssize_t i)
