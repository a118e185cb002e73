"""A record of what a module or a class held, for compiled callers."""

from cpython.ref cimport PyObject
from libc.stdint cimport int64_t


cdef struct Written:
    PyObject* function
    PyObject* own                # its code
    PyObject* seen               # its code, or that of a replacement, as it was last seen
    PyObject* defaults
    PyObject* keywords


cdef struct Closed:
    PyObject* cell
    PyObject* value


cdef class Functions:
    cdef list kept               # all objects whose addresses are here
    cdef bint changed_before
    cdef Py_ssize_t number
    cdef Written* functions
    cdef Py_ssize_t number_of_cells
    cdef Closed* cells
    cdef int add(self, function) except -1
    cdef bint hold(self) except -1
    cdef bint is_own_again(self, Written* written) except -1


cdef class Unchanged:
    cdef object kind             # the class; None for a module
    cdef int64_t version         # of the class or dictionary, when its values were last seen to be the same; 0: never
    cdef dict held
    cdef tuple names
    cdef tuple values
    cdef Functions functions    # those among the values whose code is the package's
    cdef tuple bases            # of a class, as it was
    cdef tuple absent           # names that it must not get
    cdef bint changed_before
    cdef bint holds(self) except -1


cpdef bint all_hold(tuple reads) except -1

cpdef bint has_own_methods(value, int depth) except -1
