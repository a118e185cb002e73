/* Segments with one reference of up to 64 tokens: most segments that are ever scored. With AVX2, of up to 128.
 *
 * Text: tokens are looked up as their keys are made, and n-grams are matched as tokens are found. Nothing but the
 * reference's tokens is stored. It is the match with sets of positions (_match_by_positions.pyx): a token's set is one word (two from 65 tokens on),
 * and the number of a token is one more than the first place where it stands. The reference "a b a c" has
 *
 *     place      0      1      2      3
 *     token      a      b      a      c
 *     number     1      2      1      4
 *     set      0101   0010          1000      the lowest bit is place 0
 *
 * Two conditions of the loops are hard to predict: whether a token is new, and whether it is there at all. Neither is
 * asked. A token of the reference is first written as a new one, and then its number is whichever its slot has. A token
 * that is not there has number 0, whose set is empty.
 *
 * Ids: the same, with an array of sets by id in place of keys and slots.
 */
#ifndef FASTBLEU_MATCH_ONE_SHORT_H
#define FASTBLEU_MATCH_ONE_SHORT_H

#include "_native/cpu_level.h"
#include "_native/hashing.h"

#define FB_SHORT_TOKENS 64
#define FB_WIDE_TOKENS 128
#define FB_SHORT_SLOTS 2048 /* 16 a token, so that few share one */

typedef struct {
    size_t mask;                   /* slots in use, a power of two, less one */
    uint8_t slots[FB_SHORT_SLOTS]; /* numbers of tokens, 0 in empty slots */
    /* By number: */
    fb_key keys[FB_WIDE_TOKENS + 1];
    const uint8_t *bytes[FB_WIDE_TOKENS + 1];
    uint64_t sets[FB_WIDE_TOKENS + 1];
    uint64_t later_sets[FB_WIDE_TOKENS + 1]; /* of places from FB_SHORT_TOKENS on */
} fb_short_index;

/* Tokens of a text: where each begins and ends. */
typedef struct {
    const uint8_t *text;
    const uint32_t *starts, *ends;
    size_t count;
} fb_token_spans;

FB_INLINE fb_key fb_key_of_span(const fb_token_spans *spans, size_t t, fb_seeds seeds)
{
    const uint8_t *p = spans->text + spans->starts[t];
    size_t length = spans->ends[t] - spans->starts[t];
    return length <= FB_SHORT_TOKEN ? fb_short_key(p, length) : fb_long_key(fb_hash_bytes(p, length, seeds), length);
}

/* Whether the token with a key differs from the one with a number, which is not 0. */
FB_INLINE int fb_differs(const fb_short_index *index, size_t number, fb_key key, const uint8_t *bytes)
{
    uint64_t differs = (index->keys[number].low ^ key.low) | (index->keys[number].high ^ key.high);
    if (FB_UNLIKELY(differs != 0))
        return 1;
    return FB_UNLIKELY(fb_is_long(key)) &&
           fb_other_bytes(key, (uint64_t)(uintptr_t)index->bytes[number], (uint64_t)(uintptr_t)bytes);
}

/* Indexes the tokens of a reference, FB_WIDE_TOKENS of them at most. */
static inline void fb_index_short(fb_short_index *index, const fb_token_spans *spans, fb_seeds seeds)
{
    size_t slots = 64;
    while (slots < FB_SHORT_SLOTS / FB_WIDE_TOKENS * spans->count)
        slots <<= 1;
    memset(index->slots, 0, slots);
    index->mask = slots - 1;
    index->keys[0].low = index->keys[0].high = 0; /* equals no token's */
    index->bytes[0] = NULL;
    index->sets[0] = index->later_sets[0] = 0;
    for (size_t t = 0; t < spans->count; t++) {
        const uint8_t *bytes = spans->text + spans->starts[t];
        fb_key key = fb_key_of_span(spans, t, seeds);
        size_t slot = fb_home(key, slots - 1, seeds), number;
        index->keys[t + 1] = key;
        index->bytes[t + 1] = bytes;
        index->sets[t + 1] = index->later_sets[t + 1] = 0;
        for (;; slot = (slot + 1) & (slots - 1)) {
            number = index->slots[slot];
            number |= (t + 1) & (size_t)(0 - (((uint64_t)number - 1) >> 63)); /* t + 1 if it is 0 */
            if (!fb_differs(index, number, key, bytes))
                break;
        }
        index->slots[slot] = (uint8_t)number;
        (t < FB_SHORT_TOKENS ? index->sets : index->later_sets)[number] |= (uint64_t)1 << t % FB_SHORT_TOKENS;
    }
}

