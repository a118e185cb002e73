/* Hash tables with linear probing: the hash function, the keys of tokens, and the look-up.
 *
 * The number of slots is a power of two, and at least twice the number of items. The hash of a key gives the slot where
 * a search begins; the search visits the following slots until it finds the key or an empty slot. Equality is decided
 * by comparing complete keys, never by hashes. The seeds are secret and new in every process (_hashing.pyx), so nobody
 * can choose tokens that collide. Results do not depend on the seeds. */
#ifndef FASTBLEU_HASHING_H
#define FASTBLEU_HASHING_H

#include <stdint.h>

#include "_native/bits.h"

typedef struct {
    uint64_t first, second;
} fb_seeds;

/* Return the low half of the 128-bit product, and store the high half in `high`. */
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

/* Return the exclusive or of both halves of the 128-bit product, as wyhash mixes words (Wang Yi, public domain). */
FB_INLINE uint64_t fb_mix(uint64_t a, uint64_t b)
{
    uint64_t high, low = fb_multiply(a, b, &high);
    return high ^ low;
}

/* Scatter the result of fb_mix over 64 bits, before the mask of a table selects a slot: multiply it by 2^64 divided by
 * the golden ratio, and return the high half of the product.
 *
 * One factor in fb_mix is fixed by a seed, so equally spaced keys, such as the ids 0, 1, 2, .., give equally spaced
 * products. Without this second multiplication, such keys shared so few slots that a look-up took ten times as many
 * probes with one seed in a hundred, and a hundred times as many with one seed in a thousand. The high half needs no
 * shift on processors that compute both halves by one instruction. */
FB_INLINE uint64_t fb_spread(uint64_t mixed)
{
    uint64_t high;
    fb_multiply(mixed, UINT64_C(0x9e3779b97f4a7c15), &high);
    return high;
}

/* Return the hash of `length` bytes, which are mixed 16 at a time by fb_mix. */
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

/* The key of a token, in two words. Two ids, or two short tokens, are equal if and only if their keys are equal. The
 * key of a long token has the hash of the token's bytes and its length; if the keys of two long tokens are equal, the
 * bytes are compared. The top byte of the second word tells the kinds apart: it is the length of a short token,
 * FB_ID_TAG for an id, or FB_LONG_TAG for a long token. */
typedef struct {
    uint64_t low, high;
} fb_key;

#define FB_SHORT_TOKEN 15 /* the length of the longest short token, in bytes */
#define FB_TAG(tag) ((uint64_t)(tag) << 56)
#define FB_ID_TAG 0x80
#define FB_LONG_TAG 0xff

/* Return whether a key is that of a long token. */
FB_INLINE int fb_is_long(fb_key key) { return key.high >> 56 == FB_LONG_TAG; }

/* Return the length in bytes, less than 2^48, of the long token that has a given key. */
FB_INLINE size_t fb_long_length(fb_key key) { return (size_t)(key.high << 16 >> 16); }

/* Make the key of an id. */
FB_INLINE fb_key fb_id_key(int64_t id)
{
    fb_key key = {(uint64_t)id, FB_TAG(FB_ID_TAG)};
    return key;
}

/* Return the slot where the search for a key begins. */
FB_INLINE size_t fb_home(fb_key key, size_t mask, fb_seeds seeds)
{
    return (size_t)fb_spread(fb_mix(key.low ^ seeds.first, key.high ^ seeds.second)) & mask;
}

/* FB_BYTE_MASKS[length] keeps the first `length` bytes of two words and clears the bytes after a short token. */
#define FB_ALL ~UINT64_C(0)
static const uint64_t FB_BYTE_MASKS[FB_SHORT_TOKEN + 1][2] = {
    {0, 0}, {FB_ALL >> 56, 0}, {FB_ALL >> 48, 0}, {FB_ALL >> 40, 0}, {FB_ALL >> 32, 0}, {FB_ALL >> 24, 0},
    {FB_ALL >> 16, 0}, {FB_ALL >> 8, 0}, {FB_ALL, 0}, {FB_ALL, FB_ALL >> 56}, {FB_ALL, FB_ALL >> 48},
    {FB_ALL, FB_ALL >> 40}, {FB_ALL, FB_ALL >> 32}, {FB_ALL, FB_ALL >> 24}, {FB_ALL, FB_ALL >> 16},
    {FB_ALL, FB_ALL >> 8}};
#undef FB_ALL

