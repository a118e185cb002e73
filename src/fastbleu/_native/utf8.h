/* UTF-8: checking it, and finding white space in it. */
#ifndef FASTBLEU_UTF8_H
#define FASTBLEU_UTF8_H

#include "_native/bits.h"
#include "_native/cpu_level.h"

#define FB_FEWEST_FOR_VECTORS 64 /* bytes of text; shorter text is checked byte by byte */

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
/* What a byte and the one before it have against each other, by the high half of the first of them, by its low half, and
 * by the high half of the second. Where all three agree, the pair is invalid; TWO alone says that both are continuations.
 * (Keiser and Lemire, "Validating UTF-8 in less than one instruction per byte", 2021.) */
enum {
    FB_SHORT = 1, FB_LONG = 2, FB_OVERLONG_3 = 4, FB_LARGE = 8, FB_SURROGATE = 16, FB_OVERLONG_2 = 32,
    FB_LARGE_1000 = 64, FB_OVERLONG_4 = 64, FB_TWO = 128, FB_CARRY = FB_SHORT | FB_LONG | FB_TWO,
    FB_BEYOND = FB_CARRY | FB_LARGE | FB_LARGE_1000
};
static const uint8_t FB_AGAINST[3][16] = {
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

/* Returns how many bytes from the beginning on lie in whole vectors without anything invalid. The last character may go on
 * after them. The third byte of a character, and its fourth, must be the second continuation in a row. */
FB_TARGET("avx2") static size_t fb_skip_valid_vectors(const uint8_t *text, size_t length)
{
    const __m256i first_high = FB_TABLE(FB_AGAINST[0]), first_low = FB_TABLE(FB_AGAINST[1]);
    const __m256i second_high = FB_TABLE(FB_AGAINST[2]);
    const __m256i nibble = _mm256_set1_epi8(0x0f), top = _mm256_set1_epi8((char)0x80);
    const __m256i below_third = _mm256_set1_epi8(0xe0 - 0x80), below_fourth = _mm256_set1_epi8(0xf0 - 0x80);
    __m256i before = _mm256_setzero_si256();
    size_t i = 0;
    for (; i + sizeof before <= length; i += sizeof before) {
        __m256i here = _mm256_loadu_si256((const void *)(text + i));
        __m256i shifted = _mm256_permute2x128_si256(before, here, 0x21); /* for each 16 bytes those before them */
        __m256i one = _mm256_alignr_epi8(here, shifted, 15);
        __m256i two = _mm256_alignr_epi8(here, shifted, 14);
        __m256i three = _mm256_alignr_epi8(here, shifted, 13);
        __m256i one_high = _mm256_and_si256(_mm256_srli_epi16(one, 4), nibble);
        __m256i here_high = _mm256_and_si256(_mm256_srli_epi16(here, 4), nibble);
        __m256i against = _mm256_and_si256(
            _mm256_shuffle_epi8(first_high, one_high), _mm256_shuffle_epi8(first_low, _mm256_and_si256(one, nibble)));
        __m256i further =
            _mm256_or_si256(_mm256_subs_epu8(two, below_third), _mm256_subs_epu8(three, below_fourth));
        against = _mm256_and_si256(against, _mm256_shuffle_epi8(second_high, here_high));
        if (_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_and_si256(further, top), against)) != -1)
            break;
        before = here;
    }
    return i;
}

/* A place in the text before which all is valid UTF-8, and where a character begins: usually less than a vector before
 * the end, or before the first invalid byte. */
static inline size_t fb_skip_valid_utf8(const uint8_t *text, size_t length)
{
    size_t i = fb_skip_valid_vectors(text, length);
    for (size_t back = 1; back <= 3 && back <= i; back++)
        if (text[i - back] >= 0xc0)
            return i - back;
    return i;
}
#endif

/* Offset of the first byte that strict UTF-8 does not allow (Unicode 15, table 3-7), or length; found by instructions of
 * at most this level. */
static inline size_t fb_find_invalid_utf8_by(int level, const uint8_t *text, size_t length)
{
    size_t i = 0;
#ifdef FB_X86_DISPATCH
    if (length >= FB_FEWEST_FOR_VECTORS && level >= FB_AVX2)
        i = fb_skip_valid_utf8(text, length);
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

static inline size_t fb_find_invalid_utf8(const uint8_t *text, size_t length)
{
    return fb_find_invalid_utf8_by(fb_cpu_level(), text, length);
}

/* Bytes of the white space character beyond ASCII that starts at p, 2 or 3; 0 if none does. Reads two bytes after p.
 * White space is what str.split() splits at: U+0085 U+00A0 U+1680 U+2000..200A U+2028 U+2029 U+202F U+205F U+3000. */
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

FB_INLINE int fb_ascii_space(uint8_t byte)
{
    return (byte >= 0x09 && byte <= 0x0d) || (byte >= 0x1c && byte <= 0x20);
}

/* Those of string.punctuation. */
FB_INLINE int fb_ascii_punctuation(uint8_t byte)
{
    /* Bits of the characters below 64, and of those from 64 on: letters and marks alternate unpredictably. */
    return (int)((byte < 64 ? UINT64_C(0xFC00FFFE00000000) : UINT64_C(0x78000001F8000001)) >> (byte & 63)) & (byte < 128);
}

/* Length of text without the white space at its end, as str.rstrip(). */
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