/* The number of a token, 0 where it is not in the reference. */
FB_INLINE size_t fb_short_number(const fb_short_index *index, fb_key key, const uint8_t *bytes, fb_seeds seeds)
{
    size_t slot = fb_home(key, index->mask, seeds);
    for (;; slot = (slot + 1) & index->mask) {
        size_t number = index->slots[slot];
        uint64_t differs = (index->keys[number].low ^ key.low) | (index->keys[number].high ^ key.high);
        /* As in fb_find_token: one condition, which is rare. Of two, one would be hard to predict. */
        if (FB_UNLIKELY(number & (0 - (size_t)(differs != 0))))
            continue;
        if (FB_UNLIKELY(fb_is_long(key)) &&
            fb_is_other_token(
                differs, key, (uint64_t)(uintptr_t)index->bytes[number], (uint64_t)(uintptr_t)bytes))
            continue;
        return number;
    }
}

/* The sets of the n-grams that end at the latest token, and the places that no match of an order has used up. */
typedef struct {
    uint64_t p1, p2, p3, left1, left2, left3, left4;
} fb_short_state;

static const fb_short_state FB_SHORT_START = {0, 0, 0, ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)};

/* A match uses up the lowest place that is left. */
#define FB_USE_UP(places, left) \
    do { \
        (places) &= (left); \
        (left) ^= (places) & (0 - (places)); \
    } while (0)

/* Takes the next token, given its set; returns a bit for each order that matches. */
FB_INLINE int fb_take_token(fb_short_state *state, uint64_t x1)
{
    uint64_t x2 = x1 & (state->p1 << 1), x3 = x1 & (state->p2 << 1), x4 = x1 & (state->p3 << 1);
    state->p1 = x1;
    state->p2 = x2;
    state->p3 = x3;
    FB_USE_UP(x1, state->left1);
    FB_USE_UP(x2, state->left2);
    FB_USE_UP(x3, state->left3);
    FB_USE_UP(x4, state->left4);
    return (x1 != 0) | (x2 != 0) << 1 | (x3 != 0) << 2 | (x4 != 0) << 3;
}

FB_INLINE void fb_write_matches(const fb_short_state *state, int64_t *correct)
{
    correct[0] = fb_count_bits(~state->left1);
    correct[1] = fb_count_bits(~state->left2);
    correct[2] = fb_count_bits(~state->left3);
    correct[3] = fb_count_bits(~state->left4);
}

/* Counts the clipped matches of the orders 1 to 4 of a hypothesis of any length. */
FB_INLINE void fb_count_text(
    const fb_short_index *index, const fb_token_spans *spans, fb_seeds seeds, int64_t *correct)
{
    fb_short_state state = FB_SHORT_START;
    for (size_t t = 0; t < spans->count; t++) {
        fb_key key = fb_key_of_span(spans, t, seeds);
        size_t number = fb_short_number(index, key, spans->text + spans->starts[t], seeds);
        fb_take_token(&state, index->sets[number]);
    }
    fb_write_matches(&state, correct);
}

/* The same for tokens that are numbered already. `sets` is the word of this reference in the set of number 0; the words
 * of the other numbers follow at distances of `words`. Unless it is NULL, a bit for each order that matches at a token is
 * added to those in `hits`. */
FB_INLINE void fb_count_numbers(
    const uint64_t *sets, size_t words, const uint32_t *numbers, size_t count, int64_t *correct, uint8_t *hits)
{
    fb_short_state state = FB_SHORT_START;
    for (size_t t = 0; t < count; t++) {
        int matching = fb_take_token(&state, sets[numbers[t] * words]);
        if (hits)
            hits[t] |= (uint8_t)matching;
    }
    fb_write_matches(&state, correct);
}

/* Ids of one segment. Another thread may change them at any time. */
typedef struct {
    const int64_t *ids;
    size_t count;
} fb_short_ids;

/* Clipped matches of a hypothesis of ids, given the set of each id; see fb_count_ids. */
FB_INLINE void fb_match_ids(
    const uint64_t *sets, size_t n_ids, const int64_t *ids, size_t count, int64_t *correct)
{
    fb_short_state state = FB_SHORT_START;
    for (size_t t = 0; t < count; t++) {
        uint64_t id = (uint64_t)fb_once_64(&ids[t]);
        fb_take_token(&state, sets[id < n_ids ? (size_t)id + 1 : 0]);
    }
    fb_write_matches(&state, correct);
}

