"""Matching n-grams with sets of positions.

For each token, M[token] is the set of the positions where it stands in a reference. Walking the hypothesis, the
reference positions where the n-gram that ends at hypothesis position i ends too are

    P1(i) = M[token_i]          Pn(i) = M[token_i] & (P(n-1)(i-1) << 1)

Each reference position ends one n-gram of each order, so a match may use it up: the lowest position of Pn(i) that no
earlier match of order n has used is taken. What a hypothesis' occurrences of an n-gram can take is the n-gram's
count in that reference, which is all that clipping asks for. With several references each keeps its own used
positions, and an occurrence counts once if any reference still had one for it: that is the minimum of the
hypothesis' count and the largest count in any one reference. No n-gram is ever hashed, stored or counted.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from fastbleu._workspace cimport (
    SEED1,
    SEED2,
    Index,
    Workspace,
    fb_key,
    find_slot,
    reserve,
    reserve_keys,
    slots_for,
)

cdef extern from "_scan.h" nogil:
    int fb_count_bits(uint64_t x)


cdef inline void place_tokens(Workspace* work, Index* index, size_t words) noexcept nogil:
    """Numbers the references' tokens and notes where each stands, in sets of `words` words.

    Whether a token is new is hard to predict, so both cases take the same instructions: what is written for a token
    that was there already is what stands there.
    """
    cdef size_t slot, mask = index.slot_mask, t = 0
    cdef uint64_t seed1 = SEED1, seed2 = SEED2, low, high
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
            low = token_keys[t].low
            high = token_keys[t].high
            slot = find_slot(slots, mask, keys, bytes_at, 0, low, high, &token_bytes[t], seed1, seed2)
            number = slots[slot]
            is_new = number == 0
            tokens += is_new
            number = tokens if is_new else number
            slots[slot] = <uint16_t>number
            keys[number].low = low
            keys[number].high = high
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

    Twice as many slots make look-ups a little faster and the index larger.
    """
    cdef size_t total = work.tokens, n_slots = slots_for(total, slots_per_token)
    reserve(<void**>&work.slots, &work.slots_capacity, n_slots, sizeof(uint16_t))
    reserve_keys(work, total)
    reserve(<void**>&work.positions, &work.positions_capacity, (total + 1) * index.words, sizeof(uint64_t))
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


cdef inline void find_numbers(const Index* index, Workspace* work, size_t base) noexcept nogil:
    """Numbers of the hypothesis' tokens, 0 for those in no reference."""
    cdef size_t t, slot
    cdef uint64_t seed1 = SEED1, seed2 = SEED2
    cdef const uint16_t* slots = index.slots
    for t in range(base, work.tokens):
        slot = find_slot(
            slots, index.slot_mask, index.keys, index.bytes_at, index.bytes_base, work.token_keys[t].low,
            work.token_keys[t].high, &work.token_bytes[t], seed1, seed2)
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
        correct: Gets the clipped matches of each order, if hits is NULL.
        hits: Where there are several references: gets a bit for each order, at the tokens that end a match.
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


cdef int match_several_one_word(const Index* index, Workspace* work, size_t base, int64_t* correct) except -1 nogil:
    """Orders 1 to 4 against several references of up to 64 tokens each."""
    cdef size_t count = work.tokens - base, t
    cdef uint32_t reference, word = 0
    cdef uint8_t hit
    reserve(<void**>&work.hits, &work.hits_capacity, count, 1)
    if count:
        memset(work.hits, 0, count)
    for reference in range(index.references):
        if index.lengths[reference]:
            match_one_word(index.positions + word, index.words, work.numbers + base, count, correct, work.hits)
            word += 1
    memset(correct, 0, 4 * sizeof(int64_t))
    for t in range(count):
        hit = work.hits[t]
        correct[0] += hit & 1
        correct[1] += hit >> 1 & 1
        correct[2] += hit >> 2 & 1
        correct[3] += hit >> 3
    return 0


cdef int match_any(const Index* index, Workspace* work, size_t base, int order, int64_t* correct) except -1 nogil:
    """Any orders, any number of references of any length, over position sets."""
    cdef size_t words = index.words, t, w, first_word, next_word
    cdef int n, deepest, depth = 0
    cdef uint32_t reference
    cdef uint64_t carry, previous, found, left, any_found
    cdef uint64_t* sets
    cdef uint64_t* unused
    cdef uint64_t* last
    cdef const uint64_t* positions
    cdef bint hit, taken
    # Of order n: the set of its last n-gram at sets + (n - 1) * words, its unused positions behind all of those.
    reserve(<void**>&work.sets, &work.sets_capacity, 2 * words * <size_t>order, sizeof(uint64_t))
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
        # From the highest order down, since each order's set is made from the one below as it was.
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
    """Clipped matches of the hypothesis' n-grams of orders 1..order, by the shortest way that fits."""
    find_numbers(index, work, base)
    if order == 4 and index.words == 1 and index.references == 1:
        match_one_word(index.positions, 1, work.numbers + base, work.tokens - base, correct, NULL)
    elif order == 4 and is_one_word_each(index):
        match_several_one_word(index, work, base, correct)
    else:
        match_any(index, work, base, order, correct)
    return 0
