"""Writing columns of text."""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint8_t

from fastbleu.inputs._column cimport Column

cdef extern from "inputs/encode.h" nogil:
    const size_t FB_ENCODE_SLACK
    ctypedef uint8_t* (*fb_encoder)(const void* characters, size_t length, uint8_t* out) noexcept nogil

cdef const fb_encoder* ENCODE  # The encoder for characters of 1, 2 or 4 bytes is at half that index, rounded down.

cdef class TextColumn(Column):
    cdef TextColumn part(self, Py_ssize_t start, Py_ssize_t stop, object name, Py_ssize_t most_bytes)
    cdef int append(self, object text, object name, Py_ssize_t i, bint lowercase, bint may_be_absent) except -1

cdef struct Source:
    # A list or tuple that is read into a column. All references are borrowed from lists that hold them.
    PyObject* items
    PyObject* name               # What errors call it.
    PyObject* column
    bint is_list
    bint may_be_absent           # Whether an item may be None, for a missing segment.

cdef object too_long(object where, int64_t length)
cdef object item(const Source* source, Py_ssize_t i)