/* The same for ids, with a reference of FB_SHORT_TOKENS at most. `sets` has a set for each id below n_ids, at id + 1, and
 * one more; all are empty, and are again afterwards. An id that is not below n_ids matches nothing.
 *
 * There are `samples` hypotheses of the reference. The matches of the first go to correct[0] and after it, those of
 * each further one `stride` after those of the one before. */
FB_INLINE void fb_count_ids(
    uint64_t *sets, size_t n_ids, const fb_short_ids *reference, const fb_short_ids *hypotheses, size_t samples,
    int64_t *correct, size_t stride)
{
    size_t used[FB_SHORT_TOKENS];
    for (size_t t = 0; t < reference->count; t++) {
        uint64_t id = (uint64_t)fb_once_64(&reference->ids[t]);
        used[t] = id < n_ids ? (size_t)id + 1 : 0;
        sets[used[t]] |= (uint64_t)1 << t;
    }
    sets[0] = 0;
    for (size_t k = 0; k < samples; k++)
        fb_match_ids(sets, n_ids, hypotheses[k].ids, hypotheses[k].count, correct + k * stride);
    for (size_t t = 0; t < reference->count; t++)
        sets[used[t]] = 0;
}

#ifdef FB_X86_DISPATCH
#define FB_WIDE_TARGET FB_TARGET("avx2,bmi,bmi2")

/* The same for references of up to FB_WIDE_TOKENS. Sets have two words; a vector has one word of the sets of all orders:
 *
 *     last         P1  P2  P3  P4    of the token before
 *     moved on     all P1  P2  P3    each shifted by one place, from the first word into the second
 *     & M[token]   P1  P2  P3  P4    of this token */
typedef struct {
    __m256i last[2], left[2];
} fb_wide_state;

FB_WIDE_TARGET FB_INLINE fb_wide_state fb_wide_start(void)
{
    __m256i none = _mm256_setzero_si256(), all = _mm256_set1_epi64x(-1);
    fb_wide_state state = {{none, none}, {all, all}};
    return state;
}

/* The lowest place of each order. */
FB_WIDE_TARGET FB_INLINE __m256i fb_lowest_of_each(__m256i places)
{
    return _mm256_and_si256(places, _mm256_sub_epi64(_mm256_setzero_si256(), places));
}

/* Takes the next token, given its set; returns a bit for each order that matches. */
FB_WIDE_TARGET FB_INLINE int fb_take_wide_token(fb_wide_state *state, uint64_t first, uint64_t second)
{
    const __m256i any_place = _mm256_set_epi64x(0, 0, 0, -1), none = _mm256_setzero_si256();
    __m256i moved1 = _mm256_permute4x64_epi64(state->last[0], 0x90), matches1;
    __m256i moved2 = _mm256_permute4x64_epi64(state->last[1], 0x90), matches2;
    __m256i carried = _mm256_srli_epi64(moved1, 63);
    moved1 = _mm256_or_si256(_mm256_slli_epi64(moved1, 1), any_place);
    moved2 = _mm256_or_si256(_mm256_or_si256(_mm256_slli_epi64(moved2, 1), any_place), carried);
    state->last[0] = _mm256_and_si256(_mm256_set1_epi64x((int64_t)first), moved1);
    state->last[1] = _mm256_and_si256(_mm256_set1_epi64x((int64_t)second), moved2);
    matches1 = _mm256_and_si256(state->last[0], state->left[0]);
    matches2 = _mm256_and_si256(state->last[1], state->left[1]);
    matches2 = _mm256_and_si256(matches2, _mm256_cmpeq_epi64(matches1, none));
    state->left[0] = _mm256_xor_si256(state->left[0], fb_lowest_of_each(matches1));
    state->left[1] = _mm256_xor_si256(state->left[1], fb_lowest_of_each(matches2));
    matches1 = _mm256_cmpeq_epi64(_mm256_or_si256(matches1, matches2), none);
    return 15 ^ _mm256_movemask_pd(_mm256_castsi256_pd(matches1));
}

FB_WIDE_TARGET FB_INLINE void fb_write_wide_matches(const fb_wide_state *state, int64_t *correct)
{
    uint64_t left[2][4];
    _mm256_storeu_si256((__m256i *)left[0], state->left[0]);
    _mm256_storeu_si256((__m256i *)left[1], state->left[1]);
    for (int n = 0; n < 4; n++)
        correct[n] = fb_count_bits(~left[0][n]) + fb_count_bits(~left[1][n]);
}

