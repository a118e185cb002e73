"""Declarations of the functions that classify non-ASCII characters."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t, uint64_t

cdef extern from "tokenizers/scan.h" nogil:
    ctypedef struct fb_block:
        uint64_t space
        uint64_t alone
        uint64_t joint
        uint64_t digit
        uint64_t hyphen
        uint64_t rewrite
        uint64_t lead
        uint64_t continuation
        uint64_t start
        uint64_t end

cdef enum:
    BLOCK = 64               # The number of bytes in a block of text, one bit each.

cdef uint8_t intl_class(uint32_t code_point) noexcept nogil
cdef void classify_non_ascii_spaces(const uint8_t* text, size_t n_blocks, fb_block* blocks) noexcept nogil
cdef void classify_non_ascii_zh(const uint8_t* text, size_t n_blocks, fb_block* blocks) noexcept nogil
cdef void classify_non_ascii_intl(const uint8_t* text, size_t n_blocks, fb_block* blocks) noexcept nogil
