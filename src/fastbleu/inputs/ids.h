/* Convert lists of Python integers to int64, and scan rows of ids. */

#ifndef FASTBLEU_IDS_H
#define FASTBLEU_IDS_H

#include <Python.h>
#if PY_VERSION_HEX < 0x030B0000
#include <longintrepr.h>
#endif

#include <stddef.h>
#include <stdint.h>

#include "_native/bits.h"
#include "_native/cpu_level.h"
#include "inputs/shared_lists.h"

/* Replaces an unsigned id that does not fit int64. No token-id option may have this value. */
#define FB_TOO_LARGE INT64_MIN

/* Convert the leading small ints of a list or tuple, and stop at any other item. CPython stores an int below 2**30 as a
 * single digit; only such ints are small. Return the number of converted items. No Python code runs, and no reference
 * count changes. */
static inline size_t fb_read_small_items(PyObject* const* items, size_t n, int64_t* out) {
    size_t t = 0;
    for (; t < n; t++) {
        if (!PyLong_CheckExact(items[t])) break;
        const PyLongObject* number = (const PyLongObject*)items[t];
#if PY_VERSION_HEX >= 0x030C0000
        if (!PyUnstable_Long_IsCompact(number)) break;
        out[t] = PyUnstable_Long_CompactValue(number);
#else
        Py_ssize_t digits = Py_SIZE(number);  /* Negative if the number is negative. */
        if (digits == 1) out[t] = (int64_t)number->ob_digit[0];
        else if (digits == 0) out[t] = 0;
        else if (digits == -1) out[t] = -(int64_t)number->ob_digit[0];
        else break;
#endif
    }
    return t;
}

/* Convert all items of a list or tuple (not of a subclass) by `fb_read_small_items`. Return the number of items, or -1
 * if there are more than `capacity` items or an item cannot be converted. A list is locked while it is read, so that
 * no other thread changes it. */
static inline ptrdiff_t fb_read_small_ints(PyObject* row, int64_t* out, size_t capacity) {
    size_t n, read = 0;
    if (PyTuple_CheckExact(row)) {
        n = (size_t)PyTuple_GET_SIZE(row);
        if (n <= capacity) read = fb_read_small_items(PySequence_Fast_ITEMS(row), n, out);
    } else {
        FB_LOCK_LIST(row);
        n = (size_t)PyList_GET_SIZE(row);
        if (n <= capacity) read = fb_read_small_items(PySequence_Fast_ITEMS(row), n, out);
        FB_UNLOCK_LIST();
    }
    return read == n ? (ptrdiff_t)n : -1;
}

/* Prefetch the first four cache lines of a row. They contain most tokens; the end of a row is often padding. */
static inline void fb_prefetch_row(const char* row, ptrdiff_t width) {
    ptrdiff_t bytes = width * (ptrdiff_t)sizeof(int64_t);
    for (ptrdiff_t offset = 0; offset < bytes && offset < 256; offset += 64) FB_PREFETCH(row + offset);
}

/* If a set has at most this many ids, each id of a row is compared with all of them. */
#define FB_FEW_IDS 4

/* A set of ids with the same meaning, such as all ids that end a row. An id is searched in the set only if it is in the
 * range from the lowest to the highest id of the set. */

typedef struct {
    uint64_t lowest;  /* The lowest id; FB_TOO_LARGE in an empty set. */
    uint64_t span;  /* The difference between the highest and the lowest id. */
    uint64_t endings;  /* Bit id & 63 is set for each id, to reject most of the ids in the range but not in the set. */
    int are_far_apart;  /* Whether there are at most FB_FEW_IDS ids, with gaps between them. `few` has all such ids. */
    uint64_t few[FB_FEW_IDS];  /* The first ids; if there are fewer, the first one is repeated. */
    const int64_t* rising;  /* All ids in ascending order, without duplicates. */
    size_t number;  /* The number of ids. */
} fb_id_set;

static inline void fb_make_id_set(fb_id_set* set, const int64_t* rising, size_t number) {
    set->rising = rising;
    set->number = number;
    set->endings = 0;
    for (size_t i = 0; i < number; i++) set->endings |= UINT64_C(1) << (rising[i] & 63);
    set->lowest = (uint64_t)(number ? rising[0] : FB_TOO_LARGE);
    for (size_t i = 0; i < FB_FEW_IDS; i++) set->few[i] = (uint64_t)(number ? rising[i < number ? i : 0] : FB_TOO_LARGE);
    set->span = number ? (uint64_t)rising[number - 1] - set->lowest : 0;
    set->are_far_apart = number && number <= FB_FEW_IDS && set->span >= number;
}

static inline int fb_may_have_id(const fb_id_set* set, int64_t id) { return (uint64_t)id - set->lowest <= set->span; }

static inline int fb_is_one_of_few(const fb_id_set* set, uint64_t id) {
    return (id == set->few[0]) | (id == set->few[1]) | (id == set->few[2]) | (id == set->few[3]);
}

