/* Features of the compiler, and levels of instructions. No other file tests for either.
 *
 * All code compiles with any C11 compiler. A function that needs more than the baseline is compiled for those
 * instructions (suffix _avx2 or _avx512), beside a portable twin (suffix _portable), and chosen at run time by the
 * level of the processor.
 */
#ifndef FASTBLEU_COMPILER_H
#define FASTBLEU_COMPILER_H

/* Microsoft's compiler. clang for Windows defines _MSC_VER as well, but supports the extensions of GNU C. */
#if defined(_MSC_VER) && !defined(__clang__) && !defined(FB_MSVC)
#define FB_MSVC 1
#endif

#if defined(_MSC_VER) || defined(FB_MSVC)
#include <intrin.h>
#endif

#ifdef FB_MSVC
#define FB_INLINE static __forceinline
#define FB_APART static __declspec(noinline)
#define FB_RARE FB_APART
#ifndef FB_TARGET /* tests define it, for a compiler that only imitates Microsoft's */
#define FB_TARGET(instructions) /* empty: any function may use any intrinsic */
#endif
#define FB_PREFETCH(address) ((void)(address))
#define FB_UNLIKELY(condition) (condition)
#else
#define FB_INLINE static inline __attribute__((always_inline))
#define FB_APART static __attribute__((noinline))
#define FB_RARE static __attribute__((noinline, cold, unused))
#define FB_TARGET(instructions) __attribute__((target(instructions)))
#define FB_PREFETCH(address) __builtin_prefetch(address)
#define FB_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#endif

/* SSE2, which every x86-64 processor has. */
#if defined(__SSE2__) || (defined(_M_X64) && !defined(_M_ARM64EC))
#define FB_SSE2 1
#include <emmintrin.h>
#endif

/* NEON, which every 64-bit ARM processor has. Vectors are read as words, so the lowest byte must be the first. */
#if defined(__AARCH64EL__) || (defined(FB_MSVC) && defined(_M_ARM64))
#define FB_NEON 1
#include <arm_neon.h>
#endif

#if (defined(__x86_64__) || defined(__amd64__) || defined(_M_X64)) && !defined(_M_ARM64EC)
#define FB_X86_DISPATCH 1
#include <immintrin.h>
#endif

/* Levels of instructions. Each includes those before it. Level 1 is the first beyond portable C on its processor. */
enum {
    FB_PORTABLE = 0,
    FB_AVX2 = 1,   /* and AES, BMI, BMI2, LZCNT and POPCNT, which every processor with AVX2 has */
    FB_ARM64 = 1,  /* NEON */
    FB_AVX512 = 2  /* its extensions BW, VL, VBMI and VBMI2, which work on bytes and bits of 64-byte vectors */
};

#endif
