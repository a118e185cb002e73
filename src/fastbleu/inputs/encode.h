/* Convert the characters of Python strings to UTF-8.
 *
 * A lone surrogate becomes three bytes, as with Python's error handler "surrogatepass", so that different str have
 * different bytes. The functions store full vectors, so the output needs FB_ENCODE_SLACK bytes of space after the text.
 */
#ifndef FASTBLEU_ENCODE_H
#define FASTBLEU_ENCODE_H

#include "_native/bits.h"
#include "_native/cpu_level.h"

#define FB_ENCODE_SLACK 64

/* Write a non-ASCII character, and return the end of the output. */
FB_INLINE uint8_t *fb_encode_one(uint8_t *out, uint32_t c)
{
    if (c < 0x800) {
        *out++ = (uint8_t)(0xc0 | c >> 6);
    } else if (c < 0x10000) {
        *out++ = (uint8_t)(0xe0 | c >> 12);
        *out++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
    } else {
        *out++ = (uint8_t)(0xf0 | c >> 18);
        *out++ = (uint8_t)(0x80 | (c >> 12 & 0x3f));
        *out++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
    }
    *out++ = (uint8_t)(0x80 | (c & 0x3f));
    return out;
}

/* Define a function that encodes characters of the type `item`. It copies ASCII eight characters at a time, by the
 * statement `store`. `not_ascii` is a mask of the bits that are 0 in ASCII characters. */
#define FB_ENCODE(kind, item, not_ascii, store) \
    static uint8_t *fb_encode_##kind##_portable(const void *characters, size_t length, uint8_t *out) \
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

FB_ENCODE(latin1, uint8_t, 0x8080808080808080, memcpy(out, words, 8))
FB_ENCODE(ucs2, uint16_t, 0xff80ff80ff80ff80, for (size_t k = 0; k < 8; k++) out[k] = (uint8_t)text[i + k])
FB_ENCODE(ucs4, uint32_t, 0xffffff80ffffff80, for (size_t k = 0; k < 8; k++) out[k] = (uint8_t)text[i + k])

#ifdef FB_X86_DISPATCH
#define FB_ENCODE_TARGET FB_TARGET("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,popcnt,lzcnt")

/* Return a mask of the first `count` bytes; all ones if `count` is 64 or more. */
FB_INLINE uint64_t fb_first_bytes(size_t count) { return count < 64 ? (UINT64_C(1) << count) - 1 : ~UINT64_C(0); }

/* Split characters into groups of six bits, and store each group in a byte, the highest group first. Each byte of
 * `shifts` is the index of a group's first bit within the 64 bits of eight input bytes. */
FB_ENCODE_TARGET FB_INLINE __m512i fb_six_bit_groups(__m512i items, uint64_t shifts)
{
    return _mm512_and_si512(
        _mm512_multishift_epi64_epi8(_mm512_set1_epi64((int64_t)shifts), items), _mm512_set1_epi8(0x3f));
}

/* Write the UTF-8 of characters, without zero bytes. Each character is an item of two or four bytes, zero-padded, so
 * that ASCII and other characters need no separate branches. The mask `used` selects the first byte of each item. This
 * byte is written even if it is 0, the UTF-8 of U+0000. */
FB_ENCODE_TARGET FB_INLINE uint8_t *fb_drop_zero_bytes(__m512i items, uint64_t used, uint8_t *out)
{
    used |= _mm512_test_epi8_mask(items, items);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(used, items));
    return out + FB_POPCOUNT(used);
}

/* Write the first `count` of 32 characters below 0x800, given as 16-bit items. All later items must be 0. */
FB_ENCODE_TARGET FB_INLINE uint8_t *fb_encode_below_0x800(__m512i c, size_t count, uint8_t *out)
{
    __m512i two = _mm512_or_si512(fb_six_bit_groups(c, UINT64_C(0x3036202610160006)), _mm512_set1_epi16((short)0x80c0));
    c = _mm512_mask_mov_epi16(c, _mm512_cmpge_epu16_mask(c, _mm512_set1_epi16(0x80)), two);
    return fb_drop_zero_bytes(c, UINT64_C(0x5555555555555555) & fb_first_bytes(2 * count), out);
}

