/* Match n-grams that contain a unique n-gram, that is, one that occurs once in the reference: compare the tokens around
 * its only position in the reference. */
#ifndef FASTBLEU_UNIQUE_NGRAMS_H
#define FASTBLEU_UNIQUE_NGRAMS_H

#include <stddef.h>
#include <stdint.h>

#include "_native/bits.h"
#include "_native/compiler.h"

#define FB_RESOLVED_ORDERS 4 /* The largest order of n-grams that are resolved. */

/* The input of fb_resolve. The position of an n-gram is the position of its last token. */
typedef struct {
    const uint32_t *numbers;        /* the classes of the listed n-grams */
    const uint32_t *ends;           /* the positions of the listed n-grams */
    const uint32_t *in_hypothesis;  /* from index p on: the last FB_RESOLVED_ORDERS tokens up to position origin + p */
    const uint32_t *in_reference;   /* from index p on: the last FB_RESOLVED_ORDERS tokens up to position p */
    const uint32_t *reference_ends; /* the position of each class in the reference */
    const uint32_t *max_counts;     /* the count of each class in the reference */
    uint8_t *resolved;              /* for each position in the reference, a bit for each order that has matched */
    uint32_t origin;                /* the position of the hypothesis' first token */
    int n, order;                   /* the order of the listed n-grams, and the largest order that is counted */
} fb_resolution;

/* Match the longer n-grams that contain a unique n-gram. The unique n-grams are among the listed n-grams at the indices
 * start..stop - 1. No branch depends on which n-grams are unique, because processors cannot predict that.
 *
 * Args:
 *     order: The value of resolution->order, which callers pass as a constant where they can.
 *     marks: NULL; or marks[end * order + n - 1] is set to 1 for a match of order n that ends at token `end`. */
FB_INLINE void fb_resolve(const fb_resolution *resolution, size_t start, size_t stop, const int order, uint8_t *marks)
{
    const fb_resolution r = *resolution;
    const uint32_t longer = (UINT32_C(1) << order) - (UINT32_C(1) << r.n);
    /* The latest unique n-gram aligns the two texts: aligned_end is the position in the reference that is aligned with
     * `end`. If aligned_end is after the end of the reference, no order matches. `reach` has a bit for each order: it
     * is set if the n-gram of this order that ends at `end` contains a unique n-gram. */
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

/* Call fb_resolve without `marks` for the largest order. It is not inlined, so that it can use all registers. */
FB_NOINLINE void fb_resolve_plain(const fb_resolution *resolution, size_t start, size_t stop)
{
    fb_resolve(resolution, start, stop, FB_RESOLVED_ORDERS, 0);
}

/* Call fb_resolve for any order, and with `marks` unless it is NULL. */
FB_NOINLINE void fb_resolve_and_mark(const fb_resolution *resolution, size_t start, size_t stop, uint8_t *marks)
{
    fb_resolve(resolution, start, stop, resolution->order, marks);
}

#endif
