/* The formula of chrF. Counting uses it to choose among references; scoring and reranking use it to compute scores. */
#ifndef FASTBLEU_CHRF_SCORE_H
#define FASTBLEU_CHRF_SCORE_H

#include <stddef.h>

#include "_native/compiler.h"

#define FB_CHRF_EPSILON 1e-16 /* The precision or recall of an order for which a text has no n-grams. */

/* Sums over the orders of a row. `score` is used with eps_smoothing, the other fields without it. `effective` is the
 * number of orders for which both texts have n-grams. */
typedef struct {
    double score, precision, recall;
    size_t effective;
} fb_chrf_sums;

/* Add the precision and recall of one order to the sums. `is_effective` must be true if both texts have n-grams of the
 * order. `factor` and `eps_smoothing` are those of fb_chrf_score. */
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

/* Return the score, 0..100, from the sums over all orders. The operations are those of sacreBLEU, in the same order. */
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

/* Return the chrF score of a row, 0..100.
 *
 * Args:
 *     row: Three counts below 2^53 for each order: n-grams of the hypothesis, n-grams of the reference, and matches.
 *     orders: The number of orders of characters plus the number of orders of words.
 *     factor: The square of beta.
 *     eps_smoothing: Whether the score is the mean of the F-scores of all orders, each at least FB_CHRF_EPSILON. If
 *         not, it is computed from the mean precision and recall of the orders for which both texts have n-grams. */
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
