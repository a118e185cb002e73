"""Integers in Arrow arrays."""

from libc.stdint cimport int64_t, uint8_t

cdef struct Integers:
    # Some rows of an array of integers.
    const char* items
    const uint8_t* validity
    int64_t offset
    int64_t start                # how many lie in the arrays before it; after the last array this is all of them
    int size
    bint is_signed

cdef class ArrowIntegers:
    cdef list owners
    cdef Integers* arrays        # a buffer
    cdef int64_t length
    cdef const Integers* find(self, int64_t index) except NULL
    cdef bint copy(self, int64_t start, int64_t stop, int64_t* out) except -1
