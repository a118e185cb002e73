from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint32_t

cdef enum Outcome:
    NUMBERED
    NOT_PLAIN  # A token has another type, or is too large.
    CROWDED  # The hashes of too many tokens collide.
    LONG  # Signals must be handled during the loop, so lists must be copied first.

cdef struct TokenSlot:
    Py_hash_t hash
    PyObject* token  # Borrowed from the current sequences.
    uint32_t segment  # The segment that the slot belongs to; for other segments, the slot is empty.
    uint32_t number

cdef class TokenTable:
    cdef TokenSlot* slots  # A growable buffer.
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
