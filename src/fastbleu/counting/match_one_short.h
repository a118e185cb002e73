/* Match hypotheses with one reference of up to 64 tokens, or 128 with AVX2. Most segments have such a reference.
 *
 * For text, each token of the reference is stored in a hash table as soon as its key is made. Each token of the
 * hypothesis is looked up as soon as its key is made. Then the numbers of the hypothesis' tokens are matched by sets of
 * positions, which _match_short_references.pyx explains. The set of a token has one word, or two words if the reference
 * has more than 64 tokens. The number of a token is one more than the first position where the token occurs. For
 * example, these are the numbers and sets of the reference "a b a c"; the lowest bit of a set is position 0:
 *
 *     position   0      1      2      3
 *     token      a      b      a      c
 *     number     1      2      1      4
 *     set      0101   0010          1000
 *
 * A processor cannot predict whether a token of the reference is new, nor whether a token of the hypothesis is in the
 * reference. So there is no branch on either condition. Each token of the reference is written as if it were new, but
 * a slot keeps the number of the token's first occurrence. A token of the hypothesis that is not in the reference has
 * the number 0, whose set is empty.
 *
 * For ids, an array with a set for each id replaces the hash table.
 */
#ifndef FASTBLEU_MATCH_ONE_SHORT_H
#define FASTBLEU_MATCH_ONE_SHORT_H

#include "_native/cpu_level.h"
#include "_native/hashing.h"

#define FB_ONE_WORD_TOKENS 64
#define FB_TWO_WORD_TOKENS 128
#define FB_SHORT_SLOTS 2048 /* The maximum number of slots: 16 per token, so that few tokens collide. */

typedef struct {
    size_t mask;                   /* the number of slots in use, a power of two, minus 1 */
    uint8_t slots[FB_SHORT_SLOTS]; /* the number of the token in each slot; 0 if the slot is empty */
    /* The following arrays are indexed by the number of a token. */
    fb_key keys[FB_TWO_WORD_TOKENS + 1];
    uint64_t bytes_at[FB_TWO_WORD_TOKENS + 1];   /* addresses of the tokens' bytes */
    uint64_t sets[2 * (FB_TWO_WORD_TOKENS + 1)]; /* one word per set; or two, the second for positions from 64 on */
} fb_short_index;

/* The start and the end of each token of a text, as byte offsets from `text`. */
typedef struct {
    const uint8_t *text;
    const uint32_t *starts, *ends;
    size_t count;
} fb_token_spans;

FB_INLINE const uint8_t *fb_token_at(const fb_token_spans *spans, size_t t) { return spans->text + spans->starts[t]; }

typedef fb_key fb_short_key_t_portable;

/* Return the slot of token t; or, if the token is not in the table, the empty slot where it can be stored. Write the
 * token's key to `key`. */
FB_INLINE size_t fb_short_slot_portable(
    const fb_short_index *index, const fb_token_spans *spans, size_t t, fb_seeds seeds, fb_short_key_t_portable *key)
{
    const uint8_t *token = fb_token_at(spans, t);
    uint64_t bytes = (uint64_t)(uintptr_t)token;
    *key = fb_token_key(token, spans->ends[t] - spans->starts[t], seeds);
    return fb_find_token(
        index->slots, 1, index->mask, index->keys, index->bytes_at, fb_home(*key, index->mask, seeds), *key, &bytes);
}

#ifdef FB_X86_DISPATCH
#define FB_AVX2_TARGET FB_TARGET("avx2,bmi,bmi2,aes")

typedef __m128i fb_short_key_t_avx2; /* the same 16 bytes as fb_short_key_t_portable */

/* Return the result of fb_short_slot_portable with half the instructions, since the key is hashed and compared as one
 * vector. The hash is two rounds of AES, which spread each byte of the key over all bytes. Tokens that are chosen to
 * collide could cost only a little more, since at most FB_TWO_WORD_TOKENS slots are in use. */
FB_AVX2_TARGET FB_INLINE size_t fb_short_slot_avx2(
    const fb_short_index *index, const fb_token_spans *spans, size_t t, fb_seeds seeds, fb_short_key_t_avx2 *key)
{
    const uint8_t *token = fb_token_at(spans, t);
    const __m128i secret = _mm_set_epi64x((int64_t)seeds.second, (int64_t)seeds.first);
    size_t length = spans->ends[t] - spans->starts[t], slot, number, differs;
    fb_key long_key = {0, 0};
    if (FB_UNLIKELY(length > FB_SHORT_TOKEN)) {
        long_key = fb_long_key(fb_hash_bytes(token, length, seeds), length);
        *key = _mm_set_epi64x((int64_t)long_key.high, (int64_t)long_key.low);
    } else {
        *key = _mm_and_si128(
            _mm_loadu_si128((const __m128i *)token), _mm_loadu_si128((const __m128i *)FB_BYTE_MASKS[length]));
        *key = _mm_insert_epi8(*key, (char)length, FB_SHORT_TOKEN);
    }
    slot = (size_t)_mm_cvtsi128_si64(
        _mm_aesenc_si128(_mm_aesenc_si128(_mm_xor_si128(*key, secret), secret), secret));
    for (;; slot++) {
        slot &= index->mask;
        number = index->slots[slot];
        differs = 0 - (size_t)(_mm_movemask_epi8(_mm_cmpeq_epi8(
            *key, _mm_loadu_si128((const __m128i *)&index->keys[number]))) != 0xffff);
        /* Branch only if the slot has another key, which is rare. A branch on an empty slot would be hard to
         * predict. */
        if (FB_UNLIKELY(number & differs))
            continue;
        if (FB_UNLIKELY(length > FB_SHORT_TOKEN) &&
            fb_is_other_token(differs, long_key, index->bytes_at[number], (uint64_t)(uintptr_t)token))
            continue;
        return slot;
    }
}
#endif

