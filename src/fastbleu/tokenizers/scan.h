/* Classify the bytes of text, 64 at a time: each class gets a word with one bit per byte. List the positions of set
 * bits. */
#ifndef FASTBLEU_SCAN_H
#define FASTBLEU_SCAN_H

#include <stdint.h>
#include <string.h>

#include "_native/bits.h"
#include "_native/cpu_level.h"

/* Each tokenizer has a table of the classes of bytes. The first 128 entries are the classes of ASCII bytes. The entries
 * from FB_LEADS on are for the bytes 0xc0..0xff: they are not 0 if a character that starts with the byte may have a
 * class of its own, and so must be looked up by its code point. */
#define FB_TABLE_SIZE 192
#define FB_LEADS 128

enum {
    FB_SPACE = 1,   /* white space, at which str.split() splits */
    FB_ALONE = 2,   /* a character that is always a separate token */
    FB_JOINT = 4,   /* punctuation that stays joined between two digits: "." and "," in 13a */
    FB_DIGIT = 8,   /* a digit */
    FB_HYPHEN = 16, /* a character that is a separate token after a digit (rules_13a.h) */
    FB_REWRITE = 32 /* the first byte of text that 13a may rewrite before it tokenizes (rules_13a.h) */
};

/* The classes of a block of 64 bytes, one bit per byte; the lowest bit is the first byte. */
typedef struct {
    uint64_t space, alone, joint, digit, hyphen, rewrite;
    uint64_t lead;         /* first bytes of non-ASCII characters that must be looked up by their code points */
    uint64_t continuation; /* all bytes of non-ASCII characters but the first */
    uint64_t start, end;   /* first bytes of tokens, and the bytes after tokens; found after the classes */
} fb_block;

/* A function that classifies the bytes of `blocks` blocks of text by a tokenizer's table. */
typedef void (*fb_classifier)(const uint8_t *text, size_t blocks, const uint8_t table[FB_TABLE_SIZE], fb_block *out);

static void fb_classify_portable(const uint8_t *text, size_t blocks, const uint8_t table[FB_TABLE_SIZE], fb_block *out)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), gather = UINT64_C(0x0102040810204080);
    for (size_t b = 0; b < blocks; b++, text += 64, out++) {
        memset(out, 0, sizeof *out);
        for (int group = 0; group < 64; group += 8) {
            uint64_t bytes = fb_load(text + group), classes = 0, high = (bytes >> 7) & ones;
            for (int i = 0; i < 8; i++) {
                uint8_t byte = text[group + i];
                classes |= (uint64_t)(byte < 128 ? table[byte] : 0) << (8 * i);
            }
#define FB_GATHER(bits) ((((bits) & ones) * gather >> 56) << group)
            out->space |= FB_GATHER(classes);
            out->alone |= FB_GATHER(classes >> 1);
            out->joint |= FB_GATHER(classes >> 2);
            out->digit |= FB_GATHER(classes >> 3);
            out->hyphen |= FB_GATHER(classes >> 4);
            out->rewrite |= FB_GATHER(classes >> 5);
            if (high) {
                uint64_t continuation = high & ~(bytes >> 6), lead = 0;
                for (int i = 0; i < 8; i++) {
                    uint8_t byte = text[group + i];
                    lead |= (uint64_t)(byte >= 0xc0 && table[FB_LEADS + byte - 0xc0]) << (8 * i);
                }
                out->lead |= FB_GATHER(lead);
                out->continuation |= FB_GATHER(continuation);
            }
#undef FB_GATHER
        }
    }
}

#ifdef FB_X86_DISPATCH

