/* Matches of n-grams that contain an n-gram which the reference has once: they are settled at once, by its place. */
#ifndef FASTBLEU_SETTLE_H
#define FASTBLEU_SETTLE_H

#include <stddef.h>
#include <stdint.h>

#include "_native/bits.h"
#include "_native/compiler.h"

#define FB_SETTLED_ORDERS 4 /* the longest n-grams that are settled */

typedef struct {
    const uint32_t *numbers, *ends;             /* of the listed n-grams of the hypothesis: classes, and where they end */
    const uint32_t *in_hypothesis, *in_reference; /* what is compared ends at these places */
    const uint32_t *at;                         /* by class: where it ends in the reference */
    const uint32_t *most;                       /* by class: how often the reference has it */
    uint8_t *settled;                           /* by where an n-gram ends in the reference: orders that have matched */
    uint32_t origin;
    int n, order;
} fb_settling;

/* Settles the n-grams at the places start to stop - 1. Nothing branches on which of them the reference has once: no
 * processor predicts that.
 *
 * Args:
 *     order: That of the settling, a constant where it is the highest.
 *     marks: NULL, or marks[end * order + n - 1] becomes 1 for a match of order n that ends there. */
FB_INLINE void fb_settle(const fb_settling *settling, size_t start, size_t stop, const int order, uint8_t *marks)
{
    const fb_settling s = *settling;
    const uint32_t longer = (UINT32_C(1) << order) - (UINT32_C(1) << s.n);
    /* Where the n-gram stands if the reference goes on as the hypothesis does since an n-gram that stands there once,
     * and the orders that contain that one. The place may be after the reference: then none do. */
    uint32_t before = s.origin, there = 0, reach = 0;
    for (size_t k = start; k < stop; k++) {
        const uint32_t this = s.numbers[k], end = s.ends[k] - s.origin, step = s.ends[k] - before;
        const uint32_t once = 0 - (uint32_t)(s.most[this] == 1);
        uint32_t found;
        before = s.ends[k];
        there += step;
        there ^= (there ^ s.at[this]) & once;
        reach = reach << (step < 8 ? step : 8) | once;
        found = fb_equal_ends(s.in_hypothesis + end, s.in_reference + there) & reach << (s.n - 1) & longer;
        if (marks) {
            found &= ~(uint32_t)s.settled[there];
            for (int back = s.n; back < order; back++)
                marks[(size_t)end * (size_t)order + (size_t)back] |= found >> back & 1;
        }
        s.settled[there] |= (uint8_t)found;
    }
}

/* Functions of their own, so that each has all registers. */
FB_APART void fb_settle_plain(const fb_settling *settling, size_t start, size_t stop)
{
    fb_settle(settling, start, stop, FB_SETTLED_ORDERS, 0);
}

FB_APART void fb_settle_and_mark(const fb_settling *settling, size_t start, size_t stop, uint8_t *marks)
{
    fb_settle(settling, start, stop, settling->order, marks);
}

#endif