/* Clear an index for a reference with the given number of tokens. */
static inline void fb_clear_short(fb_short_index *index, size_t tokens)
{
    size_t slots = 64;
    while (slots < FB_SHORT_SLOTS / FB_TWO_WORD_TOKENS * tokens)
        slots <<= 1;
    memset(index->slots, 0, slots);
    index->mask = slots - 1;
    index->keys[0].low = index->keys[0].high = 0; /* No token has this key. */
    index->bytes_at[0] = 0;
    index->sets[0] = index->sets[1] = 0;
}

/* The state of matching: the position sets P1 to P3 of the n-grams that end at the latest token (see
 * _match_short_references.pyx), and for each order, the set of positions that no match has used (left1 to left4). */
typedef struct {
    uint64_t p1, p2, p3, left1, left2, left3, left4;
} fb_short_state;

/* Return the state before the first token of a hypothesis. */
FB_INLINE fb_short_state fb_short_start(void)
{
    fb_short_state state = {0, 0, 0, ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)};
    return state;
}

/* Remove used positions from an n-gram's set `positions`. If any remain, the n-gram matches; mark the lowest one as
 * used in `left`. */
#define FB_USE_UP(positions, left) \
    do { \
        (positions) &= (left); \
        (left) ^= (positions) & (0 - (positions)); \
    } while (0)

/* Match the n-grams that end at the next token, given the token's set. Return a bit for each order that matches. */
FB_INLINE int fb_short_take(fb_short_state *state, const uint64_t *set)
{
    uint64_t x1 = set[0], x2 = x1 & (state->p1 << 1), x3 = x1 & (state->p2 << 1), x4 = x1 & (state->p3 << 1);
    state->p1 = x1;
    state->p2 = x2;
    state->p3 = x3;
    FB_USE_UP(x1, state->left1);
    FB_USE_UP(x2, state->left2);
    FB_USE_UP(x3, state->left3);
    FB_USE_UP(x4, state->left4);
    return (x1 != 0) | (x2 != 0) << 1 | (x3 != 0) << 2 | (x4 != 0) << 3;
}

/* Write the number of matches of each order, which is the number of used positions. */
FB_INLINE void fb_short_write(const fb_short_state *state, int64_t *correct)
{
    correct[0] = fb_count_bits(~state->left1);
    correct[1] = fb_count_bits(~state->left2);
    correct[2] = fb_count_bits(~state->left3);
    correct[3] = fb_count_bits(~state->left4);
}

/* The ids of one segment. They are in the caller's memory, so another thread may change them at any time. */
typedef struct {
    const int64_t *ids;
    size_t count;
} fb_short_ids;

/* Return the index of an id's set: id + 1; or 0, the index of an empty set, for an id that is not in 0..n_ids - 1. */
FB_INLINE size_t fb_set_of_id(const int64_t *address, size_t n_ids)
{
    uint64_t id = (uint64_t)fb_read_once_64(address);
    return id < n_ids ? (size_t)id + 1 : 0;
}

#ifdef FB_X86_DISPATCH
/* The state of matching for references of up to FB_TWO_WORD_TOKENS. A set has two words. One vector has the first words
 * of the sets of the four orders, a second vector has their second words. At each token, the sets of the n-grams that
 * end at the previous token are updated to those of the n-grams that end at this token:
 *
 *     last         P1  P2  P3  P4    the sets at the previous token
 *     moved        all P1  P2  P3    `last` moved by one order, each set shifted by one position; `all`: all positions
 *     & M[token]   P1  P2  P3  P4    the sets at this token */
typedef struct {
    __m256i last[2], left[2];
} fb_two_word_state_avx2;

/* Return the state before the first token of a hypothesis. */
FB_AVX2_TARGET FB_INLINE fb_two_word_state_avx2 fb_two_word_start_avx2(void)
{
    __m256i none = _mm256_setzero_si256(), all = _mm256_set1_epi64x(-1);
    fb_two_word_state_avx2 state = {{none, none}, {all, all}};
    return state;
}

/* Return the lowest set bit of each of the four words. */
FB_AVX2_TARGET FB_INLINE __m256i fb_lowest_of_each(__m256i positions)
{
    return _mm256_and_si256(positions, _mm256_sub_epi64(_mm256_setzero_si256(), positions));
}

