"""Columns -> rows of statistics: numbering tokens, matching n-grams against references, clipping.

The distinct tokens of a segment's references are numbered 1..V in a small hash table; 0 is "in no reference". Keys are
compared whole (bytes of long tokens too), so a hash decides where to look, never what is equal. Then one of two
routes counts, both exact:

**Position sets**, for references of up to MOST_WORDS machine words of positions. For each token, M[token] is the set
of the positions where it stands in a reference. Walking the hypothesis, the reference positions where the n-gram
that ends at hypothesis position i ends too are

    P1(i) = M[token_i]          Pn(i) = M[token_i] & (P(n-1)(i-1) << 1)

Each reference position ends one n-gram of each order, so a match may use it up: the lowest position of Pn(i) that no
earlier match of order n has used is taken. What a hypothesis' occurrences of an n-gram can take is the n-gram's
count in that reference, which is all that clipping asks for. With several references each keeps its own used
positions, and an occurrence counts once if any reference still had one for it: that is the minimum of the
hypothesis' count and the largest count in any one reference.

**Numbered n-grams**, for longer references or very many. An n-gram's number is its slot in the table of its order,
found by (number of the first n - 1 tokens, last token); each slot keeps the largest count in any one reference. All
work is a constant number of steps per token, whatever the length.
"""

import os

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

from fastbleu._columns cimport Column, TextColumn, View
from fastbleu._tokenize cimport TOKENIZE_IDS, Spans, free_spans, reset_arena, tokenize_text

cdef extern from "_scan.h" nogil:
    ctypedef struct fb_key:
        uint64_t low
        uint64_t high
    const uint32_t FB_SHORT_TOKEN
    fb_key fb_short_key(const uint8_t* p, uint32_t length)
    fb_key fb_long_key(const uint8_t* p, uint32_t length, uint64_t seed1, uint64_t seed2)
    uint64_t fb_mix(uint64_t a, uint64_t b)
    int fb_count_bits(uint64_t x)
    void fb_prefetch(const void* address)

cdef enum:
    WORD = 64                # positions in a machine word
    MOST_WORDS = 12          # of position sets, over all references of a segment; beyond, n-grams are numbered
    FEWEST_SLOTS = 16
    GROUP = 16               # look-ups under way at once where tables are larger than caches
    ARENA_MARGIN = 192       # bytes that one text's copy may need beyond its own
    KEPT_WORKSPACES = 8
    MOST_KEPT_TOKENS = 1 << 14

cdef uint64_t ID_TAG = <uint64_t>8 << 56      # second word of the key of an id
cdef uint64_t LONG_TAG = <uint64_t>0xff << 56
cdef uint32_t UNKNOWN = 0xffffffff            # an n-gram that is in no reference
cdef size_t MOST_TOKENS = 1 << 30             # in a segment's references together: slots are numbered in 32 bits

# Secret and new in every process, so that no text can be written to make look-ups collide. Results never depend on it.
cdef uint64_t SEED1 = int.from_bytes(os.urandom(8), "little")
cdef uint64_t SEED2 = int.from_bytes(os.urandom(8), "little")


cdef struct Index:
    # What matching needs to know of one segment's references.
    uint32_t references
    uint32_t tokens              # numbered 1..tokens
    uint32_t words               # of a position set; 0: n-grams are numbered
    uint32_t orders              # tables of n-grams, of order 2 on; 0 where they are made one at a time
    size_t slot_mask
    uint32_t* lengths            # of each reference, in tokens
    fb_key* keys                 # by number; the one of number 0 equals no key
    uint64_t* bytes_at           # by number: where a long token's bytes are, from bytes_base on
    uint64_t bytes_base
    uint16_t* slots              # number of the token there, with position sets
    uint32_t* wide_slots         # the same with numbered n-grams
    uint64_t* positions          # by number, `words` each
    uint32_t* most               # by number: largest count of the token in any one reference
    size_t* table_masks          # by order - 2
    uint64_t** table_keys
    uint32_t** table_most


cdef struct Workspace:
    # Memory that one thread works in, used again from segment to segment.
    Spans spans
    fb_key* token_keys           # of the references' tokens, then of the hypothesis'
    uint64_t* token_bytes        # address of each token's bytes
    uint32_t* numbers            # of the tokens
    uint32_t* prefixes           # number of the n-gram that ends at each token
    size_t tokens_capacity
    size_t tokens
    fb_key* keys
    uint64_t* bytes_at
    uint64_t* positions
    size_t positions_capacity
    size_t keys_capacity
    uint8_t* slots
    size_t slots_capacity
    uint32_t* lengths
    size_t lengths_capacity
    uint32_t* most
    size_t most_capacity
    uint64_t* table_keys
    uint32_t* table_most
    size_t table_capacity
    uint32_t* runs               # counts of the n-grams of one text so far; all zero between texts
    size_t runs_capacity
    uint64_t* sets               # position sets of the last n-grams, and the positions not yet used
    size_t sets_capacity
    uint8_t* hits
    size_t hits_capacity
    int64_t* correct
    size_t correct_capacity


cdef void free_workspace(Workspace* work) noexcept nogil:
    free_spans(&work.spans)
    free(work.token_keys)
    free(work.token_bytes)
    free(work.numbers)
    free(work.prefixes)
    free(work.keys)
    free(work.bytes_at)
    free(work.positions)
    free(work.slots)
    free(work.lengths)
    free(work.most)
    free(work.table_keys)
    free(work.table_most)
    free(work.runs)
    free(work.sets)
    free(work.hits)
    free(work.correct)
    memset(work, 0, sizeof(Workspace))


