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

static uint8_t *fb_encode_latin1(const void *characters, size_t length, uint8_t *out)
{
    const uint8_t *text = characters;
    size_t i = 0;
#ifdef FB_SSE2
    while (i + 16 <= length) {
        __m128i v = _mm_loadu_si128((const __m128i *)(text + i));
        uint32_t beyond = (uint32_t)_mm_movemask_epi8(v);
        _mm_storeu_si128((__m128i *)out, v);
        if (!beyond) {
            i += 16;
            out += 16;
            continue;
        }
        int ascii = fb_lowest_bit(beyond);
        i += (size_t)ascii;
        out = fb_encode_one(out + ascii, text[i++]);
    }
#endif
    for (; i < length; i++)
        out = fb_encode_one(out, text[i]);
    return out;
}

static uint8_t *fb_encode_ucs2(const void *characters, size_t length, uint8_t *out)
{
    const uint16_t *text = characters;
    size_t i = 0;
#ifdef FB_SSE2
    const __m128i not_ascii = _mm_set1_epi16((short)0xff80), zero = _mm_setzero_si128();
    while (i + 16 <= length) {
        __m128i v0 = _mm_loadu_si128((const __m128i *)(text + i));
        __m128i v1 = _mm_loadu_si128((const __m128i *)(text + i + 8));
        __m128i plain0 = _mm_cmpeq_epi16(_mm_and_si128(v0, not_ascii), zero);
        __m128i plain1 = _mm_cmpeq_epi16(_mm_and_si128(v1, not_ascii), zero);
        uint32_t beyond = 0xffff ^ (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(plain0, plain1));
        _mm_storeu_si128((__m128i *)out,
                         _mm_packus_epi16(_mm_and_si128(v0, plain0), _mm_and_si128(v1, plain1)));
        if (!beyond) {
            i += 16;
            out += 16;
            continue;
        }
        int ascii = fb_lowest_bit(beyond);
        i += (size_t)ascii;
        out += ascii;
        do
            out = fb_encode_one(out, text[i++]);
        while (i < length && text[i] >= 0x80);
    }
#endif
    for (; i < length; i++)
        out = fb_encode_one(out, text[i]);
    return out;
}

static uint8_t *fb_encode_ucs4(const void *characters, size_t length, uint8_t *out)
{
    const uint32_t *text = characters;
    for (size_t i = 0; i < length; i++)
        out = fb_encode_one(out, text[i]);
    return out;
}

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

#ifdef FB_NEON
/* The same as with SSE2: ASCII is stored by whole vectors, up to the first other character. */
static uint8_t *fb_encode_latin1_neon(const void *characters, size_t length, uint8_t *out)
{
    const uint8_t *text = characters;
    size_t i = 0;
    while (i + 16 <= length) {
        uint8x16_t v = vld1q_u8(text + i);
        uint16x8_t other = vreinterpretq_u16_u8(vcgeq_u8(v, vdupq_n_u8(0x80)));
        uint64_t beyond = vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(other, 4)), 0); /* four bits a character */
        size_t ascii = beyond ? (size_t)fb_lowest_bit(beyond) / 4 : 16;
        vst1q_u8(out, v);
        i += ascii;
        out += ascii;
        if (beyond)
            out = fb_encode_one(out, text[i++]);
    }
    return fb_encode_latin1(text + i, length - i, out);
}

static uint8_t *fb_encode_ucs2_neon(const void *characters, size_t length, uint8_t *out)
{
    const uint16_t *text = characters;
    size_t i = 0;
    while (i + 8 <= length) {
        uint16x8_t v = vld1q_u16(text + i);
        uint8x8_t other = vmovn_u16(vcgeq_u16(v, vdupq_n_u16(0x80)));
        uint64_t beyond = vget_lane_u64(vreinterpret_u64_u8(other), 0); /* eight bits a character */
        size_t ascii = beyond ? (size_t)fb_lowest_bit(beyond) / 8 : 8;
        vst1_u8(out, vmovn_u16(v));
        i += ascii;
        out += ascii;
        if (beyond)
            do
                out = fb_encode_one(out, text[i++]);
            while (i < length && text[i] >= 0x80);
    }
    return fb_encode_ucs2(text + i, length - i, out);
}
#endif

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
#elif defined(FB_NEON)
    if (level >= FB_ARM64) {
        encoders[0] = fb_encode_latin1_neon;
        encoders[1] = fb_encode_ucs2_neon;
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
