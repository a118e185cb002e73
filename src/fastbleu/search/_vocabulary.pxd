"""Texts as numbers of their tokens, by a vocabulary that grows."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from fastbleu._native._hashing cimport fb_key
from fastbleu.counting._workspace cimport Workspace

cdef class Vocabulary:
    # Buffers.
    cdef uint32_t* slots
    cdef fb_key* keys            # by number, from 1 on
    cdef uint64_t* bytes_at      # by number: where the bytes of a long token are in `long_bytes`
    cdef uint8_t* long_bytes
    # No more buffers.
    cdef readonly size_t tokens  # distinct
    cdef size_t mask
    cdef size_t long_used
    cdef int make_slots(self, size_t tokens) except -1 nogil
    cdef uint32_t enter(self, fb_key key, const uint64_t* bytes) except? 0 nogil
    cdef int find(self, Workspace* work, bint are_ids, bint grows, uint32_t* numbers) except -1 nogil


cdef class NumberedTexts:
    cdef Workspace work
    # Buffers.
    cdef uint32_t* numbers       # of the tokens, text after text; 0: a token that matches nothing
    cdef uint32_t* lengths
    # No more buffers.
    cdef readonly size_t texts
    cdef readonly size_t tokens
