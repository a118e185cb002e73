/* What the compiler and the processor offer. No other file asks for it.
 *
 * All code compiles with any C11 compiler. Functions with wider instructions are compiled for those, beside a portable
 * twin, and chosen at run time by what the processor has.
 */
#ifndef FASTBLEU_CPU_H
#define FASTBLEU_CPU_H

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#define FB_INLINE static __forceinline
#define FB_RARE static __declspec(noinline)
#define FB_PREFETCH(address) ((void)(address))
#define FB_UNLIKELY(condition) (condition)
#else
#define FB_INLINE static inline __attribute__((always_inline))
#define FB_RARE static __attribute__((noinline, cold, unused))
#define FB_PREFETCH(address) __builtin_prefetch(address)
#define FB_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#endif

/* Every x86-64 processor has it. */
#if defined(__SSE2__) || defined(_M_X64)
#define FB_SSE2 1
#include <emmintrin.h>
#endif

#if (defined(__x86_64__) || defined(__amd64__)) && (defined(__GNUC__) || defined(__clang__))
#define FB_X86_DISPATCH 1
#include <immintrin.h>
#endif

/* Levels of instructions; each includes those before it. */
enum { FB_PORTABLE = 0, FB_AVX2 = 1, FB_AVX512 = 2 /* BW, VL, VBMI and VBMI2: bytes and bits of 64-byte vectors */ };

/* The highest level that this processor has. */
static inline int fb_cpu_level(void)
{
#ifdef FB_X86_DISPATCH
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2"))
        return FB_PORTABLE;
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2"))
        return FB_AVX512;
    return FB_AVX2;
#else
    return FB_PORTABLE;
#endif
}

#endif
