/* Sums of the rows that each of many masks chooses.
 *
 * Four rows have sixteen sums, one for each choice among them. They are made once for all masks, so that a mask adds one
 * of them where it would add up to four rows. All numbers are whole and below 2^24, so float32 adds them exactly in any order.
 */
#ifndef FASTBLEU_MASKED_H
#define FASTBLEU_MASKED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "_native/cpu_level.h"

#define FB_ROWS 32 /* rows that are added at once */
#define FB_GROUPS (FB_ROWS / 4)

/* The bits first..first + FB_ROWS - 1 of a mask, the lowest bit of a byte first; reads eight bytes. */
FB_INLINE uint64_t fb_bits_at(const uint8_t* bits, size_t first)
{
    const uint8_t* at = bits + first / 8;
    uint64_t word = 0;
    for (int k = 0; k < 8; k++)
        word |= (uint64_t)at[k] << (8 * k);
    return word >> first % 8;
}

/* Makes the sixteen sums of each group of four rows: sums[group][choice][column]. */
FB_INLINE void fb_make_choices(const float* rows, size_t width, float* sums)
{
    for (size_t group = 0; group < FB_GROUPS; group++) {
        float* choices = sums + group * 16 * width;
        memset(choices, 0, width * sizeof(float));
        for (size_t row = 0; row < 4; row++)
            for (size_t choice = 0; choice < (size_t)1 << row; choice++)
                for (size_t j = 0; j < width; j++)
                    choices[(choice | (size_t)1 << row) * width + j] =
                        choices[choice * width + j] + rows[(group * 4 + row) * width + j];
    }
}

/* Adds to each mask's sums what it chooses of FB_ROWS rows.
 *
 * rows: [FB_ROWS][width]
 * choices: room for [FB_GROUPS][16][width]
 * bits: mask m chooses row r by the bit first + m * stride + r
 * sums: [masks][width]
 */
FB_INLINE void fb_add_masked_of(
    const float* __restrict rows, size_t width, float* __restrict choices, const uint8_t* bits, size_t first, size_t stride,
    size_t masks, float* __restrict sums)
{
    fb_make_choices(rows, width, choices);
    for (size_t mask = 0; mask < masks; mask++) {
        uint64_t word = fb_bits_at(bits, first + mask * stride);
        const float *__restrict a = choices + (0 * 16 + (word & 15)) * width;
        const float *__restrict b = choices + (1 * 16 + (word >> 4 & 15)) * width;
        const float *__restrict c = choices + (2 * 16 + (word >> 8 & 15)) * width;
        const float *__restrict d = choices + (3 * 16 + (word >> 12 & 15)) * width;
        const float *__restrict e = choices + (4 * 16 + (word >> 16 & 15)) * width;
        const float *__restrict f = choices + (5 * 16 + (word >> 20 & 15)) * width;
        const float *__restrict g = choices + (6 * 16 + (word >> 24 & 15)) * width;
        const float *__restrict h = choices + (7 * 16 + (word >> 28 & 15)) * width;
        float* __restrict sum = sums + mask * width;
        for (size_t j = 0; j < width; j++)
            sum[j] += ((a[j] + b[j]) + (c[j] + d[j])) + ((e[j] + f[j]) + (g[j] + h[j]));
    }
}

#ifdef FB_X86_DISPATCH
FB_TARGET("avx2") static void fb_add_masked_avx2(
    const float* rows, size_t width, float* choices, const uint8_t* bits, size_t first, size_t stride, size_t masks,
    float* sums)
{
    fb_add_masked_of(rows, width, choices, bits, first, stride, masks, sums);
}
#endif

/* The same, by instructions of at most this level. */
static inline void fb_add_masked(
    const float* rows, size_t width, float* choices, const uint8_t* bits, size_t first, size_t stride, size_t masks,
    float* sums, int level)
{
#ifdef FB_X86_DISPATCH
    if (level >= FB_AVX2) {
        fb_add_masked_avx2(rows, width, choices, bits, first, stride, masks, sums);
        return;
    }
#else
    (void)level;
#endif
    fb_add_masked_of(rows, width, choices, bits, first, stride, masks, sums);
}

#endif