FB_WIDE_TARGET static void fb_count_wide_text(
    const fb_short_index *index, const fb_token_spans *spans, fb_seeds seeds, int64_t *correct)
{
    fb_wide_state state = fb_wide_start();
    for (size_t t = 0; t < spans->count; t++) {
        fb_key key = fb_key_of_span(spans, t, seeds);
        size_t number = fb_short_number(index, key, spans->text + spans->starts[t], seeds);
        fb_take_wide_token(&state, index->sets[number], index->later_sets[number]);
    }
    fb_write_wide_matches(&state, correct);
}

/* The same for tokens that are numbered already: `sets` has two words for each number. Unless it is NULL, `hits` gets a
 * bit for each order that matches at a token. */
FB_WIDE_TARGET static void fb_count_wide_numbers(
    const uint64_t *sets, const uint32_t *numbers, size_t count, int64_t *correct, uint8_t *hits)
{
    fb_wide_state state = fb_wide_start();
    for (size_t t = 0; t < count; t++) {
        const uint64_t *set = &sets[2 * (size_t)numbers[t]];
        int matching = fb_take_wide_token(&state, set[0], set[1]);
        if (hits)
            hits[t] = (uint8_t)matching;
    }
    fb_write_wide_matches(&state, correct);
}

/* fb_match_ids with two words for each id. */
FB_WIDE_TARGET FB_INLINE void fb_match_wide_ids(
    const uint64_t *sets, size_t n_ids, const int64_t *ids, size_t count, int64_t *correct)
{
    fb_wide_state state = fb_wide_start();
    for (size_t t = 0; t < count; t++) {
        uint64_t id = (uint64_t)fb_once_64(&ids[t]);
        const uint64_t *set = &sets[id < n_ids ? 2 * ((size_t)id + 1) : 0];
        fb_take_wide_token(&state, set[0], set[1]);
    }
    fb_write_wide_matches(&state, correct);
}

/* fb_count_ids with two words for each id. */
FB_WIDE_TARGET FB_INLINE void fb_count_wide_ids(
    uint64_t *sets, size_t n_ids, const fb_short_ids *reference, const fb_short_ids *hypotheses, size_t samples,
    int64_t *correct, size_t stride)
{
    size_t used[FB_WIDE_TOKENS];
    for (size_t t = 0; t < reference->count; t++) {
        uint64_t id = (uint64_t)fb_once_64(&reference->ids[t]);
        used[t] = id < n_ids ? 2 * ((size_t)id + 1) : 0;
        sets[used[t] + t / FB_SHORT_TOKENS] |= (uint64_t)1 << t % FB_SHORT_TOKENS;
    }
    sets[0] = sets[1] = 0;
    for (size_t k = 0; k < samples; k++)
        fb_match_wide_ids(sets, n_ids, hypotheses[k].ids, hypotheses[k].count, correct + k * stride);
    for (size_t t = 0; t < reference->count; t++)
        sets[used[t]] = sets[used[t] + 1] = 0;
}

/* Compiled for one hypothesis, and for any number. */
FB_WIDE_TARGET static void fb_count_wide_ids_one(
    uint64_t *sets, size_t n_ids, const fb_short_ids *reference, const fb_short_ids *hypothesis, int64_t *correct)
{
    fb_count_wide_ids(sets, n_ids, reference, hypothesis, 1, correct, 0);
}

FB_WIDE_TARGET static void fb_count_wide_ids_samples(
    uint64_t *sets, size_t n_ids, const fb_short_ids *reference, const fb_short_ids *hypotheses, size_t samples,
    int64_t *correct, size_t stride)
{
    fb_count_wide_ids(sets, n_ids, reference, hypotheses, samples, correct, stride);
}

#endif

/* fb_count_wide_numbers without its instructions: for references that were prepared with them. */
static inline void fb_count_wide_numbers_portable(
    const uint64_t *sets, const uint32_t *numbers, size_t count, int64_t *correct, uint8_t *hits)
{
    uint64_t last[5][2] = {{~UINT64_C(0), ~UINT64_C(0)}}, left[4][2];
    memset(left, 0xff, sizeof left);
    memset(correct, 0, 4 * sizeof *correct);
    for (size_t t = 0; t < count; t++) {
        const uint64_t *set = &sets[2 * (size_t)numbers[t]];
        int matching = 0;
        for (int n = 3; n >= 0; n--) {
            /* Every place may end the n-gram of no token, the first one too. */
            uint64_t first = n ? last[n][0] << 1 : last[0][0];
            uint64_t second = n ? last[n][1] << 1 | last[n][0] >> 63 : last[0][1];
            last[n + 1][0] = first &= set[0];
            last[n + 1][1] = second &= set[1];
            first &= left[n][0];
            second &= first ? 0 : left[n][1];
            left[n][0] ^= first & (0 - first);
            left[n][1] ^= second & (0 - second);
            correct[n] += (first | second) != 0;
            matching |= ((first | second) != 0) << n;
        }
        if (hits)
            hits[t] = (uint8_t)matching;
    }
}