FB_TARGET("avx2") static void fb_classify_avx2(
    const uint8_t *text, size_t blocks, const uint8_t table[FB_TABLE_SIZE], fb_block *out)
{
    __m256i row[FB_TABLE_SIZE / 16];
    for (int i = 0; i < FB_TABLE_SIZE / 16; i++)
        row[i] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(table + 16 * i)));
    const __m256i saturate = _mm256_set1_epi8(0x70), last_continuation = _mm256_set1_epi8((char)0xbf);
    for (size_t b = 0; b < blocks; b++, text += 64, out++) {
        __m256i half[2], classes[2];
        for (int h = 0; h < 2; h++) {
            half[h] = _mm256_loadu_si256((const __m256i *)(text + 32 * h));
            classes[h] = _mm256_setzero_si256();
            /* Row i of the table is for the bytes 0x10 * i..0x10 * i + 15. The exclusive or and the addition change
             * these bytes to 0x70..0x7f, whose low four bits select an entry. They set the top bit of all other bytes,
             * for which the shuffle returns 0. */
            for (int i = 0; i < 8; i++) {
                __m256i index = _mm256_adds_epu8(
                    _mm256_xor_si256(half[h], _mm256_set1_epi8((char)(i << 4))), saturate);
                classes[h] = _mm256_or_si256(classes[h], _mm256_shuffle_epi8(row[i], index));
            }
        }
#define FB_BITS(v0, v1) \
    ((uint64_t)(uint32_t)_mm256_movemask_epi8(v0) | (uint64_t)(uint32_t)_mm256_movemask_epi8(v1) << 32)
#define FB_CLASS(shift) FB_BITS(_mm256_slli_epi16(classes[0], shift), _mm256_slli_epi16(classes[1], shift))
        out->space = FB_CLASS(7);
        out->alone = FB_CLASS(6);
        out->joint = FB_CLASS(5);
        out->digit = FB_CLASS(4);
        out->hyphen = FB_CLASS(3);
        out->rewrite = FB_CLASS(2);
        uint64_t high = FB_BITS(half[0], half[1]);
        out->lead = 0;
        out->continuation = 0;
        if (high) {
            uint64_t leads = high & FB_BITS(_mm256_cmpgt_epi8(half[0], last_continuation),
                                            _mm256_cmpgt_epi8(half[1], last_continuation));
            out->continuation = high & ~leads;
            for (int h = 0; h < 2; h++) {
                classes[h] = _mm256_setzero_si256();
                for (int i = 0; i < 4; i++) {
                    __m256i index = _mm256_adds_epu8(
                        _mm256_xor_si256(half[h], _mm256_set1_epi8((char)(0xc0 | i << 4))), saturate);
                    classes[h] = _mm256_or_si256(classes[h], _mm256_shuffle_epi8(row[8 + i], index));
                }
            }
            out->lead = leads & FB_CLASS(7);
        }
#undef FB_CLASS
#undef FB_BITS
    }
}

FB_TARGET("avx512f,avx512bw,avx512vbmi") static void fb_classify_avx512(
    const uint8_t *text, size_t blocks, const uint8_t table[FB_TABLE_SIZE], fb_block *out)
{
    const __m512i leads = _mm512_loadu_si512(table + FB_LEADS);
    const __m512i first = _mm512_loadu_si512(table), second = _mm512_loadu_si512(table + 64);
    const __m512i first_lead = _mm512_set1_epi8((char)0xc0);
    for (size_t b = 0; b < blocks; b++, text += 64, out++) {
        __m512i bytes = _mm512_loadu_si512(text);
        __mmask64 high = _mm512_movepi8_mask(bytes);
        __m512i classes = _mm512_maskz_permutex2var_epi8(~high, first, bytes, second);
        out->space = _mm512_test_epi8_mask(classes, _mm512_set1_epi8(FB_SPACE));
        out->alone = _mm512_test_epi8_mask(classes, _mm512_set1_epi8(FB_ALONE));
        out->joint = _mm512_test_epi8_mask(classes, _mm512_set1_epi8(FB_JOINT));
        out->digit = _mm512_test_epi8_mask(classes, _mm512_set1_epi8(FB_DIGIT));
        out->hyphen = _mm512_test_epi8_mask(classes, _mm512_set1_epi8(FB_HYPHEN));
        out->rewrite = _mm512_test_epi8_mask(classes, _mm512_set1_epi8(FB_REWRITE));
        __mmask64 lead = _mm512_cmpge_epu8_mask(bytes, first_lead);
        out->continuation = high & ~lead;
        /* The low six bits of a byte 0xc0..0xff select its entry in `leads`. */
        out->lead = _mm512_mask_test_epi8_mask(
            lead, _mm512_permutexvar_epi8(bytes, leads), _mm512_set1_epi8(FB_SPACE));
    }
}

#endif

#ifdef FB_NEON

FB_INLINE uint8x16x4_t fb_load_rows(const uint8_t *p)
{
    uint8x16x4_t rows;
    for (int k = 0; k < 4; k++)
        rows.val[k] = vld1q_u8(p + 16 * k);
    return rows;
}

/* Return a word with the top bits of 64 bytes, which must be interleaved: v0 has the bytes 0, 4, 8, .., v1 the bytes
 * 1, 5, 9, .., and so on. */
FB_INLINE uint64_t fb_top_bits(uint8x16_t v0, uint8x16_t v1, uint8x16_t v2, uint8x16_t v3)
{
    uint8x16_t four = vsriq_n_u8(vsriq_n_u8(v3, v2, 1), vsriq_n_u8(v1, v0, 1), 2);
    uint8x8_t eight = vshrn_n_u16(vreinterpretq_u16_u8(vsriq_n_u8(four, four, 4)), 4);
    return vget_lane_u64(vreinterpret_u64_u8(eight), 0);
}

/* Return a word with bit 7 - `shift` of each of 64 bytes, which must be interleaved as for fb_top_bits. */
#define FB_SHIFTED_BITS(bytes, shift) \
    fb_top_bits(vshlq_n_u8(bytes[0], shift), vshlq_n_u8(bytes[1], shift), vshlq_n_u8(bytes[2], shift), \
                vshlq_n_u8(bytes[3], shift))

