"""The numbers of tokenizers and the spans of tokens, for modules that tokenize."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from fastbleu.tokenizers._characters cimport fb_block

# The numbers of the tokenizers. A new one needs a number here, rules in `fill_rules`, and an entry in names.py.
cpdef enum:
    TOKENIZE_IDS = -1        # Used instead of a tokenizer's number where segments are ids, which need no tokenizer.
    TOKENIZE_NONE
    TOKENIZE_13A
    TOKENIZE_ZH
    TOKENIZE_CHAR
    TOKENIZE_INTL
    TOKENIZE_V11
    TOKENIZE_CHRF_WORDS
    TOKENIZE_EVERY_CHAR
    TOKENIZERS               # The number of tokenizers.

cdef enum:
    ARENA_MARGIN = 192       # Bytes by which the copy of a text may exceed the text: three blocks.

cdef struct Spans:
    # Buffers.
    uint32_t* starts
    uint32_t* ends
    fb_block* blocks
    uint8_t* arena           # Copies of the texts of the current segment, which do not move while they are in use.
    # The fields below are not buffers.
    size_t arena_used
    const uint8_t* base      # The origin of the spans: the text or its copy.

cdef int check_tokenizer(int tokenizer) except -1
cdef void free_spans(Spans* spans) noexcept nogil
cdef int reset_arena(Spans* spans, size_t bytes_ahead) except -1 nogil
cdef Py_ssize_t tokenize_text(
    int tokenizer, const uint8_t* text, size_t length, const uint8_t* readable_end, Spans* spans
) except -1 nogil
