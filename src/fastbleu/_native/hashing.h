/* Hashing: the mixing step, and the keys of tokens. The seeds are secret and new in every process. */
#ifndef FASTBLEU_HASHING_H
#define FASTBLEU_HASHING_H

#include <stdint.h>

#include "_native/bits.h"

/* High half xor low half of the 128-bit product: the mixing step of wyhash (Wang Yi, public domain). */
FB_INLINE uint64_t fb_mix(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
#elif defined(_MSC_VER) && defined(_M_X64)
    uint64_t high;
    uint64_t low = _umul128(a, b, &high);
    return high ^ low;
#else
    uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t low = a_low * b_low, middle1 = a_high * b_low, middle2 = a_low * b_high, high = a_high * b_high;
    uint64_t carry = ((low >> 32) + (uint32_t)middle1 + (uint32_t)middle2) >> 32;
    return (high + (middle1 >> 32) + (middle2 >> 32) + carry) ^ (low + (middle1 << 32) + (middle2 << 32));
#endif
}

/* A token's key: two words that are equal exactly when two tokens of fewer than 16 bytes are. The top byte of the
 * second word holds the length, so that a token and the same token with a NUL behind it differ. */
typedef struct {
    uint64_t low, high;
} fb_key;

#define FB_SHORT_TOKEN 15

static const uint64_t FB_KEEP_LOW[FB_SHORT_TOKEN + 1] = {
    UINT64_C(0), UINT64_C(0xff), UINT64_C(0xffff), UINT64_C(0xffffff), UINT64_C(0xffffffff), UINT64_C(0xffffffffff),
    UINT64_C(0xffffffffffff), UINT64_C(0xffffffffffffff),
    ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)};
static const uint64_t FB_KEEP_HIGH[FB_SHORT_TOKEN + 1] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, UINT64_C(0xff), UINT64_C(0xffff), UINT64_C(0xffffff), UINT64_C(0xffffffff),
    UINT64_C(0xffffffffff), UINT64_C(0xffffffffffff), UINT64_C(0xffffffffffffff)};

/* Key of a token of at most FB_SHORT_TOKEN bytes. Reads 16 bytes from p whatever the length. */
FB_INLINE fb_key fb_short_key(const uint8_t *p, uint32_t length)
{
    fb_key key;
    key.low = fb_load(p) & FB_KEEP_LOW[length];
    key.high = (fb_load(p + 8) & FB_KEEP_HIGH[length]) | ((uint64_t)length << 56);
    return key;
}

/* Key of a longer token: a seeded hash of all its bytes, and its length; equal keys still need the bytes compared. */
static inline fb_key fb_long_key(const uint8_t *p, uint32_t length, uint64_t seed1, uint64_t seed2)
{
    fb_key key;
    uint64_t hash = seed1 ^ length;
    uint32_t i;
    for (i = 0; i + 16 < length; i += 16)
        hash = fb_mix(fb_load(p + i) ^ seed2, fb_load(p + i + 8) ^ hash);
    hash = fb_mix(fb_load(p + length - 16) ^ seed2, fb_load(p + length - 8) ^ hash);
    key.low = hash;
    key.high = (UINT64_C(0xff) << 56) | length;
    return key;
}

#endif
