/* Detection of the highest level of instructions (compiler.h) that this processor has, once per compiled module. */
#ifndef FASTBLEU_CPU_LEVEL_H
#define FASTBLEU_CPU_LEVEL_H

#include "_native/atomics.h"
#include "_native/compiler.h"

#if defined(FB_X86_DISPATCH) && !defined(_MSC_VER) && !defined(FB_MSVC)
#include <cpuid.h>
#endif

#ifdef FB_X86_DISPATCH
/* Execute the instruction CPUID for a leaf (subleaf 0), and write EAX, EBX, ECX and EDX to `answer`. */
static void fb_cpuid(unsigned leaf, unsigned answer[4])
{
#if defined(_MSC_VER) || defined(FB_MSVC)
    __cpuidex((int *)answer, (int)leaf, 0);
#else
    __cpuid_count(leaf, 0, answer[0], answer[1], answer[2], answer[3]);
#endif
}

/* Return XCR0, whose bits say which registers the operating system saves on a thread switch. The processor must have
 * the OSXSAVE bit of CPUID. */
FB_TARGET("xsave") static unsigned long long fb_saved_registers(void) { return (unsigned long long)_xgetbv(0); }
#endif

/* Detect the level that fb_cpu_level returns. Callers cache the result, since CPUID is slow in virtual machines. */
FB_RARE int fb_detect_cpu_level(void)
{
#ifdef FB_X86_DISPATCH
    /* The compilers' function for this, __builtin_cpu_supports, needs a large library that some platforms lack. The
     * positions of the bits are from Intel's manual, volume 2, CPUID and XGETBV. */
    const unsigned osxsave_and_aes = 1u << 27 | 1u << 25, avx2 = 1u << 5;
    const unsigned avx512_f_bw_vl = 1u << 16 | 1u << 30 | 1u << 31, avx512_vbmi_vbmi2 = 1u << 1 | 1u << 6;
    const unsigned long long ymm = 0x6, zmm = 0xe6;
    unsigned long long saved;
    unsigned answer[4];
    fb_cpuid(0, answer);
    if (answer[0] < 7)
        return FB_PORTABLE;
    fb_cpuid(1, answer);
    if ((answer[2] & osxsave_and_aes) != osxsave_and_aes)
        return FB_PORTABLE;
    saved = fb_saved_registers();
    fb_cpuid(7, answer);
    if ((saved & ymm) != ymm || !(answer[1] & avx2))
        return FB_PORTABLE;
    if ((saved & zmm) == zmm && (answer[1] & avx512_f_bw_vl) == avx512_f_bw_vl &&
        (answer[2] & avx512_vbmi_vbmi2) == avx512_vbmi_vbmi2)
        return FB_AVX512;
    return FB_AVX2;
#elif defined(FB_NEON)
    return FB_ARM64;
#else
    return FB_PORTABLE;
#endif
}

/* Return the highest level of instructions that this processor has. */
static inline int fb_cpu_level(void)
{
    static int64_t detected = -1; /* -1 until the first call. Concurrent first calls all write the same value. */
    int64_t level = fb_read(&detected);
    if (level < 0) {
        level = fb_detect_cpu_level();
        fb_write(&detected, level);
    }
    return (int)level;
}

#endif
