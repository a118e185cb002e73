/* Matches of n-grams that contain an n-gram which the reference has once: they are settled at once, by its place. */
#ifndef FASTBLEU_SETTLE_H
#define FASTBLEU_SETTLE_H

#include <stddef.h>
#include <stdint.h>

#include "_native/bits.h"
#include "_native/compiler.h"

#define FB_SETTLED_ORDERS 4 /* the longest n-grams that are settled */
#define FB_COUNT_BITS 21    /* of one of three counts in a word */

typedef struct {
    const uint32_t *numbers, *ends;             /* of the listed n-grams of the hypothesis: classes, and where they end */
    const uint32_t *in_hypothesis, *in_reference; /* what is compared ends at these places */
    const uint32_t *at;                         /* by class: where it ends in the reference */
    const uint32_t *most;                       /* by class: how often the reference has it */
    uint8_t *settled;                           /* by where an n-gram ends in the reference: orders that have matched */
    uint32_t base, origin;
    int n, order;
} fb_settling;

/* The matches of the orders 2 to 4 in one word, of the n-grams at the places start to stop - 1.
 *
 * Args:
 *     order: That of the settling, a constant where it is the highest.
 *     is_mixed: Whether no processor predicts which n-gram the reference has once; then nothing branches on it.
 *     marks: NULL, or marks[end * order + n - 1] becomes 1 for a match of order n that ends there. */
FB_INLINE uint64_t fb_settle(
    const fb_settling *settling, size_t start, size_t stop, const int order, const int is_mixed, uint8_t *marks)
{
    const fb_settling s = *settling;
    const uint64_t spread = 1 | UINT64_C(1) << (FB_COUNT_BITS - 1) | UINT64_C(1) << 2 * (FB_COUNT_BITS - 1);
    const uint64_t lowest = 1 | UINT64_C(1) << FB_COUNT_BITS | UINT64_C(1) << 2 * FB_COUNT_BITS;
    const uint32_t orders = (UINT32_C(1) << order) - 1;
    uint32_t before = s.origin, distance = (uint32_t)order, there = 0;
    uint64_t counts = 0;
    for (size_t k = start; k < stop; k++) {
        const uint32_t this = s.numbers[k], end = s.ends[k] - s.origin, step = s.ends[k] - before;
        uint32_t further = distance + step, next = there + step, found;
        before = s.ends[k];
        further = further < (uint32_t)order ? further : (uint32_t)order;
        next = next < s.base ? next : s.base;
        if (is_mixed) {
            const uint32_t once = 0 - (uint32_t)(s.most[this] == 1);
            distance = further & ~once;
            there = next ^ ((next ^ s.at[this]) & once);
        } else if (s.most[this] == 1) {
            distance = 0;
            there = s.at[this];
        } else {
            distance = further;
            there = next;
        }
        /* The orders that contain the n-gram, match, and have not matched there yet. */
        found = fb_equal_ends(s.in_hypothesis + end, s.in_reference + there) & orders;
        found &= ~(uint32_t)s.settled[there] & ~UINT32_C(0) << (s.n + (int)(distance > 1 ? distance : 1) - 1);
        s.settled[there] |= (uint8_t)found;
        /* Bits 1, 2 and 3 go to the lowest places of three counts. */
        counts += (uint64_t)(found >> 1) * spread & lowest;
        if (marks)
            for (int back = s.n; back < order; back++)
                marks[(size_t)end * (size_t)order + (size_t)back] |= found >> back & 1;
    }
    return counts;
}

/* Functions of their own, so that each has all registers. */
FB_APART uint64_t fb_settle_most_once(const fb_settling *settling, size_t start, size_t stop)
{
    return fb_settle(settling, start, stop, FB_SETTLED_ORDERS, 0, 0);
}

FB_APART uint64_t fb_settle_mixed(const fb_settling *settling, size_t start, size_t stop)
{
    return fb_settle(settling, start, stop, FB_SETTLED_ORDERS, 1, 0);
}

FB_APART uint64_t fb_settle_and_mark(const fb_settling *settling, size_t start, size_t stop, uint8_t *marks)
{
    return fb_settle(settling, start, stop, settling->order, 0, marks);
}

#endif
