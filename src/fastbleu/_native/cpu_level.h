/* The level of instructions of this processor, detected once in each module. */
#ifndef FASTBLEU_CPU_LEVEL_H
#define FASTBLEU_CPU_LEVEL_H

#include "_native/atomics.h"
#include "_native/compiler.h"

#if defined(FB_X86_DISPATCH) && !defined(_MSC_VER) && !defined(FB_MSVC)
#include <cpuid.h>
#endif

#ifdef FB_X86_DISPATCH
/* Write the result of CPUID for a leaf (subleaf 0) to `answer`: EAX, EBX, ECX, EDX. */
static void fb_ask_cpu(unsigned question, unsigned answer[4])
{
#if defined(_MSC_VER) || defined(FB_MSVC)
    __cpuidex((int *)answer, (int)question, 0);
#else
    __cpuid_count(question, 0, answer[0], answer[1], answer[2], answer[3]);
#endif
}

/* Return XCR0, the registers that the system saves on a thread switch. Call it only if CPUID says that it exists. */
FB_TARGET("xsave") static unsigned long long fb_saved_registers(void) { return (unsigned long long)_xgetbv(0); }
#endif

/* Detect the highest level of this processor. CPUID may take long in a virtual machine. */
FB_RARE int fb_ask_cpu_level(void)
{
#ifdef FB_X86_DISPATCH
    /* The compilers' own test (__builtin_cpu_supports) needs a library that is large, and not available everywhere. The
     * positions of the bits are from Intel's manual, volume 2, CPUID and XGETBV. */
    const unsigned tells_saved_and_aes = 1u << 27 | 1u << 25, avx2 = 1u << 5;
    const unsigned avx512 = 1u << 16 | 1u << 30 | 1u << 31, more_avx512 = 1u << 1 | 1u << 6; /* F, BW, VL; VBMI, VBMI2 */
    const unsigned long long ymm = 0x6, zmm = 0xe6;
    unsigned long long saved;
    unsigned answer[4];
    fb_ask_cpu(0, answer);
    if (answer[0] < 7)
        return FB_PORTABLE;
    fb_ask_cpu(1, answer);
    if ((answer[2] & tells_saved_and_aes) != tells_saved_and_aes)
        return FB_PORTABLE;
    saved = fb_saved_registers();
    fb_ask_cpu(7, answer);
    if ((saved & ymm) != ymm || !(answer[1] & avx2))
        return FB_PORTABLE;
    if ((saved & zmm) == zmm && (answer[1] & avx512) == avx512 && (answer[2] & more_avx512) == more_avx512)
        return FB_AVX512;
    return FB_AVX2;
#elif defined(FB_NEON)
    return FB_ARM64;
#else
    return FB_PORTABLE;
#endif
}

/* Return the highest level of this processor. */
static inline int fb_cpu_level(void)
{
    static int64_t asked = -1; /* written by the first threads that need it, all with the same value */
    int64_t level = fb_read(&asked);
    if (level < 0) {
        level = fb_ask_cpu_level();
        fb_write(&asked, level);
    }
    return (int)level;
}

#endif