/* Match the n-grams that end at the next token, given the token's set. Return a bit for each order that matches. */
FB_AVX2_TARGET FB_INLINE int fb_two_word_take_avx2(fb_two_word_state_avx2 *state, const uint64_t *set)
{
    const __m256i any_position = _mm256_set_epi64x(0, 0, 0, -1), none = _mm256_setzero_si256();
    __m256i moved1 = _mm256_permute4x64_epi64(state->last[0], 0x90), matches1;
    __m256i moved2 = _mm256_permute4x64_epi64(state->last[1], 0x90), matches2;
    __m256i carried = _mm256_srli_epi64(moved1, 63);
    moved1 = _mm256_or_si256(_mm256_slli_epi64(moved1, 1), any_position);
    moved2 = _mm256_or_si256(_mm256_or_si256(_mm256_slli_epi64(moved2, 1), any_position), carried);
    state->last[0] = _mm256_and_si256(_mm256_set1_epi64x((int64_t)set[0]), moved1);
    state->last[1] = _mm256_and_si256(_mm256_set1_epi64x((int64_t)set[1]), moved2);
    matches1 = _mm256_and_si256(state->last[0], state->left[0]);
    matches2 = _mm256_and_si256(state->last[1], state->left[1]);
    matches2 = _mm256_and_si256(matches2, _mm256_cmpeq_epi64(matches1, none));
    state->left[0] = _mm256_xor_si256(state->left[0], fb_lowest_of_each(matches1));
    state->left[1] = _mm256_xor_si256(state->left[1], fb_lowest_of_each(matches2));
    matches1 = _mm256_cmpeq_epi64(_mm256_or_si256(matches1, matches2), none);
    return 15 ^ _mm256_movemask_pd(_mm256_castsi256_pd(matches1));
}

/* Write the number of matches of each order, which is the number of used positions. */
FB_AVX2_TARGET FB_INLINE void fb_two_word_write_avx2(const fb_two_word_state_avx2 *state, int64_t *correct)
{
    uint64_t left[2][4];
    _mm256_storeu_si256((__m256i *)left[0], state->left[0]);
    _mm256_storeu_si256((__m256i *)left[1], state->left[1]);
    for (int n = 0; n < 4; n++)
        correct[n] = fb_count_bits(~left[0][n]) + fb_count_bits(~left[1][n]);
}

#endif

#define FB_WORDS 1
#define FB_KIND(name) name##_portable
#define FB_KIND_TARGET
#define FB_KEYS(name) fb_short_##name##_portable
#include "counting/match_one_short_loops.h"

#ifdef FB_X86_DISPATCH
/* Compile the loops for one-word sets with BMI, which has an instruction that selects the lowest set bit. */
#define FB_WORDS 1
#define FB_KIND(name) name##_avx2
#define FB_KIND_TARGET FB_AVX2_TARGET
#define FB_KEYS(name) fb_short_##name##_avx2
#include "counting/match_one_short_loops.h"

#define FB_WORDS 2
#define FB_KIND(name) name##_two_words_avx2
#define FB_KIND_TARGET FB_AVX2_TARGET
#define FB_KEYS(name) fb_short_##name##_avx2
#include "counting/match_one_short_loops.h"
#endif

/* The functions of match_one_short_loops.h for sets of one size. */
typedef struct {
    void (*index)(fb_short_index *index, const fb_token_spans *spans, fb_seeds seeds);
    void (*find)(const fb_short_index *index, const fb_token_spans *spans, fb_seeds seeds, uint32_t *numbers);
    void (*ids)(
        uint64_t *sets, size_t n_ids, const fb_short_ids *reference, const fb_short_ids *hypotheses,
        size_t n_hypotheses, int64_t *correct, size_t stride);
    void (*numbers)(
        const uint64_t *sets, size_t words, const uint32_t *numbers, size_t count, int64_t *correct, uint8_t *hits);
} fb_short_loops;

typedef struct {
    size_t longest; /* the number of tokens of the longest reference */
    fb_short_loops of_words[2]; /* indexed by the number of words of a set minus 1 */
} fb_short_counters;

#define FB_SHORT_LOOPS(kind) \
    {fb_index_text_##kind, fb_find_text_##kind, fb_count_ids_##kind, fb_count_numbers_##kind}

/* Return the fastest functions that this processor can run, limited to instructions of a given level (compiler.h). */
static inline fb_short_counters fb_choose_short_counters(int level)
{
    const fb_short_counters portable = {FB_ONE_WORD_TOKENS, {FB_SHORT_LOOPS(portable)}};
#ifdef FB_X86_DISPATCH
    const fb_short_counters fast = {FB_TWO_WORD_TOKENS, {FB_SHORT_LOOPS(avx2), FB_SHORT_LOOPS(two_words_avx2)}};
    if (level >= FB_AVX2 && fb_cpu_level() >= FB_AVX2)
        return fast;
#else
    (void)level;
#endif
    return portable;
}

#endif
