/* Does a pair of systems differ by more in a trial than it does? Decided for many trials at once, where float32 is enough.
 *
 * Let A and B be a count of either system, summed over the corpus. A trial gives them mean + u and mean - u, where mean
 * is (A + B) / 2, since what one system gets the other one loses. With d = u / mean the logarithms of a count are
 *
 *     log(mean) + log(1 + d)  and  log(mean) + log(1 - d):
 *     half their difference is atanh(d), and half their sum is log(mean) + log(1 - d^2) / 2.
 *
 * The logarithm of BLEU is a weighted sum of these logarithms and of the brevity penalty's. If h is half the difference
 * of the two scores' logarithms and g half their sum, the scores differ by 2 exp(g) sinh(|h|). d is small in a corpus of
 * some size, so a few terms of each series suffice.
 *
 * Errors. Within FB_SMALL the series are cut off below 1e-9 of atanh and of the logarithm, and below 1e-7 of sinh and exp;
 * sinh is at most 0.26. Each operation in float32 adds 6e-8 of its result. Of the sums over at most FB_MOST_ORDERS orders none
 * exceeds 1/8, and of the operations for the brevity penalty none exceeds 6, as its logarithm is at least -FB_MOST_PENALTY.
 * Together that is less than 3e-6 of 2 exp(g). FB_UNSURE is three times as much: trials that are as close as that to the
 * difference observed, and those in which something is not small, are left to the formula itself.
 */
#ifndef FASTBLEU_TRIALS_H
#define FASTBLEU_TRIALS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "_native/cpu_level.h"

#define FB_TRIALS 128             /* trials that are decided at once */
#define FB_SMALL 0.0625f          /* the largest d, and the largest change of g, that the series are good for */
#define FB_SMALL_HALF 0.25f       /* the largest h, likewise */
#define FB_MOST_PENALTY 4.0       /* the largest logarithm of the brevity penalty, without its sign */
#define FB_MOST_ORDERS 64
#define FB_UNSURE 1e-5f

/* An order of n-grams that the score depends on. */
typedef struct {
    size_t correct, total;                /* the columns of the row of statistics that hold its counts */
    float inverse_correct, inverse_total; /* 1 / mean of each */
    float weight;                         /* of its logarithm */
} fb_order;

/* What a pair of systems has in all trials. */
typedef struct {
    size_t first, second; /* where the columns of the two systems begin */
    float sys_len;        /* the mean of theirs */
    float excess;         /* what it exceeds that of ref_len by */
    float penalty;        /* the logarithm of the brevity penalty of these means */
    float difference;     /* the difference observed, divided by 2 exp(g) of these means */
} fb_pair;

/* Sums over the orders, for each trial. */
typedef struct {
    float half[FB_TRIALS];    /* of atanh(d) */
    float sum[FB_TRIALS];     /* of log(1 - d^2) */
    float largest[FB_TRIALS]; /* the largest d^2 */
} fb_sums;

FB_INLINE float fb_atanh(float d, float square)
{
    return d * (1.0f + square * (1.0f / 3.0f + square * 0.2f));
}

/* -log(1 - square) */
FB_INLINE float fb_lost(float square)
{
    return square * (1.0f + square * (0.5f + square * (1.0f / 3.0f)));
}

/* Adds an order to the sums. */
FB_INLINE void fb_add_order(const float* first, const float* second, const fb_order* order, fb_sums* sums)
{
    const float *correct = first + order->correct * FB_TRIALS, *other_correct = second + order->correct * FB_TRIALS;
    const float *total = first + order->total * FB_TRIALS, *other_total = second + order->total * FB_TRIALS;
    const float inverse_correct = order->inverse_correct, inverse_total = order->inverse_total;
    const float weight = order->weight;
    for (int t = 0; t < FB_TRIALS; t++) {
        float c = (correct[t] - other_correct[t]) * inverse_correct, c_square = c * c;
        float n = (total[t] - other_total[t]) * inverse_total, n_square = n * n;
        float largest = c_square > n_square ? c_square : n_square;
        sums->half[t] += weight * (fb_atanh(c, c_square) - fb_atanh(n, n_square));
        sums->sum[t] += weight * (fb_lost(n_square) - fb_lost(c_square));
        sums->largest[t] = largest > sums->largest[t] ? largest : sums->largest[t];
    }
}

