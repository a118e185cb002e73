"""Matching n-grams with sets of positions.

For each token, M[token] is the set of the positions where it stands in a reference. Walking the hypothesis, the
reference positions where the n-gram that ends at hypothesis position i ends too are

    P1(i) = M[token_i]          Pn(i) = M[token_i] & (P(n-1)(i-1) << 1)

Each reference position ends one n-gram of each order. A match of order n uses one up: the lowest position of Pn(i)
that no earlier match of order n has used. So the occurrences of an n-gram in the hypothesis match as often as it
occurs in that reference, and no more: that is clipping. With several references each keeps its own unused positions,
and an occurrence matches once if any reference has one left. That gives the minimum of the hypothesis' count and the
largest count in any one reference. No n-gram is hashed, stored or counted.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from fastbleu._native._hashing cimport SEEDS, fb_find_token, fb_home, fb_key, fb_seeds, slots_for
from fastbleu._native.memory cimport reserve, reserve_cleared
from fastbleu.counting._workspace cimport NUMBERS_BY_ID, POSITION_SETS, SETS_BY_ID, Index, Workspace, reserve_keys
from fastbleu.inputs._column cimport View

cdef extern from "_native/bits.h" nogil:
    int fb_count_bits(uint64_t x)
    int64_t fb_read_once(const int64_t* place)


cdef inline void place_tokens(Workspace* work, Index* index, size_t words) noexcept nogil:
    """Numbers the references' tokens and notes where each stands, in sets of `words` words.

    Whether a token is new is hard to predict, so both cases take the same instructions: a token that is not new is
    written once more as it stands there.
    """
    cdef size_t slot, mask = index.slot_mask, t = 0
    cdef fb_seeds seeds = SEEDS
    cdef fb_key key
    cdef uint32_t reference, number, tokens = 0, position
    cdef bint is_new
    cdef uint16_t* slots = index.slots
    cdef fb_key* keys = index.keys
    cdef fb_key* token_keys = work.token_keys
    cdef uint64_t* bytes_at = work.bytes_at
    cdef uint64_t* token_bytes = work.token_bytes
    cdef uint64_t* word = index.positions
    for reference in range(index.references):
        for position in range(index.lengths[reference]):
            key = token_keys[t]
            slot = fb_find_token(
                slots, sizeof(uint16_t), mask, keys, bytes_at, 0, fb_home(key, mask, seeds), key, &token_bytes[t])
            number = slots[slot]
            is_new = number == 0
            tokens += is_new
            number = tokens if is_new else number
            slots[slot] = <uint16_t>number
            keys[number] = key
            bytes_at[number] = token_bytes[t]
            if words == 1:
                word[number] = (word[number] & (<uint64_t>is_new - 1)) | <uint64_t>1 << position
            else:
                if is_new:
                    memset(index.positions + number * words, 0, words * sizeof(uint64_t))
                word[number * words + position // WORD] |= <uint64_t>1 << (position % WORD)
            t += 1
        word += (index.lengths[reference] + WORD - 1) // WORD
    index.tokens = tokens


cdef int number_with_positions(Workspace* work, Index* index, size_t slots_per_token) except -1 nogil:
    """Numbers the references' tokens and notes where each stands.

    With more slots per token, look-ups are a little faster and the index is larger.
    """
    cdef size_t total = work.tokens, n_slots = slots_for(total, slots_per_token)
    reserve(<void**>&work.slots, n_slots, sizeof(uint16_t))
    reserve_keys(work, total)
    reserve(<void**>&work.positions, (total + 1) * index.words, sizeof(uint64_t))
    index.route = POSITION_SETS
    index.slot_mask = n_slots - 1
    index.slots = work.slots
    index.keys = work.keys
    index.bytes_at = work.bytes_at
    index.bytes_base = 0
    index.positions = work.positions
    memset(index.slots, 0, n_slots * sizeof(uint16_t))
    memset(index.positions, 0, index.words * sizeof(uint64_t))
    memset(index.keys, 0, sizeof(fb_key))
    if index.words == 1:
        place_tokens(work, index, 1)
    else:
        place_tokens(work, index, index.words)
    return 0


cdef int number_ids_with_positions(
    Workspace* work, Index* index, const View* references, size_t streams, int64_t segment, size_t n_ids
) except -1 nogil:
    """The same for tokens that are ids below n_ids: arrays by id take the place of the hash table.

    An id that is not below n_ids matches nothing: its position is in no set. `forget_ids` clears the arrays afterwards.
    """
    cdef size_t total = 0, words = index.words, stream
    cdef uint32_t reference
    cdef uint64_t* word
    for reference in range(index.references):
        total += index.lengths[reference]
    reserve(<void**>&work.ids, total + 1, sizeof(uint32_t))
    index.ids = work.ids
    if words == 1:
        reserve_cleared(<void**>&work.sets_by_id, n_ids + 1, sizeof(uint64_t))
        index.route = SETS_BY_ID
        index.positions = work.sets_by_id
    else:
        reserve_cleared(<void**>&work.by_id, n_ids, sizeof(uint16_t))
        reserve(<void**>&work.positions, (total + 1) * words, sizeof(uint64_t))
        index.route = NUMBERS_BY_ID
        index.by_id = work.by_id
        index.positions = work.positions
        memset(index.positions, 0, words * sizeof(uint64_t))
    word = index.positions
    for stream in range(streams):
        if references[stream].absent != NULL and references[stream].absent[segment]:
            continue
        total = <size_t>(references[stream].ends[segment] - references[stream].starts[segment])
        place_ids(
            index, <const int64_t*>references[stream].data + references[stream].starts[segment], total, n_ids, word)
        word += (total + WORD - 1) // WORD
    return 0


cdef inline void place_ids(
    Index* index, const int64_t* ids, size_t count, size_t n_ids, uint64_t* word
) noexcept nogil:
    """Notes where each id of a reference stands, in sets whose part for this reference begins at `word`."""
    cdef size_t t, id, words = index.words
    cdef uint32_t number, tokens = index.tokens
    cdef uint32_t* used = index.ids
    for t in range(count if words == 1 else 0):
        id = <size_t>fb_read_once(&ids[t])
        if id < n_ids:
            used[tokens] = <uint32_t>id
            tokens += 1
            word[id + 1] |= <uint64_t>1 << t
    for t in range(count if words > 1 else 0):
        id = <size_t>fb_read_once(&ids[t])
        if id >= n_ids:
            continue
        number = index.by_id[id]
        if number == 0:
            tokens += 1
            number = tokens
            index.by_id[id] = <uint16_t>number
            used[number - 1] = <uint32_t>id
            memset(index.positions + number * words, 0, words * sizeof(uint64_t))
        word[number * words + t // WORD] |= <uint64_t>1 << (t % WORD)
    index.tokens = tokens


cdef void forget_ids(const Index* index) noexcept nogil:
    """Makes the arrays by id all zero again."""
    cdef uint32_t t
    for t in range(index.tokens):
        if index.route == SETS_BY_ID:
            index.positions[index.ids[t] + 1] = 0
        else:
            index.by_id[index.ids[t]] = 0


cdef void find_numbers_by_id(
    const Index* index, const int64_t* ids, size_t count, size_t n_ids, uint32_t* numbers
) noexcept nogil:
    """Numbers of the hypothesis' tokens by their ids, 0 for those in no reference."""
    cdef size_t t, id
    for t in range(count if index.route == SETS_BY_ID else 0):
        id = <size_t>fb_read_once(&ids[t])
        numbers[t] = <uint32_t>id + 1 if id < n_ids else 0
    for t in range(count if index.route == NUMBERS_BY_ID else 0):
        id = <size_t>fb_read_once(&ids[t])
        numbers[t] = index.by_id[id] if id < n_ids else 0


