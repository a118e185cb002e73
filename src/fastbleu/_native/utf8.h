/* Validation of UTF-8, and classes of its characters: white space and ASCII punctuation. */
#ifndef FASTBLEU_UTF8_H
#define FASTBLEU_UTF8_H

#include "_native/bits.h"
#include "_native/cpu_level.h"

#define FB_FEWEST_FOR_VECTORS 64 /* bytes; shorter text is validated byte by byte */

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
/* Errors of two adjacent bytes: by the high nibble of the first byte, by its low nibble, and by the high nibble of the
 * second. The two bytes are invalid if all three tables have the same error; FB_TWO alone says that both bytes are
 * continuations. (Keiser and Lemire, "Validating UTF-8 in less than one instruction per byte", 2021.) */
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

/* Return the number of bytes in the leading whole vectors that have no error. The last character may continue after
 * them. The third and the fourth byte of a character must follow another continuation (FB_TWO). */
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
        __m256i shifted = _mm256_permute2x128_si256(before, here, 0x21); /* for each half, the 16 bytes before it */
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

/* Return an offset where a character begins and before which all text is valid UTF-8. It is usually less than a vector
 * before the end, or before the first invalid byte. */
static inline size_t fb_skip_valid_utf8_avx2(const uint8_t *text, size_t length)
{
    size_t i = fb_skip_valid_vectors_avx2(text, length);
    for (size_t back = 1; back <= 3 && back <= i; back++)
        if (text[i - back] >= 0xc0)
            return i - back;
    return i;
}
#endif

/* Return the offset of the first byte that is not valid in strict UTF-8 (Unicode 15, table 3-7), or `length` if there
 * is none, with instructions of at most this level. */
static inline size_t fb_find_invalid_utf8_by(int level, const uint8_t *text, size_t length)
{
    size_t i = 0;
#ifdef FB_X86_DISPATCH
    if (length >= FB_FEWEST_FOR_VECTORS && level >= FB_AVX2)
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

/* Return the offset of the first invalid byte as fb_find_invalid_utf8_by does, at the level of this processor. */
static inline size_t fb_find_invalid_utf8(const uint8_t *text, size_t length)
{
    return fb_find_invalid_utf8_by(fb_cpu_level(), text, length);
}

/* Write the code point of the character at p, which is valid or a lone surrogate; return its size in bytes. */
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

/* Return the size in bytes, 2 or 3, of the non-ASCII white space character at p, or 0 for any other character. Reads
 * the two bytes after p. White space is what str.split() splits at: U+0085 U+00A0 U+1680 U+2000..200A U+2028 U+2029
 * U+202F U+205F U+3000. */
FB_INLINE int fb_wide_space(const uint8_t *p)
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

/* Return whether a byte is ASCII white space, as str.split() has it. */
FB_INLINE int fb_ascii_space(uint8_t byte)
{
    return (byte >= 0x09 && byte <= 0x0d) || (byte >= 0x1c && byte <= 0x20);
}

/* Return whether a byte is in Python's string.punctuation. */
FB_INLINE int fb_ascii_punctuation(uint8_t byte)
{
    /* Look the byte up in two words of bits. Comparisons would branch, and letters and punctuation alternate. */
    return (int)((byte < 64 ? UINT64_C(0xFC00FFFE00000000) : UINT64_C(0x78000001F8000001)) >> (byte & 63)) & (byte < 128);
}

/* Return the length of a text without the white space at its end, as str.rstrip() leaves it. */
static inline size_t fb_rstrip(const uint8_t *text, size_t length)
{
    while (length) {
        if (fb_ascii_space(text[length - 1]))
            length -= 1;
        else if (length >= 2 && text[length - 1] >= 0x80 && text[length - 2] == 0xc2 &&
                 (text[length - 1] == 0x85 || text[length - 1] == 0xa0))
            length -= 2;
        else if (length >= 3 && text[length - 1] >= 0x80 && text[length - 3] >= 0xe1 && text[length - 3] <= 0xe3 &&
                 fb_wide_space(text + length - 3) == 3)
            length -= 3;
        else
            break;
    }
    return length;
}

#endif
