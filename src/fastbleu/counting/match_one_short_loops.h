/* A template of loops. match_one_short.h includes it once for each kind of loops, after it has defined these macros:
 *
 *     FB_WORDS          words per set: 1 for up to FB_ONE_WORD_TOKENS tokens, 2 for up to FB_TWO_WORD_TOKENS
 *     FB_KIND(name)     adds the suffix of the kind (_portable, _avx2 or _two_words_avx2) to the name of a function
 *     FB_KIND_TARGET    declares the instructions that a function may use
 *     FB_KEYS(name)     gives the type of a token's key (key_t) and the function that finds a token's slot (slot) */
#if FB_WORDS == 1
#define FB_STATE(name) fb_short_##name
#else
#define FB_STATE(name) fb_two_word_##name##_avx2
#endif

/* Index the tokens of a reference. FB_WORDS limits their number. */
FB_KIND_TARGET static void FB_KIND(fb_index_text)(fb_short_index *index, const fb_token_spans *spans, fb_seeds seeds)
{
    const fb_token_spans tokens = *spans; /* Copied, so that compilers know that no store changes it. */
    fb_clear_short(index, tokens.count);
    for (size_t t = 0; t < tokens.count; t++) {
        FB_KEYS(key_t) key;
        size_t slot = FB_KEYS(slot)(index, &tokens, t, seeds, &key), number = index->slots[slot];
        number |= (t + 1) & (0 - (size_t)(number == 0));
        memcpy(&index->keys[t + 1], &key, sizeof key);
        index->bytes_at[t + 1] = (uint64_t)(uintptr_t)fb_token_at(&tokens, t);
        for (size_t word = 0; word < FB_WORDS; word++)
            index->sets[FB_WORDS * (t + 1) + word] = 0;
        index->slots[slot] = (uint8_t)number;
        index->sets[FB_WORDS * number + (FB_WORDS == 1 ? 0 : t / FB_ONE_WORD_TOKENS)] |=
            (uint64_t)1 << t % FB_ONE_WORD_TOKENS;
    }
}

/* Write the number of each token of a hypothesis of any length; 0 for a token that is not in the reference. */
FB_KIND_TARGET static void FB_KIND(fb_find_text)(
    const fb_short_index *index, const fb_token_spans *spans, fb_seeds seeds, uint32_t *numbers)
{
    const fb_token_spans tokens = *spans;
    for (size_t t = 0; t < tokens.count; t++) {
        FB_KEYS(key_t) key;
        numbers[t] = index->slots[FB_KEYS(slot)(index, &tokens, t, seeds, &key)];
    }
}

/* Count the clipped matches of the orders 1 to 4 of hypotheses of any length, whose tokens are ids.
 *
 * Args:
 *     sets: Memory for n_ids + 1 sets. The set of each id below n_ids has the index id + 1. Index 0 is for all other
 *         ids, which match nothing. All sets are empty before and after the call.
 *     n_ids: The number of ids that have sets.
 *     reference: The ids of the reference. FB_WORDS limits their number.
 *     hypotheses: The ids of each of `n_hypotheses` hypotheses.
 *     correct: Receives 4 counts per hypothesis, those of hypothesis k from correct[k * stride] on.
 *     stride: The distance between the counts of consecutive hypotheses, in elements of `correct`, at least 4. */
FB_KIND_TARGET static void FB_KIND(fb_count_ids)(
    uint64_t *sets, size_t n_ids, const fb_short_ids *reference, const fb_short_ids *hypotheses, size_t n_hypotheses,
    int64_t *correct, size_t stride)
{
    size_t set_of[FB_WORDS * FB_ONE_WORD_TOKENS];
    for (size_t t = 0; t < reference->count; t++) {
        set_of[t] = FB_WORDS * fb_set_of_id(&reference->ids[t], n_ids);
        sets[set_of[t] + (FB_WORDS == 1 ? 0 : t / FB_ONE_WORD_TOKENS)] |= (uint64_t)1 << t % FB_ONE_WORD_TOKENS;
    }
    sets[0] = 0;
    sets[FB_WORDS - 1] = 0;
    for (size_t k = 0; k < n_hypotheses; k++) {
        FB_STATE(state) state = FB_STATE(start)();
        for (size_t t = 0; t < hypotheses[k].count; t++)
            FB_STATE(take)(&state, &sets[FB_WORDS * fb_set_of_id(&hypotheses[k].ids[t], n_ids)]);
        FB_STATE(write)(&state, correct + k * stride);
    }
    for (size_t t = 0; t < reference->count; t++) {
        sets[set_of[t]] = 0;
        sets[set_of[t] + FB_WORDS - 1] = 0;
    }
}

/* Count the clipped matches of the orders 1 to 4 of a hypothesis whose tokens are numbered.
 *
 * Args:
 *     sets: The position sets. sets[k * words] is the first word for token number k and the reference to be matched.
 *     words: The number of words per set, which may include words of other references.
 *     numbers: The numbers of the hypothesis' `count` tokens.
 *     correct: Receives the number of matches of each of the 4 orders.
 *     hits: NULL; or an array [count]. For each match of order n that ends at token t, bit n - 1 of hits[t] is set. */
FB_KIND_TARGET FB_INLINE void FB_KIND(fb_match_numbers)(
    const uint64_t *sets, size_t words, const uint32_t *numbers, size_t count, int64_t *correct, uint8_t *hits)
{
    FB_STATE(state) state = FB_STATE(start)();
    for (size_t t = 0; t < count; t++) {
        int matching = FB_STATE(take)(&state, &sets[numbers[t] * words]);
        if (hits)
            hits[t] |= (uint8_t)matching;
    }
    FB_STATE(write)(&state, correct);
}

/* Call fb_match_numbers. The most frequent case is compiled separately, with constant arguments. */
FB_KIND_TARGET static void FB_KIND(fb_count_numbers)(
    const uint64_t *sets, size_t words, const uint32_t *numbers, size_t count, int64_t *correct, uint8_t *hits)
{
    if (words == FB_WORDS && hits == NULL)
        FB_KIND(fb_match_numbers)(sets, FB_WORDS, numbers, count, correct, NULL);
    else
        FB_KIND(fb_match_numbers)(sets, words, numbers, count, correct, hits);
}

#undef FB_STATE
#undef FB_WORDS
#undef FB_KIND
#undef FB_KIND_TARGET
#undef FB_KEYS
