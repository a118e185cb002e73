from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint32_t

cdef enum Outcome:
    # The outcomes of numbering the tokens of a segment.
    NUMBERED  # All tokens have a number.
    NOT_PLAIN  # A token is neither a plain str nor a plain int of 64 bits, or the types are mixed.
    CROWDED  # The hashes of too many tokens collide.
    LONG  # The segment takes so long that signals must be handled in the loop. Its lists must be copied first.

cdef struct TokenSlot:
    Py_hash_t hash
    PyObject* token  # A reference that is borrowed from the sequences of the segment.
    uint32_t segment  # The number of the segment that wrote the slot; for other segments, the slot is empty.
    uint32_t number  # The number of the token.

cdef class TokenTable:
    cdef TokenSlot* slots  # A growable buffer.
    cdef size_t mask  # The number of slots minus 1.
    cdef uint32_t segment  # The number of the current segment.
    cdef uint32_t tokens  # The number of distinct tokens in the current segment.
    cdef readonly size_t probes
    cdef int begin(self, size_t tokens) except -1
    cdef int number_strings(
        self, PyObject** tokens, Py_ssize_t count, bint by_characters, int64_t* out
    ) except -1

cdef int append_tokens(
    TokenTable table, list columns, list sequences, list names, Py_ssize_t i, dict vocabulary, bint frozen
) except -1
