"""Classes of the characters beyond ASCII for the tokenizers: white space, and those of zh and intl."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t, uint64_t

cdef extern from "tokenizers/scan.h" nogil:
    const uint8_t FB_ALONE, FB_JOINT, FB_DIGIT

cdef extern from "_native/bits.h" nogil:
    int fb_lowest_bit(uint64_t x)

cdef extern from "_native/utf8.h" nogil:
    int fb_wide_space(const uint8_t* p)

cdef extern from "_native/unicode.h" nogil:
    unsigned int fastbleu_unicode_class(uint32_t code_point)
    bint fastbleu_is_zh(uint32_t code_point)
    bint fastbleu_is_space(uint32_t code_point)
    const unsigned int FASTBLEU_PUNCTUATION, FASTBLEU_NUMBER, FASTBLEU_SYMBOL
    const char* FASTBLEU_UNICODE_REGEX
    const char* FASTBLEU_UNICODE_VERSION

UNICODE_VERSION = FASTBLEU_UNICODE_VERSION.decode()
REGEX_VERSION = FASTBLEU_UNICODE_REGEX.decode()


cdef inline uint8_t zh_class(uint32_t code_point) noexcept nogil:
    return FB_ALONE if fastbleu_is_zh(code_point) else 0


cdef uint8_t intl_class(uint32_t code_point) noexcept nogil:
    cdef unsigned int unicode_class = fastbleu_unicode_class(code_point)
    if unicode_class == FASTBLEU_PUNCTUATION:
        return FB_JOINT
    if unicode_class == FASTBLEU_SYMBOL:
        return FB_ALONE
    return FB_DIGIT if unicode_class == FASTBLEU_NUMBER else 0


cdef inline void mark(uint64_t* first_word, size_t stride, size_t position, int bytes) noexcept nogil:
    """Sets the bits of a character that may reach into the next block; words lie `stride` words apart."""
    cdef uint64_t bits = (<uint64_t>1 << bytes) - 1
    cdef int shift = <int>(position % BLOCK)
    first_word[position // BLOCK * stride] |= bits << shift
    if shift + bytes > BLOCK:
        first_word[(position // BLOCK + 1) * stride] |= bits >> (BLOCK - shift)


cdef inline uint32_t decode(const uint8_t* p, int* bytes) noexcept nogil:
    """The character beyond ASCII that starts at p."""
    if p[0] < 0xe0:
        bytes[0] = 2
        return (<uint32_t>p[0] & 0x1f) << 6 | (p[1] & 0x3f)
    if p[0] < 0xf0:
        bytes[0] = 3
        return (<uint32_t>p[0] & 0x0f) << 12 | (<uint32_t>p[1] & 0x3f) << 6 | (p[2] & 0x3f)
    bytes[0] = 4
    return (<uint32_t>p[0] & 0x07) << 18 | (<uint32_t>p[1] & 0x3f) << 12 | (<uint32_t>p[2] & 0x3f) << 6 | (p[3] & 0x3f)


cdef inline void classify_wide(
    const uint8_t* text, size_t n_blocks, fb_block* blocks, uint8_t (*class_of)(uint32_t) noexcept nogil
) noexcept nogil:
    """Adds the classes of the characters beyond ASCII: a bit for each byte of a character."""
    cdef size_t b, position, stride = sizeof(fb_block) // sizeof(uint64_t)
    cdef uint64_t lead
    cdef uint8_t found
    cdef uint32_t code_point
    cdef int bytes
    for b in range(n_blocks):
        lead = blocks[b].lead
        while lead:
            position = b * BLOCK + <size_t>fb_lowest_bit(lead)
            lead &= lead - 1
            bytes = fb_wide_space(text + position)
            if bytes:
                mark(&blocks[0].space, stride, position, bytes)
            elif class_of != NULL:
                code_point = decode(text + position, &bytes)
                found = class_of(code_point)
                if found == FB_ALONE:
                    mark(&blocks[0].alone, stride, position, bytes)
                elif found == FB_JOINT:
                    mark(&blocks[0].joint, stride, position, bytes)
                elif found == FB_DIGIT:
                    mark(&blocks[0].digit, stride, position, bytes)


cdef void classify_wide_spaces(const uint8_t* text, size_t n_blocks, fb_block* blocks) noexcept nogil:
    classify_wide(text, n_blocks, blocks, NULL)


cdef void classify_wide_zh(const uint8_t* text, size_t n_blocks, fb_block* blocks) noexcept nogil:
    classify_wide(text, n_blocks, blocks, zh_class)


cdef void classify_wide_intl(const uint8_t* text, size_t n_blocks, fb_block* blocks) noexcept nogil:
    classify_wide(text, n_blocks, blocks, intl_class)


def character_class(unsigned int code_point):
    """The class of a character in intl: 0 other, 1 \\\\p{P}, 2 \\\\p{N}, 3 \\\\p{S}."""
    return fastbleu_unicode_class(code_point)


def is_zh(unsigned int code_point):
    """Return whether zh makes a character a token of its own, by the tables in sacreBLEU's code."""
    return bool(fastbleu_is_zh(code_point))


def is_space(unsigned int code_point):
    """Return whether str.split() splits at a character."""
    return bool(fastbleu_is_space(code_point))
