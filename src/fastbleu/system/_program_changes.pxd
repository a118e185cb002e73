"""Declarations with which compiled code checks whether modules, classes and functions are unchanged."""

from cpython.ref cimport PyObject
from libc.stdint cimport int64_t


cdef struct FunctionRecord:
    # A recorded function. All pointers are borrowed references; `Functions.references` keeps their objects alive.
    PyObject* function
    PyObject* original           # The code object at the time of recording.
    PyObject* accepted           # The code object that passed the latest check: the original one, or a replacement.
    PyObject* defaults
    PyObject* keywords


cdef struct CellRecord:
    # A closure cell of a recorded function, with its value at the time of recording.
    PyObject* cell
    PyObject* value


cdef class Functions:
    cdef list references         # Keeps the objects alive to which the records have pointers.
    cdef bint changed_before
    cdef Py_ssize_t number       # The number of recorded functions.
    cdef FunctionRecord* functions
    cdef Py_ssize_t number_of_cells
    cdef CellRecord* cells
    cdef int add(self, function) except -1
    cdef bint are_unchanged(self) except -1
    cdef bint accepts_code(self, FunctionRecord* record) except -1


cdef class Unchanged:
    cdef object kind             # The class; None for a module.
    cdef int64_t version         # The version of the class or dictionary at the latest successful check; 0 for none.
    cdef dict namespace          # The `__dict__` of the class or module.
    cdef tuple names
    cdef tuple values
    cdef Functions functions     # A record of those values that are functions of the watched packages.
    cdef tuple bases             # The original method resolution order of the class; None for a module.
    cdef tuple missing           # Names that the module or class does not have and must not get.
    cdef bint changed_before
    cdef bint is_unchanged(self) except -1


cpdef bint all_unchanged(tuple reads) except -1

cpdef bint has_own_methods(value, int depth) except -1
