/* Matches of n-grams for chrF: of characters and of words, each a sequence of small numbers.
 *
 * The numbers are those of the reference's symbols, from 1 on; 0 stands for a symbol that it does not hold. Two ways
 * count the same matches:
 *
 * - By sets of positions, for short references. A set of bits says where in the reference an n-gram of the hypothesis
 *   ends. The set of one that is a symbol longer is the set moved on by one place and cut with that symbol's. "abab" in
 *   the reference: a = 0101, b = 1010 (the first place is the lowest bit), so that "ab" ends at (0101 << 1) & 1010.
 *   Each n-gram of the hypothesis takes the lowest place of its set that none before it took: equal ones have the same
 *   set, so that no more match than the reference has.
 * - By classes, for long ones. Equal n-grams of the reference get one number, found by that of their first n - 1
 *   symbols and their last symbol in a table; each n-gram of the hypothesis takes one from its count. */
#ifndef FASTBLEU_CHRF_H
#define FASTBLEU_CHRF_H

#include <stdint.h>
#include <string.h>

#include "_native/bits.h"
#include "_native/compiler.h"
#include "_native/hashing.h"
#include "_native/unicode.h"

#define FB_CHRF_MOST_WORDS 8 /* of a set of positions: longer references are matched by classes */
#define FB_CHRF_MOST_ORDERS 8 /* that sets are made for */
#define FB_CHRF_NEAR (1 << 11) /* characters that are numbered by an array: all of two bytes in UTF-8 */

/* The code point at `text`, which is valid but may be a lone surrogate, and the place after it. */
FB_INLINE uint32_t fb_code_point(const uint8_t **text)
{
    const uint8_t *p = *text;
    uint32_t first = *p;
    if (first < 0x80) {
        *text = p + 1;
        return first;
    }
    if (first < 0xe0) {
        *text = p + 2;
        return (first & 0x1f) << 6 | (p[1] & 0x3f);
    }
    if (first < 0xf0) {
        *text = p + 3;
        return (first & 0x0f) << 12 | (uint32_t)(p[1] & 0x3f) << 6 | (p[2] & 0x3f);
    }
    *text = p + 4;
    return (first & 0x07) << 18 | (uint32_t)(p[1] & 0x3f) << 12 | (uint32_t)(p[2] & 0x3f) << 6 | (p[3] & 0x3f);
}

/* Matches by sets of positions, of `words` words each; `sets` has one for each number, that of 0 empty, and `space` room
 * for 2 * orders + 1 sets. Adds to matches[0..orders - 1]. */
FB_INLINE void fb_match_sets_of(
    const uint32_t *hypothesis, size_t length, const uint64_t *sets, const size_t words, size_t orders, uint64_t *space,
    int64_t *matches)
{
    uint64_t *ends = space, *taken = space + (orders + 1) * words; /* ends: by order, of the n-gram before */
    size_t depth = 0;
    memset(taken, 0, orders * words * sizeof(uint64_t));
    for (size_t i = 0; i < length; i++) {
        const uint64_t *places = sets + hypothesis[i] * words;
        size_t n, most = depth < orders ? depth : orders - 1;
        if (hypothesis[i] == 0) {
            depth = 0;
            continue;
        }
        /* From the longest on, since each needs the set of the shorter one before. */
        for (n = most; n > 0; n--) {
            uint64_t carry = 0;
            const uint64_t *before = ends + (n - 1) * words;
            uint64_t *here = ends + n * words;
            for (size_t w = 0; w < words; w++) {
                uint64_t moved = before[w] << 1 | carry;
                carry = before[w] >> 63;
                here[w] = moved & places[w];
            }
        }
        memcpy(ends, places, words * sizeof(uint64_t));
        for (n = 0; n <= most; n++) {
            uint64_t any = 0;
            for (size_t w = 0; w < words; w++) {
                uint64_t free_places = ends[n * words + w] & ~taken[n * words + w];
                any |= ends[n * words + w];
                if (free_places) {
                    taken[n * words + w] |= free_places & (0 - free_places);
                    matches[n]++;
                    any = 1;
                    break;
                }
            }
            if (!any)
                break;
        }
        depth = n;
    }
}

static void fb_match_sets(
    const uint32_t *hypothesis, size_t length, const uint64_t *sets, size_t words, size_t orders, uint64_t *space,
    int64_t *matches)
{
    switch (words) { /* loops of a known length */
    case 1: fb_match_sets_of(hypothesis, length, sets, 1, orders, space, matches); break;
    case 2: fb_match_sets_of(hypothesis, length, sets, 2, orders, space, matches); break;
    case 3: fb_match_sets_of(hypothesis, length, sets, 3, orders, space, matches); break;
    case 4: fb_match_sets_of(hypothesis, length, sets, 4, orders, space, matches); break;
    default: fb_match_sets_of(hypothesis, length, sets, words, orders, space, matches);
    }
}

