"""Matching n-grams by numbering them, in time that does not depend on how long a reference is.

An n-gram's number is its slot in the table of its order, found by (number of its first n - 1 tokens, last token), which
is compared whole. Each slot keeps the largest count in any one reference, and an n-gram of the hypothesis counts as
long as it has occurred less often than that. An n-gram that is in no reference is part of no longer one that is, so
its number is UNKNOWN and nothing is looked up for those.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from fastbleu.counting._workspace cimport (
    SEED1,
    SEED2,
    Index,
    NgramEntry,
    Workspace,
    fb_key,
    fb_mix,
    find_slot,
    reserve,
    reserve_cleared,
    reserve_keys,
    slots_for,
)

cdef extern from "_native/bits.h" nogil:
    void fb_prefetch(const void* address)

cdef enum:
    GROUP = 16               # look-ups under way at once where tables are larger than caches

cdef uint32_t UNKNOWN = <uint32_t>-1


cdef int number_tokens(Workspace* work, Index* index) except -1 nogil:
    """Numbers the references' tokens, and finds the largest count of each in any one reference."""
    cdef size_t total = work.tokens, n_slots = slots_for(total, 2), mask = n_slots - 1, slot, t = 0, end
    cdef uint64_t seed1 = SEED1, seed2 = SEED2
    cdef uint32_t reference, number, tokens = 0
    cdef uint32_t* slots
    cdef bint single = index.references == 1
    cdef fb_key key
    if not reserve_cleared(<void**>&work.wide_slots, &work.wide_slots_capacity, n_slots, sizeof(uint32_t)):
        memset(work.wide_slots, 0, n_slots * sizeof(uint32_t))
    reserve_keys(work, total)
    reserve(<void**>&work.most, &work.most_capacity, total + 1, sizeof(uint32_t))
    reserve_cleared(<void**>&work.runs, &work.runs_capacity, total + 1, sizeof(uint32_t))
    slots = work.wide_slots
    memset(work.keys, 0, sizeof(fb_key))
    for reference in range(index.references):
        end = t + index.lengths[reference]
        while t < end:
            key = work.token_keys[t]
            slot = find_slot(
                slots, mask, work.keys, work.bytes_at, 0, key.low, key.high, &work.token_bytes[t], seed1, seed2)
            number = slots[slot]
            if number == 0:
                tokens += 1
                number = tokens
                slots[slot] = number
                work.keys[number] = key
                work.bytes_at[number] = work.token_bytes[t]
                work.most[number] = 0
            work.numbers[t] = number
            work.prefixes[t] = number
            if single:
                work.most[number] += 1
            else:
                work.runs[number] += 1
                work.most[number] = max(work.most[number], work.runs[number])
            t += 1
        if not single:
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
    cdef size_t t, slot
    cdef uint64_t seed1 = SEED1, seed2 = SEED2
    cdef uint32_t number
    cdef const uint32_t* slots = index.wide_slots
    for t in range(base, work.tokens):
        slot = find_slot(
            slots, index.slot_mask, index.keys, index.bytes_at, index.bytes_base, work.token_keys[t].low,
            work.token_keys[t].high, &work.token_bytes[t], seed1, seed2)
        number = slots[slot]
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


cdef void fill_table(const Index* index, Workspace* work, int n, size_t mask, NgramEntry* table) noexcept nogil:
    """Numbers the references' n-grams of order n >= 2, and finds the largest count of each in any one reference.

    The table is all zero before. prefixes holds the numbers of order n - 1, at each token that ends one, and gets
    those of order n. It goes backwards through a reference, so that the number before a token is still that of n - 1.
    """
    cdef size_t first = 0, t, k, group, slot
    cdef size_t homes[GROUP]
    cdef uint64_t keys[GROUP]
    cdef uint32_t reference, length
    cdef uint64_t seed1 = SEED1, seed2 = SEED2
    cdef bint single = index.references == 1
    cdef NgramEntry* entry
    for reference in range(index.references):
        length = index.lengths[reference]
        if length >= <uint32_t>n:
            t = first + length
            while t > first + n - 1:
                group = min(<size_t>GROUP, t - (first + n - 1))
                for k in range(group):
                    keys[k] = <uint64_t>work.prefixes[t - k - 2] << 32 | work.numbers[t - k - 1]
                    homes[k] = fb_mix(keys[k] ^ seed1, seed2) & mask
                    fb_prefetch(&table[homes[k]])
                for k in range(group):
                    slot = homes[k]
                    while table[slot].key != 0 and table[slot].key != keys[k]:
                        slot = (slot + 1) & mask
                    entry = &table[slot]
                    entry.key = keys[k]
                    work.prefixes[t - k - 1] = <uint32_t>slot
                    if single:
                        entry.most += 1
                    else:
                        entry.run += 1
                        entry.most = max(entry.most, entry.run)
                t -= group
            if not single:
                for t in range(first + n - 1, first + length):
                    table[work.prefixes[t]].run = 0
        first += length


