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

cdef enum:
    WORD = 64                    # places of tokens in a machine word


cdef int begin_matching(Query* query, int orders, size_t vocabulary) except -1 nogil:
    """Makes a query ready for texts; `vocabulary` is the largest number of a token."""
    query.most_orders = orders
    query.vocabulary = vocabulary
    reserve_cleared(<void**>&query.sets, 2 * (vocabulary + 1), sizeof(uint64_t))
    reserve_cleared(<void**>&query.matches, max(<size_t>SHORT_ORDER, <size_t>orders), sizeof(int64_t))
    reserve(<void**>&query.before, <size_t>orders + 1, sizeof(uint32_t))
    return 0


cdef void free_query(Query* query) noexcept nogil:
    release_all(<void**>&query.sets, <void**>&query.vocabulary)


cdef inline uint32_t go_on(Query* query, int n, uint32_t token, bint is_new) noexcept nogil:
    """The class of the n-gram that ends at the next token, 0 if the query does not have it; longer ones come first."""
    cdef uint64_t key = <uint64_t>query.before[n - 1] << 32 | token
    cdef size_t slot
    query.before[n] = 0
    if token and (n == 1 or query.before[n - 1]):
        slot = fb_find_class(
            query.slots, query.mask, query.keys, fb_ngram_home(key, query.mask, SEEDS), key)
        if query.slots[slot] == 0 and is_new:
            query.classes += 1
            query.slots[slot] = <uint32_t>query.classes
            query.keys[query.classes] = key
            query.available[query.classes] = 0
        query.before[n] = query.slots[slot]
    return query.before[n]


cdef int index_ngrams(Query* query) except -1 nogil:
    """Makes classes of the n-grams of a query that is long, or of many orders."""
    cdef size_t most = query.length * <size_t>query.orders, t, slots = slots_for(most + 1, 2)
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
    memset(query.before, 0, (<size_t>query.orders + 1) * sizeof(uint32_t))
    for t in range(query.length):
        for n in range(query.orders, 0, -1):
            query.available[go_on(query, n, query.tokens[t], True)] += 1
    return 0


cdef int begin_query(Query* query, const uint32_t* tokens, size_t length) except -1 nogil:
    """Makes a query ready for all parts. `end_query` must follow."""
    cdef size_t t
    reserve(<void**>&query.tokens, length + 1, sizeof(uint32_t))
    for t in range(length):
        query.tokens[t] = tokens[t] if tokens[t] <= query.vocabulary else 0
    query.length = length
    query.words = (length + WORD - 1) // <size_t>WORD
    if query.most_orders > SHORT_ORDER or length > longest_short():
        query.words = 0
        # No text has longer n-grams of it.
        query.orders = <int>min(length, <size_t>query.most_orders)
        return index_ngrams(query)
    for t in range(length):
        if query.tokens[t]:
            query.sets[query.words * query.tokens[t] + t // WORD] |= <uint64_t>1 << t % WORD
    return 0


cdef void end_query(Query* query) noexcept nogil:
    cdef size_t t, word
    for t in range(query.length):
        for word in range(query.words):
            query.sets[query.words * query.tokens[t] + word] = 0


cdef int count_classes(Query* query, const uint32_t* tokens, size_t length) except -1 nogil:
    """Counts the matches of a text with a query that is long, or of many orders."""
    cdef size_t t, used = 0
    cdef uint32_t found
    cdef int n
    reserve(<void**>&query.used, length * <size_t>query.orders + 1, sizeof(uint32_t))
    memset(query.before, 0, (<size_t>query.orders + 1) * sizeof(uint32_t))
    for t in range(length):
        for n in range(query.orders, 0, -1):
            found = go_on(query, n, tokens[t], False)
            if found and query.taken[found] < query.available[found]:
                query.taken[found] += 1
                query.used[used] = found
                used += 1
                query.matches[n - 1] += 1
    for t in range(used):
        query.taken[query.used[t]] = 0
    return 0


cdef int count_matches(Query* query, const uint32_t* tokens, size_t length) except -1 nogil:
    """Counts the clipped matches of a text; its tokens are numbers of the vocabulary or 0."""
    memset(query.matches, 0, <size_t>query.most_orders * sizeof(int64_t))
    if query.words:
        match_numbers(query.sets, query.words, query.words == 2, tokens, length, query.matches, NULL)
    elif query.length:
        count_classes(query, tokens, length)
    return 0