cdef int no_memory() except -1 nogil:
    with gil:
        raise MemoryError


cdef inline int reserve(void** memory, size_t* capacity, size_t count, size_t item_size) except -1 nogil:
    """Makes room for `count` items; what was there before is lost."""
    if count > capacity[0]:
        free(memory[0])
        capacity[0] = 0
        count += count >> 2
        memory[0] = malloc(count * item_size)
        if memory[0] == NULL:
            no_memory()
        capacity[0] = count
    return 0


cdef int reserve_tokens(Workspace* work, size_t tokens) except -1 nogil:
    """Makes room for the tokens of a segment, keeping those that are there."""
    cdef void* memory
    if tokens <= work.tokens_capacity:
        return 0
    tokens += (tokens >> 1) + 64
    memory = realloc(work.token_keys, tokens * sizeof(fb_key))
    if memory == NULL:
        no_memory()
    work.token_keys = <fb_key*>memory
    memory = realloc(work.token_bytes, tokens * sizeof(uint64_t))
    if memory == NULL:
        no_memory()
    work.token_bytes = <uint64_t*>memory
    memory = realloc(work.numbers, tokens * sizeof(uint32_t))
    if memory == NULL:
        no_memory()
    work.numbers = <uint32_t*>memory
    memory = realloc(work.prefixes, tokens * sizeof(uint32_t))
    if memory == NULL:
        no_memory()
    work.prefixes = <uint32_t*>memory
    work.tokens_capacity = tokens
    return 0


cdef int reserve_runs(Workspace* work, size_t count) except -1 nogil:
    if count > work.runs_capacity:
        free(work.runs)
        work.runs_capacity = 0
        work.runs = <uint32_t*>calloc(count, sizeof(uint32_t))
        if work.runs == NULL:
            no_memory()
        work.runs_capacity = count
    return 0


cdef inline bint is_absent(const View* view, int64_t segment) noexcept nogil:
    return view.absent != NULL and view.absent[segment]


cdef inline size_t slots_for(size_t items, size_t slots_per_item) noexcept nogil:
    cdef size_t slots = FEWEST_SLOTS
    while slots < slots_per_item * items:
        slots <<= 1
    return slots


cdef inline uint64_t hash_key(fb_key key, uint64_t seed1, uint64_t seed2) noexcept nogil:
    return fb_mix(key.low ^ seed1, key.high ^ seed2)


# ---------------------------------------------------------------------------------------------- tokens of a segment


cdef long read_tokens(Workspace* work, int tokenizer, const View* view, int64_t segment) except -1 nogil:
    """Appends the keys of a segment's tokens to the workspace; returns how many there are."""
    cdef int64_t start = view.starts[segment], stop = view.ends[segment]
    cdef size_t count, t, base = work.tokens
    cdef uint64_t seed1 = SEED1, seed2 = SEED2
    cdef const uint8_t* text
    cdef const int64_t* ids
    cdef const uint32_t* starts
    cdef const uint32_t* ends
    cdef fb_key* keys
    cdef uint32_t length
    if tokenizer == TOKENIZE_IDS:
        count = <size_t>(stop - start)
        reserve_tokens(work, base + count)
        ids = <const int64_t*>view.data + start
        keys = work.token_keys + base
        for t in range(count):
            keys[t].low = <uint64_t>ids[t]
            keys[t].high = ID_TAG
    else:
        count = <size_t>tokenize_text(
            tokenizer, view.data + start, <size_t>(stop - start), view.readable_end, &work.spans)
        reserve_tokens(work, base + count)
        text = work.spans.base
        starts = work.spans.starts
        ends = work.spans.ends
        keys = work.token_keys + base
        for t in range(count):
            length = ends[t] - starts[t]
            if length <= FB_SHORT_TOKEN:
                keys[t] = fb_short_key(text + starts[t], length)
            else:
                keys[t] = fb_long_key(text + starts[t], length, seed1, seed2)
                work.token_bytes[base + t] = <uint64_t>(text + starts[t])
    work.tokens = base + count
    return <long>count


cdef inline bint same_token(
    fb_key a, fb_key b, const uint64_t* a_bytes, uint64_t a_base, const uint64_t* b_bytes
) noexcept nogil:
    """Whether two tokens are equal; where their bytes are is read only if the keys cannot tell."""
    if (a.low ^ b.low) | (a.high ^ b.high):
        return False
    if a.high < LONG_TAG:
        return True
    return memcmp(<const void*>(a_base + a_bytes[0]), <const void*>b_bytes[0], <size_t>(<uint32_t>a.high)) == 0


# --------------------------------------------------------------------------------------------------- position sets


cdef int reserve_keys(Workspace* work, size_t tokens) except -1 nogil:
    """Makes room for the keys of the references' distinct tokens, and for where their bytes are."""
    if tokens + 1 > work.keys_capacity:
        free(work.bytes_at)
        work.bytes_at = <uint64_t*>malloc((tokens + 1 + (tokens >> 2) + 1) * sizeof(uint64_t))
        if work.bytes_at == NULL:
            work.keys_capacity = 0
            no_memory()
    return reserve(<void**>&work.keys, &work.keys_capacity, tokens + 1, sizeof(fb_key))