static void fb_classify_neon(const uint8_t *text, size_t blocks, const uint8_t table[FB_TABLE_SIZE], fb_block *out)
{
    const uint8x16x4_t first = fb_load_rows(table), second = fb_load_rows(table + 64);
    const uint8x16x4_t leads = fb_load_rows(table + FB_LEADS);
    const uint8x16_t first_lead = vdupq_n_u8(0xc0), half = vdupq_n_u8(64);
    for (size_t b = 0; b < blocks; b++, text += 64, out++) {
        const uint8x16x4_t bytes = vld4q_u8(text);
        uint8x16_t classes[4];
        uint64_t high;
        /* For an index beyond the 64 bytes of a table, vqtbl4q returns 0, and vqtbx4q returns its first argument. */
        for (int k = 0; k < 4; k++)
            classes[k] = vqtbx4q_u8(vqtbl4q_u8(first, bytes.val[k]), second, vsubq_u8(bytes.val[k], half));
        out->space = FB_SHIFTED_BITS(classes, 7);
        out->alone = FB_SHIFTED_BITS(classes, 6);
        out->joint = FB_SHIFTED_BITS(classes, 5);
        out->digit = FB_SHIFTED_BITS(classes, 4);
        out->hyphen = FB_SHIFTED_BITS(classes, 3);
        out->rewrite = FB_SHIFTED_BITS(classes, 2);
        high = fb_top_bits(bytes.val[0], bytes.val[1], bytes.val[2], bytes.val[3]);
        out->lead = 0;
        out->continuation = 0;
        if (high) {
            out->continuation = high & ~FB_SHIFTED_BITS(bytes.val, 1);
            for (int k = 0; k < 4; k++)
                classes[k] = vqtbl4q_u8(leads, vsubq_u8(bytes.val[k], first_lead));
            out->lead = FB_SHIFTED_BITS(classes, 7);
        }
    }
}

#undef FB_SHIFTED_BITS
#endif

/* Listing may write this many positions after the last one, so `out` must have capacity for them. */
#define FB_LIST_SLACK 16
/* A function that lists the positions of the set bits in words that are one fb_block apart. */
typedef void (*fb_lister)(const uint64_t *words, size_t blocks, uint32_t *out);

static void fb_list_portable(const uint64_t *words, size_t blocks, uint32_t *out)
{
    const uint64_t top = UINT64_C(1) << 63;
    uint32_t base = 0;
    for (size_t b = 0; b < blocks; b++, base += 64, words += sizeof(fb_block) / sizeof(uint64_t)) {
        uint64_t bits = *words;
        int count = fb_count_bits(bits);
        /* List four bits at a time, even if fewer remain, because mispredicting the end of the loop would cost more. */
        for (int k = 0; k < count; k += 4)
            for (int j = 0; j < 4; j++) {
                out[k + j] = base + (uint32_t)fb_lowest_bit(bits | top);
                bits &= bits - 1;
            }
        out += count;
    }
}

#ifdef FB_X86_DISPATCH
FB_TARGET("avx512f,avx512bw,avx512vbmi2,popcnt") static void fb_list_avx512(
    const uint64_t *words, size_t blocks, uint32_t *out)
{
    static const uint8_t counting[64] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i positions = _mm512_loadu_si512(counting);
    uint32_t base = 0;
    for (size_t b = 0; b < blocks; b++, base += 64, words += sizeof(fb_block) / sizeof(uint64_t)) {
        int count = (int)FB_POPCOUNT(*words);
        __m512i set = _mm512_maskz_compress_epi8(*words, positions), start = _mm512_set1_epi32((int)base);
        __m128i part = _mm512_castsi512_si128(set);
        _mm512_storeu_si512(out, _mm512_add_epi32(_mm512_cvtepu8_epi32(part), start));
        if (count > 16) {
            part = _mm512_extracti32x4_epi32(set, 1);
            _mm512_storeu_si512(out + 16, _mm512_add_epi32(_mm512_cvtepu8_epi32(part), start));
        }
        if (count > 32) {
            part = _mm512_extracti32x4_epi32(set, 2);
            _mm512_storeu_si512(out + 32, _mm512_add_epi32(_mm512_cvtepu8_epi32(part), start));
            part = _mm512_extracti32x4_epi32(set, 3);
            if (count > 48)
                _mm512_storeu_si512(out + 48, _mm512_add_epi32(_mm512_cvtepu8_epi32(part), start));
        }
        out += count;
    }
}
#endif

/* Choose the fastest functions that this processor can run, limited to instructions of a given level (compiler.h). */
static inline void fb_choose_scanners(int level, fb_classifier *classifier, fb_lister *lister)
{
    *classifier = fb_classify_portable;
    *lister = fb_list_portable;
#ifdef FB_X86_DISPATCH
    if (level > fb_cpu_level())
        level = fb_cpu_level();
    if (level >= FB_AVX2)
        *classifier = fb_classify_avx2;
    if (level >= FB_AVX512) {
        *classifier = fb_classify_avx512;
        *lister = fb_list_avx512;
    }
#elif defined(FB_NEON)
    if (level >= FB_ARM64)
        *classifier = fb_classify_neon;
#else
    (void)level;
#endif
}

#endif
