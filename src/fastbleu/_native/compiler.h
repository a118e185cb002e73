/* Macros for features of the compiler, and the levels of instructions. Other files use these macros instead of testing
 * for a compiler or processor.
 *
 * All code compiles with any C11 compiler. A function that needs instructions beyond the baseline has a name that ends
 * in _avx2 or _avx512, and is compiled for those instructions. There is also a portable version, whose name ends in
 * _portable. The version to call is chosen at run time by the level of the processor.
 */
#ifndef FASTBLEU_COMPILER_H
#define FASTBLEU_COMPILER_H

/* FB_MSVC means Microsoft's compiler. clang for Windows also defines _MSC_VER, but supports the GNU C extensions. */
#if defined(_MSC_VER) && !defined(__clang__) && !defined(FB_MSVC)
#define FB_MSVC 1
#endif

#if defined(_MSC_VER) || defined(FB_MSVC)
#include <intrin.h>
#endif

#ifdef FB_MSVC
#define FB_INLINE static __forceinline
#define FB_NOINLINE static __declspec(noinline)
#define FB_RARE FB_NOINLINE
#ifndef FB_TARGET /* Tests define it, because they build this branch with another compiler. */
#define FB_TARGET(instructions) /* Empty, since Microsoft's compiler allows all intrinsics in all functions. */
#endif
#define FB_PREFETCH(address) ((void)(address))
#define FB_UNLIKELY(condition) (condition)
#else
#define FB_INLINE static inline __attribute__((always_inline))
#define FB_NOINLINE static __attribute__((noinline))
#define FB_RARE static __attribute__((noinline, cold, unused))
#define FB_TARGET(instructions) __attribute__((target(instructions)))
#define FB_PREFETCH(address) __builtin_prefetch(address)
#define FB_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#endif

/* FB_SSE2 means that the compiler may use SSE2, which every x86-64 processor has. */
#if defined(__SSE2__) || (defined(_M_X64) && !defined(_M_ARM64EC))
#define FB_SSE2 1
#include <emmintrin.h>
#endif

/* FB_NEON means NEON, which every 64-bit ARM processor has. It requires little-endian mode, because vectors are read as
 * words. */
#if defined(__AARCH64EL__) || (defined(FB_MSVC) && defined(_M_ARM64))
#define FB_NEON 1
#include <arm_neon.h>
#endif

#if (defined(__x86_64__) || defined(__amd64__) || defined(_M_X64)) && !defined(_M_ARM64EC)
#define FB_X86_DISPATCH 1
#include <immintrin.h>
#endif

/* Levels of instructions. Each level includes the lower ones. On every processor family, 1 is the first level beyond
 * portable C. */
enum {
    FB_PORTABLE = 0,
    FB_AVX2 = 1,   /* AVX2, and AES, BMI, BMI2, LZCNT and POPCNT, which every processor with AVX2 has */
    FB_ARM64 = 1,  /* NEON */
    FB_AVX512 = 2  /* AVX-512 with BW, VL, VBMI and VBMI2, which work on bytes and bits of 64-byte vectors */
};

#endif
