/* Match the n-grams of characters or of words for chrF. Characters and words are called symbols.
 *
 * The distinct symbols of the reference are numbered from 1 on; 0 is a symbol that the reference does not have. A text
 * is a sequence of these numbers. There are two algorithms, which count the same matches:
 *
 * - Short references are matched by sets of positions. The set of an n-gram of the hypothesis has a bit for each
 *   position of the reference where the n-gram ends. If the n-gram is extended by a symbol, its set is shifted by one
 *   position and intersected with the set of that symbol. For example, in the reference "abab" the sets are a = 0101
 *   and b = 1010 (the lowest bit is the first position), so "ab" ends at (0101 << 1) & 1010. Each n-gram of the
 *   hypothesis uses the lowest position of its set that no earlier n-gram has used. Equal n-grams have the same set, so
 *   they match at most as often as they occur in the reference.
 * - Long references are matched by classes. Equal n-grams of the reference get the same number, their class. A hash
 *   table maps the class of the first n - 1 symbols and the number of the last symbol to the class of the n-gram. Each
 *   match reduces the count of its class by one; an n-gram whose class has the count 0 does not match. */
#ifndef FASTBLEU_CHRF_MATCHING_H
#define FASTBLEU_CHRF_MATCHING_H

#include <stdint.h>
#include <string.h>

#include "_native/bits.h"
#include "_native/compiler.h"
#include "_native/hashing.h"
#include "_native/unicode.h"
#include "_native/utf8.h"

#define FB_CHRF_MAX_WORDS 8 /* References whose sets need more words than this are matched by classes. */
#define FB_CHRF_MAX_ORDERS 8 /* If more orders than this are counted, all references are matched by classes. */
#define FB_CHRF_ARRAY_LIMIT (1 << 11) /* Code points below this, of one or two bytes, are numbered by an array. */

/* Match a part of a hypothesis by sets of positions. Return the number of orders whose n-gram at the end of the part
 * occurs in the reference.
 *
 * Args:
 *     hypothesis, length: The numbers of the symbols in this part of the hypothesis.
 *     sets: The position sets, in the order of the symbols' numbers. The set of number 0 is empty.
 *     words: The number of words per set.
 *     orders: The largest n.
 *     space: Memory for orders + 1 sets of n-grams, followed by a set of used positions for each order. The sets of
 *         used positions must be empty before the first part.
 *     depth: The result for the previous part; 0 for the first part.
 *     matches: The number of matches of each order is added to matches[n - 1]. */
