"""Match n-grams by sets of positions.

For each token, M[token] is the set of positions where the token occurs in a reference, stored as a bit set. The
hypothesis is read token by token. In the reference, the n-gram that ends at position i of the hypothesis ends at the
positions

    P1(i) = M[token_i]          Pn(i) = M[token_i] & (P(n-1)(i-1) << 1)

Exactly one n-gram of each order ends at a position of the reference. Each match of order n marks one position as used:
the lowest position in Pn(i) that no earlier match of order n has used. So an n-gram of the hypothesis matches at most
as often as it occurs in the reference, which is clipping. With several references, each reference has its own used
positions, and an n-gram matches once if any reference has an unused position in Pn(i). So the number of matches of an
n-gram is the minimum of its count in the hypothesis and its largest count in any one reference. No n-gram is hashed,
stored or counted. The loop over the hypothesis is in match_one_short.h.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from fastbleu._native._hashing cimport SEEDS, fb_enter_token, fb_find_token, fb_home, fb_key, fb_seeds, slots_for
from fastbleu._native.memory cimport reserve
from fastbleu.counting._match_one_short cimport match_numbers
from fastbleu.counting._numbering cimport number_ids
from fastbleu.counting._workspace cimport Index, Workspace, reserve_keys
from fastbleu.inputs._column cimport View


cdef inline void make_position_sets(Workspace* work, Index* index, size_t words) noexcept nogil:
    """Number the references' tokens, and make the position set of each token, with `words` words per set."""
    cdef size_t mask = index.slot_mask, t = 0, w
    cdef fb_seeds seeds = SEEDS
    cdef uint32_t reference, number, before, tokens = 0, position
    cdef bint is_new
    cdef uint16_t* slots = index.slots
    cdef fb_key* keys = index.keys
    cdef fb_key* token_keys = work.token_keys
    cdef uint64_t* bytes_at = work.bytes_at
    cdef uint64_t* token_bytes = work.token_bytes
    cdef uint64_t* word = index.positions
    for reference in range(index.references):
        for position in range(index.lengths[reference]):
            before = tokens
            number = fb_enter_token(
                slots, sizeof(uint16_t), mask, keys, bytes_at, seeds, token_keys[t], token_bytes[t], &tokens)
            is_new = tokens != before
            if words == 1:
                word[number] = (word[number] & (<uint64_t>is_new - 1)) | <uint64_t>1 << position
            else:
                # Clear the set of a new token without a branch, since processors cannot predict whether a token is new.
                for w in range(words):
                    index.positions[number * words + w] &= <uint64_t>is_new - 1
                word[number * words] |= <uint64_t>1 << position
            t += 1
        word += index.lengths[reference] != 0
    index.tokens = tokens


cdef int number_with_positions(Workspace* work, Index* index, size_t slots_per_token) except -1 nogil:
    """Number the references' tokens, and make the position set of each token, with `index.words` words per set.

    A larger `slots_per_token` makes look-ups a little faster, and the index larger.
    """
    cdef size_t total = work.tokens, n_slots = slots_for(total, slots_per_token)
    reserve(<void**>&work.slots, n_slots, sizeof(uint16_t))
    reserve_keys(work, total)
    reserve(<void**>&work.positions, (total + 1) * index.words, sizeof(uint64_t))
    index.slot_mask = n_slots - 1
    index.slots = work.slots
    index.keys = work.keys
    index.bytes_at = work.bytes_at
    index.positions = work.positions
    memset(index.slots, 0, n_slots * sizeof(uint16_t))
    memset(index.positions, 0, index.words * sizeof(uint64_t))
    memset(index.keys, 0, sizeof(fb_key))
    index.bytes_at[0] = 0
    if index.words == 1:
        make_position_sets(work, index, 1)
    else:
        make_position_sets(work, index, index.words)
    return 0


cdef int number_ids_with_positions(
    Workspace* work, Index* index, const View* references, size_t streams, int64_t segment, size_t n_ids
) except -1 nogil:
    """Number the references' ids, and make the position set of each id, with `index.words` words per set.

    An array that is indexed by the id replaces the hash table. The arguments are those of _numbering.number_ids.
    """
    cdef size_t words = index.words, t, first = 1
    cdef uint32_t reference
    cdef uint64_t* word
    number_ids(work, index, references, streams, segment, n_ids)
    reserve(<void**>&work.positions, (<size_t>index.tokens + 1) * words, sizeof(uint64_t))
    memset(work.positions, 0, (<size_t>index.tokens + 1) * words * sizeof(uint64_t))
    index.positions = work.positions
    word = index.positions
    for reference in range(index.references):
        for t in range(index.lengths[reference]):
            word[work.numbers[first + t] * words] |= <uint64_t>1 << t
        first += index.lengths[reference]
        word += index.lengths[reference] != 0
    return 0


cdef void find_numbers(const Index* index, Workspace* work, size_t base) noexcept nogil:
    """Write the numbers of the hypothesis' tokens to `work.numbers` from index `base` on; 0 for unknown tokens."""
    cdef size_t t, slot
    cdef fb_seeds seeds = SEEDS
    cdef const uint16_t* slots = index.slots
    for t in range(base, work.tokens):
        slot = fb_find_token(
            slots, sizeof(uint16_t), index.slot_mask, index.keys, index.bytes_at,
            fb_home(work.token_keys[t], index.slot_mask, seeds), work.token_keys[t], &work.token_bytes[t])
        work.numbers[t] = slots[slot]


cdef int find_hits(const Index* index, Workspace* work, size_t base) except -1 nogil:
    """Match the orders 1 to 4. Set bit n - 1 of work.hits[t] for a match of order n that ends at token t."""
    cdef size_t count = work.tokens - base, word
    cdef int64_t matches[MAX_ORDERS]
    reserve(<void**>&work.hits, count + 1, 1)
    memset(work.hits, 0, count)
    for word in range(index.words):
        match_numbers(index.positions + word, index.words, work.numbers + base, count, matches, work.hits)
    return 0


cdef int match_short(
    const Index* index, Workspace* work, size_t base, int order, int64_t* correct
) except -1 nogil:
    """Write the numbers of clipped matches of the orders 1..order, at most 4, to `correct`.

    The numbers of the hypothesis' tokens must be in `work.numbers` from index `base` on.
    """
    cdef int64_t matches[MAX_ORDERS]
    cdef size_t count = work.tokens - base, t
    cdef int n
    cdef uint8_t hit
    if index.words == 1:
        match_numbers(index.positions, 1, work.numbers + base, count, matches, NULL)
    else:
        memset(matches, 0, sizeof(matches))
        find_hits(index, work, base)
        for t in range(count):
            hit = work.hits[t]
            matches[0] += hit & 1
            matches[1] += hit >> 1 & 1
            matches[2] += hit >> 2 & 1
            matches[3] += hit >> 3
    for n in range(order):
        correct[n] = matches[n]
    return 0


cdef int mark_short(
    const Index* index, Workspace* work, size_t base, int order, uint8_t* marks
) except -1 nogil:
    """Set marks[t * order + n - 1] to whether the n-gram of order n that ends at token t of the hypothesis matches.

    The numbers of the hypothesis' tokens must be in `work.numbers` from index `base` on.
    """
    cdef size_t t
    cdef int n
    find_hits(index, work, base)
    for t in range(work.tokens - base):
        for n in range(order):
            marks[t * <size_t>order + <size_t>n] = work.hits[t] >> n & 1
    return 0
