/* Validation and decoding of UTF-8, and tests for white space and ASCII punctuation. */
#ifndef FASTBLEU_UTF8_H
#define FASTBLEU_UTF8_H

#include "_native/bits.h"
#include "_native/cpu_level.h"

#define FB_MIN_BYTES_FOR_VECTORS 64 /* Text with fewer bytes is validated byte by byte. */

/* Return whether all bytes of a text are ASCII. */
static inline int fb_is_ascii(const uint8_t *text, size_t length)
{
    uint64_t seen = 0, x;
    size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        memcpy(&x, text + i, 8);
        seen |= x;
    }
    for (; i < length; i++)
        seen |= text[i];
    return !(seen & UINT64_C(0x8080808080808080));
}

#ifdef FB_X86_DISPATCH
/* Three tables of the errors that two adjacent bytes may have, one bit per error. The first table is indexed by the
 * high nibble of the first byte, the second by its low nibble, and the third by the high nibble of the second byte. The
 * two bytes are invalid if all three entries have the bit of the same error. The bit FB_TWO means that both bytes are
 * continuation bytes, which is an error unless they end at the third or fourth byte of a character.
 * fb_skip_valid_vectors_avx2 checks this.
 * (Keiser and Lemire, "Validating UTF-8 in less than one instruction per byte", 2021.) */
enum {
    FB_SHORT = 1, FB_LONG = 2, FB_OVERLONG_3 = 4, FB_LARGE = 8, FB_SURROGATE = 16, FB_OVERLONG_2 = 32,
    FB_LARGE_1000 = 64, FB_OVERLONG_4 = 64, FB_TWO = 128, FB_CARRY = FB_SHORT | FB_LONG | FB_TWO,
    FB_BEYOND = FB_CARRY | FB_LARGE | FB_LARGE_1000
};
static const uint8_t FB_ERRORS[3][16] = {
    {FB_LONG, FB_LONG, FB_LONG, FB_LONG, FB_LONG, FB_LONG, FB_LONG, FB_LONG, FB_TWO, FB_TWO, FB_TWO, FB_TWO,
     FB_SHORT | FB_OVERLONG_2, FB_SHORT, FB_SHORT | FB_OVERLONG_3 | FB_SURROGATE,
     FB_SHORT | FB_LARGE | FB_LARGE_1000 | FB_OVERLONG_4},
    {FB_CARRY | FB_OVERLONG_3 | FB_OVERLONG_2 | FB_OVERLONG_4, FB_CARRY | FB_OVERLONG_2, FB_CARRY, FB_CARRY,
     FB_CARRY | FB_LARGE, FB_BEYOND, FB_BEYOND, FB_BEYOND, FB_BEYOND, FB_BEYOND, FB_BEYOND, FB_BEYOND, FB_BEYOND,
     FB_BEYOND | FB_SURROGATE, FB_BEYOND, FB_BEYOND},
    {FB_SHORT, FB_SHORT, FB_SHORT, FB_SHORT, FB_SHORT, FB_SHORT, FB_SHORT, FB_SHORT,
     FB_LONG | FB_OVERLONG_2 | FB_TWO | FB_OVERLONG_3 | FB_LARGE_1000 | FB_OVERLONG_4,
     FB_LONG | FB_OVERLONG_2 | FB_TWO | FB_OVERLONG_3 | FB_LARGE,
     FB_LONG | FB_OVERLONG_2 | FB_TWO | FB_SURROGATE | FB_LARGE,
     FB_LONG | FB_OVERLONG_2 | FB_TWO | FB_SURROGATE | FB_LARGE, FB_SHORT, FB_SHORT, FB_SHORT, FB_SHORT}};

#define FB_TABLE(bytes) _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(bytes)))

/* Return the offset of the first vector of 32 bytes that has an error or is incomplete. The last character before this
 * offset may be incomplete. A vector has no error if FB_TWO is set at the third and fourth byte of each character and
 * at no other byte, and no other error bit is set. */
FB_TARGET("avx2") static size_t fb_skip_valid_vectors_avx2(const uint8_t *text, size_t length)
{
    const __m256i first_high = FB_TABLE(FB_ERRORS[0]), first_low = FB_TABLE(FB_ERRORS[1]);
    const __m256i second_high = FB_TABLE(FB_ERRORS[2]);
    const __m256i nibble = _mm256_set1_epi8(0x0f), top = _mm256_set1_epi8((char)0x80);
    const __m256i below_third = _mm256_set1_epi8(0xe0 - 0x80), below_fourth = _mm256_set1_epi8(0xf0 - 0x80);
    __m256i before = _mm256_setzero_si256();
    size_t i = 0;
    for (; i + sizeof before <= length; i += sizeof before) {
        __m256i here = _mm256_loadu_si256((const void *)(text + i));
        __m256i shifted = _mm256_permute2x128_si256(before, here, 0x21); /* the 16 bytes before each half of `here` */
        __m256i one = _mm256_alignr_epi8(here, shifted, 15);
        __m256i two = _mm256_alignr_epi8(here, shifted, 14);
        __m256i three = _mm256_alignr_epi8(here, shifted, 13);
        __m256i one_high = _mm256_and_si256(_mm256_srli_epi16(one, 4), nibble);
        __m256i here_high = _mm256_and_si256(_mm256_srli_epi16(here, 4), nibble);
        __m256i errors = _mm256_and_si256(
            _mm256_shuffle_epi8(first_high, one_high), _mm256_shuffle_epi8(first_low, _mm256_and_si256(one, nibble)));
        __m256i must_follow =
            _mm256_or_si256(_mm256_subs_epu8(two, below_third), _mm256_subs_epu8(three, below_fourth));
        errors = _mm256_and_si256(errors, _mm256_shuffle_epi8(second_high, here_high));
        if (_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_and_si256(must_follow, top), errors)) != -1)
            break;
        before = here;
    }
    return i;
}

