/* Hash tables: the mixing step, the keys of tokens, and the look-up.
 *
 * A table has a power of two of slots, at least twice as many as items. A key's hash says at which slot a search
 * begins; it goes on slot by slot to the key or to an empty slot. A hash decides where to look, never what is equal:
 * keys are compared whole. The seeds are secret and new in every process (_hashing.pyx), so that nobody can choose
 * tokens that collide; results never depend on them. */
#ifndef FASTBLEU_HASHING_H
#define FASTBLEU_HASHING_H

#include <stdint.h>

#include "_native/bits.h"

typedef struct {
    uint64_t first, second;
} fb_seeds;

/* Low half of the 128-bit product; `high` becomes the high half. */
FB_INLINE uint64_t fb_multiply(uint64_t a, uint64_t b, uint64_t *high)
{
#if defined(__SIZEOF_INT128__) && !defined(FB_MSVC)
    __extension__ typedef unsigned __int128 two_words;
    two_words product = (two_words)a * b;
    *high = (uint64_t)(product >> 64);
    return (uint64_t)product;
#elif defined(FB_MSVC) && defined(_M_X64)
    unsigned long long above, low = _umul128(a, b, &above);
    *high = above;
    return low;
#elif defined(FB_MSVC) && defined(_M_ARM64)
    *high = __umulh(a, b);
    return a * b;
#else
    uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t low = a_low * b_low, middle1 = a_high * b_low, middle2 = a_low * b_high;
    uint64_t carry = ((low >> 32) + (uint32_t)middle1 + (uint32_t)middle2) >> 32;
    *high = a_high * b_high + (middle1 >> 32) + (middle2 >> 32) + carry;
    return low + (middle1 << 32) + (middle2 << 32);
#endif
}

/* High half xor low half of the 128-bit product: the mixing step of wyhash (Wang Yi, public domain). */
FB_INLINE uint64_t fb_mix(uint64_t a, uint64_t b)
{
    uint64_t high, low = fb_multiply(a, b, &high);
    return high ^ low;
}

/* Where the search begins in a table, before its mask: the high half of a second product.
 *
 * With one factor fixed by a seed, the bits of a single product step evenly through equally spaced keys, such as the
 * ids 0, 1, 2, ..: by one seed of a hundred the keys then shared so few slots that a look-up took ten times as many
 * probes, and by one of a thousand a hundred times. The factor is 2^64 divided by the golden ratio. The high half is an
 * instruction less than a shift of the low half where processors make both halves at once. */
FB_INLINE uint64_t fb_spread(uint64_t mixed)
{
    uint64_t high;
    fb_multiply(mixed, UINT64_C(0x9e3779b97f4a7c15), &high);
    return high;
}

static inline uint64_t fb_hash_bytes(const uint8_t *p, size_t length, fb_seeds seeds)
{
    uint64_t hash = seeds.first ^ length, rest[2] = {0, 0};
    size_t i;
    if (length < 16) {
        memcpy(rest, p, length);
        return fb_mix(rest[0] ^ seeds.second, rest[1] ^ hash);
    }
    for (i = 0; i + 16 < length; i += 16)
        hash = fb_mix(fb_load(p + i) ^ seeds.second, fb_load(p + i + 8) ^ hash);
    return fb_mix(fb_load(p + length - 16) ^ seeds.second, fb_load(p + length - 8) ^ hash);
}

/* The key of a token: two words. Ids and short tokens are equal exactly where their keys are. The key of a long token
 * is a hash and its length: where two are equal, the bytes decide. The top byte of the second word tells them apart:
 * it is the length of a short token, FB_ID_TAG for an id, and FB_LONG_TAG for a long token. */
typedef struct {
    uint64_t low, high;
} fb_key;

#define FB_SHORT_TOKEN 15 /* bytes of the longest short token */
#define FB_TAG(tag) ((uint64_t)(tag) << 56)
#define FB_ID_TAG 0x80
#define FB_LONG_TAG 0xff

FB_INLINE int fb_is_long(fb_key key) { return key.high >> 56 == FB_LONG_TAG; }

/* Bytes of the token of a long key: less than 2^48. */
FB_INLINE size_t fb_long_length(fb_key key) { return (size_t)(key.high << 16 >> 16); }

FB_INLINE fb_key fb_id_key(int64_t id)
{
    fb_key key = {(uint64_t)id, FB_TAG(FB_ID_TAG)};
    return key;
}

/* The slot where the search for a key begins. */
FB_INLINE size_t fb_home(fb_key key, size_t mask, fb_seeds seeds)
{
    return (size_t)fb_spread(fb_mix(key.low ^ seeds.first, key.high ^ seeds.second)) & mask;
}

/* By length, which bits of the two words belong to a short token. */
#define FB_ALL ~UINT64_C(0)
static const uint64_t FB_KEEP[FB_SHORT_TOKEN + 1][2] = {
    {0, 0}, {FB_ALL >> 56, 0}, {FB_ALL >> 48, 0}, {FB_ALL >> 40, 0}, {FB_ALL >> 32, 0}, {FB_ALL >> 24, 0},
    {FB_ALL >> 16, 0}, {FB_ALL >> 8, 0}, {FB_ALL, 0}, {FB_ALL, FB_ALL >> 56}, {FB_ALL, FB_ALL >> 48},
    {FB_ALL, FB_ALL >> 40}, {FB_ALL, FB_ALL >> 32}, {FB_ALL, FB_ALL >> 24}, {FB_ALL, FB_ALL >> 16},
    {FB_ALL, FB_ALL >> 8}};
