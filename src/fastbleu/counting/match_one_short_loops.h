/* The loops of match_one_short.h, included there once for each kind of state. Before it, these are defined:
 *
 *     FB_WORDS          words of a set: 1 for references of up to FB_SHORT_TOKENS, 2 for those of up to FB_WIDE_TOKENS
 *     FB_KIND(name)     the name of a function of this kind
 *     FB_KIND_TARGET    the instructions that it takes
 *     FB_KEYS(name)     the type of a token's key, and the function that finds its slot */
#if FB_WORDS == 1
#define FB_STATE(name) fb_short_##name
#else
#define FB_STATE(name) fb_wide_##name
#endif

/* Indexes the tokens of a reference of a length that FB_WORDS allows. */
FB_KIND_TARGET static void FB_KIND(fb_index_text)(fb_short_index *index, const fb_token_spans *spans, fb_seeds seeds)
{
    const fb_token_spans tokens = *spans; /* a copy, which no store can change */
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
        index->sets[FB_WORDS * number + (FB_WORDS == 1 ? 0 : t / FB_SHORT_TOKENS)] |=
            (uint64_t)1 << t % FB_SHORT_TOKENS;
    }
}

/* Finds the numbers of the tokens of a hypothesis of any length. */
FB_KIND_TARGET static void FB_KIND(fb_find_text)(
    const fb_short_index *index, const fb_token_spans *spans, fb_seeds seeds, uint32_t *numbers)
{
    const fb_token_spans tokens = *spans;
    for (size_t t = 0; t < tokens.count; t++) {
        FB_KEYS(key_t) key;
        numbers[t] = index->slots[FB_KEYS(slot)(index, &tokens, t, seeds, &key)];
    }
}

/* Counts the clipped matches of the orders 1 to 4 of hypotheses of any length, whose tokens are ids. `sets` has a set
 * for each id below n_ids, at id + 1, and one more; all are empty, and are again afterwards. An id that is not below
 * n_ids matches nothing.
 *
 * There are `samples` hypotheses of the reference. The matches of the first go to correct[0] and after it, those of
 * each further one `stride` after those of the one before. */
FB_KIND_TARGET static void FB_KIND(fb_count_ids)(
    uint64_t *sets, size_t n_ids, const fb_short_ids *reference, const fb_short_ids *hypotheses, size_t samples,
    int64_t *correct, size_t stride)
{
    size_t used[FB_WORDS * FB_SHORT_TOKENS];
    for (size_t t = 0; t < reference->count; t++) {
        used[t] = FB_WORDS * fb_place_of_id(&reference->ids[t], n_ids);
        sets[used[t] + (FB_WORDS == 1 ? 0 : t / FB_SHORT_TOKENS)] |= (uint64_t)1 << t % FB_SHORT_TOKENS;
    }
    sets[0] = 0;
    sets[FB_WORDS - 1] = 0;
    for (size_t k = 0; k < samples; k++) {
        FB_STATE(state) state = FB_STATE(start)();
        for (size_t t = 0; t < hypotheses[k].count; t++)
            FB_STATE(take)(&state, &sets[FB_WORDS * fb_place_of_id(&hypotheses[k].ids[t], n_ids)]);
        FB_STATE(write)(&state, correct + k * stride);
    }
    for (size_t t = 0; t < reference->count; t++) {
        sets[used[t]] = 0;
        sets[used[t] + FB_WORDS - 1] = 0;
    }
}

/* The same for tokens that are numbered already. `sets` is where this reference begins in the set of number 0; it is
 * in the sets of the other numbers at distances of `words`. Unless it is NULL, a bit for each order that matches at a
 * token is added to those in `hits`. */
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
