/* The two inner loops over the pairs of one hypothesis with many references. */
#ifndef FASTBLEU_PAIRS_H
#define FASTBLEU_PAIRS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "_native/cpu.h"

#define FB_ROW_BLOCK 128 /* bytes of a row that are summed in registers at a time; rows are padded to multiples of it */

/* Sums rows of a matrix of bytes, at most 255 rows of zeros and ones: out[j] = sum of matrix[rows[i]][j]. */
static inline void fb_sum_rows(
    const uint8_t* matrix, size_t width, const uint32_t* rows, size_t n_rows, uint8_t* out)
{
    for (size_t block = 0; block < width; block += FB_ROW_BLOCK) {
#ifdef FB_SSE2
        __m128i sums[FB_ROW_BLOCK / 16];
        for (int k = 0; k < FB_ROW_BLOCK / 16; k++)
            sums[k] = _mm_setzero_si128();
        for (size_t i = 0; i < n_rows; i++) {
            const uint8_t* row = matrix + rows[i] * width + block;
            for (int k = 0; k < FB_ROW_BLOCK / 16; k++)
                sums[k] = _mm_add_epi8(sums[k], _mm_loadu_si128((const __m128i*)(row + 16 * k)));
        }
        for (int k = 0; k < FB_ROW_BLOCK / 16; k++)
            _mm_storeu_si128((__m128i*)(out + block + 16 * k), sums[k]);
#else
        memset(out + block, 0, FB_ROW_BLOCK);
        for (size_t i = 0; i < n_rows; i++) {
            const uint8_t* row = matrix + rows[i] * width + block;
            for (int k = 0; k < FB_ROW_BLOCK; k++)
                out[block + k] += row[k];
        }
#endif
    }
}

/* Adds up the logarithms of the precisions of each pair: matches of order n stand at counts[n * width + j]. The k-th
 * order without a match takes the entry at -k. With `compensated`, the rounding errors of the additions are added at
 * the end, as Python's `sum` does from 3.12 on (Neumaier 1974). The error of an addition is a float, which Knuth's
 * formula gives. */
#define FB_ADD_LOGS(name, count_t)                                                                                    \
    static inline void name##_of(                                                                                     \
        const count_t* counts, size_t width, size_t pairs, const double* const* logs, int orders, int compensated,    \
        double* sums)                                                                                                 \
    {                                                                                                                 \
        for (size_t j = 0; j < pairs; j++) {                                                                          \
            double total = 0.0, lost = 0.0;                                                                           \
            ptrdiff_t unmatched = 0;                                                                                  \
            for (int n = 0; n < orders; n++) {                                                                        \
                count_t count = counts[n * width + j];                                                                \
                unmatched += count == 0;                                                                              \
                double term = logs[n][(ptrdiff_t)count - unmatched];                                                  \
                double sum = total + term;                                                                            \
                if (compensated) {                                                                                    \
                    double part = sum - total;                                                                        \
                    lost += (total - (sum - part)) + (term - part);                                                   \
                }                                                                                                     \
                total = sum;                                                                                          \
            }                                                                                                         \
            sums[j] = compensated ? total + lost : total;                                                             \
        }                                                                                                             \
    }                                                                                                                 \
                                                                                                                      \
    static inline void name(                                                                                          \
        const count_t* counts, size_t width, size_t pairs, const double* const* logs, int orders, int compensated,    \
        double* sums)                                                                                                 \
    {                                                                                                                 \
        /* Constants make the usual case a loop without decisions. */                                                 \
        if (orders == 4 && compensated)                                                                               \
            name##_of(counts, width, pairs, logs, 4, 1, sums);                                                        \
        else if (orders == 4)                                                                                         \
            name##_of(counts, width, pairs, logs, 4, 0, sums);                                                        \
        else                                                                                                          \
            name##_of(counts, width, pairs, logs, orders, compensated, sums);                                         \
    }

FB_ADD_LOGS(fb_add_logs_8, uint8_t)
FB_ADD_LOGS(fb_add_logs_32, uint32_t)

#endif