cdef inline void place_tokens(Workspace* work, Index* index, size_t words) noexcept nogil:
    """Numbers the references' tokens and notes where each stands, in sets of `words` words."""
    cdef size_t slot, mask = index.slot_mask, t = 0, stop
    cdef uint64_t seed1 = SEED1, seed2 = SEED2
    cdef uint32_t reference, number, tokens = 0, position
    cdef uint16_t* slots = index.slots
    cdef fb_key* keys = index.keys
    cdef fb_key* token_keys = work.token_keys
    cdef uint64_t* word = index.positions
    cdef fb_key key
    for reference in range(index.references):
        for position in range(index.lengths[reference]):
            key = token_keys[t]
            slot = hash_key(key, seed1, seed2) & mask
            while True:
                number = slots[slot]
                if number == 0:
                    tokens += 1
                    number = tokens
                    slots[slot] = <uint16_t>number
                    keys[number] = key
                    if words == 1:
                        index.positions[number] = 0
                    else:
                        memset(index.positions + number * words, 0, words * sizeof(uint64_t))
                    if key.high >= LONG_TAG:
                        work.bytes_at[number] = work.token_bytes[t]
                    break
                if same_token(keys[number], key, &work.bytes_at[number], 0, &work.token_bytes[t]):
                    break
                slot = (slot + 1) & mask
            if words == 1:
                word[number] |= <uint64_t>1 << position
            else:
                word[number * words + position // WORD] |= <uint64_t>1 << (position % WORD)
            t += 1
        word += (index.lengths[reference] + WORD - 1) // WORD
    index.tokens = tokens


cdef int number_with_positions(Workspace* work, Index* index) except -1 nogil:
    """Numbers the references' tokens and notes where each stands."""
    cdef size_t total = work.tokens, n_slots = slots_for(total, 4)
    reserve(<void**>&work.slots, &work.slots_capacity, n_slots, sizeof(uint16_t))
    reserve_keys(work, total)
    reserve(<void**>&work.positions, &work.positions_capacity, (total + 1) * index.words, sizeof(uint64_t))
    index.slot_mask = n_slots - 1
    index.slots = <uint16_t*>work.slots
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
    cdef size_t t, slot, mask = index.slot_mask
    cdef uint64_t seed1 = SEED1, seed2 = SEED2
    cdef uint32_t number
    cdef fb_key key
    for t in range(base, work.tokens):
        key = work.token_keys[t]
        slot = hash_key(key, seed1, seed2) & mask
        while True:
            number = index.slots[slot]
            # An empty slot holds 0, whose key equals none: the loop ends, and the number is 0 already.
            if number == 0 or same_token(
                index.keys[number], key, &index.bytes_at[number], index.bytes_base, &work.token_bytes[t]
            ):
                break
            slot = (slot + 1) & mask
        work.numbers[t] = number


cdef inline void match_one_word(
    const uint64_t* positions, const uint32_t* numbers, size_t count, int64_t* correct
) noexcept nogil:
    """Orders 1 to 4 against one reference of up to 64 tokens, all in registers, without a branch."""
    cdef uint64_t p1 = 0, p2 = 0, p3 = 0, x1, x2, x3, x4
    cdef uint64_t free1 = ~<uint64_t>0, free2 = free1, free3 = free1, free4 = free1
    cdef size_t t
    for t in range(count):
        x1 = positions[numbers[t]]
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
    correct[0] = fb_count_bits(~free1)
    correct[1] = fb_count_bits(~free2)
    correct[2] = fb_count_bits(~free3)
    correct[3] = fb_count_bits(~free4)


cdef inline void hit_one_word(
    const uint64_t* positions, size_t words, const uint32_t* numbers, size_t count, uint8_t* hits
) noexcept nogil:
    """Like match_one_word, for one of several references: notes at which tokens an n-gram of order 1..4 matched."""
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
        hits[t] |= <uint8_t>((x1 != 0) | (x2 != 0) << 1 | (x3 != 0) << 2 | (x4 != 0) << 3)


cdef int match_several_one_word(const Index* index, Workspace* work, size_t base, int64_t* correct) except -1 nogil:
    """Orders 1 to 4 against several references of up to 64 tokens each."""
    cdef size_t count = work.tokens - base, t
    cdef uint32_t reference, word = 0
    cdef uint8_t hit
    reserve(<void**>&work.hits, &work.hits_capacity, count, 1)
    memset(work.hits, 0, count)
    for reference in range(index.references):
        if index.lengths[reference]:
            hit_one_word(index.positions + word, index.words, work.numbers + base, count, work.hits)
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


# ------------------------------------------------------------------------------------------------ numbered n-grams


cdef int number_tokens(Workspace* work, Index* index) except -1 nogil:
    """Numbers the references' tokens, and finds the largest count of each in any one reference."""
    cdef size_t total = work.tokens, n_slots = slots_for(total, 2), mask = n_slots - 1, slot, t = 0, end
    cdef uint64_t seed1 = SEED1, seed2 = SEED2
    cdef uint32_t reference, number, tokens = 0
    cdef uint32_t* slots
    cdef fb_key key
    reserve(<void**>&work.slots, &work.slots_capacity, n_slots * 2, sizeof(uint16_t))
    reserve_keys(work, total)
    reserve(<void**>&work.most, &work.most_capacity, total + 1, sizeof(uint32_t))
    reserve_runs(work, total + 1)
    slots = <uint32_t*>work.slots
    memset(slots, 0, n_slots * sizeof(uint32_t))
    memset(work.keys, 0, sizeof(fb_key))
    for reference in range(index.references):
        end = t + index.lengths[reference]
        while t < end:
            key = work.token_keys[t]
            slot = hash_key(key, seed1, seed2) & mask
            while True:
                number = slots[slot]
                if number == 0:
                    tokens += 1
                    number = tokens
                    slots[slot] = number
                    work.keys[number] = key
                    work.bytes_at[number] = work.token_bytes[t]
                    work.most[number] = 0
                    break
                if same_token(work.keys[number], key, &work.bytes_at[number], 0, &work.token_bytes[t]):
                    break
                slot = (slot + 1) & mask
            work.numbers[t] = number
            work.prefixes[t] = number
            work.runs[number] += 1
            if work.runs[number] > work.most[number]:
                work.most[number] = work.runs[number]
            t += 1
        for slot in range(end - index.lengths[reference], end):
            work.runs[work.numbers[slot]] = 0
    index.tokens = tokens
    index.slot_mask = mask
    index.wide_slots = slots
    index.keys = work.keys
    index.bytes_at = work.bytes_at
    index.bytes_base = 0
    index.most = work.most
    return 0


cdef void find_wide_numbers(const Index* index, Workspace* work, size_t base) noexcept nogil:
    cdef size_t t, slot, mask = index.slot_mask
    cdef uint64_t seed1 = SEED1, seed2 = SEED2
    cdef uint32_t number
    cdef fb_key key
    for t in range(base, work.tokens):
        key = work.token_keys[t]
        slot = hash_key(key, seed1, seed2) & mask
        while True:
            number = index.wide_slots[slot]
            if number == 0 or same_token(
                index.keys[number], key, &index.bytes_at[number], index.bytes_base, &work.token_bytes[t]
            ):
                break
            slot = (slot + 1) & mask
        work.numbers[t] = number
        work.prefixes[t] = number if number else UNKNOWN


cdef size_t ngram_positions(const Index* index, int n) noexcept nogil:
    """How many n-grams of order n the references have, repetitions included."""
    cdef uint32_t reference
    cdef size_t total = 0
    for reference in range(index.references):
        if index.lengths[reference] >= <uint32_t>n:
            total += index.lengths[reference] - n + 1
    return total


cdef void fill_table(
    const Index* index, Workspace* work, int n, size_t mask, uint64_t* table_keys, uint32_t* table_most
) noexcept nogil:
    """Numbers the references' n-grams of order n >= 2, and finds the largest count of each in any one reference.

    prefixes holds the numbers of order n - 1, at each token that ends one, and gets those of order n. It goes
    backwards through a reference, so that the number before a token is still the one of order n - 1.
    """
    cdef size_t first = 0, t, k, group, slot
    cdef size_t homes[GROUP]
    cdef uint64_t keys[GROUP]
    cdef uint32_t reference, length
    cdef uint64_t seed1 = SEED1, seed2 = SEED2
    memset(table_keys, 0, (mask + 1) * sizeof(uint64_t))
    memset(table_most, 0, (mask + 1) * sizeof(uint32_t))
    for reference in range(index.references):
        length = index.lengths[reference]
        if length >= <uint32_t>n:
            t = first + length
            while t > first + n - 1:
                group = min(<size_t>GROUP, t - (first + n - 1))
                for k in range(group):
                    keys[k] = <uint64_t>work.prefixes[t - k - 2] << 32 | work.numbers[t - k - 1]
                    homes[k] = fb_mix(keys[k] ^ seed1, seed2) & mask
                    fb_prefetch(&table_keys[homes[k]])
                    fb_prefetch(&table_most[homes[k]])
                    fb_prefetch(&work.runs[homes[k]])
                for k in range(group):
                    slot = homes[k]
                    while table_keys[slot] != 0 and table_keys[slot] != keys[k]:
                        slot = (slot + 1) & mask
                    table_keys[slot] = keys[k]
                    work.prefixes[t - k - 1] = <uint32_t>slot
                    work.runs[slot] += 1
                    if work.runs[slot] > table_most[slot]:
                        table_most[slot] = work.runs[slot]
                t -= group
            for t in range(first + n - 1, first + length):
                work.runs[work.prefixes[t]] = 0
        first += length


cdef int64_t match_table(
    Workspace* work, size_t base, int n, size_t mask, const uint64_t* table_keys, const uint32_t* table_most
) noexcept nogil:
    """Clipped matches of the hypothesis' n-grams of order n >= 2; prefixes as in fill_table, UNKNOWN where none."""
    cdef size_t t = work.tokens, k, group, slot
    cdef size_t homes[GROUP]
    cdef uint64_t keys[GROUP]
    cdef int64_t correct = 0
    cdef uint64_t seed1 = SEED1, seed2 = SEED2
    while t > base + n - 1:
        group = min(<size_t>GROUP, t - (base + n - 1))
        for k in range(group):
            keys[k] = 0
            if work.prefixes[t - k - 2] != UNKNOWN and work.numbers[t - k - 1] != 0:
                keys[k] = <uint64_t>work.prefixes[t - k - 2] << 32 | work.numbers[t - k - 1]
                homes[k] = fb_mix(keys[k] ^ seed1, seed2) & mask
                fb_prefetch(&table_keys[homes[k]])
                fb_prefetch(&table_most[homes[k]])
                fb_prefetch(&work.runs[homes[k]])
        for k in range(group):
            if keys[k] == 0:
                work.prefixes[t - k - 1] = UNKNOWN
                continue
            slot = homes[k]
            while table_keys[slot] != 0 and table_keys[slot] != keys[k]:
                slot = (slot + 1) & mask
            if table_keys[slot] == 0:
                work.prefixes[t - k - 1] = UNKNOWN
                continue
            work.prefixes[t - k - 1] = <uint32_t>slot
            if work.runs[slot] < table_most[slot]:
                work.runs[slot] += 1
                correct += 1
        t -= group
    for t in range(base + n - 1, work.tokens):
        if work.prefixes[t] != UNKNOWN:
            work.runs[work.prefixes[t]] = 0
    return correct


cdef int64_t match_tokens(const Index* index, Workspace* work, size_t base) noexcept nogil:
    """Clipped matches of the hypothesis' tokens."""
    cdef size_t t
    cdef uint32_t number
    cdef int64_t correct = 0
    for t in range(base, work.tokens):
        number = work.numbers[t]
        if number and work.runs[number] < index.most[number]:
            work.runs[number] += 1
            correct += 1
    for t in range(base, work.tokens):
        work.runs[work.numbers[t]] = 0
    return correct


cdef int match_by_tables(
    const Index* index, Workspace* work, size_t base, int order, int64_t* correct
) except -1 nogil:
    """Clipped matches of all orders; makes the references' tables one order at a time where the index has none."""
    cdef int n
    cdef size_t positions, slots, largest = index.tokens + 1
    cdef bint transient = index.orders == 0
    memset(correct, 0, <size_t>order * sizeof(int64_t))
    if transient:
        slots = slots_for(ngram_positions(index, 2), 2) if order > 1 else FEWEST_SLOTS
        if slots > work.table_capacity:
            free(work.table_most)
            work.table_most = <uint32_t*>malloc(slots * sizeof(uint32_t))
            if work.table_most == NULL:
                work.table_capacity = 0
                no_memory()
            free(work.table_keys)
            work.table_capacity = 0
            work.table_keys = <uint64_t*>malloc(slots * sizeof(uint64_t))
            if work.table_keys == NULL:
                no_memory()
            work.table_capacity = slots
        largest = max(largest, slots)
    else:
        for n in range(<int>index.orders):
            largest = max(largest, index.table_masks[n] + 1)
    reserve_runs(work, largest)
    find_wide_numbers(index, work, base)
    correct[0] = match_tokens(index, work, base)
    for n in range(2, order + 1):
        if correct[n - 2] == 0:
            break
        if transient:
            positions = ngram_positions(index, n)
            slots = slots_for(positions, 2)
            fill_table(index, work, n, slots - 1, work.table_keys, work.table_most)
            correct[n - 1] = match_table(work, base, n, slots - 1, work.table_keys, work.table_most)
        else:
            if n - 2 >= <int>index.orders:
                break
            correct[n - 1] = match_table(
                work, base, n, index.table_masks[n - 2], index.table_keys[n - 2], index.table_most[n - 2])
    return 0


# --------------------------------------------------------------------------------------------------- one segment


cdef int read_references(
    Workspace* work, int tokenizer, const View* references, size_t streams, int64_t segment, size_t ahead, Index* index
) except -1 nogil:
    """Numbers the tokens of a segment's references; index.references is 0 where there is none."""
    cdef size_t stream, bytes = ahead + ARENA_MARGIN, words = 0
    cdef long count
    memset(index, 0, sizeof(Index))
    reserve(<void**>&work.lengths, &work.lengths_capacity, streams, sizeof(uint32_t))
    index.lengths = work.lengths
    if tokenizer != TOKENIZE_IDS:
        for stream in range(streams):
            bytes += <size_t>(references[stream].ends[segment] - references[stream].starts[segment]) + ARENA_MARGIN
        reset_arena(&work.spans, bytes)
    work.tokens = 0
    for stream in range(streams):
        if is_absent(&references[stream], segment):
            continue
        count = read_tokens(work, tokenizer, &references[stream], segment)
        index.lengths[index.references] = <uint32_t>count
        index.references += 1
        words += (<size_t>count + WORD - 1) // WORD
    if work.tokens > MOST_TOKENS:
        with gil:
            raise ValueError(f"the references of one segment have {work.tokens} tokens together, "
                             f"more than the {MOST_TOKENS} that can be counted")
    if index.references == 0:
        return 0
    if words == 0:
        words = 1            # all are empty
    if words <= MOST_WORDS:
        index.words = <uint32_t>words
        number_with_positions(work, index)
    else:
        number_tokens(work, index)
    return 0


cdef int64_t closest_length(const Index* index, int64_t length) noexcept nogil:
    """The reference length closest to the hypothesis', the shorter of two that are equally close."""
    cdef int64_t closest = 0, smallest = -1, candidate, difference
    cdef uint32_t reference
    for reference in range(index.references):
        candidate = index.lengths[reference]
        difference = length - candidate if length > candidate else candidate - length
        if smallest < 0 or difference < smallest or difference == smallest and candidate < closest:
            closest = candidate
            smallest = difference
    return closest


cdef int match_hypothesis(
    Workspace* work, int tokenizer, const View* hypotheses, int64_t segment, int order, const Index* index,
    int64_t* row
) except -1 nogil:
    """Writes one row: sys_len, ref_len, correct_1..order, total_1..order."""
    cdef size_t base = work.tokens
    cdef int64_t length = read_tokens(work, tokenizer, hypotheses, segment)
    cdef int64_t* correct = row + 2
    cdef int64_t* total = row + 2 + order
    cdef int n
    row[0] = length
    row[1] = closest_length(index, length)
    if index.words == 0:
        match_by_tables(index, work, base, order, correct)
    else:
        find_numbers(index, work, base)
        if order == 4 and index.words == 1 and index.references == 1:
            match_one_word(index.positions, work.numbers + base, <size_t>length, correct)
        elif order == 4 and index.words <= index.references and longest_is_one_word(index):
            match_several_one_word(index, work, base, correct)
        else:
            match_any(index, work, base, order, correct)
    for n in range(order):
        total[n] = max(<int64_t>0, length - n)
    return 0


cdef inline bint longest_is_one_word(const Index* index) noexcept nogil:
    cdef uint32_t reference
    for reference in range(index.references):
        if index.lengths[reference] > WORD:
            return False
    return True


cdef inline bint ends_tokenized(const View* view, int64_t segment) noexcept nogil:
    """Whether a segment ends in " .", which looks as if somebody had tokenized it."""
    cdef int64_t stop = view.ends[segment]
    return stop - view.starts[segment] >= 2 and view.data[stop - 1] == c"." and view.data[stop - 2] == c" "


# ------------------------------------------------------------------------------------------------ prepared references


cdef class ReferenceIndex:
    """References of many segments, tokenized, numbered and indexed, to be scored against many times.

    One block of memory per segment, one behind the other; nothing in it changes once it is made, so that any number
    of threads may read it.
    """

    cdef uint8_t* memory
    cdef size_t capacity
    cdef size_t used
    cdef size_t* offsets
    cdef size_t offsets_capacity
    cdef Py_ssize_t length
    cdef readonly int tokenizer
    cdef readonly int order

    def __cinit__(self, int tokenizer, int order):
        self.tokenizer = tokenizer
        self.order = order

    def __dealloc__(self):
        free(self.memory)
        free(self.offsets)

    def __len__(self):
        return self.length

    @property
    def nbytes(self):
        """Bytes of memory held."""
        return self.capacity + self.offsets_capacity * sizeof(size_t)

    def number_of_references(self, const int64_t[::1] segments not None):
        """References of each of these segments: their number, -1 where segments differ, 0 where there are none."""
        cdef Py_ssize_t i, number = 0, here
        for i in range(segments.shape[0]):
            if not 0 <= segments[i] < self.length:
                raise IndexError(f"segment {segments[i]} is out of range for {self.length} prepared segments")
            here = (<Index*>(self.memory + self.offsets[segments[i]])).references
            number = here if i == 0 or number == here else -1
        return number

    def trim(self):
        """Gives back what was set aside for further segments."""
        cdef void* memory
        if self.used:
            memory = realloc(self.memory, self.used)
            if memory != NULL:
                self.memory = <uint8_t*>memory
                self.capacity = self.used

    cdef uint8_t* take(self, size_t bytes) except NULL nogil:
        """The next `bytes` bytes, rounded up to words."""
        cdef size_t needed = self.used + ((bytes + 7) & ~<size_t>7), capacity
        cdef void* memory
        if needed > self.capacity:
            capacity = max(needed, self.capacity + (self.capacity >> 1))
            memory = realloc(self.memory, capacity)
            if memory == NULL:
                no_memory()
            self.memory = <uint8_t*>memory
            self.capacity = capacity
        self.used = needed
        return self.memory + needed - ((bytes + 7) & ~<size_t>7)

    cdef int put(self, const void* items, size_t bytes) except -1 nogil:
        cdef uint8_t* place
        if bytes:
            place = self.take(bytes)
            memcpy(place, items, bytes)
        return 0

    cdef int append(self, Workspace* work, const Index* index) except -1 nogil:
        """Stores one segment's index: the struct first, then what it points to, in the order of load()."""
        cdef size_t first = self.used, entries = index.tokens + 1, number, bytes = 0, slots, positions
        cdef uint8_t* place
        cdef void* offsets
        cdef Index copy = index[0]
        cdef int n
        if <size_t>self.length + 2 > self.offsets_capacity:
            slots = max(<size_t>64, self.offsets_capacity + (self.offsets_capacity >> 1))
            offsets = realloc(self.offsets, slots * sizeof(size_t))
            if offsets == NULL:
                no_memory()
            self.offsets = <size_t*>offsets
            self.offsets_capacity = slots
        copy.orders = 0
        if index.words == 0:
            for n in range(2, self.order + 1):
                if ngram_positions(index, n) == 0:
                    break
                copy.orders += 1
        self.put(&copy, sizeof(Index))
        self.put(index.lengths, index.references * sizeof(uint32_t))
        self.put(index.keys, entries * sizeof(fb_key))
        # Only long tokens have bytes to compare; their addresses become offsets into what follows.
        for number in range(1, entries):
            if index.keys[number].high >= LONG_TAG:
                bytes += <size_t>(<uint32_t>index.keys[number].high)
        (<Index*>(self.memory + first)).bytes_base = bytes
        if bytes:
            place = self.take(entries * sizeof(uint64_t) + bytes)
            bytes = entries * sizeof(uint64_t)
            for number in range(1, entries):
                (<uint64_t*>place)[number] = bytes
                if index.keys[number].high >= LONG_TAG:
                    memcpy(place + bytes, <const void*>index.bytes_at[number],
                           <size_t>(<uint32_t>index.keys[number].high))
                    bytes += <size_t>(<uint32_t>index.keys[number].high)
        if index.words:
            self.put(index.slots, (index.slot_mask + 1) * sizeof(uint16_t))
            self.put(index.positions, entries * index.words * sizeof(uint64_t))
        else:
            self.put(index.wide_slots, (index.slot_mask + 1) * sizeof(uint32_t))
            self.put(index.most, entries * sizeof(uint32_t))
            for n in range(2, <int>copy.orders + 2):
                positions = ngram_positions(index, n)
                slots = slots_for(positions, 2)
                reserve_runs(work, slots)
                place = self.take(sizeof(size_t) + slots * (sizeof(uint64_t) + sizeof(uint32_t)))
                (<size_t*>place)[0] = slots - 1
                place += sizeof(size_t)
                fill_table(
                    index, work, n, slots - 1, <uint64_t*>place, <uint32_t*>(place + slots * sizeof(uint64_t)))
        self.offsets[self.length] = first
        self.length += 1
        self.offsets[self.length] = self.used
        return 0

    cdef void load(self, Py_ssize_t segment, Index* index, size_t* masks, uint64_t** keys, uint32_t** most) noexcept nogil:
        """Points an Index at one segment's block; masks, keys and most have room for `order` tables."""
        cdef uint8_t* place = self.memory + self.offsets[segment]
        cdef size_t entries, slots
        cdef uint32_t n
        index[0] = (<Index*>place)[0]
        entries = index.tokens + 1
        place += (sizeof(Index) + 7) & ~<size_t>7
        index.lengths = <uint32_t*>place
        place += (index.references * sizeof(uint32_t) + 7) & ~<size_t>7
        index.keys = <fb_key*>place
        place += entries * sizeof(fb_key)
        index.bytes_at = <uint64_t*>place
        if index.bytes_base:
            place += (entries * sizeof(uint64_t) + index.bytes_base + 7) & ~<size_t>7
            index.bytes_base = <uint64_t>index.bytes_at
        if index.words:
            index.slots = <uint16_t*>place
            place += ((index.slot_mask + 1) * sizeof(uint16_t) + 7) & ~<size_t>7
            index.positions = <uint64_t*>place
        else:
            index.wide_slots = <uint32_t*>place
            place += ((index.slot_mask + 1) * sizeof(uint32_t) + 7) & ~<size_t>7
            index.most = <uint32_t*>place
            place += (entries * sizeof(uint32_t) + 7) & ~<size_t>7
            index.table_masks = masks
            index.table_keys = keys
            index.table_most = most
            for n in range(index.orders):
                masks[n] = (<size_t*>place)[0]
                slots = masks[n] + 1
                keys[n] = <uint64_t*>(place + sizeof(size_t))
                most[n] = <uint32_t*>(place + sizeof(size_t) + slots * sizeof(uint64_t))
                place += sizeof(size_t) + slots * (sizeof(uint64_t) + sizeof(uint32_t))


# ------------------------------------------------------------------------------------------------------ many segments


cdef class WorkspaceHolder:
    """One thread's memory, as a Python object, with columns for the text of a single segment."""

    cdef Workspace work
    cdef TextColumn hypothesis
    cdef TextColumn references

    def __cinit__(self):
        memset(&self.work, 0, sizeof(Workspace))
        self.hypothesis = TextColumn()
        self.references = TextColumn()

    def __dealloc__(self):
        free_workspace(&self.work)


cdef class NgramCounter:
    """Counts the n-grams of segments against their references.

    Args:
        tokenizer: A number of tokenizers.COMPILED, or IDS where the columns hold ids.
        order: The largest n, >= 1.
    """

    cdef readonly int tokenizer
    cdef readonly int order
    cdef list workspaces

    def __cinit__(self, int tokenizer, int order):
        if order < 1:
            raise ValueError(f"order must be >= 1, not {order}")
        self.tokenizer = tokenizer
        self.order = order
        self.workspaces = []

    def __reduce__(self):
        return NgramCounter, (self.tokenizer, self.order)

    cdef WorkspaceHolder borrow(self):
        try:
            return <WorkspaceHolder>self.workspaces.pop()
        except IndexError:
            return WorkspaceHolder()

    cdef void give_back(self, WorkspaceHolder holder):
        """Keeps a workspace for the next call, unless a very long segment made it large."""
        if holder.work.tokens_capacity < MOST_KEPT_TOKENS and len(self.workspaces) < KEPT_WORKSPACES:
            self.workspaces.append(holder)

    def count(self, Column hypotheses not None, list references not None, Py_ssize_t first=0, int64_t[:, ::1] rows=None):
        """Counts a range of segments against their references.

        Args:
            hypotheses: n segments.
            references: Columns of n segments each, one per stream.
            first: What the first segment is called in an error.
            rows: int64 [n, 2 + 2 * order] to write to: sys_len, ref_len, correct_1.., total_1..

        Returns:
            The sums of the rows as a list of 2 + 2 * order int; how many hypotheses end in " ."; and the number of
            references of a segment, -1 where segments differ, 0 where there are no segments.

        Raises:
            ValueError: A segment has no reference in any stream.
        """
        cdef size_t streams = len(references), s
        cdef View* views = <View*>PyMem_Malloc(max(<size_t>1, streams) * sizeof(View))
        cdef WorkspaceHolder holder = self.borrow()
        cdef Column column
        if views == NULL:
            raise MemoryError
        try:
            for s in range(streams):
                column = <Column?>references[s]
                if column.length != hypotheses.length:
                    raise ValueError(f"references[{s}] has {column.length} segments, hypotheses {hypotheses.length}")
                views[s] = column.view
            return self.run(holder, hypotheses, views, streams, None, None, first, rows)
        finally:
            PyMem_Free(views)
            self.give_back(holder)

    def count_one(self, str hypothesis not None, references not None, bint lowercase=False):
        """Counts one segment, without the detour over chunks.

        Args:
            hypothesis: The segment's text.
            references: A list or tuple of str, or None for one that is not there.
            lowercase: Whether to count str.lower() of each.

        Returns:
            As count.

        Raises:
            TypeError: A reference is neither str nor None.
            ValueError: There is no reference.
        """
        cdef Py_ssize_t streams = len(references), s
        cdef WorkspaceHolder holder = self.borrow()
        cdef View* views = <View*>PyMem_Malloc(<size_t>max(<Py_ssize_t>1, streams) * sizeof(View))
        cdef TextColumn column
        if views == NULL:
            raise MemoryError
        try:
            column = holder.hypothesis
            column.reserve_segments(1)
            column.append(hypothesis, "hypothesis", 0, lowercase, False)
            column.finish()
            column = holder.references
            column.reserve_segments(streams)
            column.grow(0)
            for s in range(streams):
                column.append(references[s], "references", s, lowercase, True)
            column.finish()
            for s in range(streams):
                views[s] = column.view
                views[s].starts += s
                views[s].ends += s
                if views[s].absent != NULL:
                    views[s].absent += s
            return self.run(holder, holder.hypothesis, views, <size_t>streams, None, None, 0, None)
        finally:
            PyMem_Free(views)
            self.give_back(holder)

    def count_prepared(
        self, Column hypotheses not None, ReferenceIndex references not None, const int64_t[::1] segments=None,
        Py_ssize_t first=0, int64_t[:, ::1] rows=None,
    ):
        """Like count, against prepared references: segment i against block segments[i], or first + i."""
        if references.tokenizer != self.tokenizer or references.order != self.order:
            raise ValueError("these references were prepared for another tokenizer or order")
        cdef WorkspaceHolder holder = self.borrow()
        try:
            return self.run(holder, hypotheses, NULL, 0, references, segments, first, rows)
        finally:
            self.give_back(holder)

    cdef tuple run(
        self, WorkspaceHolder holder, Column hypotheses, View* views, size_t streams, ReferenceIndex prepared, const int64_t[::1] segments,
        Py_ssize_t first, int64_t[:, ::1] rows,
    ):
        cdef Py_ssize_t i, n = hypotheses.length, missing = -1, tokenized = 0, number = 0, block, width = 2 + 2 * <Py_ssize_t>self.order
        cdef int order = self.order, tokenizer = self.tokenizer
        cdef View view = hypotheses.view
        cdef Workspace* work = &holder.work
        cdef Index index
        cdef int64_t* row
        cdef int64_t* totals
        cdef size_t* masks = NULL
        cdef uint64_t** table_keys = NULL
        cdef uint32_t** table_most = NULL
        cdef bint has_rows = rows is not None, has_segments = segments is not None, has_prepared = prepared is not None
        cdef Py_ssize_t k
        if has_rows and (rows.shape[0] != n or rows.shape[1] != width):
            raise ValueError(f"rows must have the shape [{n}, {width}], not [{rows.shape[0]}, {rows.shape[1]}]")
        if has_segments and segments.shape[0] != n:
            raise ValueError(f"segments must have {n} numbers, not {segments.shape[0]}")
        reserve(<void**>&work.correct, &work.correct_capacity, 2 * <size_t>width, sizeof(int64_t))
        totals = work.correct
        memset(totals, 0, <size_t>width * sizeof(int64_t))
        if has_prepared:
            masks = <size_t*>PyMem_Malloc(<size_t>order * (sizeof(size_t) + 2 * sizeof(void*)))
            if masks == NULL:
                raise MemoryError
            table_keys = <uint64_t**>(masks + order)
            table_most = <uint32_t**>(table_keys + order)
        try:
            with nogil:
                for i in range(n):
                    row = &rows[i, 0] if has_rows else totals + width
                    if has_prepared:
                        block = segments[i] if has_segments else first + i
                        if block < 0 or block >= prepared.length:
                            missing = i
                            break
                        if tokenizer != TOKENIZE_IDS:
                            reset_arena(&work.spans, <size_t>(view.ends[i] - view.starts[i]) + ARENA_MARGIN)
                        work.tokens = 0
                        prepared.load(block, &index, masks, table_keys, table_most)
                    else:
                        read_references(
                            work, tokenizer, views, streams, i, <size_t>(view.ends[i] - view.starts[i]), &index)
                        if index.references == 0:
                            missing = i
                            break
                    number = <Py_ssize_t>index.references if i == 0 or number == <Py_ssize_t>index.references else -1
                    match_hypothesis(work, tokenizer, &view, i, order, &index, row)
                    for k in range(width):
                        totals[k] += row[k]
                    if tokenizer != TOKENIZE_IDS:
                        tokenized += ends_tokenized(&view, i)
            if missing >= 0:
                if has_prepared:
                    raise IndexError(f"there is no prepared segment for hypothesis {first + missing}")
                raise ValueError(f"segment {first + missing} has no reference in any stream")
            return [totals[k] for k in range(width)], tokenized, number
        finally:
            PyMem_Free(masks)

    def index(self, ReferenceIndex index not None, list references not None, Py_ssize_t first=0):
        """Prepares references of further segments.

        Args:
            index: Where to.
            references: Columns of n segments each, one per stream.
            first: What the first segment is called in an error.

        Returns:
            The number of references of a segment; -1 where segments differ; 0 where there are no segments.

        Raises:
            ValueError: A segment has no reference in any stream.
        """
        cdef size_t streams = len(references), s
        cdef Py_ssize_t i, n = len(references[0]), missing = -1, number = 0
        cdef View* views = <View*>PyMem_Malloc(max(<size_t>1, streams) * sizeof(View))
        cdef Column column
        cdef WorkspaceHolder holder = self.borrow()
        cdef Workspace* work = &holder.work
        cdef Index segment
        if views == NULL:
            raise MemoryError
        try:
            for s in range(streams):
                column = <Column?>references[s]
                if column.length != n:
                    raise ValueError(f"references[{s}] has {column.length} segments, references[0] {n}")
                views[s] = column.view
            with nogil:
                for i in range(n):
                    read_references(work, self.tokenizer, views, streams, i, 0, &segment)
                    if segment.references == 0:
                        missing = i
                        break
                    number = segment.references if i == 0 or number == <Py_ssize_t>segment.references else -1
                    index.append(work, &segment)
            if missing >= 0:
                raise ValueError(f"segment {first + missing} has no reference in any stream")
            return number
        finally:
            PyMem_Free(views)
            self.give_back(holder)


IDS = TOKENIZE_IDS