/* Skip valid UTF-8 quickly: return the offset of a character before which all text is valid. The offset is usually less
 * than one vector (32 bytes) before the first invalid byte, or before the end if all text is valid. */
static inline size_t fb_skip_valid_utf8_avx2(const uint8_t *text, size_t length)
{
    size_t i = fb_skip_valid_vectors_avx2(text, length);
    for (size_t back = 1; back <= 3 && back <= i; back++)
        if (text[i - back] >= 0xc0)
            return i - back;
    return i;
}
#endif

/* Return the offset of the first byte that is not valid in strict UTF-8 (Unicode 15, table 3-7), or `length` if all
 * bytes are valid. Use instructions of at most the given level (compiler.h). */
static inline size_t fb_find_invalid_utf8_by(int level, const uint8_t *text, size_t length)
{
    size_t i = 0;
#ifdef FB_X86_DISPATCH
    if (length >= FB_MIN_BYTES_FOR_VECTORS && level >= FB_AVX2)
        i = fb_skip_valid_utf8_avx2(text, length);
#else
    (void)level;
#endif
    while (i < length) {
        uint8_t lead = text[i];
        if (lead < 0x80) {
            uint64_t x;
            while (i + 8 <= length && (memcpy(&x, text + i, 8), !(x & UINT64_C(0x8080808080808080))))
                i += 8;
            while (i < length && text[i] < 0x80)
                i++;
            continue;
        }
        size_t more = lead >= 0xc2 && lead <= 0xdf ? 1
                      : (lead & 0xf0) == 0xe0 ? 2
                      : lead >= 0xf0 && lead <= 0xf4 ? 3 : 0;
        if (!more || length - i <= more)
            return i;
        uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
        uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
        if (text[i + 1] < low || text[i + 1] > high)
            return i;
        for (size_t k = 2; k <= more; k++)
            if ((text[i + k] & 0xc0) != 0x80)
                return i;
        i += more + 1;
    }
    return length;
}

/* Return the offset of the first invalid byte, or `length`, by the fastest instructions that this processor has. */
static inline size_t fb_find_invalid_utf8(const uint8_t *text, size_t length)
{
    return fb_find_invalid_utf8_by(fb_cpu_level(), text, length);
}

/* Decode the character at p, which must be valid UTF-8 or a lone surrogate of three bytes. Return its size in bytes. */
FB_INLINE int fb_decode(const uint8_t *p, uint32_t *code_point)
{
    uint32_t first = *p;
    if (first < 0x80) {
        *code_point = first;
        return 1;
    }
    if (first < 0xe0) {
        *code_point = (first & 0x1f) << 6 | (p[1] & 0x3f);
        return 2;
    }
    if (first < 0xf0) {
        *code_point = (first & 0x0f) << 12 | (uint32_t)(p[1] & 0x3f) << 6 | (p[2] & 0x3f);
        return 3;
    }
    *code_point =
        (first & 0x07) << 18 | (uint32_t)(p[1] & 0x3f) << 12 | (uint32_t)(p[2] & 0x3f) << 6 | (p[3] & 0x3f);
    return 4;
}

/* Return the size in bytes, 2 or 3, of the non-ASCII white space character at p, or 0 for any other character. The two
 * bytes after p must be readable. The non-ASCII characters at which str.split() splits are U+0085 U+00A0 U+1680
 * U+2000..200A U+2028 U+2029 U+202F U+205F U+3000. */
FB_INLINE int fb_non_ascii_space(const uint8_t *p)
{
    switch (p[0]) {
    case 0xc2:
        return p[1] == 0x85 || p[1] == 0xa0 ? 2 : 0;
    case 0xe1:
        return p[1] == 0x9a && p[2] == 0x80 ? 3 : 0;
    case 0xe2:
        if (p[1] == 0x80)
            return p[2] <= 0x8a || p[2] == 0xa8 || p[2] == 0xa9 || p[2] == 0xaf ? 3 : 0;
        return p[1] == 0x81 && p[2] == 0x9f ? 3 : 0;
    case 0xe3:
        return p[1] == 0x80 && p[2] == 0x80 ? 3 : 0;
    default:
        return 0;
    }
}

/* Return whether a byte is an ASCII character at which str.split() splits. */
FB_INLINE int fb_ascii_space(uint8_t byte)
{
    return (byte >= 0x09 && byte <= 0x0d) || (byte >= 0x1c && byte <= 0x20);
}

/* Return whether a byte is one of the characters in Python's string.punctuation. */
FB_INLINE int fb_ascii_punctuation(uint8_t byte)
{
    /* Look the byte up in a bit set of two words. Comparisons would branch unpredictably, since letters and punctuation
     * alternate in text. */
    const uint64_t set = byte < 64 ? UINT64_C(0xFC00FFFE00000000) : UINT64_C(0x78000001F8000001);
    return (int)(set >> (byte & 63)) & (byte < 128);
}

/* Return the length in bytes of a text without the white space that str.rstrip() would remove. */
static inline size_t fb_rstrip(const uint8_t *text, size_t length)
{
    while (length) {
        if (fb_ascii_space(text[length - 1]))
            length -= 1;
        else if (length >= 2 && text[length - 1] >= 0x80 && text[length - 2] == 0xc2 &&
                 (text[length - 1] == 0x85 || text[length - 1] == 0xa0))
            length -= 2;
        else if (length >= 3 && text[length - 1] >= 0x80 && text[length - 3] >= 0xe1 && text[length - 3] <= 0xe3 &&
                 fb_non_ascii_space(text + length - 3) == 3)
            length -= 3;
        else
            break;
    }
    return length;
}

#endif
