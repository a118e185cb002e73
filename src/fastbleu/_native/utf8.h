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
/* A place in the text before which all is valid UTF-8, and where a character begins: usually less than 32 bytes before
 * the end, or before the first invalid byte. Three tables say what a byte and the one before it have against each other.
 * (Keiser and Lemire, "Validating UTF-8 in less than one instruction per byte", 2021.) */
FB_TARGET("avx2") static size_t fb_skip_valid_utf8(const uint8_t *text, size_t length)
{
    enum {
        SHORT = 1, LONG = 2, OVERLONG_3 = 4, LARGE = 8, SURROGATE = 16, OVERLONG_2 = 32, LARGE_1000 = 64,
        OVERLONG_4 = 64, TWO = 128, CARRY = SHORT | LONG | TWO
    };
#define FB_TWICE(...) _mm256_setr_epi8(__VA_ARGS__, __VA_ARGS__)
#define FB_BYTE(x) (char)(x)
    const __m256i first_high = FB_TWICE(
        LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, FB_BYTE(TWO), FB_BYTE(TWO), FB_BYTE(TWO), FB_BYTE(TWO),
        SHORT | OVERLONG_2, SHORT, SHORT | OVERLONG_3 | SURROGATE, SHORT | LARGE | LARGE_1000 | OVERLONG_4);
    const __m256i first_low = FB_TWICE(
        FB_BYTE(CARRY | OVERLONG_3 | OVERLONG_2 | OVERLONG_4), FB_BYTE(CARRY | OVERLONG_2), FB_BYTE(CARRY),
        FB_BYTE(CARRY), FB_BYTE(CARRY | LARGE), FB_BYTE(CARRY | LARGE | LARGE_1000),
        FB_BYTE(CARRY | LARGE | LARGE_1000), FB_BYTE(CARRY | LARGE | LARGE_1000), FB_BYTE(CARRY | LARGE | LARGE_1000),
        FB_BYTE(CARRY | LARGE | LARGE_1000), FB_BYTE(CARRY | LARGE | LARGE_1000), FB_BYTE(CARRY | LARGE | LARGE_1000),
        FB_BYTE(CARRY | LARGE | LARGE_1000), FB_BYTE(CARRY | LARGE | LARGE_1000 | SURROGATE),
        FB_BYTE(CARRY | LARGE | LARGE_1000), FB_BYTE(CARRY | LARGE | LARGE_1000));
    const __m256i second_high = FB_TWICE(
        SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, SHORT, SHORT,
        FB_BYTE(LONG | OVERLONG_2 | TWO | OVERLONG_3 | LARGE_1000 | OVERLONG_4),
        FB_BYTE(LONG | OVERLONG_2 | TWO | OVERLONG_3 | LARGE), FB_BYTE(LONG | OVERLONG_2 | TWO | SURROGATE | LARGE),
        FB_BYTE(LONG | OVERLONG_2 | TWO | SURROGATE | LARGE), SHORT, SHORT, SHORT, SHORT);
#undef FB_TWICE
#undef FB_BYTE
    const __m256i nibble = _mm256_set1_epi8(0x0f), top = _mm256_set1_epi8((char)0x80);
    const __m256i below_third = _mm256_set1_epi8((char)(0xe0 - 0x80)), below_fourth = _mm256_set1_epi8((char)(0xf0 - 0x80));
    __m256i before = _mm256_setzero_si256();
    size_t i = 0;
    for (; i + 32 <= length; i += 32) {
        __m256i here = _mm256_loadu_si256((const __m256i *)(text + i));
        __m256i across = _mm256_permute2x128_si256(before, here, 0x21);
        __m256i one = _mm256_alignr_epi8(here, across, 15), two = _mm256_alignr_epi8(here, across, 14);
        __m256i three = _mm256_alignr_epi8(here, across, 13);
        __m256i against = _mm256_and_si256(
            _mm256_and_si256(
                _mm256_shuffle_epi8(first_high, _mm256_and_si256(_mm256_srli_epi16(one, 4), nibble)),
                _mm256_shuffle_epi8(first_low, _mm256_and_si256(one, nibble))),
            _mm256_shuffle_epi8(second_high, _mm256_and_si256(_mm256_srli_epi16(here, 4), nibble)));
        /* The third byte of a character, and its fourth, must be the second continuation in a row. */
        __m256i further = _mm256_and_si256(
            _mm256_or_si256(_mm256_subs_epu8(two, below_third), _mm256_subs_epu8(three, below_fourth)), top);
        __m256i wrong = _mm256_xor_si256(further, against);
        if (FB_UNLIKELY(!_mm256_testz_si256(wrong, wrong)))
            break;
        before = here;
    }
    /* The last character may go on after the blocks that were looked at. */
    for (size_t back = 1; back <= 3 && back <= i; back++)
        if (text[i - back] >= 0xc0)
            return i - back;
    return i;
}
#endif

/* Offset of the first byte that strict UTF-8 does not allow (Unicode 15, table 3-7), or length. */
static inline size_t fb_find_invalid_utf8(const uint8_t *text, size_t length)
{
    size_t i = 0;
#ifdef FB_X86_DISPATCH
    if (length >= FB_FEWEST_FOR_VECTORS && fb_cpu_level() >= FB_AVX2)
        i = fb_skip_valid_utf8(text, length);
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
    return (byte >= 33 && byte <= 47) || (byte >= 58 && byte <= 64) || (byte >= 91 && byte <= 96) ||
           (byte >= 123 && byte <= 126);
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