typedef void (*fb_text_counter)(
    const fb_short_index *index, const fb_token_spans *spans, fb_seeds seeds, int64_t *correct);
typedef void (*fb_id_counter)(
    uint64_t *sets, size_t n_ids, const fb_short_ids *reference, const fb_short_ids *hypothesis, int64_t *correct);
typedef void (*fb_sample_counter)(
    uint64_t *sets, size_t n_ids, const fb_short_ids *reference, const fb_short_ids *hypotheses, size_t samples,
    int64_t *correct, size_t stride);

typedef void (*fb_number_counter)(
    const uint64_t *sets, size_t words, const uint32_t *numbers, size_t count, int64_t *correct, uint8_t *hits);

typedef struct {
    size_t longest; /* reference, in tokens */
    fb_text_counter text, wide_text;
    fb_id_counter ids, wide_ids;
    fb_sample_counter samples, wide_samples;
    fb_number_counter numbers;
    void (*wide_numbers)(
        const uint64_t *sets, const uint32_t *numbers, size_t count, int64_t *correct, uint8_t *hits);
} fb_short_counters;

#define FB_SHORT_COUNTERS(level, target) \
    target static void fb_count_text_##level( \
        const fb_short_index *index, const fb_token_spans *spans, fb_seeds seeds, int64_t *correct) \
    { \
        fb_count_text(index, spans, seeds, correct); \
    } \
    target static void fb_count_ids_##level( \
        uint64_t *sets, size_t n_ids, const fb_short_ids *reference, const fb_short_ids *hypothesis, \
        int64_t *correct) \
    { \
        fb_count_ids(sets, n_ids, reference, hypothesis, 1, correct, 0); \
    } \
    target static void fb_count_samples_##level( \
        uint64_t *sets, size_t n_ids, const fb_short_ids *reference, const fb_short_ids *hypotheses, \
        size_t samples, int64_t *correct, size_t stride) \
    { \
        fb_count_ids(sets, n_ids, reference, hypotheses, samples, correct, stride); \
    } \
    target static void fb_count_numbers_##level( \
        const uint64_t *sets, size_t words, const uint32_t *numbers, size_t count, int64_t *correct, uint8_t *hits) \
    { \
        if (words == 1 && hits == NULL) \
            fb_count_numbers(sets, 1, numbers, count, correct, NULL); \
        else \
            fb_count_numbers(sets, words, numbers, count, correct, hits); \
    }

FB_SHORT_COUNTERS(portable, )
#ifdef FB_X86_DISPATCH
/* These instructions have one for the lowest bit. Every processor with AVX2 has them. */
FB_SHORT_COUNTERS(bmi, FB_TARGET("bmi,bmi2"))
#endif

/* Chooses the fastest functions that this processor can run, with instructions of at most this level (compiler.h). */
static inline fb_short_counters fb_choose_short_counters(int level)
{
    fb_short_counters counters = {
        FB_SHORT_TOKENS, fb_count_text_portable,    NULL, fb_count_ids_portable,
        NULL,            fb_count_samples_portable, NULL, fb_count_numbers_portable,
        fb_count_wide_numbers_portable};
#ifdef FB_X86_DISPATCH
    if (level >= FB_AVX2 && fb_cpu_level() >= FB_AVX2) {
        counters.text = fb_count_text_bmi;
        counters.ids = fb_count_ids_bmi;
        counters.longest = FB_WIDE_TOKENS;
        counters.wide_text = fb_count_wide_text;
        counters.samples = fb_count_samples_bmi;
        counters.wide_ids = fb_count_wide_ids_one;
        counters.wide_samples = fb_count_wide_ids_samples;
        counters.numbers = fb_count_numbers_bmi;
        counters.wide_numbers = fb_count_wide_numbers;
    }
#else
    (void)level;
#endif
    return counters;
}

#endif
