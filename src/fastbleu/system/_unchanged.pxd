"""A record of what a module or a class held, for compiled callers."""

from libc.stdint cimport int64_t


cdef class Unchanged:
    cdef object kind             # the class; None for a module
    cdef int64_t version         # of the class or dictionary, when its values were last seen to be the same; 0: never
    cdef dict held
    cdef tuple names
    cdef tuple values
    cdef tuple absent           # names that it must not get
    cdef bint changed_before
    cdef bint holds(self) except -1


cpdef bint all_hold(tuple reads) except -1