/* Make the key of a short token. All 16 bytes from p on must be readable. */
FB_INLINE fb_key fb_short_key(const uint8_t *p, size_t length)
{
    fb_key key = {fb_load(p) & FB_BYTE_MASKS[length][0], (fb_load(p + 8) & FB_BYTE_MASKS[length][1]) | FB_TAG(length)};
    return key;
}

/* Make the key of a long token from the hash of its bytes. */
FB_INLINE fb_key fb_long_key(uint64_t hash, size_t length)
{
    fb_key key = {hash, FB_TAG(FB_LONG_TAG) | length};
    return key;
}

/* Make the key of a token. All 16 bytes from p on must be readable, even if the token is shorter. */
FB_INLINE fb_key fb_token_key(const uint8_t *p, size_t length, fb_seeds seeds)
{
    return length <= FB_SHORT_TOKEN ? fb_short_key(p, length) : fb_long_key(fb_hash_bytes(p, length, seeds), length);
}

/* Return whether two long tokens, with their bytes at the addresses a and b, differ although their keys are equal.
 * Return 0 if their keys are not equal, that is, if `differs` is not 0. If this function were inlined, compilers would
 * add a branch on `differs`, which is hard to predict. */
FB_RARE int fb_is_other_token(uint64_t differs, fb_key key, uint64_t a, uint64_t b)
{
    return differs == 0 && a != b &&
           memcmp((const void *)(uintptr_t)a, (const void *)(uintptr_t)b, fb_long_length(key)) != 0;
}

/* Return the number that is stored in a slot of `width` bytes. */
FB_INLINE uint32_t fb_number_in(const void *slots, size_t width, size_t slot)
{
    if (width == sizeof(uint8_t))
        return ((const uint8_t *)slots)[slot];
    return width == sizeof(uint16_t) ? ((const uint16_t *)slots)[slot] : ((const uint32_t *)slots)[slot];
}

/* Find a token, searching from `slot` on. Return the slot with the token's number; or, if the token is not in the
 * table, the empty slot where it can be stored.
 *
 * Args:
 *     slots: The number of the token in each slot; 0 if the slot is empty.
 *     width: The size of a slot in bytes: 1, 2 or 4.
 *     mask: The number of slots minus 1.
 *     keys: The key of each token, by number. The key of number 0 is all zero, which is the key of no token.
 *     bytes_at: The address of the bytes of each long token, by number.
 *     key, bytes: The token's key, and a pointer to the address of its bytes. */
FB_INLINE size_t fb_find_token(
    const void *slots, size_t width, size_t mask, const fb_key *keys, const uint64_t *bytes_at, size_t slot,
    fb_key key, const uint64_t *bytes)
{
    for (;; slot = (slot + 1) & mask) {
        size_t number = fb_number_in(slots, width, slot);
        uint64_t differs = (keys[number].low ^ key.low) | (keys[number].high ^ key.high);
        /* Branch only if the slot has another token, which is rare. A separate branch for an empty slot would be hard
         * to predict. Compilers would make two branches of two conditions, so the conditions are combined by a mask. */
        if (FB_UNLIKELY(number & (0 - (size_t)(differs != 0))))
            continue;
        if (FB_UNLIKELY(fb_is_long(key)) && fb_is_other_token(differs, key, bytes_at[number], *bytes))
            continue;
        return slot;
    }
}

/* Return the number of a token, and store the token in the table if it is new. A new token gets the next number, and
 * `tokens` counts the distinct tokens. Processors cannot predict whether a token is new, so both cases execute the same
 * instructions: a known token is overwritten with itself. */
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

/* Return the slot where the search for an n-gram's key begins. */
FB_INLINE size_t fb_ngram_home(uint64_t key, size_t mask, fb_seeds seeds)
{
    return (size_t)fb_spread(fb_mix(key ^ seeds.first, seeds.second)) & mask;
}

/* Find an n-gram by its key, searching from `slot` on. Return the slot with the n-gram's class, the number that equal
 * n-grams share; or, if the n-gram is not in the table, the empty slot where it can be stored. Empty slots are 0.
 * `keys` has the key of each class. */
FB_INLINE size_t fb_find_class(
    const uint32_t *slots, size_t mask, const uint64_t *keys, size_t slot, uint64_t key)
{
    for (;; slot = (slot + 1) & mask) {
        uint32_t number = slots[slot];
        /* Branch only if the slot has another key, which is rare. A branch on an empty slot would be hard to
         * predict. */
        if (FB_UNLIKELY(number & (0 - (uint32_t)(keys[number] != key))))
            continue;
        return slot;
    }
}

#endif
