"""Declarations of the compiled tokenizers: their numbers, and the spans of tokens that they find."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t

from fastbleu.tokenizers._characters cimport fb_block

# The numbers of the tokenizers. A new tokenizer needs a number here, rules in `fill_rules`, and an entry in names.py.
cpdef enum:
    TOKENIZE_IDS = -1        # The value for segments that are ids, which need no tokenizer.
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
    ARENA_MARGIN = 192       # The copy of a text in the arena may exceed the text by this many bytes: three blocks.

cdef struct Spans:
    # The spans of the tokens of the latest text, and the buffers that are used to find them.
    # Buffers (memory.pxd).
    uint32_t* starts         # [token]: the offset of its first byte from `base`.
    uint32_t* ends           # [token]: the offset of the byte after it from `base`.
    fb_block* blocks         # The classes of the text's bytes.
    uint8_t* arena           # Copies of the texts of the current segment. It must not move while they are in use.
    # End of the buffers.
    size_t arena_used        # The number of bytes of the arena that are in use.
    const uint8_t* base      # The text, or its copy in the arena.

cdef int check_tokenizer(int tokenizer) except -1
cdef void free_spans(Spans* spans) noexcept nogil
cdef int reset_arena(Spans* spans, size_t bytes_ahead) except -1 nogil
cdef Py_ssize_t tokenize_text(
    int tokenizer, const uint8_t* text, size_t length, const uint8_t* readable_end, Spans* spans
) except -1 nogil
