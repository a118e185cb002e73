/* The formula of chrF, for matching, scoring and reranking. */
#ifndef FASTBLEU_CHRF_SCORE_H
#define FASTBLEU_CHRF_SCORE_H

#include <stddef.h>

#include "_native/compiler.h"

#define FB_CHRF_EPSILON 1e-16 /* The precision or recall where there are no n-grams. */

/* The sums over the orders of a row. */
typedef struct {
    double score, precision, recall;
    size_t effective;
} fb_chrf_sums;

/* Add one order. `is_effective` says whether both sides have n-grams of it; the other arguments are those of
 * fb_chrf_score. */
FB_INLINE void fb_chrf_add(
    fb_chrf_sums *sums, double precision, double recall, int is_effective, double factor, int eps_smoothing)
{
    if (eps_smoothing) {
        double denominator = factor * precision + recall;
        sums->score += denominator > 0 ? (1 + factor) * precision * recall / denominator : FB_CHRF_EPSILON;
    } else if (is_effective) {
        sums->precision += precision;
        sums->recall += recall;
        sums->effective++;
    }
}

/* Return the score, 0..100, of a row whose orders have been added, by sacreBLEU's operations in sacreBLEU's order. */
FB_INLINE double fb_chrf_mean(fb_chrf_sums sums, size_t orders, double factor, int eps_smoothing)
{
    double score;
    if (eps_smoothing)
        return 100 * sums.score / (double)orders;
    if (sums.effective == 0)
        return 0.0;
    sums.precision /= (double)sums.effective;
    sums.recall /= (double)sums.effective;
    if (sums.precision + sums.recall == 0)
        return 0.0;
    score = (1 + factor) * sums.precision * sums.recall;
    score /= factor * sums.precision + sums.recall;
    return 100 * score;
}

/* Return the score of a row, 0..100.
 *
 * Args:
 *     row: For each order the numbers of n-grams of the hypothesis, of the reference, and of matches, below 2^53.
 *     orders: The number of orders of characters and of words together.
 *     factor: The square of beta.
 *     eps_smoothing: Whether orders without matches count as almost 0. */
FB_INLINE double fb_chrf_score(const double *row, size_t orders, double factor, int eps_smoothing)
{
    fb_chrf_sums sums = {0.0, 0.0, 0.0, 0};
    for (size_t n = 0; n < orders; n++) {
        double hypothesis = row[3 * n], reference = row[3 * n + 1], matches = row[3 * n + 2];
        fb_chrf_add(
            &sums, hypothesis > 0 ? matches / hypothesis : FB_CHRF_EPSILON,
            reference > 0 ? matches / reference : FB_CHRF_EPSILON, hypothesis > 0 && reference > 0, factor,
            eps_smoothing);
    }
    return fb_chrf_mean(sums, orders, factor, eps_smoothing);
}

#endif
