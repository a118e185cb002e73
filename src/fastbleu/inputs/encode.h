/* The characters of Python's strings -> UTF-8.
 *
 * Lone surrogates become three bytes, as Python's "surrogatepass" writes them, so that different str have different
 * bytes. All writers store whole vectors: the destination needs FB_ENCODE_SLACK bytes after the last byte of the
 * text.
 */
#ifndef FASTBLEU_ENCODE_H
#define FASTBLEU_ENCODE_H

#include "_native/bits.h"
#include "_native/cpu_level.h"

#define FB_ENCODE_SLACK 64

FB_INLINE uint8_t *fb_encode_one(uint8_t *out, uint32_t c)
{
    if (c < 0x80) {
        *out++ = (uint8_t)c;
    } else if (c < 0x800) {
        *out++ = (uint8_t)(0xc0 | c >> 6);
        *out++ = (uint8_t)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *out++ = (uint8_t)(0xe0 | c >> 12);
        *out++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        *out++ = (uint8_t)(0x80 | (c & 0x3f));
    } else {
        *out++ = (uint8_t)(0xf0 | c >> 18);
        *out++ = (uint8_t)(0x80 | (c >> 12 & 0x3f));
        *out++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        *out++ = (uint8_t)(0x80 | (c & 0x3f));
    }
    return out;
}

/* A run of ASCII is copied eight characters at a time: `not_ascii` has the bits that no ASCII character has. */
#define FB_ENCODE(name, item, not_ascii, store) \
    static uint8_t *name(const void *characters, size_t length, uint8_t *out) \
    { \
        const item *text = characters; \
        size_t i = 0; \
        while (i < length) { \
            for (; i + 8 <= length; i += 8, out += 8) { \
                uint64_t words[sizeof(item)], any = 0; \
                memcpy(words, text + i, sizeof words); \
                for (size_t k = 0; k < sizeof(item); k++) \
                    any |= words[k]; \
                if (any & UINT64_C(not_ascii)) \
                    break; \
                store; \
            } \
            for (; i < length && text[i] < 0x80; i++) \
                *out++ = (uint8_t)text[i]; \
            for (; i < length && text[i] >= 0x80; i++) \
                out = fb_encode_one(out, text[i]); \
        } \
        return out; \
    }

FB_ENCODE(fb_encode_latin1, uint8_t, 0x8080808080808080, memcpy(out, words, 8))
FB_ENCODE(fb_encode_ucs2, uint16_t, 0xff80ff80ff80ff80, for (size_t k = 0; k < 8; k++) out[k] = (uint8_t)text[i + k])
FB_ENCODE(fb_encode_ucs4, uint32_t, 0xffffff80ffffff80, for (size_t k = 0; k < 8; k++) out[k] = (uint8_t)text[i + k])

#ifdef FB_X86_DISPATCH
#define FB_ENCODE_TARGET FB_TARGET("avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")

/* Writes items of two or four bytes, a character in each, without the bytes that its UTF-8 does not need: those are 0. So
 * no branch asks where ASCII ends. `used` has the bits of the first byte of each item, which is written even if it is 0. */
FB_ENCODE_TARGET FB_INLINE uint8_t *fb_move_together(__m512i items, uint64_t used, uint8_t *out)
{
    used |= _mm512_test_epi8_mask(items, items);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(used, items));
    return out + FB_POPCOUNT(used);
}

/* The bits of the first `count` bytes, all of them from 64 on. */
FB_INLINE uint64_t fb_first_bytes(size_t count) { return count < 64 ? (UINT64_C(1) << count) - 1 : ~UINT64_C(0); }

/* The first `count` of 32 characters below 0x800, which are 16-bit items; those after them are 0. */
FB_ENCODE_TARGET FB_INLINE uint8_t *fb_encode_below_0x800(__m512i c, size_t count, uint8_t *out)
{
    __m512i last = _mm512_slli_epi16(_mm512_and_si512(c, _mm512_set1_epi16(0x3f)), 8);
    __m512i two = _mm512_or_si512(
        _mm512_or_si512(_mm512_srli_epi16(c, 6), last), _mm512_set1_epi16((short)0x80c0));
    c = _mm512_mask_mov_epi16(c, _mm512_cmpge_epu16_mask(c, _mm512_set1_epi16(0x80)), two);
    return fb_move_together(c, UINT64_C(0x5555555555555555) & fb_first_bytes(2 * count), out);
}

