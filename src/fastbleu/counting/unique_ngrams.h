/* Matches of n-grams that contain a unique n-gram, which occurs once in the reference: its position resolves them. */
#ifndef FASTBLEU_UNIQUE_NGRAMS_H
#define FASTBLEU_UNIQUE_NGRAMS_H

#include <stddef.h>
#include <stdint.h>

#include "_native/bits.h"
#include "_native/compiler.h"

#define FB_RESOLVED_ORDERS 4 /* the largest order that is resolved */

typedef struct {
    const uint32_t *numbers, *ends; /* classes of the listed n-grams of the hypothesis, and where they end */
    const uint32_t *in_hypothesis, *in_reference; /* by where an n-gram ends, its last FB_RESOLVED_ORDERS tokens */
    const uint32_t *reference_ends; /* by class, where the n-gram ends in the reference */
    const uint32_t *max_counts;     /* by class, its count in the reference */
    uint8_t *resolved;              /* by where n-grams end in the reference, a bit for each order that has matched */
    uint32_t origin;                /* where the hypothesis' first token ends */
    int n, order;                   /* the order of the listed n-grams, and the largest order that is counted */
} fb_resolution;

/* Resolve the n-grams with the indices start..stop - 1. No branch depends on which of them are unique, because no
 * processor predicts that.
 *
 * Args:
 *     order: That of the resolution, as a constant if it is FB_RESOLVED_ORDERS.
 *     marks: NULL; or marks[end * order + n - 1] is set to 1 for a match of order n that ends at token `end`. */
FB_INLINE void fb_resolve(const fb_resolution *resolution, size_t start, size_t stop, const int order, uint8_t *marks)
{
    const fb_resolution r = *resolution;
    const uint32_t longer = (UINT32_C(1) << order) - (UINT32_C(1) << r.n);
    /* aligned_end: where the n-gram ends in the reference, if the reference continues like the hypothesis after the
     * latest unique n-gram. It may be after the end of the reference; then no order matches. reach: the orders of
     * n-grams that end here and contain that unique n-gram. */
    uint32_t previous_end = r.origin, aligned_end = 0, reach = 0;
    for (size_t k = start; k < stop; k++) {
        const uint32_t this = r.numbers[k], end = r.ends[k] - r.origin, step = r.ends[k] - previous_end;
        const uint32_t is_unique = 0 - (uint32_t)(r.max_counts[this] == 1);
        uint32_t matches;
        previous_end = r.ends[k];
        aligned_end += step;
        aligned_end ^= (aligned_end ^ r.reference_ends[this]) & is_unique;
        reach = reach << (step < 8 ? step : 8) | is_unique;
        matches = fb_equal_ends(r.in_hypothesis + end, r.in_reference + aligned_end) & reach << (r.n - 1) & longer;
        if (marks) {
            matches &= ~(uint32_t)r.resolved[aligned_end];
            for (int back = r.n; back < order; back++)
                marks[(size_t)end * (size_t)order + (size_t)back] |= matches >> back & 1;
        }
        r.resolved[aligned_end] |= (uint8_t)matches;
    }
}

/* These are functions of their own, so that each can use all registers. */
FB_NOINLINE void fb_resolve_plain(const fb_resolution *resolution, size_t start, size_t stop)
{
    fb_resolve(resolution, start, stop, FB_RESOLVED_ORDERS, 0);
}

FB_NOINLINE void fb_resolve_and_mark(const fb_resolution *resolution, size_t start, size_t stop, uint8_t *marks)
{
    fb_resolve(resolution, start, stop, resolution->order, marks);
}

#endif