/* Decides FB_TRIALS trials of a pair from the sums over its orders: 1 where the difference is larger than the one observed,
 * 0 where it is not; 2 or 3 where float32 cannot decide it.
 *
 * moved: [systems * columns][FB_TRIALS], how much each sum over the exchanged segments exceeds half of the sum over all.
 */
FB_INLINE void fb_decide(const float* moved, const fb_pair* pair, const fb_sums* sums, int32_t* verdicts)
{
    const float *sys_len = moved + pair->first * FB_TRIALS, *other_sys_len = moved + pair->second * FB_TRIALS;
    const float *ref_len = sys_len + FB_TRIALS, *other_ref_len = other_sys_len + FB_TRIALS;
    const float mean = pair->sys_len, excess = pair->excess, penalty = pair->penalty, observed = pair->difference;
    for (int t = 0; t < FB_TRIALS; t++) {
        float more = sys_len[t] - other_sys_len[t], gap = more - (ref_len[t] - other_ref_len[t]);
        float first = (excess + gap) / (mean + more), second = (excess - gap) / (mean - more);
        first = 0.5f * (first - fabsf(first)); /* the lesser of it and 0 */
        second = 0.5f * (second - fabsf(second));
        float half = fabsf(sums->half[t] + 0.5f * (first - second));
        float change = 0.5f * sums->sum[t] + (0.5f * (first + second) - penalty);
        float square = half * half;
        float growth = 1.0f + change * (1.0f + change * (0.5f + change * (1.0f / 6.0f + change * (1.0f / 24.0f))));
        float found = growth * (half * (1.0f + square * (1.0f / 6.0f + square * (1.0f / 120.0f))));
        /* Comparisons with NaN are false. */
        int is_small = (sums->largest[t] <= FB_SMALL * FB_SMALL) & (half <= FB_SMALL_HALF) & (fabsf(change) <= FB_SMALL) &
                       (fabsf(more) <= FB_SMALL * mean);
        int is_far = fabsf(found - observed) > FB_UNSURE;
        int is_larger = found > observed;
        verdicts[t] = is_larger | (((is_small & is_far) ^ 1) << 1);
    }
}

/* Decides FB_TRIALS trials of a pair with these orders. */
FB_INLINE void fb_decide_trials_of(
    const float* moved, const fb_pair* pair, const fb_order* orders, size_t n_orders, int32_t* verdicts)
{
    fb_sums sums;
    memset(&sums, 0, sizeof(sums));
    for (size_t n = 0; n < n_orders; n++)
        fb_add_order(moved + pair->first * FB_TRIALS, moved + pair->second * FB_TRIALS, orders + n, &sums);
    fb_decide(moved, pair, &sums, verdicts);
}

#ifdef FB_X86_DISPATCH
FB_TARGET("avx2") static void fb_decide_trials_avx2(
    const float* moved, const fb_pair* pair, const fb_order* orders, size_t n_orders, int32_t* verdicts)
{
    fb_decide_trials_of(moved, pair, orders, n_orders, verdicts);
}
#endif

/* The same, by instructions of at most this level. */
static inline void fb_decide_trials(
    const float* moved, const fb_pair* pair, const fb_order* orders, size_t n_orders, int level, int32_t* verdicts)
{
#ifdef FB_X86_DISPATCH
    if (level >= FB_AVX2) {
        fb_decide_trials_avx2(moved, pair, orders, n_orders, verdicts);
        return;
    }
#else
    (void)level;
#endif
    fb_decide_trials_of(moved, pair, orders, n_orders, verdicts);
}

#endif