FB_INLINE size_t fb_match_sets_of(
    const uint32_t *hypothesis, size_t length, const uint64_t *sets, const size_t words, size_t orders, uint64_t *space,
    size_t depth, int64_t *matches)
{
    /* `ends` has the set of the latest n-gram of each order, and `taken` the used positions of each order. */
    uint64_t *ends = space, *taken = space + (orders + 1) * words;
    for (size_t i = 0; i < length; i++) {
        const uint64_t *positions = sets + hypothesis[i] * words;
        size_t n, longest = depth < orders ? depth : orders - 1;
        if (hypothesis[i] == 0) {
            depth = 0;
            continue;
        }
        /* Update the sets from the longest n-gram to the shortest, since each needs the old set of the shorter one. */
        for (n = longest; n > 0; n--) {
            uint64_t carry = 0;
            const uint64_t *before = ends + (n - 1) * words;
            uint64_t *current = ends + n * words;
            for (size_t w = 0; w < words; w++) {
                uint64_t moved = before[w] << 1 | carry;
                carry = before[w] >> 63;
                current[w] = moved & positions[w];
            }
        }
        memcpy(ends, positions, words * sizeof(uint64_t));
        for (n = 0; n <= longest; n++) {
            uint64_t any = 0;
            for (size_t w = 0; w < words; w++) {
                uint64_t free_positions = ends[n * words + w] & ~taken[n * words + w];
                any |= ends[n * words + w];
                if (free_positions) {
                    taken[n * words + w] |= free_positions & (0 - free_positions);
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
    return depth;
}

/* Call fb_match_sets_of, which is compiled separately for each small number of words. */
static size_t fb_match_sets(
    const uint32_t *hypothesis, size_t length, const uint64_t *sets, size_t words, size_t orders, uint64_t *space,
    size_t depth, int64_t *matches)
{
    switch (words) {
    case 1: return fb_match_sets_of(hypothesis, length, sets, 1, orders, space, depth, matches);
    case 2: return fb_match_sets_of(hypothesis, length, sets, 2, orders, space, depth, matches);
    case 3: return fb_match_sets_of(hypothesis, length, sets, 3, orders, space, depth, matches);
    case 4: return fb_match_sets_of(hypothesis, length, sets, 4, orders, space, depth, matches);
    default: return fb_match_sets_of(hypothesis, length, sets, words, orders, space, depth, matches);
    }
}

/* A slot of a hash table that maps keys to classes. Slots whose stamp differs from the current stamp are empty. */
typedef struct {
    uint64_t key;
    uint32_t stamp;
    uint32_t class_number;
} fb_chrf_entry;

/* Return the class of a key. If the key is missing, return `fresh`, and store it as the class unless it is 0. */
FB_INLINE uint32_t fb_chrf_class(
    fb_chrf_entry *table, size_t mask, uint32_t stamp, fb_seeds seeds, uint64_t key, uint32_t fresh)
{
    size_t slot = fb_ngram_home(key, mask, seeds);
    while (table[slot].stamp == stamp) {
        if (table[slot].key == key)
            return table[slot].class_number;
        slot = (slot + 1) & mask;
    }
    if (fresh) {
        table[slot].stamp = stamp;
        table[slot].key = key;
        table[slot].class_number = fresh;
    }
    return fresh;
}

/* Write the numbers of the characters in a part of a text to `out`; return the number of these characters.
 *
 * Args:
 *     text: *text is the start of the part, in UTF-8, and is set to its end.
 *     end: The end of the part. If it is inside a character, the part ends after this character.
 *     whitespace: Whether white space characters are counted; otherwise they are skipped.
 *     by_code_point: A stamp for each code point below FB_CHRF_ARRAY_LIMIT, followed by the character's number.
 *     table, mask: The hash table of all other characters, and the number of its slots minus 1.
 *     stamp: The stamp of this reference.
 *     is_reference: Whether each new character gets the next number; otherwise its number is 0.
 *     last: The largest number so far, which is updated; 0 before the first part. */
FB_INLINE size_t fb_chrf_number_characters(
    const uint8_t **text, const uint8_t *end, int whitespace, uint32_t *by_code_point, fb_chrf_entry *table,
    size_t mask, uint32_t stamp, fb_seeds seeds, int is_reference, uint32_t *last, uint32_t *out)
{
    const uint8_t *p = *text;
    uint32_t largest = *last;
    size_t length = 0;
    while (p < end) {
        uint32_t code_point, number;
        p += fb_decode(p, &code_point);
        if (!whitespace && fastbleu_is_space(code_point))
            continue;
        if (code_point >= FB_CHRF_ARRAY_LIMIT) {
            number = fb_chrf_class(table, mask, stamp, seeds, code_point, is_reference ? largest + 1 : 0);
            largest = number > largest ? number : largest;
        } else if (by_code_point[2 * code_point] == stamp) {
            number = by_code_point[2 * code_point + 1];
        } else {
            number = is_reference ? ++largest : 0;
            if (is_reference) {
                by_code_point[2 * code_point] = stamp;
                by_code_point[2 * code_point + 1] = number;
            }
        }
        out[length++] = number;
    }
    *text = p;
    *last = largest;
    return length;
}

/* A slot of a hash table of the reference's words. Slots whose stamp differs from the current stamp are empty. */
typedef struct {
    uint64_t hashed;
    const uint8_t *start;
    size_t length;
    uint32_t stamp, number;
} fb_chrf_word;

/* Return the number of a word. If the word is missing, return `fresh`, and store it as the number unless it is 0. */
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

/* The next two functions match by classes, order by order. Before the first order, classes[i] is the number of symbol i
 * of the text. After order n, classes[i] is the class of the n-gram that begins at symbol i. Each call processes the
 * n-grams of one order that begin at the symbols start..stop - 1.
 *
 * Args:
 *     reference, hypothesis: The numbers of the text's symbols.
 *     n: The order.
 *     table, mask: The hash table of n-grams, and the number of its slots minus 1.
 *     stamp: The stamp of this order.
 *     counts: The count of each class; all zero before the reference is counted. */

/* Count the n-grams of the reference; return the largest class so far. `last` is the largest class before the call. */
static uint32_t fb_chrf_count_ngrams(
    const uint32_t *reference, size_t start, size_t stop, size_t n, uint32_t *classes, fb_chrf_entry *table,
    size_t mask, uint32_t stamp, fb_seeds seeds, uint32_t *counts, uint32_t last)
{
    for (size_t j = start; j < stop; j++) {
        if (n > 1) {
            uint64_t key = (uint64_t)classes[j] << 32 | reference[j + n - 1];
            uint32_t number = fb_chrf_class(table, mask, stamp, seeds, key, last + 1);
            last += number > last;
            classes[j] = number;
        }
        counts[classes[j]]++;
    }
    return last;
}

/* Return the number of the hypothesis' n-grams that match. Each match reduces the count of its class by one. */
static int64_t fb_chrf_match_ngrams(
    const uint32_t *hypothesis, size_t start, size_t stop, size_t n, uint32_t *classes, fb_chrf_entry *table,
    size_t mask, uint32_t stamp, fb_seeds seeds, uint32_t *counts)
{
    int64_t matches = 0;
    for (size_t i = start; i < stop; i++) {
        uint32_t number = classes[i];
        if (n > 1 && number) {
            uint64_t key = (uint64_t)number << 32 | hypothesis[i + n - 1];
            number = hypothesis[i + n - 1] ? fb_chrf_class(table, mask, stamp, seeds, key, 0) : 0;
            classes[i] = number;
        }
        if (number && counts[number]) {
            counts[number]--;
            matches++;
        }
    }
    return matches;
}

#endif