cdef inline bint take_one(NgramEntry* entry, uint32_t* run) noexcept nogil:
    """Whether an n-gram has not yet matched as often as it may: `run` times, or in a transient table used up."""
    if run == NULL:
        if entry.most == 0:
            return False
        entry.most -= 1
        return True
    if run[0] >= entry.most:
        return False
    run[0] += 1
    return True


cdef inline int64_t match_table(
    Workspace* work, size_t base, int n, size_t mask, NgramEntry* table, bint transient, uint8_t* marks, size_t stride
) noexcept nogil:
    """Clipped matches of the hypothesis' n-grams of order n >= 2; prefixes as in fill_table, UNKNOWN where none.

    A transient table is used up: each match takes one from `most`. Any other is only read, and matches are counted
    in `runs`. Marks are set where matches end, at marks[t * stride] for token t: there the first occurrences match,
    so they are taken in their order, once all are known.
    """
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
                fb_prefetch(&table[homes[k]])
                if not transient:
                    fb_prefetch(&work.runs[homes[k]])
        for k in range(group):
            if keys[k] == 0:
                work.prefixes[t - k - 1] = UNKNOWN
                continue
            slot = homes[k]
            while table[slot].key != 0 and table[slot].key != keys[k]:
                slot = (slot + 1) & mask
            if table[slot].key == 0:
                work.prefixes[t - k - 1] = UNKNOWN
                continue
            work.prefixes[t - k - 1] = <uint32_t>slot
            if marks == NULL:
                correct += take_one(&table[slot], &work.runs[slot] if not transient else NULL)
        t -= group
    if marks != NULL:
        for t in range(base + n - 1, work.tokens):
            slot = work.prefixes[t]
            if work.prefixes[t] != UNKNOWN and take_one(&table[slot], &work.runs[slot] if not transient else NULL):
                marks[(t - base) * stride] = 1
                correct += 1
    if not transient:
        for t in range(base + n - 1, work.tokens):
            if work.prefixes[t] != UNKNOWN:
                work.runs[work.prefixes[t]] = 0
    return correct


cdef int64_t match_tokens(
    const Index* index, Workspace* work, size_t base, uint8_t* marks, size_t stride
) noexcept nogil:
    """Clipped matches of the hypothesis' tokens; marks as in match_table, or NULL."""
    cdef size_t t
    cdef uint32_t number
    cdef int64_t correct = 0
    for t in range(base, work.tokens):
        number = work.numbers[t]
        if number and work.runs[number] < index.most[number]:
            work.runs[number] += 1
            correct += 1
            if marks != NULL:
                marks[(t - base) * stride] = 1
    for t in range(base, work.tokens):
        work.runs[work.numbers[t]] = 0
    return correct


cdef int match_by_tables(
    const Index* index, Workspace* work, size_t base, int order, int64_t* correct, uint8_t* marks
) except -1 nogil:
    """Clipped matches of all orders; makes the references' tables one order at a time where the index has none.

    Marks, unless they are NULL, are all zero before and get a 1 at marks[t * order + n - 1] for a match of order n that
    ends at token t of the hypothesis.
    """
    cdef int n
    cdef uint8_t* of_order = marks
    cdef size_t slots, largest = index.tokens + 1
    cdef bint transient = index.table_masks == NULL
    memset(correct, 0, <size_t>order * sizeof(int64_t))
    if not transient:
        for n in range(<int>index.orders):
            largest = max(largest, index.table_masks[n] + 1)
    reserve_cleared(<void**>&work.runs, &work.runs_capacity, largest, sizeof(uint32_t))
    find_wide_numbers(index, work, base)
    correct[0] = match_tokens(index, work, base, of_order, <size_t>order)
    for n in range(2, order + 1):
        # An n-gram that matches ends in a shorter one that does.
        if correct[n - 2] == 0:
            break
        if marks != NULL:
            of_order = marks + n - 1
        if transient:
            slots = slots_for(ngram_positions(index, n), 2)
            if not reserve_cleared(<void**>&work.table, &work.table_capacity, slots, sizeof(NgramEntry)):
                memset(work.table, 0, slots * sizeof(NgramEntry))
            fill_table(index, work, n, slots - 1, work.table)
            correct[n - 1] = match_table(work, base, n, slots - 1, work.table, True, of_order, <size_t>order)
        elif n - 2 < <int>index.orders:
            correct[n - 1] = match_table(
                work, base, n, index.table_masks[n - 2], index.tables[n - 2], False, of_order, <size_t>order)
    return 0
