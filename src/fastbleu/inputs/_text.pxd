"""The writer of a column of text."""

from cpython.object cimport PyObject

from fastbleu.inputs._column cimport Column

cdef class TextColumn(Column):
    cdef public bint repeats     # whether many segments are the same text at the same place in memory
    cdef TextColumn part(self, Py_ssize_t start, Py_ssize_t stop, object name, Py_ssize_t most_bytes)
    cdef int append(self, object text, object name, Py_ssize_t i, bint lowercase, bint may_be_absent) except -1

cdef object item(PyObject* sequence, bint is_list, Py_ssize_t i, PyObject* name)
