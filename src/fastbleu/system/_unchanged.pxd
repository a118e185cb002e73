"""A record of what a module or a class held, for compiled callers."""


cdef class Unchanged:
    cdef dict held
    cdef tuple names
    cdef tuple values
    cdef bint changed_before
    cdef bint holds(self) except -1