cdef void find_numbers(const Index* index, Workspace* work, size_t base) noexcept nogil:
    """Numbers of the hypothesis' tokens, 0 for those in no reference."""
    cdef size_t t, slot
    cdef fb_seeds seeds = SEEDS
    cdef const uint16_t* slots = index.slots
    for t in range(base, work.tokens):
        slot = fb_find_token(
            slots, sizeof(uint16_t), index.slot_mask, index.keys, index.bytes_at, index.bytes_base,
            fb_home(work.token_keys[t], index.slot_mask, seeds), work.token_keys[t], &work.token_bytes[t])
        work.numbers[t] = slots[slot]


cdef inline void match_one_word(
    const uint64_t* positions, size_t words, const uint32_t* numbers, size_t count, int64_t* correct, uint8_t* hits
) noexcept nogil:
    """Orders 1 to 4 against one reference of up to 64 tokens, all in registers, without a branch.

    Args:
        positions: The reference's word of the first set.
        words: From one set to the next.
        numbers: Of the hypothesis' tokens.
        count: How many there are.
        correct: Gets the clipped matches of each order, if `hits` is NULL.
        hits: For several references: gets a bit for each order, at the token where a match ends. NULL: one reference.
    """
    cdef uint64_t p1 = 0, p2 = 0, p3 = 0, x1, x2, x3, x4
    cdef uint64_t free1 = ~<uint64_t>0, free2 = free1, free3 = free1, free4 = free1
    cdef size_t t
    for t in range(count):
        x1 = positions[numbers[t] * words]
        x2 = x1 & (p1 << 1)
        x3 = x1 & (p2 << 1)
        x4 = x1 & (p3 << 1)
        p1 = x1
        p2 = x2
        p3 = x3
        x1 &= free1
        free1 ^= x1 & (~x1 + 1)
        x2 &= free2
        free2 ^= x2 & (~x2 + 1)
        x3 &= free3
        free3 ^= x3 & (~x3 + 1)
        x4 &= free4
        free4 ^= x4 & (~x4 + 1)
        if hits != NULL:
            hits[t] |= <uint8_t>((x1 != 0) | (x2 != 0) << 1 | (x3 != 0) << 2 | (x4 != 0) << 3)
    if hits == NULL:
        correct[0] = fb_count_bits(~free1)
        correct[1] = fb_count_bits(~free2)
        correct[2] = fb_count_bits(~free3)
        correct[3] = fb_count_bits(~free4)


