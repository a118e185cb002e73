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
/* Sixteen characters at a time: each becomes a word of one to four bytes, and the bytes in use are moved together. So no
 * branch asks where ASCII ends. */
#define FB_ENCODE_AVX512(name, item, load) \
    FB_TARGET("avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt") static uint8_t *name( \
        const void *characters, size_t length, uint8_t *out) \
    { \
        const item *text = characters; \
        const __m512i low = _mm512_set1_epi32(0x3f), high = _mm512_set1_epi32(0x80); \
        for (size_t i = 0; i < length; i += 16) { \
            size_t left = length - i; \
            __mmask16 there = (__mmask16)(left < 16 ? (1u << left) - 1 : 0xffff); \
            __m512i c = load; \
            __m512i c6 = _mm512_srli_epi32(c, 6), c12 = _mm512_srli_epi32(c, 12), c18 = _mm512_srli_epi32(c, 18); \
            __m512i byte0 = _mm512_or_si512(high, _mm512_and_si512(c, low)); \
            __m512i byte1 = _mm512_or_si512(high, _mm512_and_si512(c6, low)); \
            __m512i two = _mm512_or_si512( \
                _mm512_or_si512(_mm512_set1_epi32(0xc0), c6), _mm512_slli_epi32(byte0, 8)); \
            __m512i three = _mm512_or_si512( \
                _mm512_or_si512(_mm512_set1_epi32(0xe0), c12), \
                _mm512_or_si512(_mm512_slli_epi32(byte1, 8), _mm512_slli_epi32(byte0, 16))); \
            __m512i word = _mm512_mask_mov_epi32(c, _mm512_cmpge_epu32_mask(c, high), two); \
            word = _mm512_mask_mov_epi32(word, _mm512_cmpge_epu32_mask(c, _mm512_set1_epi32(0x800)), three); \
            if (sizeof(item) > 2) { \
                __m512i byte2 = _mm512_or_si512(high, _mm512_and_si512(c12, low)); \
                __m512i four = _mm512_or_si512( \
                    _mm512_or_si512( \
                        _mm512_or_si512(_mm512_set1_epi32(0xf0), c18), _mm512_slli_epi32(byte2, 8)), \
                    _mm512_or_si512(_mm512_slli_epi32(byte1, 16), _mm512_slli_epi32(byte0, 24))); \
                word = _mm512_mask_mov_epi32(word, _mm512_cmpge_epu32_mask(c, _mm512_set1_epi32(0x10000)), four); \
            } \
            /* The first byte of each character counts, and all others that are not 0. */ \
            uint64_t used = _mm512_test_epi8_mask(word, word) | UINT64_C(0x1111111111111111); \
            if (left < 16) \
                used &= (UINT64_C(1) << (4 * left)) - 1; \
            _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(used, word)); \
            out += FB_POPCOUNT(used); \
        } \
        return out; \
    }

FB_ENCODE_AVX512(fb_encode_latin1_avx512, uint8_t, _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(there, text + i)))
FB_ENCODE_AVX512(fb_encode_ucs2_avx512, uint16_t, _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(there, text + i)))
FB_ENCODE_AVX512(fb_encode_ucs4_avx512, uint32_t, _mm512_maskz_loadu_epi32(there, text + i))
#endif

/* The characters of a row of NumPy: those before the zeros that fill it up. `largest` becomes at least the largest one.
 * The row is read from its beginning, as memory is fetched ahead. */
static inline size_t fb_length_of_row(const uint32_t *row, size_t width, uint32_t *largest)
{
    uint32_t all = 0, most = 0;
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
    for (size_t i = 0; all > 0x10ffff && i < length; i++)
        most = row[i] > most ? row[i] : most;
    *largest = all > 0x10ffff ? most : all;
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
