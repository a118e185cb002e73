/* What the compiler offers, and kinds of processors. No other file asks for it.
 *
 * All code compiles with any C11 compiler. Functions with wider instructions are compiled for those, beside a portable
 * twin, and chosen at run time by what the processor has.
 */
#ifndef FASTBLEU_COMPILER_H
#define FASTBLEU_COMPILER_H

/* Microsoft's compiler, and not clang, which takes its place but knows the extensions of GNU C. */
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
#ifndef FB_TARGET /* tests define it, for a compiler that only pretends */
#define FB_TARGET(instructions) /* any function may use any intrinsic */
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

/* Every x86-64 processor has it. */
#if defined(__SSE2__) || (defined(_M_X64) && !defined(_M_ARM64EC))
#define FB_SSE2 1
#include <emmintrin.h>
#endif

/* Every 64-bit ARM processor has it. Vectors are read as words, so the lowest byte must be the first. */
#if defined(__AARCH64EL__) || (defined(FB_MSVC) && defined(_M_ARM64))
#define FB_NEON 1
#include <arm_neon.h>
#endif

#if (defined(__x86_64__) || defined(__amd64__) || defined(_M_X64)) && !defined(_M_ARM64EC)
#define FB_X86_DISPATCH 1
#include <immintrin.h>
#endif

/* Levels of instructions; each includes those before it. The first beyond portable C is what this kind of processor has. */
enum {
    FB_PORTABLE = 0,
    FB_AVX2 = 1,   /* with AES, BMI, BMI2, LZCNT and POPCNT, which every processor with AVX2 has */
    FB_ARM64 = 1,  /* NEON */
    FB_AVX512 = 2  /* BW, VL, VBMI and VBMI2: bytes and bits of 64-byte vectors */
};

#endif
