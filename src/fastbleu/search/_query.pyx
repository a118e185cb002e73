"""A query, and its matches with one text after another.

Where each token stands in a query of up to 64 or 128 tokens is a set of bits: the loops of `counting` match with these.
A longer query, or one of more orders, has classes: each n-gram is named by the class of its tokens but the last, and by
the last one.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memset

from fastbleu._native._hashing cimport SEEDS, fb_find_class, fb_ngram_home, slots_for
from fastbleu._native.memory cimport release_all, reserve, reserve_cleared
from fastbleu.counting._match_one_short cimport SHORT_ORDER, longest_short, match_numbers
from fastbleu.rerank._score_by_length cimport MOST_TABLE_ORDERS

cdef enum:
    WORD = 64                    # places of tokens in a machine word


cdef int begin_matching(Query* query, int orders, size_t vocabulary) except -1 nogil:
    """Makes a query ready for texts; `vocabulary` is the largest number of a token."""
    query.orders = orders
    query.vocabulary = vocabulary
    reserve_cleared(<void**>&query.sets, vocabulary + 1, sizeof(uint64_t))
    return 0


cdef void free_query(Query* query) noexcept nogil:
    release_all(<void**>&query.sets, <void**>&query.vocabulary)


cdef inline uint32_t class_of(Query* query, uint32_t before, uint32_t token, bint is_new) noexcept nogil:
    """The class of the n-gram of a class and a token after it; 0 if the query does not have it."""
    cdef uint64_t key = <uint64_t>before << 32 | token
    cdef size_t slot = fb_find_class(
        query.slots, query.mask, query.keys, fb_ngram_home(key, query.mask, SEEDS), key)
    if query.slots[slot] == 0 and is_new:
        query.classes += 1
        query.slots[slot] = <uint32_t>query.classes
        query.keys[query.classes] = key
        query.available[query.classes] = 0
    return query.slots[slot]


cdef int index_ngrams(Query* query) except -1 nogil:
    """Makes classes of the n-grams of a query that is long, or of many orders."""
    cdef size_t most = query.length * <size_t>query.orders, t, slots = slots_for(most + 1, 2)
    cdef uint32_t before[MOST_TABLE_ORDERS + 1]
    cdef int n
    if not reserve_cleared(<void**>&query.slots, slots, sizeof(uint32_t)):
        memset(query.slots, 0, slots * sizeof(uint32_t))
    query.mask = slots - 1
    reserve(<void**>&query.keys, most + 1, sizeof(uint64_t))
    reserve(<void**>&query.available, most + 1, sizeof(uint32_t))
    if not reserve_cleared(<void**>&query.taken, most + 1, sizeof(uint32_t)):
        memset(query.taken, 0, (most + 1) * sizeof(uint32_t))
    query.keys[0] = 0
    query.classes = 0
    memset(before, 0, sizeof(before))
    for t in range(query.length):
        for n in range(query.orders, 0, -1):
            before[n] = 0 if query.tokens[t] == 0 or n > 1 and before[n - 1] == 0 else class_of(
                query, before[n - 1], query.tokens[t], True)
            query.available[before[n]] += 1
    return 0


cdef int begin_query(Query* query, const uint32_t* tokens, size_t length) except -1 nogil:
    """Makes a query ready for all parts. `end_query` must follow."""
    cdef size_t t
    reserve(<void**>&query.tokens, length + 1, sizeof(uint32_t))
    for t in range(length):
        query.tokens[t] = tokens[t] if tokens[t] <= query.vocabulary else 0
    query.length = length
    query.words = (length + WORD - 1) // <size_t>WORD
    if query.orders > SHORT_ORDER or length > longest_short():
        query.words = 0
        return index_ngrams(query)
    if query.words == 2:
        reserve_cleared(<void**>&query.wide_sets, 2 * (query.vocabulary + 1), sizeof(uint64_t))
    for t in range(length):
        if query.tokens[t] and query.words == 1:
            query.sets[query.tokens[t]] |= <uint64_t>1 << t
        elif query.tokens[t]:
            query.wide_sets[2 * <size_t>query.tokens[t] + t // WORD] |= <uint64_t>1 << t % WORD
    return 0


cdef void end_query(Query* query) noexcept nogil:
    cdef size_t t
    for t in range(query.length):
        if query.words == 1:
            query.sets[query.tokens[t]] = 0
        elif query.words == 2:
            query.wide_sets[2 * <size_t>query.tokens[t]] = query.wide_sets[2 * <size_t>query.tokens[t] + 1] = 0


cdef int count_classes(Query* query, const uint32_t* tokens, size_t length, int64_t* matches) except -1 nogil:
    """Counts the matches of a text with a query that is long, or of many orders."""
    cdef uint32_t before[MOST_TABLE_ORDERS + 1]
    cdef size_t t, used = 0
    cdef int n
    reserve(<void**>&query.used, length * <size_t>query.orders + 1, sizeof(uint32_t))
    memset(before, 0, sizeof(before))
    for t in range(length):
        for n in range(query.orders, 0, -1):
            before[n] = 0 if tokens[t] == 0 or n > 1 and before[n - 1] == 0 else class_of(
                query, before[n - 1], tokens[t], False)
            if before[n] and query.taken[before[n]] < query.available[before[n]]:
                query.taken[before[n]] += 1
                query.used[used] = before[n]
                used += 1
                matches[n - 1] += 1
    for t in range(used):
        query.taken[query.used[t]] = 0
    return 0


cdef int count_matches(Query* query, const uint32_t* tokens, size_t length, int64_t* matches) except -1 nogil:
    """Counts the clipped matches of a text, of the orders 1 to 8; the tokens are numbers of the vocabulary or 0."""
    memset(matches, 0, MOST_TABLE_ORDERS * sizeof(int64_t))
    if query.words == 1:
        match_numbers(query.sets, 1, False, tokens, length, matches, NULL)
    elif query.words == 2:
        match_numbers(query.wide_sets, 2, True, tokens, length, matches, NULL)
    elif query.length:
        count_classes(query, tokens, length, matches)
    return 0
