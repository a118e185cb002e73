/* The inner loops over the pairs of one hypothesis with many references. */
#ifndef FASTBLEU_PAIRS_H
#define FASTBLEU_PAIRS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FB_ROW_BLOCK 128 /* bytes of a row that are summed at a time, so that they stay near; rows are padded to it */

/* Sums rows of a matrix of bytes, at most 255 rows of zeros and ones: out[j] = sum of matrix[rows[i]][j], for j from
 * `first`, a multiple of FB_ROW_BLOCK, to width - 1. */
static inline void fb_sum_rows(
    const uint8_t* matrix, size_t width, const uint32_t* rows, size_t n_rows, size_t first, uint8_t* out)
{
    for (size_t block = first; block < width; block += FB_ROW_BLOCK) {
        uint8_t sums[FB_ROW_BLOCK] = {0};
        for (size_t i = 0; i < n_rows; i++) {
            const uint8_t* row = matrix + rows[i] * width + block;
            for (int k = 0; k < FB_ROW_BLOCK; k++)
                sums[k] = (uint8_t)(sums[k] + row[k]);
        }
        memcpy(out + block, sums, FB_ROW_BLOCK);
    }
}

/* Packs the counts of up to four orders of each pair, a byte each: matches of order n stand at counts[n * width + j]. */
static inline void fb_pack_counts(
    const uint8_t* counts, size_t width, size_t pairs, int orders, uint32_t* packed)
{
    const uint8_t* second = counts + (orders > 1 ? width : 0);
    const uint8_t* third = counts + (orders > 2 ? 2 * width : 0);
    const uint8_t* fourth = counts + (orders > 3 ? 3 * width : 0);
    for (size_t j = 0; j < pairs; j++)
        packed[j] = counts[j] | (uint32_t)second[j] << 8 | (uint32_t)third[j] << 16 | (uint32_t)fourth[j] << 24;
}

/* How logarithms are added up. */
#define FB_PLAIN_SUM 0
#define FB_COMPENSATED_SUM 1 /* as Python's `sum` does from 3.12 on (Neumaier 1974) */
#define FB_EXACT_SUM 2       /* rounded once, as Python's `fsum` does */

/* Adds up logarithms. The rounding error of an addition is a float, which Knuth's formula gives. A compensated sum adds
 * these errors at the end. If their own sum is exact, the result is the exact sum rounded once. That is nearly always
 * so. Writes whether an exact sum was asked for and the result may not be it. */
static inline double fb_sum_logs(const double* terms, int n, int summation, int* uncertain)
{
    double total = 0.0, lost = 0.0;
    *uncertain = 0;
    for (int i = 0; i < n; i++) {
        double sum = total + terms[i];
        if (summation != FB_PLAIN_SUM) {
            double part = sum - total;
            double error = (total - (sum - part)) + (terms[i] - part);
            double errors = lost + error;
            if (summation == FB_EXACT_SUM) {
                part = errors - lost;
                *uncertain |= (lost - (errors - part)) + (error - part) != 0.0;
            }
            lost = errors;
        }
        total = sum;
    }
    return summation != FB_PLAIN_SUM ? total + lost : total;
}

#endif
