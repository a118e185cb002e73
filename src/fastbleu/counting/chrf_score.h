/* The formula of chrF, for matching, scoring and reranking. */
#ifndef FASTBLEU_CHRF_SCORE_H
#define FASTBLEU_CHRF_SCORE_H

#include <stddef.h>
#include <stdint.h>

#include "_native/compiler.h"

/* Return the score of a row, 0..100, by sacreBLEU's operations in sacreBLEU's order.
 *
 * Args:
 *     row: For each order the numbers of n-grams of the hypothesis, of the reference, and of matches.
 *     orders: The number of orders of characters and of words together.
 *     factor: The square of beta.
 *     eps_smoothing: Whether orders without matches count as almost 0. */
FB_INLINE double fb_chrf_score(const double *row, size_t orders, double factor, int eps_smoothing)
{
    const double eps = 1e-16;
    double score = 0.0, precision_sum = 0.0, recall_sum = 0.0;
    int64_t effective = 0;
    for (size_t n = 0; n < orders; n++) {
        double hypothesis = row[3 * n], reference = row[3 * n + 1], matches = row[3 * n + 2];
        double precision = hypothesis > 0 ? matches / hypothesis : eps;
        double recall = reference > 0 ? matches / reference : eps;
        if (eps_smoothing) {
            double denominator = factor * precision + recall;
            score += denominator > 0 ? (1 + factor) * precision * recall / denominator : eps;
        } else if (hypothesis > 0 && reference > 0) {
            precision_sum += precision;
            recall_sum += recall;
            effective++;
        }
    }
    if (eps_smoothing)
        return 100 * score / (double)orders;
    if (effective == 0)
        return 0.0;
    precision_sum /= (double)effective;
    recall_sum /= (double)effective;
    if (precision_sum + recall_sum == 0)
        return 0.0;
    score = (1 + factor) * precision_sum * recall_sum;
    score /= factor * precision_sum + recall_sum;
    return 100 * score;
}

#endif
