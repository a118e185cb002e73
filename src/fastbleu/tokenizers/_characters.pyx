"""Classify the non-ASCII characters of text: find white space for every tokenizer, and the classes of zh and intl."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t, uint64_t

cdef extern from "tokenizers/scan.h" nogil:
    const uint8_t FB_ALONE, FB_JOINT, FB_DIGIT

cdef extern from "_native/bits.h" nogil:
    int fb_lowest_bit(uint64_t x)

cdef extern from "_native/utf8.h" nogil:
    int fb_non_ascii_space(const uint8_t* p)
    int fb_decode(const uint8_t* p, uint32_t* code_point)

cdef extern from "_native/unicode.h" nogil:
    unsigned int fastbleu_unicode_class(uint32_t code_point)
    bint fastbleu_is_zh(uint32_t code_point)
    const unsigned int FASTBLEU_PUNCTUATION, FASTBLEU_NUMBER, FASTBLEU_SYMBOL


cdef inline uint8_t zh_class(uint32_t code_point) noexcept nogil:
    """Return FB_ALONE for a character that the tokenizer zh makes a separate token, otherwise 0."""
    return FB_ALONE if fastbleu_is_zh(code_point) else 0


cdef uint8_t intl_class(uint32_t code_point) noexcept nogil:
    """Return the class of a character for the tokenizer intl: FB_JOINT, FB_ALONE, FB_DIGIT or 0."""
    cdef unsigned int unicode_class = fastbleu_unicode_class(code_point)
    if unicode_class == FASTBLEU_PUNCTUATION:
        return FB_JOINT
    if unicode_class == FASTBLEU_SYMBOL:
        return FB_ALONE
    return FB_DIGIT if unicode_class == FASTBLEU_NUMBER else 0


cdef inline void mark(uint64_t* first_word, size_t stride, size_t position, int bytes) noexcept nogil:
    """Set the bits of a character's bytes, some of which may be in the next block. Blocks are `stride` words apart."""
    cdef uint64_t bits = (<uint64_t>1 << bytes) - 1
    cdef int shift = <int>(position % BLOCK)
    first_word[position // BLOCK * stride] |= bits << shift
    if shift + bytes > BLOCK:
        first_word[(position // BLOCK + 1) * stride] |= bits >> (BLOCK - shift)


cdef inline void classify_non_ascii(
    const uint8_t* text, size_t n_blocks, fb_block* blocks, uint8_t (*class_of)(uint32_t) noexcept nogil
) noexcept nogil:
    """Add the classes of non-ASCII characters to blocks, with a bit for each byte of a character.

    Args:
        text: The text of the blocks, in UTF-8.
        n_blocks: The number of blocks.
        blocks: The bits of `lead` mark the characters to classify; the other words receive the classes.
        class_of: A function that returns the class of a character other than white space; NULL to find only white
            space.
    """
    cdef size_t b, position, stride = sizeof(fb_block) // sizeof(uint64_t)
    cdef uint64_t lead
    cdef uint8_t kind
    cdef uint32_t code_point
    cdef int bytes
    for b in range(n_blocks):
        lead = blocks[b].lead
        while lead:
            position = b * BLOCK + <size_t>fb_lowest_bit(lead)
            lead &= lead - 1
            bytes = fb_non_ascii_space(text + position)
            if bytes:
                mark(&blocks[0].space, stride, position, bytes)
            elif class_of != NULL:
                bytes = fb_decode(text + position, &code_point)
                kind = class_of(code_point)
                if kind == FB_ALONE:
                    mark(&blocks[0].alone, stride, position, bytes)
                elif kind == FB_JOINT:
                    mark(&blocks[0].joint, stride, position, bytes)
                elif kind == FB_DIGIT:
                    mark(&blocks[0].digit, stride, position, bytes)


cdef void classify_non_ascii_spaces(const uint8_t* text, size_t n_blocks, fb_block* blocks) noexcept nogil:
    """Add non-ASCII white space to blocks, for tokenizers that have no other class of non-ASCII characters."""
    classify_non_ascii(text, n_blocks, blocks, NULL)


cdef void classify_non_ascii_zh(const uint8_t* text, size_t n_blocks, fb_block* blocks) noexcept nogil:
    """Add the classes of non-ASCII characters for the tokenizer zh to blocks."""
    classify_non_ascii(text, n_blocks, blocks, zh_class)


cdef void classify_non_ascii_intl(const uint8_t* text, size_t n_blocks, fb_block* blocks) noexcept nogil:
    """Add the classes of non-ASCII characters for the tokenizer intl to blocks."""
    classify_non_ascii(text, n_blocks, blocks, intl_class)


def character_class(unsigned int code_point):
    r"""Return the Unicode class of a character: 1 for \p{P}, 2 for \p{N}, 3 for \p{S}, 0 for any other."""
    return fastbleu_unicode_class(code_point)
