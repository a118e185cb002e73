"""Declarations of columns of text, for modules that create such columns."""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint8_t

from fastbleu.inputs._column cimport Column

cdef extern from "inputs/encode.h" nogil:
    const size_t FB_ENCODE_SLACK
    ctypedef uint8_t* (*fb_encoder)(const void* characters, size_t length, uint8_t* out) noexcept nogil

cdef const fb_encoder* ENCODE  # Functions that encode str as UTF-8: for characters of 1, 2 and 4 bytes.

cdef class TextColumn(Column):
    cdef TextColumn part(self, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t max_bytes)
    cdef int append(self, object text, object name, Py_ssize_t i, bint lowercase, bint may_be_missing) except -1

cdef struct InputList:
    # A list or tuple of segments that are copied to a column. Its three references to objects are borrowed.
    PyObject* items  # The list or tuple.
    PyObject* name  # The name of the list in errors.
    PyObject* column  # The TextColumn to which the segments are copied.
    bint is_list  # Whether `items` is a list, not a tuple.
    bint may_be_missing  # Whether an item may be None, for a missing segment.

cdef object too_long(object where, int64_t length)
cdef object item(const InputList* input_list, Py_ssize_t i)
