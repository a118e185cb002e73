"""Make tables of the n-grams of a segment's references, with which several hypotheses are matched.

Matching by classes overwrites the list of the references' n-grams, so the list would have to be made again for each
hypothesis. If several hypotheses have the same references, the tables of all orders are made once instead.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

from fastbleu._native._hashing cimport SEEDS, cached_slots_for, fb_ngram_home, slots_for
from fastbleu._native.memory cimport release_all, reserve, reserve_cleared
from fastbleu._native.signals cimport check_signals
from fastbleu.counting._match_long_references cimport list_all_longer, number_ngrams, tally
from fastbleu.counting._workspace cimport Index, NgramTable, Workspace

cdef enum:
    SLOTS_PER_NGRAM = 4          # Shared tables of all orders exist together, so they must be small.


cdef int make_shared_tables(Workspace* work, Index* index, NgramTable* tables, int order) except -1 nogil:
    """Make the tables of all orders, and store them in the index.

    The references' tokens must be numbered and listed before the call. The call empties the list.
    """
    cdef size_t after = work.tokens + 1
    cdef NgramTable made
    cdef int n = 1
    reserve(<void**>&work.ngram_keys, after + 1, sizeof(uint64_t))
    work.ngram_keys[0] = 0
    reserve_cleared(<void**>&work.matched, after, sizeof(uint32_t))
    tables[0].after = <size_t>index.tokens + 1
    reserve(<void**>&tables[0].max_counts, tables[0].after, sizeof(uint32_t))
    memset(tables[0].max_counts, 0, tables[0].after * sizeof(uint32_t))
    tally(index, work, after, tables[0].max_counts)
    while n < order:
        after = list_all_longer(work, after)
        if after == 1:
            break
        # Make the table in the workspace first, because the number of distinct n-grams is not known yet.
        made.mask = cached_slots_for(after, SLOTS_PER_NGRAM) - 1
        reserve(<void**>&work.ngram_slots, made.mask + 1, sizeof(uint32_t))
        reserve(<void**>&work.max_counts, after, sizeof(uint32_t))
        made.slots = work.ngram_slots
        made.keys = work.ngram_keys
        made.max_counts = work.max_counts
        number_ngrams(index, work, after, &made)
        copy_table(work, after, &tables[n])
        n += 1
    index.tables, index.orders = tables, n
    work.tokens = 0
    return 0


cdef int copy_table(Workspace* work, size_t after, NgramTable* table) except -1 nogil:
    """Copy the table of the listed n-grams to a smaller one, and renumber its classes 1, 2, .. without gaps."""
    cdef size_t k, slot, classes = 0
    cdef uint32_t this, number = 0
    cdef uint32_t* numbers = work.ngram_slots    # [old class]: the new class. This reuses the memory of the slots.
    for k in range(1, after):
        classes += work.numbers[k] == k
    table.mask = slots_for(classes + 1, SLOTS_PER_NGRAM) - 1
    table.after = classes + 1
    reserve(<void**>&table.slots, table.mask + 1, sizeof(uint32_t))
    reserve(<void**>&table.keys, table.after, sizeof(uint64_t))
    reserve(<void**>&table.max_counts, table.after, sizeof(uint32_t))
    memset(table.slots, 0, (table.mask + 1) * sizeof(uint32_t))
    table.keys[0] = 0
    table.max_counts[0] = 0
    for k in range(1, after):
        check_signals(k)
        this = work.numbers[k]
        if this == k:
            number += 1
            numbers[this] = number
            table.keys[number] = work.ngram_keys[k]
            table.max_counts[number] = work.max_counts[k]
            slot = fb_ngram_home(work.ngram_keys[k], table.mask, SEEDS)
            while table.slots[slot]:
                slot = (slot + 1) & table.mask
            table.slots[slot] = number
        work.numbers[k] = numbers[this]
    return 0


cdef void release_shared_tables(NgramTable* tables, int order) noexcept nogil:
    """Free the buffers of `order` shared tables."""
    cdef int n
    for n in range(order):
        release_all(<void**>&tables[n].slots, <void**>&tables[n].mask, 3)
