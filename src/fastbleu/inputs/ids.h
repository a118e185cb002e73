/* Rows of integers of any size, sign, stride and byte order -> int64. */

#ifndef FASTBLEU_IDS_H
#define FASTBLEU_IDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "_native/cpu.h"

/* Stands for an unsigned integer beyond int64; no rule may name this value. */
#define FB_TOO_LARGE INT64_MIN

static inline uint16_t fb_swap16(uint16_t x) { return (uint16_t)(x << 8 | x >> 8); }

static inline uint32_t fb_swap32(uint32_t x) {
    return (uint32_t)fb_swap16((uint16_t)x) << 16 | fb_swap16((uint16_t)(x >> 16));
}

static inline uint64_t fb_swap64(uint64_t x) {
    return (uint64_t)fb_swap32((uint32_t)x) << 32 | fb_swap32((uint32_t)(x >> 32));
}

/* Items need not be aligned, so each is copied; compilers make that one load. */
#define FB_LOAD_ROW(bits, signed_type, swap) do { \
    for (size_t t = 0; t < width; t++) { \
        uint##bits##_t x; \
        memcpy(&x, row + (ptrdiff_t)t * stride, sizeof x); \
        if (swapped) x = swap(x); \
        uint64_t wide = x; \
        out[t] = is_signed ? (signed_type)x : wide > INT64_MAX ? FB_TOO_LARGE : (int64_t)wide; \
    } \
} while (0)

#define FB_SAME(x) (x)

static inline void fb_load_row(
    const char* row, ptrdiff_t stride, size_t width, int item_size, int is_signed, int swapped, int64_t* out
) {
    switch (item_size) {
    case 1: FB_LOAD_ROW(8, int8_t, FB_SAME); break;
    case 2: FB_LOAD_ROW(16, int16_t, fb_swap16); break;
    case 4: FB_LOAD_ROW(32, int32_t, fb_swap32); break;
    default: FB_LOAD_ROW(64, int64_t, fb_swap64); break;
    }
}

/* Prefetches the first four cache lines of a row: most tokens stand there, and the padding behind them is not read. */
static inline void fb_prefetch_row(const char* row, ptrdiff_t width) {
    ptrdiff_t bytes = width * (ptrdiff_t)sizeof(int64_t);
    for (ptrdiff_t at = 0; at < bytes && at < 256; at += 64) FB_PREFETCH(row + at);
}

/* Looks at ids up to the first `end`, in blocks of eight, which compilers turn into vectors. Returns its place, or n.
 * `bits` becomes all bits of the ids before it, and `is_special` whether any of them is in lowest..lowest + span. */
#define FB_LOOK_AT_IDS \
    uint64_t found = 0, special = 0; \
    size_t t = 0; \
    for (; t + 8 <= n; t += 8) { \
        uint64_t ends = 0, odd = 0, any = 0; \
        for (size_t k = 0; k < 8; k++) { \
            uint64_t id = (uint64_t)ids[t + k]; \
            ends |= id == end; \
            odd |= id - lowest <= span; \
            any |= id; \
        } \
        if (ends) break; \
        special |= odd; \
        found |= any; \
    } \
    for (; t < n; t++) { \
        uint64_t id = (uint64_t)ids[t]; \
        if (id == end) break; \
        special |= id - lowest <= span; \
        found |= id; \
    } \
    *bits = found; \
    *is_special = special != 0; \
    return t

typedef size_t (*fb_look)(
    const int64_t* ids, size_t n, uint64_t end, uint64_t lowest, uint64_t span, uint64_t* bits, int* is_special);

static size_t fb_look_portable(
    const int64_t* ids, size_t n, uint64_t end, uint64_t lowest, uint64_t span, uint64_t* bits, int* is_special
) {
    FB_LOOK_AT_IDS;
}

#ifdef FB_X86_DISPATCH
__attribute__((target("avx2"))) static size_t fb_look_avx2(
    const int64_t* ids, size_t n, uint64_t end, uint64_t lowest, uint64_t span, uint64_t* bits, int* is_special
) {
    FB_LOOK_AT_IDS;
}
#endif

/* The fastest of them that this processor can run. */
static inline fb_look fb_choose_look(void)
{
#ifdef FB_X86_DISPATCH
    if (fb_cpu_level() >= FB_AVX2) return fb_look_avx2;
#endif
    return fb_look_portable;
}

#endif