static inline int fb_has_id(const fb_id_set* set, int64_t id) {
    size_t first = 0, after = set->number;
    if (!fb_may_have_id(set, id) || !(set->endings >> (id & 63) & 1)) return 0;
    if (set->span < set->number) return 1;
    while (first < after) {
        size_t middle = first + (after - first) / 2;
        if (set->rising[middle] < id)
            first = middle + 1;
        else
            after = middle;
    }
    return first < set->number && set->rising[first] == id;
}

/* The body of an `fb_scan`. It scans `block` ids at a time, in a loop that compilers vectorize for AVX2. */
#define FB_SCAN_IDS(block) \
    const fb_id_set end_ids = *ends, other_ids = *others; \
    uint64_t all_bits = 0, special = 0; \
    size_t t = 0, after = 0; \
    for (; t < n; t = after) { \
        uint64_t stops = 0, odd = 0, any = 0; \
        after = n; \
        if (n - t >= block) { \
            after = t + block; \
            if (end_ids.are_far_apart) \
                for (size_t k = 0; k < block; k++) stops |= (uint64_t)fb_is_one_of_few(&end_ids, (uint64_t)ids[t + k]); \
            else \
                for (size_t k = 0; k < block; k++) stops |= (uint64_t)ids[t + k] - end_ids.lowest <= end_ids.span; \
            for (size_t k = 0; k < block; k++) { \
                uint64_t id = (uint64_t)ids[t + k]; \
                odd |= id - other_ids.lowest <= other_ids.span; \
                any |= id; \
            } \
            if (!stops) { \
                special |= odd; \
                all_bits |= any; \
                continue; \
            } \
        } \
        for (; t < after; t++) { \
            if (fb_has_id(&end_ids, ids[t])) break; \
            special |= (uint64_t)fb_may_have_id(&other_ids, ids[t]); \
            all_bits |= (uint64_t)ids[t]; \
        } \
        if (t < after) break; \
    } \
    *bits = all_bits; \
    *is_special = special != 0; \
    return t

/* Scan ids up to the first one in the set `ends`, and return its index, or n if no id is in the set. Set `bits` to the
 * bitwise OR of the ids before this index, and `is_special` to whether any of these ids may be in the set `others`. */
typedef size_t (*fb_scan)(
    const int64_t* ids, size_t n, const fb_id_set* ends, const fb_id_set* others, uint64_t* bits, int* is_special);

static size_t fb_scan_portable(
    const int64_t* ids, size_t n, const fb_id_set* ends, const fb_id_set* others, uint64_t* bits, int* is_special
) {
    FB_SCAN_IDS(8);
}

#ifdef FB_X86_DISPATCH
FB_TARGET("avx2") static size_t fb_scan_avx2(
    const int64_t* ids, size_t n, const fb_id_set* ends, const fb_id_set* others, uint64_t* bits, int* is_special
) {
    FB_SCAN_IDS(32);
}

/* Scan eight ids at a time. A mask excludes the ids from index n on, and those from the first id in `ends` on. */
FB_TARGET("avx512f") static size_t fb_scan_avx512(
    const int64_t* ids, size_t n, const fb_id_set* ends, const fb_id_set* others, uint64_t* bits, int* is_special
) {
    const __m512i first_end = _mm512_set1_epi64((long long)ends->lowest), ends_span = _mm512_set1_epi64((long long)ends->span);
    const __m512i first = _mm512_set1_epi64((long long)others->lowest), span = _mm512_set1_epi64((long long)others->span);
    __m512i all_bits = _mm512_setzero_si512();
    unsigned special = 0;
    for (size_t t = 0; t < n; t += 8) {
        __mmask8 valid = (__mmask8)(n - t < 8 ? (1u << (n - t)) - 1 : 0xff);
        __m512i id = _mm512_maskz_loadu_epi64(valid, ids + t);
        unsigned stops = 0;
        if (ends->are_far_apart)
            for (size_t i = 0; i < FB_FEW_IDS; i++)
                stops |= _mm512_mask_cmpeq_epi64_mask(valid, id, _mm512_set1_epi64((long long)ends->few[i]));
        else
            stops = _mm512_mask_cmple_epu64_mask(valid, _mm512_sub_epi64(id, first_end), ends_span);
        while (stops && !fb_has_id(ends, ids[t + (size_t)fb_lowest_bit(stops)]))
            stops &= stops - 1;
        if (stops) {
            n = t + (size_t)fb_lowest_bit(stops);
            valid = (__mmask8)((stops & (0 - stops)) - 1);
        }
        special |= _mm512_mask_cmple_epu64_mask(valid, _mm512_sub_epi64(id, first), span);
        all_bits = _mm512_mask_or_epi64(all_bits, valid, all_bits, id);
    }
    *bits = (uint64_t)_mm512_reduce_or_epi64(all_bits);
    *is_special = special != 0;
    return n;
}
#endif

/* Return the fastest `fb_scan` that this processor can run and that needs no instructions above a level, such as
 * FB_AVX512. */
static inline fb_scan fb_choose_scan(int level)
{
#ifdef FB_X86_DISPATCH
    if (level > fb_cpu_level())
        level = fb_cpu_level();
    if (level >= FB_AVX512)
        return fb_scan_avx512;
    if (level >= FB_AVX2)
        return fb_scan_avx2;
#else
    (void)level;
#endif
    return fb_scan_portable;
}

#endif