/* The first `count` of 16 characters, which are 32-bit items; those after them are 0. */
FB_ENCODE_TARGET FB_INLINE uint8_t *fb_encode_16(__m512i c, size_t count, int may_be_astral, uint8_t *out)
{
    const __m512i low = _mm512_set1_epi32(0x3f), high = _mm512_set1_epi32(0x80);
    __m512i c6 = _mm512_srli_epi32(c, 6), c12 = _mm512_srli_epi32(c, 12);
    __m512i byte0 = _mm512_or_si512(high, _mm512_and_si512(c, low));
    __m512i byte1 = _mm512_or_si512(high, _mm512_and_si512(c6, low));
    __m512i two = _mm512_or_si512(_mm512_or_si512(_mm512_set1_epi32(0xc0), c6), _mm512_slli_epi32(byte0, 8));
    __m512i three = _mm512_or_si512(
        _mm512_or_si512(_mm512_set1_epi32(0xe0), c12),
        _mm512_or_si512(_mm512_slli_epi32(byte1, 8), _mm512_slli_epi32(byte0, 16)));
    __m512i word = _mm512_mask_mov_epi32(c, _mm512_cmpge_epu32_mask(c, high), two);
    word = _mm512_mask_mov_epi32(word, _mm512_cmpge_epu32_mask(c, _mm512_set1_epi32(0x800)), three);
    if (may_be_astral) {
        __m512i c18 = _mm512_srli_epi32(c, 18);
        __m512i byte2 = _mm512_or_si512(high, _mm512_and_si512(c12, low));
        __m512i four = _mm512_or_si512(
            _mm512_or_si512(_mm512_or_si512(_mm512_set1_epi32(0xf0), c18), _mm512_slli_epi32(byte2, 8)),
            _mm512_or_si512(_mm512_slli_epi32(byte1, 16), _mm512_slli_epi32(byte0, 24)));
        word = _mm512_mask_mov_epi32(word, _mm512_cmpge_epu32_mask(c, _mm512_set1_epi32(0x10000)), four);
    }
    return fb_move_together(word, UINT64_C(0x1111111111111111) & fb_first_bytes(4 * count), out);
}

/* 32 characters at a time, or twice sixteen where one of them is not below 0x800. */
FB_ENCODE_TARGET static uint8_t *fb_encode_latin1_avx512(const void *characters, size_t length, uint8_t *out)
{
    const uint8_t *text = characters;
    for (size_t i = 0; i < length; i += 32) {
        __mmask32 there = (__mmask32)fb_first_bytes(length - i);
        out = fb_encode_below_0x800(
            _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(there, text + i)), length - i, out);
    }
    return out;
}

FB_ENCODE_TARGET static uint8_t *fb_encode_ucs2_avx512(const void *characters, size_t length, uint8_t *out)
{
    const uint16_t *text = characters;
    for (size_t i = 0; i < length; i += 32) {
        size_t left = length - i;
        __m512i c = _mm512_maskz_loadu_epi16((__mmask32)fb_first_bytes(left), text + i);
        if (_mm512_cmpge_epu16_mask(c, _mm512_set1_epi16(0x800)) == 0) {
            out = fb_encode_below_0x800(c, left, out);
            continue;
        }
        out = fb_encode_16(_mm512_cvtepu16_epi32(_mm512_castsi512_si256(c)), left, 0, out);
        if (left > 16)
            out = fb_encode_16(_mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(c, 1)), left - 16, 0, out);
    }
    return out;
}

FB_ENCODE_TARGET static uint8_t *fb_encode_ucs4_avx512(const void *characters, size_t length, uint8_t *out)
{
    const uint32_t *text = characters;
    for (size_t i = 0; i < length; i += 32) {
        size_t left = length - i;
        uint64_t there = fb_first_bytes(left);
        __m512i first = _mm512_maskz_loadu_epi32((__mmask16)there, text + i);
        __m512i second = _mm512_maskz_loadu_epi32((__mmask16)(there >> 16), text + i + (left > 16 ? 16 : 0));
        if (_mm512_cmpge_epu32_mask(_mm512_or_si512(first, second), _mm512_set1_epi32(0x800)) == 0) {
            __m512i both = _mm512_inserti64x4(
                _mm512_castsi256_si512(_mm512_cvtepi32_epi16(first)), _mm512_cvtepi32_epi16(second), 1);
            out = fb_encode_below_0x800(both, left, out);
            continue;
        }
        out = fb_encode_16(first, left, 1, out);
        if (left > 16)
            out = fb_encode_16(second, left - 16, 1, out);
    }
    return out;
}
#endif

/* How many characters a row of NumPy has before the zeros that fill it up; `may_be_large` says whether a number has a bit
 * above the lowest twenty. The row is read from its beginning, as memory is fetched ahead. */
