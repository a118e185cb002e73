from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint32_t

cdef struct TokenSlot:
    Py_hash_t hash
    PyObject* token              # borrowed from the sequences at hand
    uint32_t segment             # which the slot belongs to; of another it is empty
    uint32_t number

cdef class TokenTable:
    cdef TokenSlot* slots
    cdef size_t capacity
    cdef size_t mask
    cdef uint32_t segment
    cdef uint32_t tokens
    cdef int begin(self, size_t tokens) except -1
    cdef bint number_strings(self, PyObject** tokens, Py_ssize_t count, int64_t* out) except -1

cdef int append_tokens(
    TokenTable table, list columns, list sequences, list names, Py_ssize_t i, dict vocabulary, bint frozen
) except -1
