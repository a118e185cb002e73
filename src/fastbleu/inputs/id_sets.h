/* Sets of token ids, and rows of int64 ids that are looked at for them. */

#ifndef FASTBLEU_ID_SETS_H
#define FASTBLEU_ID_SETS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "_native/cpu_level.h"
#include "inputs/ids.h"

/* Several ids that mean the same to a rule, such as all ids that end a row. A set of up to four is compared as a whole
 * with each id of a row; of a larger one the range is compared, and what lies in it is looked up. */

#define FB_FEW_IDS 4
#define FB_FILTER_BITS 4096

typedef struct {
    int64_t few[FB_FEW_IDS];               /* up to four, the last one repeated; FB_TOO_LARGE if there are more or none */
    uint64_t lowest;                       /* more of them lie in lowest..lowest + span; of fewer no id does */
    uint64_t span;
    const int64_t* rising;                 /* all of them, each once */
    size_t number;
    uint64_t filter[FB_FILTER_BITS / 64];  /* has the bit that the lowest bits of each id name */
} fb_id_set;

static inline void fb_make_id_set(fb_id_set* set, const int64_t* rising, size_t number) {
    memset(set, 0, sizeof *set);
    set->rising = rising;
    set->number = number;
    for (size_t k = 0; k < FB_FEW_IDS; k++)
        set->few[k] = number == 0 || number > FB_FEW_IDS ? FB_TOO_LARGE : rising[k < number ? k : number - 1];
    set->lowest = (uint64_t)(number > FB_FEW_IDS ? rising[0] : FB_TOO_LARGE);
    set->span = number > FB_FEW_IDS ? (uint64_t)rising[number - 1] - set->lowest : 0;
    for (size_t k = 0; k < number; k++) {
        uint64_t bit = (uint64_t)rising[k] % FB_FILTER_BITS;
        set->filter[bit / 64] |= (uint64_t)1 << bit % 64;
    }
}

/* Whether a set has an id. For most ids the filter says that it has not. */
static inline int fb_has_id(const fb_id_set* set, int64_t id) {
    uint64_t bit = (uint64_t)id % FB_FILTER_BITS;
    if (!(set->filter[bit / 64] >> bit % 64 & 1)) return 0;
    size_t first = 0, after = set->number;
    while (first < after) {
        size_t middle = first + (after - first) / 2;
        if (set->rising[middle] < id)
            first = middle + 1;
        else
            after = middle;
    }
    return first < set->number && set->rising[first] == id;
}

#define FB_IS_AMONG(few, id) ( \
    ((id) == (uint64_t)(few)[0]) | ((id) == (uint64_t)(few)[1]) | \
    ((id) == (uint64_t)(few)[2]) | ((id) == (uint64_t)(few)[3]))
#define FB_MAY_BE_IN(set, few, id) (FB_IS_AMONG(few, id) | ((id) - (set)->lowest <= (set)->span))
#define FB_IS_IN_FEW(set, few, id) FB_IS_AMONG(few, id)

/* As FB_LOOK_AT_IDS, up to the first id of the set `ends`. `is_special` says whether any id before it may be in the set
 * `others`: an id that lies between those of a large set counts as one of them. */
#define FB_LOOK_AT_IDS_FOR_SETS(block, is_in) \
    const int64_t end_ids[FB_FEW_IDS] = {ends->few[0], ends->few[1], ends->few[2], ends->few[3]}; \
    const int64_t other_ids[FB_FEW_IDS] = {others->few[0], others->few[1], others->few[2], others->few[3]}; \
    uint64_t found = 0, special = 0; \
    size_t t = 0, after = 0; \
    for (; t < n; t = after) { \
        uint64_t stops = 0, odd = 0, any = 0; \
        after = n; \
        if (n - t >= block) { \
            after = t + block; \
            for (size_t k = 0; k < block; k++) { \
                uint64_t id = (uint64_t)ids[t + k]; \
                stops |= (uint64_t)is_in(ends, end_ids, id); \
                odd |= (uint64_t)is_in(others, other_ids, id); \
                any |= id; \
            } \
            if (!stops) { \
                special |= odd; \
                found |= any; \
                continue; \
            } \
        } \
        for (; t < after; t++) { \
            uint64_t id = (uint64_t)ids[t]; \
            if (fb_has_id(ends, ids[t])) break; \
            special |= (uint64_t)is_in(others, other_ids, id); \
            found |= id; \
        } \
        if (t < after) break; \
    } \
    *bits = found; \
    *is_special = special != 0; \
    return t

typedef size_t (*fb_look_for_sets)(
    const int64_t* ids, size_t n, const fb_id_set* ends, const fb_id_set* others, uint64_t* bits, int* is_special);

#define FB_DEFINE_LOOK_FOR_SETS(name, target, block, is_in) \
    target static size_t name( \
        const int64_t* ids, size_t n, const fb_id_set* ends, const fb_id_set* others, uint64_t* bits, int* is_special \
    ) { \
        FB_LOOK_AT_IDS_FOR_SETS(block, is_in); \
    }

FB_DEFINE_LOOK_FOR_SETS(fb_look_for_few_portable, , 8, FB_IS_IN_FEW)
FB_DEFINE_LOOK_FOR_SETS(fb_look_for_sets_portable, , 8, FB_MAY_BE_IN)
#ifdef FB_X86_DISPATCH
FB_DEFINE_LOOK_FOR_SETS(fb_look_for_few_avx2, FB_TARGET("avx2"), 16, FB_IS_IN_FEW)
FB_DEFINE_LOOK_FOR_SETS(fb_look_for_sets_avx2, FB_TARGET("avx2"), 16, FB_MAY_BE_IN)
#endif

/* The fastest of them for these sets, with instructions of at most this level. */
static inline fb_look_for_sets fb_choose_look_for_sets(int level, const fb_id_set* ends, const fb_id_set* others)
{
    int few = ends->number <= FB_FEW_IDS && others->number <= FB_FEW_IDS;
#ifdef FB_X86_DISPATCH
    if (level >= FB_AVX2 && fb_cpu_level() >= FB_AVX2)
        return few ? fb_look_for_few_avx2 : fb_look_for_sets_avx2;
#else
    (void)level;
#endif
    return few ? fb_look_for_few_portable : fb_look_for_sets_portable;
}

#endif
