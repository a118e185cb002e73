"""Prepared references, for the kernel that matches against them."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t

from fastbleu.counting._workspace cimport Index, NgramTable, Workspace

cdef class ReferenceIndex:
    # Buffers.
    cdef uint8_t* memory         # one block for each segment, one after the other
    cdef size_t* offsets         # of the blocks
    # No more buffers.
    cdef size_t used
    cdef Py_ssize_t length       # in segments
    cdef readonly int tokenizer
    cdef readonly int order
    cdef uint8_t* take(self, size_t bytes) except NULL nogil
    cdef int put(self, const void* items, size_t bytes) except -1 nogil
    cdef int put_table(self, Workspace* work, size_t after) except -1 nogil
    cdef int put_tables(self, Workspace* work, const Index* index) except -1 nogil
    cdef int keep_tables(self, Workspace* work, Index* index, NgramTable* tables) except -1 nogil
    cdef int keep_list(self, const Workspace* work) except -1 nogil
    cdef void load_list(self, Workspace* work) noexcept nogil
    cdef int append(self, Workspace* work, const Index* index) except -1 nogil
    cdef void load(self, Py_ssize_t segment, Index* index, NgramTable* tables) noexcept nogil