cdef int find_hits(const Index* index, Workspace* work, size_t base) except -1 nogil:
    """Orders 1 to 4 against references of up to 64 tokens: a bit for each order, at the token where a match ends."""
    cdef size_t count = work.tokens - base
    cdef uint32_t reference, word = 0
    if count == 0:
        return 0
    reserve(<void**>&work.hits, count, 1)
    memset(work.hits, 0, count)
    for reference in range(index.references):
        if index.lengths[reference]:
            match_one_word(index.positions + word, index.words, work.numbers + base, count, NULL, work.hits)
            word += 1
    return 0


cdef int match_several_one_word(const Index* index, Workspace* work, size_t base, int64_t* correct) except -1 nogil:
    """Orders 1 to 4 against several references of up to 64 tokens each."""
    cdef size_t t
    cdef uint8_t hit
    find_hits(index, work, base)
    memset(correct, 0, 4 * sizeof(int64_t))
    for t in range(work.tokens - base):
        hit = work.hits[t]
        correct[0] += hit & 1
        correct[1] += hit >> 1 & 1
        correct[2] += hit >> 2 & 1
        correct[3] += hit >> 3
    return 0


cdef int match_any(
    const Index* index, Workspace* work, size_t base, int order, int64_t* correct, uint8_t* marks
) except -1 nogil:
    """Any orders, any number of references of any length; marks as in mark_position_sets, or NULL."""
    cdef size_t words = index.words, t, w, first_word, next_word
    cdef int n, deepest, depth = 0
    cdef uint32_t reference
    cdef uint64_t carry, previous, found, left, any_found
    cdef uint64_t* sets
    cdef uint64_t* unused
    cdef uint64_t* last
    cdef const uint64_t* positions
    cdef bint hit, taken
    # For order n: the set of the last n-gram at sets + (n - 1) * words; behind all those sets the unused positions.
    reserve(<void**>&work.sets, 2 * words * <size_t>order, sizeof(uint64_t))
    sets = work.sets
    unused = sets + words * <size_t>order
    memset(unused, 0xff, words * <size_t>order * sizeof(uint64_t))
    memset(correct, 0, <size_t>order * sizeof(int64_t))
    for t in range(base, work.tokens):
        if work.numbers[t] == 0:
            depth = 0
            continue
        positions = index.positions + work.numbers[t] * words
        deepest = min(depth + 1, order)
        depth = 0
        # From the highest order down: each order's set is made from that of the order below at the token before.
        for n in range(deepest, 0, -1):
            last = sets + (n - 1) * words
            hit = False
            any_found = 0
            first_word = 0
            for reference in range(index.references):
                next_word = first_word + (index.lengths[reference] + WORD - 1) // WORD
                carry = 0
                taken = False
                for w in range(first_word, next_word):
                    if n == 1:
                        found = positions[w]
                    else:
                        previous = (last - words)[w]
                        found = positions[w] & (previous << 1 | carry)
                        carry = previous >> (WORD - 1)
                    last[w] = found
                    any_found |= found
                    left = found & unused[(n - 1) * words + w]
                    if left and not taken:
                        unused[(n - 1) * words + w] ^= left & (~left + 1)
                        taken = True
                        hit = True
                first_word = next_word
            correct[n - 1] += hit
            if marks != NULL:
                marks[(t - base) * <size_t>order + <size_t>n - 1] = hit
            if any_found and depth < n:
                depth = n
    return 0


cdef inline bint is_one_word_each(const Index* index) noexcept nogil:
    """Whether no reference has more than one word of positions."""
    cdef uint32_t reference
    for reference in range(index.references):
        if index.lengths[reference] > WORD:
            return False
    return True


cdef int match_position_sets(
    const Index* index, Workspace* work, size_t base, int order, int64_t* correct
) except -1 nogil:
    """Clipped matches of the n-grams of orders 1..order of a hypothesis whose tokens are numbered, from `base` on."""
    if order == 4 and index.words == 1 and index.references == 1:
        match_one_word(index.positions, 1, work.numbers + base, work.tokens - base, correct, NULL)
    elif order == 4 and is_one_word_each(index):
        match_several_one_word(index, work, base, correct)
    else:
        match_any(index, work, base, order, correct, NULL)
    return 0


cdef int mark_position_sets(
    const Index* index, Workspace* work, size_t base, int order, uint8_t* marks
) except -1 nogil:
    """Writes where the hypothesis' n-grams match, as mark_hypothesis does."""
    cdef size_t count = work.tokens - base, t
    cdef int n
    if order == 4 and is_one_word_each(index):
        find_hits(index, work, base)
        for t in range(count):
            for n in range(4):
                marks[4 * t + <size_t>n] = work.hits[t] >> n & 1
        return 0
    reserve(<void**>&work.correct, <size_t>order, sizeof(int64_t))
    return match_any(index, work, base, order, work.correct, marks)