/* A table from keys to classes, as large as a power of two; an entry of another stamp is empty. */
typedef struct {
    uint64_t key;
    uint32_t stamp;
    uint32_t found;
} fb_chrf_entry;

/* The class of a key: that in the table, or `fresh` if it is not there, which then stands for it unless it is 0. */
FB_INLINE uint32_t fb_chrf_class(
    fb_chrf_entry *table, size_t mask, uint32_t stamp, fb_seeds seeds, uint64_t key, uint32_t fresh)
{
    size_t slot = fb_ngram_home(key, mask, seeds);
    while (table[slot].stamp == stamp) {
        if (table[slot].key == key)
            return table[slot].found;
        slot = (slot + 1) & mask;
    }
    if (fresh) {
        table[slot].stamp = stamp;
        table[slot].key = key;
        table[slot].found = fresh;
    }
    return fresh;
}

/* Numbers the characters of a text by those of the reference; returns how many there are. `near` has a stamp and a number
 * for each character below FB_CHRF_NEAR, the table those beyond. */
FB_INLINE size_t fb_chrf_number_characters(
    const uint8_t *text, size_t bytes, int whitespace, uint32_t *near, fb_chrf_entry *table, size_t mask,
    uint32_t stamp, fb_seeds seeds, int is_reference, uint32_t *out)
{
    const uint8_t *end = text + bytes;
    uint32_t last = 0;
    size_t length = 0;
    while (text < end) {
        uint32_t code_point = fb_code_point(&text), number;
        if (!whitespace && fastbleu_is_space(code_point))
            continue;
        if (code_point >= FB_CHRF_NEAR) {
            number = fb_chrf_class(table, mask, stamp, seeds, code_point, is_reference ? last + 1 : 0);
            last = number > last ? number : last;
        } else if (near[2 * code_point] == stamp) {
            number = near[2 * code_point + 1];
        } else {
            number = is_reference ? ++last : 0;
            if (is_reference) {
                near[2 * code_point] = stamp;
                near[2 * code_point + 1] = number;
            }
        }
        out[length++] = number;
    }
    return length;
}

/* A word of the reference, and the bytes that it is. */
typedef struct {
    uint64_t hashed;
    const uint8_t *start;
    size_t length;
    uint32_t stamp, number;
} fb_chrf_word;

/* The number of a word, as `fb_chrf_class` finds that of a key. */
FB_INLINE uint32_t fb_chrf_number_word(
    fb_chrf_word *words, size_t mask, uint32_t stamp, fb_seeds seeds, const uint8_t *start, size_t length,
    uint32_t fresh)
{
    const uint64_t hashed = fb_hash_bytes(start, length, seeds);
    size_t slot = (size_t)fb_spread(hashed) & mask;
    for (; words[slot].stamp == stamp; slot = (slot + 1) & mask) {
        const fb_chrf_word *word = words + slot;
        if (word->hashed == hashed && word->length == length && memcmp(word->start, start, length) == 0)
            return word->number;
    }
    if (fresh)
        words[slot] = (fb_chrf_word){hashed, start, length, stamp, fresh};
    return fresh;
}

/* Matches by classes. `classes` of both hold numbers at first, and are overwritten; `counts` has room for one more
 * number than the reference has symbols. Returns the stamp that was used last. */
static uint32_t fb_match_classes(
    const uint32_t *hypothesis, size_t length, uint32_t *classes, const uint32_t *reference, size_t reference_length,
    uint32_t *reference_classes, fb_chrf_entry *table, size_t mask, uint32_t stamp, fb_seeds seeds, uint32_t *counts,
    size_t orders, int64_t *matches)
{
    memcpy(classes, hypothesis, length * sizeof(uint32_t));
    memcpy(reference_classes, reference, reference_length * sizeof(uint32_t));
    for (size_t n = 1; n <= orders && n <= reference_length && n <= length; n++) {
        size_t most = reference_length - n + 1;
        uint32_t last = 0;
        stamp++;
        memset(counts, 0, (reference_length + 1) * sizeof(uint32_t));
        for (size_t j = 0; j < most; j++) {
            if (n > 1) {
                uint64_t key = (uint64_t)reference_classes[j] << 32 | reference[j + n - 1];
                uint32_t found = fb_chrf_class(table, mask, stamp, seeds, key, last + 1);
                last += found > last;
                reference_classes[j] = found;
            }
            counts[reference_classes[j]]++;
        }
        for (size_t i = 0; i + n <= length; i++) {
            uint32_t found = classes[i];
            if (n > 1 && found) {
                uint64_t key = (uint64_t)found << 32 | hypothesis[i + n - 1];
                found = hypothesis[i + n - 1] ? fb_chrf_class(table, mask, stamp, seeds, key, 0) : 0;
                classes[i] = found;
            }
            if (found && counts[found]) {
                counts[found]--;
                matches[n - 1]++;
            }
        }
    }
    return stamp;
}

#endif
