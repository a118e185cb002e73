/* What the headers take from <intrin.h> of Microsoft's compiler, for other compilers: with FB_MSVC defined, they compile
 * and run the code that stands there for Microsoft's. Prototypes as Microsoft documents them. */
#ifndef FASTBLEU_TESTS_INTRIN_H
#define FASTBLEU_TESTS_INTRIN_H
#pragma GCC system_header

#ifdef __MINGW32__
/* It has all of them, with a __forceinline that cannot stand after `static`. */
#include_next <intrin.h>
#undef __forceinline
#define __forceinline inline __attribute__((always_inline))
#define _M_X64 100
#else

#define __forceinline inline __attribute__((always_inline))
#define __declspec(what) __attribute__((unused))

static inline unsigned char _BitScanForward64(unsigned long *index, unsigned long long mask)
{
    if (mask)
        *index = (unsigned long)__builtin_ctzll(mask);
    return mask != 0;
}

static inline void *_InterlockedExchangePointer(void *volatile *place, void *value)
{
    return __atomic_exchange_n(place, value, __ATOMIC_SEQ_CST);
}

static inline void *_InterlockedCompareExchangePointer(void *volatile *place, void *value, void *expected)
{
    __atomic_compare_exchange_n(place, &expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}

static inline long long _InterlockedExchange64(long long volatile *place, long long value)
{
    return __atomic_exchange_n(place, value, __ATOMIC_SEQ_CST);
}

static inline long long _InterlockedExchangeAdd64(long long volatile *place, long long value)
{
    return __atomic_fetch_add(place, value, __ATOMIC_SEQ_CST);
}

#ifdef __x86_64__
#define _M_X64 100
#include <immintrin.h>

static inline unsigned long long __popcnt64(unsigned long long value)
{
    return (unsigned long long)__builtin_popcountll(value);
}

static inline unsigned long long _umul128(unsigned long long a, unsigned long long b, unsigned long long *high)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    *high = (unsigned long long)(product >> 64);
    return (unsigned long long)product;
}

static inline void __cpuidex(int answer[4], int leaf, int part)
{
    __asm__ volatile("cpuid"
                     : "=a"(answer[0]), "=b"(answer[1]), "=c"(answer[2]), "=d"(answer[3])
                     : "a"(leaf), "c"(part));
}

static inline void __cpuid(int answer[4], int leaf) { __cpuidex(answer, leaf, 0); }
#endif

#ifdef __aarch64__
#define _M_ARM64 1

static inline unsigned long long __umulh(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
#endif

#endif

#endif
