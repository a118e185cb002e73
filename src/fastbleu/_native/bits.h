/* Bit operations on machine words, reading memory as words, and prefetching. */
#ifndef FASTBLEU_BITS_H
#define FASTBLEU_BITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "_native/compiler.h"

/* Return the number of zero bits below the lowest set bit; x must not be 0. */
FB_INLINE int fb_lowest_bit(uint64_t x)
{
#ifdef FB_MSVC
    unsigned long index;
    _BitScanForward64(&index, x);
    return (int)index;
#else
    return __builtin_ctzll(x);
#endif
}

/* Count the set bits with the POPCNT instruction. Use this macro only in functions that are compiled for POPCNT. */
#ifdef FB_MSVC
#define FB_POPCOUNT(x) __popcnt64(x)
#else
#define FB_POPCOUNT(x) __builtin_popcountll(x)
#endif

/* Count the set bits by a tree of sums. Baseline x86-64 has no instruction for this. */
FB_INLINE int fb_count_bits(uint64_t x)
{
    x -= (x >> 1) & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + ((x >> 2) & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int)((x * UINT64_C(0x0101010101010101)) >> 56);
}

/* Read eight bytes as a little-endian number, on every machine. */
FB_INLINE uint64_t fb_load(const uint8_t *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x;
}

/* Compare the four numbers at a with those at b. Bit i of the result is set if the last i + 1 numbers are equal. */
FB_INLINE unsigned fb_equal_ends_portable(const uint32_t *a, const uint32_t *b)
{
    unsigned equal = 1, result = 0;
    for (int i = 0; i < 4; i++) {
        equal &= a[3 - i] == b[3 - i];
        result |= equal << i;
    }
    return result;
}

/* Return the result of fb_equal_ends_portable, by one vector comparison if the processor has SSE2. */
FB_INLINE unsigned fb_equal_ends(const uint32_t *a, const uint32_t *b)
{
#ifdef FB_SSE2
    __m128i equal = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)a), _mm_loadu_si128((const __m128i *)b));
    /* The comparison gives a mask of four bits. The constant has a hexadecimal digit for each of the sixteen masks. The
     * digit for a mask with k leading ones has its k lowest bits set. */
    return (unsigned)(UINT64_C(0xF733111100000000) >> 4 * _mm_movemask_ps(_mm_castsi128_ps(equal))) & 15;
#else
    return fb_equal_ends_portable(a, b);
#endif
}

FB_INLINE void fb_prefetch(const void *address) { FB_PREFETCH(address); }

/* Prefetch `bytes` bytes from `start` on into the cache. The addresses may be invalid. */
FB_INLINE void fb_fetch(const void *start, size_t bytes)
{
    const size_t cache_line = 64;
    for (size_t offset = 0; offset < bytes; offset += cache_line)
        fb_prefetch((const void *)((uintptr_t)start + offset));
}

/* Read a number exactly once, so that a check and later uses see the same value even if another thread changes it. */
FB_INLINE int64_t fb_read_once_64(const void *address) { return *(const volatile int64_t *)address; }

#endif