static size_t fb_length_of_row_portable(const uint32_t *row, size_t width, int *may_be_large)
{
    uint32_t all = 0;
    size_t length = 0;
    for (size_t start = 0, after; start < width; start = after) {
        uint32_t any = 0;
        after = width - start < 32 ? width : start + 32;
        for (size_t i = start; i < after; i++)
            any |= row[i];
        all |= any;
        length = any ? after : length;
    }
    while (length && !row[length - 1])
        length--;
    *may_be_large = all > 0xfffff;
    return length;
}

#ifdef FB_X86_DISPATCH
/* The same for rows of 32 characters or more. The last block of 32 may begin in the one before it. */
FB_TARGET("avx2,popcnt") static size_t fb_length_of_row_avx2(const uint32_t *row, size_t width, int *may_be_large)
{
    const __m256i none = _mm256_setzero_si256();
    __m256i all = none;
    size_t end = 32;
    uint32_t text = 0;
    for (size_t start = 0, after; start < width; start = after) {
        after = width - start < 32 ? width : start + 32;
        const __m256i *block = (const __m256i *)(row + after - 32);
        __m256i any = _mm256_or_si256(
            _mm256_or_si256(_mm256_loadu_si256(block), _mm256_loadu_si256(block + 1)),
            _mm256_or_si256(_mm256_loadu_si256(block + 2), _mm256_loadu_si256(block + 3)));
        all = _mm256_or_si256(all, any);
        end = _mm256_testz_si256(any, any) ? end : after;
    }
    *may_be_large = !_mm256_testz_si256(all, _mm256_set1_epi32(~0xfffff));
    /* A bit for each number of the last block that is not 0; then for each one before it, too. */
    for (size_t k = 0; k < 32; k += 8) {
        __m256i zeros = _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)(row + end - 32 + k)), none);
        text |= (uint32_t)(0xff ^ _mm256_movemask_ps(_mm256_castsi256_ps(zeros))) << k;
    }
    for (int step = 1; step < 32; step *= 2)
        text |= text >> step;
    return end - 32 + (size_t)FB_POPCOUNT(text);
}
#endif

/* How many characters a row of NumPy has; more than `width` if a number is too large for a character. */
static inline size_t fb_length_of_row(const uint32_t *row, size_t width, int level)
{
    int may_be_large;
    size_t length;
#ifdef FB_X86_DISPATCH
    if (level >= FB_AVX2 && width >= 32)
        length = fb_length_of_row_avx2(row, width, &may_be_large);
    else
#endif
        length = fb_length_of_row_portable(row, width, &may_be_large);
    (void)level;
    for (size_t i = 0; may_be_large && i < length; i++)
        if (row[i] > 0x10ffff)
            return SIZE_MAX;
    return length;
}

/* Writes `length` characters; returns the end. */
typedef uint8_t *(*fb_encoder)(const void *characters, size_t length, uint8_t *out);

/* Chooses the fastest functions for characters of 1, 2 and 4 bytes, with instructions of at most this level (compiler.h). */
static inline void fb_choose_encoders(int level, fb_encoder encoders[3])
{
    encoders[0] = fb_encode_latin1;
    encoders[1] = fb_encode_ucs2;
    encoders[2] = fb_encode_ucs4;
#ifdef FB_X86_DISPATCH
    if (level >= FB_AVX512 && fb_cpu_level() >= FB_AVX512) {
        encoders[0] = fb_encode_latin1_avx512;
        encoders[1] = fb_encode_ucs2_avx512;
        encoders[2] = fb_encode_ucs4_avx512;
    }
#else
    (void)level;
#endif
}

/* Copies ASCII in lower case, eight bytes at a time: the top bit of each byte is clear, so that no sum carries over. */
static inline void fb_lower_ascii(const uint8_t *text, size_t length, uint8_t *out)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        uint64_t x;
        memcpy(&x, text + i, 8);
        uint64_t from_a = x + ones * (0x80 - 'A'), beyond_z = x + ones * (0x80 - 'Z' - 1);
        x |= ((from_a & ~beyond_z) & (ones * 0x80)) >> 2;
        memcpy(out + i, &x, 8);
    }
    for (; i < length; i++)
        out[i] = (uint8_t)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : text[i]);
}

/* Copies Latin-1 as str.lower() makes it. All its capital letters lie 32 below the small ones. */
static inline void fb_lower_latin1(const uint8_t *text, size_t length, uint8_t *out)
{
    for (size_t i = 0; i < length; i++) {
        uint8_t c = text[i];
        int is_capital = ((uint8_t)(c - 'A') < 26) | (((uint8_t)(c - 0xc0) < 31) & (c != 0xd7)); /* 0xd7 is a sign */
        out[i] = (uint8_t)(c + (is_capital << 5));
    }
}

#endif