#undef FB_ALL

/* Key of a short token. Always reads 16 bytes from p. */
FB_INLINE fb_key fb_short_key(const uint8_t *p, size_t length)
{
    fb_key key = {fb_load(p) & FB_KEEP[length][0], (fb_load(p + 8) & FB_KEEP[length][1]) | FB_TAG(length)};
    return key;
}

/* Key of a long token by the hash of its bytes. */
FB_INLINE fb_key fb_long_key(uint64_t hash, size_t length)
{
    fb_key key = {hash, FB_TAG(FB_LONG_TAG) | length};
    return key;
}

/* The key of a token. Always reads 16 bytes from p. */
FB_INLINE fb_key fb_token_key(const uint8_t *p, size_t length, fb_seeds seeds)
{
    return length <= FB_SHORT_TOKEN ? fb_short_key(p, length) : fb_long_key(fb_hash_bytes(p, length, seeds), length);
}

/* Whether a long token differs from the one with its number. A call, because compilers would ask first whether the keys
 * differ, and whether a token is there is hard to predict. */
FB_RARE int fb_is_other_token(uint64_t differs, fb_key key, uint64_t a, uint64_t b)
{
    return differs == 0 && a != b &&
           memcmp((const void *)(uintptr_t)a, (const void *)(uintptr_t)b, fb_long_length(key)) != 0;
}

/* The number in a slot of `width` bytes. */
FB_INLINE uint32_t fb_number_in(const void *slots, size_t width, size_t slot)
{
    if (width == sizeof(uint8_t))
        return ((const uint8_t *)slots)[slot];
    return width == sizeof(uint16_t) ? ((const uint16_t *)slots)[slot] : ((const uint32_t *)slots)[slot];
}

/* The slot that holds the number of a token, or the empty slot where it belongs; the search begins at `slot`. The
 * table holds numbers of `width` bytes, 0 in empty slots. By number, `keys` holds the tokens' keys, and `bytes_at`
 * where the bytes of long tokens are. The key of number 0 is all zero and equals no token's. */
FB_INLINE size_t fb_find_token(
    const void *slots, size_t width, size_t mask, const fb_key *keys, const uint64_t *bytes_at, size_t slot,
    fb_key key, const uint64_t *bytes)
{
    for (;; slot = (slot + 1) & mask) {
        size_t number = fb_number_in(slots, width, slot);
        uint64_t differs = (keys[number].low ^ key.low) | (keys[number].high ^ key.high);
        /* Whether the token is there is not asked: a slot with another token is rare. Compilers make two branches of two
         * conditions, and one of a masked number. */
        if (FB_UNLIKELY(number & (0 - (size_t)(differs != 0))))
            continue;
        if (FB_UNLIKELY(fb_is_long(key)) && fb_is_other_token(differs, key, bytes_at[number], *bytes))
            continue;
        return slot;
    }
}

/* The number of a token, which becomes the next one where it is new; `tokens` is how many there are. Whether a token is
 * new is hard to predict, so both cases take the same instructions: one that is not new is written once more. */
FB_INLINE uint32_t fb_enter_token(
    void *slots, size_t width, size_t mask, fb_key *keys, uint64_t *bytes_at, fb_seeds seeds, fb_key key,
    uint64_t bytes, uint32_t *tokens)
{
    size_t slot = fb_find_token(slots, width, mask, keys, bytes_at, fb_home(key, mask, seeds), key, &bytes);
    uint32_t number = fb_number_in(slots, width, slot), is_new = number == 0;
    *tokens += is_new;
    number |= *tokens & (0 - is_new);
    if (width == sizeof(uint8_t))
        ((uint8_t *)slots)[slot] = (uint8_t)number;
    else if (width == sizeof(uint16_t))
        ((uint16_t *)slots)[slot] = (uint16_t)number;
    else
        ((uint32_t *)slots)[slot] = number;
    keys[number] = key;
    bytes_at[number] = bytes;
    return number;
}

/* The slot where the search for an n-gram's key begins. */
FB_INLINE size_t fb_ngram_home(uint64_t key, size_t mask, fb_seeds seeds)
{
    return (size_t)fb_spread(fb_mix(key ^ seeds.first, seeds.second)) & mask;
}

/* The slot of the n-gram with this key, or the empty slot where it belongs; the search begins at `slot`. A slot holds
 * the n-gram's class, 0 if it is empty; `keys` holds the keys by class. */
FB_INLINE size_t fb_find_class(
    const uint32_t *slots, size_t mask, const uint64_t *keys, size_t slot, uint64_t key)
{
    for (;; slot = (slot + 1) & mask) {
        uint32_t found = slots[slot];
        /* As in fb_find_token: whether the n-gram is there is not asked. */
        if (FB_UNLIKELY(found & (0 - (uint32_t)(keys[found] != key))))
            continue;
        return slot;
    }
}

#endif
