"""Checks that modules and classes are unchanged, for compiled callers."""

from cpython.ref cimport PyObject
from libc.stdint cimport int64_t


cdef struct Written:
    PyObject* function
    PyObject* own                # The original code.
    PyObject* seen               # The latest code that was accepted: the original one, or a replacement's.
    PyObject* defaults
    PyObject* keywords


cdef struct Closed:
    PyObject* cell
    PyObject* value


cdef class Functions:
    cdef list kept               # References to all objects whose addresses are stored here.
    cdef bint changed_before
    cdef Py_ssize_t number
    cdef Written* functions
    cdef Py_ssize_t number_of_cells
    cdef Closed* cells
    cdef int add(self, function) except -1
    cdef bint hold(self) except -1
    cdef bint is_own_again(self, Written* written) except -1


cdef class Unchanged:
    cdef object kind             # The class; None for a module.
    cdef int64_t version         # The latest version of the class or dictionary with equal values; 0 for none.
    cdef dict held
    cdef tuple names
    cdef tuple values
    cdef Functions functions     # The values that are functions of the package.
    cdef tuple bases             # The original method resolution order of a class.
    cdef tuple missing            # Names that must remain missing.
    cdef bint changed_before
    cdef bint holds(self) except -1


cpdef bint all_hold(tuple reads) except -1

cpdef bint has_own_methods(value, int depth) except -1