/* Write the first `count` of 16 characters, given as 32-bit items. All later items must be 0. */
FB_ENCODE_TARGET FB_INLINE uint8_t *fb_encode_16(__m512i c, size_t count, uint8_t *out)
{
    __m512i groups = fb_six_bit_groups(c, UINT64_C(0x20262c3200060c12));
    __m512i bytes = _mm512_mask_or_epi32(
        c, _mm512_cmpge_epu32_mask(c, _mm512_set1_epi32(0x80)), _mm512_srli_epi32(groups, 16),
        _mm512_set1_epi32(0x80c0));
    bytes = _mm512_mask_or_epi32(
        bytes, _mm512_cmpge_epu32_mask(c, _mm512_set1_epi32(0x800)), _mm512_srli_epi32(groups, 8),
        _mm512_set1_epi32(0x8080e0));
    bytes = _mm512_mask_or_epi32(
        bytes, _mm512_cmpge_epu32_mask(c, _mm512_set1_epi32(0x10000)), groups, _mm512_set1_epi32((int)0x808080f0));
    return fb_drop_zero_bytes(bytes, UINT64_C(0x1111111111111111) & fb_first_bytes(4 * count), out);
}

/* Write the first `count` of 32 characters. `all` has them as 16-bit items, in which 0xffff replaces larger code
 * points. `first` and `second` have 16 of them each, as 32-bit items. */
FB_ENCODE_TARGET FB_INLINE uint8_t *fb_encode_32(
    __m512i all, __m512i first, __m512i second, size_t count, uint8_t *out)
{
    if (_mm512_cmpge_epu16_mask(all, _mm512_set1_epi16(0x800)) == 0)
        return fb_encode_below_0x800(all, count, out);
    out = fb_encode_16(first, count, out);
    return count > 16 ? fb_encode_16(second, count - 16, out) : out;
}

FB_ENCODE_TARGET static uint8_t *fb_encode_latin1_avx512(const void *characters, size_t length, uint8_t *out)
{
    const uint8_t *text = characters;
    for (size_t i = 0; i < length; i += 32) {
        __mmask32 valid = (__mmask32)fb_first_bytes(length - i);
        out = fb_encode_below_0x800(
            _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(valid, text + i)), length - i, out);
    }
    return out;
}

FB_ENCODE_TARGET static uint8_t *fb_encode_ucs2_avx512(const void *characters, size_t length, uint8_t *out)
{
    const uint16_t *text = characters;
    for (size_t i = 0; i < length; i += 32) {
        __m512i all = _mm512_maskz_loadu_epi16((__mmask32)fb_first_bytes(length - i), text + i);
        __m512i first = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(all));
        __m512i second = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(all, 1));
        out = fb_encode_32(all, first, second, length - i, out);
    }
    return out;
}

FB_ENCODE_TARGET static uint8_t *fb_encode_ucs4_avx512(const void *characters, size_t length, uint8_t *out)
{
    const uint32_t *text = characters;
    for (size_t i = 0; i < length; i += 32) {
        size_t left = length - i;
        uint32_t valid = (uint32_t)fb_first_bytes(left);
        __m512i first = _mm512_maskz_loadu_epi32((__mmask16)valid, text + i);
        __m512i second = _mm512_maskz_loadu_epi32((__mmask16)(valid >> 16), text + i + (left > 16 ? 16 : 0));
        __m512i all = _mm512_inserti64x4(
            _mm512_castsi256_si512(_mm512_cvtusepi32_epi16(first)), _mm512_cvtusepi32_epi16(second), 1);
        out = fb_encode_32(all, first, second, left, out);
    }
    return out;
}
#endif

/* Encode `length` characters as UTF-8, and return the end of the output. */
typedef uint8_t *(*fb_encoder)(const void *characters, size_t length, uint8_t *out);

/* Return the fastest encoders for characters of 1, 2 and 4 bytes that need no instructions above a level, such as
 * FB_AVX512. */
static inline const fb_encoder *fb_choose_encoders(int level)
{
    static const fb_encoder portable[] = {fb_encode_latin1_portable, fb_encode_ucs2_portable, fb_encode_ucs4_portable};
#ifdef FB_X86_DISPATCH
    static const fb_encoder fast[] = {fb_encode_latin1_avx512, fb_encode_ucs2_avx512, fb_encode_ucs4_avx512};
    if (level >= FB_AVX512 && fb_cpu_level() >= FB_AVX512)
        return fast;
#endif
    (void)level;
    return portable;
}

/* Copy ASCII in lower case, eight bytes at a time. The top bit of each byte is 0, so the additions do not carry into
 * the next byte. */
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

/* Copy Latin-1 in lower case, like str.lower(). The code of a capital letter is that of the small letter minus 32. */
static inline void fb_lower_latin1(const uint8_t *text, size_t length, uint8_t *out)
{
    for (size_t i = 0; i < length; i++) {
        uint8_t c = text[i];
        /* 0xd7 is the multiplication sign. */
        int is_capital = ((uint8_t)(c - 'A') < 26) | (((uint8_t)(c - 0xc0) < 31) & (c != 0xd7));
        out[i] = (uint8_t)(c + (is_capital << 5));
    }
}

#endif
