"""Spans of tokens in one segment, for the kernels that count them."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from fastbleu.tokenizers._characters cimport fb_block

cpdef enum:
    TOKENIZE_IDS = -1        # in place of a tokenizer's number: the segments are ids, which are the tokens

cdef enum:
    ARENA_MARGIN = 192       # bytes that the copy of a text may need beyond its own: three blocks

cdef struct Spans:
    # Buffers.
    uint32_t* starts
    uint32_t* ends
    fb_block* blocks
    uint8_t* arena           # copies of the texts of the segments at hand, never moved while they are in use
    # No more buffers.
    size_t arena_used
    const uint8_t* base      # what the spans count from: the text, or its rewritten copy

cdef int check_tokenizer(int tokenizer) except -1
cdef void free_spans(Spans* spans) noexcept nogil
cdef int reset_arena(Spans* spans, size_t bytes_ahead) except -1 nogil
cdef Py_ssize_t tokenize_text(
    int tokenizer, const uint8_t* text, size_t length, const uint8_t* readable_end, Spans* spans
) except -1 nogil
