from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint32_t

cdef enum Outcome:
    NUMBERED
    NOT_PLAIN                # a token of another kind, or too large
    CROWDED                  # the hashes of too many tokens collide
    LONG                     # so many tokens that signals are handled meanwhile: lists must be copied first

cdef struct TokenSlot:
    Py_hash_t hash
    PyObject* token              # borrowed from the sequences at hand
    uint32_t segment             # that the slot belongs to; for any other it is empty
    uint32_t number

cdef class TokenTable:
    cdef TokenSlot* slots        # a buffer
    cdef size_t mask
    cdef uint32_t segment
    cdef uint32_t tokens
    cdef readonly size_t probes
    cdef int begin(self, size_t tokens) except -1
    cdef int number_strings(
        self, PyObject** tokens, Py_ssize_t count, bint by_characters, int64_t* out
    ) except -1

cdef int append_tokens(
    TokenTable table, list columns, list sequences, list names, Py_ssize_t i, dict vocabulary, bint frozen
) except -1
