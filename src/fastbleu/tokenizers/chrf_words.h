/* Split words like chrF++: ASCII punctuation at the end of a word, or else at its start, becomes a separate word. */
#ifndef FASTBLEU_CHRF_WORDS_H
#define FASTBLEU_CHRF_WORDS_H

#include "_native/utf8.h"

/* Return the offset where a word is split: before punctuation at its end, or else after punctuation at its start.
 * Return `start` if the word is not split. A word of one byte is never split. */
FB_INLINE uint32_t fb_chrf_split(const uint8_t *text, uint32_t start, uint32_t end)
{
    if (end - start > 1 && fb_ascii_punctuation(text[end - 1]))
        return end - 1;
    return end - start > 1 && fb_ascii_punctuation(text[start]) ? start + 1 : start;
}

/* Return the number of words after splitting, which is at least `words`. */
static inline size_t fb_count_chrf_words(
    const uint8_t *text, const uint32_t *starts, const uint32_t *ends, size_t words)
{
    size_t count = words;
    for (size_t t = 0; t < words; t++)
        count += fb_chrf_split(text, starts[t], ends[t]) != starts[t];
    return count;
}

/* Split the words in place. `count`, the result of fb_count_chrf_words, is the needed size of `starts` and `ends`. */
static inline void fb_split_chrf_words(
    const uint8_t *text, uint32_t *starts, uint32_t *ends, size_t words, size_t count)
{
    /* Move the words to the end of the arrays, from the last word to the first, until no earlier word is split. */
    for (size_t t = words; count > t;) {
        const uint32_t start = starts[--t], end = ends[t], split = fb_chrf_split(text, start, end);
        starts[--count] = split;
        ends[count] = end;
        if (split != start) {
            starts[--count] = start;
            ends[count] = split;
        }
    }
}

#endif
