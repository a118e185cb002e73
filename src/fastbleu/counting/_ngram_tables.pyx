"""Matching n-grams by numbering them, in time that does not depend on how long a reference is.

The references' n-grams of each order have a table. An n-gram's key is (number of its first n - 1 tokens, number of its
last token); its own number is the place of its entry. The entry holds the largest count of the n-gram in any one
reference, and an n-gram of the hypothesis matches as long as it has matched less often than that. An n-gram that is in
no reference has the number UNKNOWN: no longer one that begins with it is in a reference either, so nothing is looked
up for those.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from fastbleu._native._hashing cimport (
    SEEDS,
    fb_find_ngram,
    fb_find_token,
    fb_home,
    fb_key,
    fb_ngram_home,
    fb_seeds,
    slots_for,
)
from fastbleu._native.memory cimport reserve, reserve_cleared
from fastbleu.counting._workspace cimport TABLES, Index, NgramEntry, Workspace, reserve_keys

cdef extern from "_native/bits.h" nogil:
    void fb_prefetch(const void* address)

cdef enum:
    GROUP = 16               # look-ups under way at once: tables may be larger than caches

cdef uint32_t UNKNOWN = <uint32_t>-1


cdef int number_tokens(Workspace* work, Index* index) except -1 nogil:
    """Numbers the references' tokens, and finds the largest count of each in any one reference."""
    cdef size_t total = work.tokens, n_slots = slots_for(total, 2), mask = n_slots - 1, slot, t = 0, end
    cdef fb_seeds seeds = SEEDS
    cdef uint32_t reference, number, tokens = 0
    cdef uint32_t* slots
    cdef bint single = index.references == 1
    cdef fb_key key
    if not reserve_cleared(<void**>&work.wide_slots, n_slots, sizeof(uint32_t)):
        memset(work.wide_slots, 0, n_slots * sizeof(uint32_t))
    reserve_keys(work, total)
    reserve(<void**>&work.most, total + 1, sizeof(uint32_t))
    reserve_cleared(<void**>&work.runs, total + 1, sizeof(uint32_t))
    slots = work.wide_slots
    memset(work.keys, 0, sizeof(fb_key))
    for reference in range(index.references):
        end = t + index.lengths[reference]
        while t < end:
            key = work.token_keys[t]
            slot = fb_find_token(
                slots, sizeof(uint32_t), mask, work.keys, work.bytes_at, 0, fb_home(key, mask, seeds), key,
                &work.token_bytes[t])
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
    index.route = TABLES
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
    cdef fb_seeds seeds = SEEDS
    cdef uint32_t number
    cdef const uint32_t* slots = index.wide_slots
    for t in range(base, work.tokens):
        slot = fb_find_token(
            slots, sizeof(uint32_t), index.slot_mask, index.keys, index.bytes_at, index.bytes_base,
            fb_home(work.token_keys[t], index.slot_mask, seeds), work.token_keys[t], &work.token_bytes[t])
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

    The table is all zero before. `prefixes` holds the number of the n-gram of order n - 1 that ends at each token, and
    gets that of order n. The loop goes backwards through a reference, so that the number before a token is still of
    order n - 1.
    """
    cdef size_t first = 0, t, k, group, slot
    cdef size_t homes[GROUP]
    cdef uint64_t keys[GROUP]
    cdef uint32_t reference, length
    cdef fb_seeds seeds = SEEDS
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
                    homes[k] = fb_ngram_home(keys[k], mask, seeds)
                    fb_prefetch(&table[homes[k]])
                for k in range(group):
                    slot = fb_find_ngram(table, mask, homes[k], keys[k])
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
    """Whether an n-gram may match once more; it has matched `run` times, or NULL: `most` is what is left."""
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
    """Clipped matches of the hypothesis' n-grams of order n >= 2; `prefixes` as in fill_table, or UNKNOWN.

    A transient table is for one hypothesis: each match takes one from `most`. Any other table is only read, and matches
    are counted in `runs`. Marks, unless they are NULL, are set where matches end, at marks[t * stride] for token t. The
    first occurrences of an n-gram are the ones that match, so with marks a second loop goes through them in order.
    """
    cdef size_t t = work.tokens, k, group, slot
    cdef size_t homes[GROUP]
    cdef uint64_t keys[GROUP]
    cdef int64_t correct = 0
    cdef fb_seeds seeds = SEEDS
    while t > base + n - 1:
        group = min(<size_t>GROUP, t - (base + n - 1))
        for k in range(group):
            keys[k] = 0
            if work.prefixes[t - k - 2] != UNKNOWN and work.numbers[t - k - 1] != 0:
                keys[k] = <uint64_t>work.prefixes[t - k - 2] << 32 | work.numbers[t - k - 1]
                homes[k] = fb_ngram_home(keys[k], mask, seeds)
                fb_prefetch(&table[homes[k]])
                if not transient:
                    fb_prefetch(&work.runs[homes[k]])
        for k in range(group):
            if keys[k] == 0:
                work.prefixes[t - k - 1] = UNKNOWN
                continue
            slot = fb_find_ngram(table, mask, homes[k], keys[k])
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
    """Clipped matches of all orders; with TABLES makes the references' tables, one order at a time.

    Marks, unless they are NULL, are all zero before and get a 1 at marks[t * order + n - 1] for a match of order n that
    ends at token t of the hypothesis.
    """
    cdef int n
    cdef uint8_t* of_order = marks
    cdef size_t slots, largest = index.tokens + 1
    cdef bint transient = index.route == TABLES
    memset(correct, 0, <size_t>order * sizeof(int64_t))
    if not transient:
        for n in range(<int>index.orders):
            largest = max(largest, index.table_masks[n] + 1)
    reserve_cleared(<void**>&work.runs, largest, sizeof(uint32_t))
    find_wide_numbers(index, work, base)
    correct[0] = match_tokens(index, work, base, of_order, <size_t>order)
    for n in range(2, order + 1):
        # Without a match of order n - 1 there is none of order n.
        if correct[n - 2] == 0:
            break
        if marks != NULL:
            of_order = marks + n - 1
        if transient:
            slots = slots_for(ngram_positions(index, n), 2)
            if not reserve_cleared(<void**>&work.table, slots, sizeof(NgramEntry)):
                memset(work.table, 0, slots * sizeof(NgramEntry))
            fill_table(index, work, n, slots - 1, work.table)
            correct[n - 1] = match_table(work, base, n, slots - 1, work.table, True, of_order, <size_t>order)
        elif n - 2 < <int>index.orders:
            correct[n - 1] = match_table(
                work, base, n, index.table_masks[n - 2], index.tables[n - 2], False, of_order, <size_t>order)
    return 0
