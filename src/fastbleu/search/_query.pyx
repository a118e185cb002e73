"""A query, and its matches with one text after another.

Where each token stands in a query of up to 64 or 128 tokens is a set of bits: the loops of `counting` match with these.
A longer query, or one of more orders, is indexed as references that several hypotheses have.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from fastbleu._native.memory cimport release_all, reserve, reserve_cleared
from fastbleu.counting._match_one_short cimport SHORT_ORDER, longest_short, match_numbers
from fastbleu.counting._reference_index cimport ReferenceIndex
from fastbleu.counting._segment cimport match_hypothesis, read_references, unload
from fastbleu.counting._workspace cimport NgramTable, free_workspace
from fastbleu.tokenizers._tokenize cimport TOKENIZE_IDS

cdef enum:
    WORD = 64                    # places of tokens in a machine word


cdef int begin_matching(Query* query, int orders, size_t vocabulary) except -1 nogil:
    """Makes a query ready for texts; `vocabulary` is the largest number of a token."""
    query.most_orders = orders
    query.vocabulary = vocabulary
    reserve_cleared(<void**>&query.sets, 2 * (vocabulary + 1), sizeof(uint64_t))
    reserve(<void**>&query.row, 2 + 2 * max(<size_t>SHORT_ORDER, <size_t>orders), sizeof(int64_t))
    reserve(<void**>&query.tables, <size_t>orders, sizeof(NgramTable))
    query.matches = query.row + 2
    query.view.starts, query.view.ends = &query.start, &query.end
    return 0


cdef void free_query(Query* query) noexcept nogil:
    free_workspace(&query.work)
    release_all(<void**>&query.sets, <void**>&query.matches)


cdef int read_ids(Query* query, const uint32_t* tokens, size_t length) except -1 nogil:
    """Reads tokens as a segment of ids; one without a number matches nothing."""
    cdef size_t t
    reserve(<void**>&query.ids, length + 1, sizeof(int64_t))
    for t in range(length):
        query.ids[t] = <int64_t>tokens[t] if tokens[t] else -1
    query.view.data = <const uint8_t*>query.ids
    query.end = <int64_t>length
    query.work.tokens = 0
    return 0


cdef int begin_query(Query* query, const uint32_t* tokens, size_t length) except -1 nogil:
    """Makes a query ready for all parts. `end_query` must follow."""
    cdef size_t t
    reserve(<void**>&query.tokens, length + 1, sizeof(uint32_t))
    for t in range(length):
        query.tokens[t] = tokens[t] if tokens[t] <= query.vocabulary else 0
    query.length = length
    query.words = (length + WORD - 1) // <size_t>WORD
    if length and (query.most_orders > SHORT_ORDER or length > longest_short()):
        query.words = 0
        read_ids(query, query.tokens, length)
        read_references(
            &query.work, TOKENIZE_IDS, &query.view, 1, 0, 0, 0, query.vocabulary + 1, query.most_orders, &query.index)
        return (<ReferenceIndex>query.kept).keep_tables(&query.work, &query.index, query.tables)
    for t in range(length):
        if query.tokens[t]:
            query.sets[query.words * query.tokens[t] + t // WORD] |= <uint64_t>1 << t % WORD
    return 0


cdef void end_query(Query* query) noexcept nogil:
    cdef size_t t, word
    if query.words == 0 and query.length:
        unload(&query.index)
    for t in range(query.length):
        for word in range(query.words):
            query.sets[query.words * query.tokens[t] + word] = 0


cdef int count_matches(Query* query, const uint32_t* tokens, size_t length) except -1 nogil:
    """Counts the clipped matches of a text; its tokens are numbers of the vocabulary or 0."""
    memset(query.matches, 0, <size_t>query.most_orders * sizeof(int64_t))
    if query.words:
        match_numbers(query.sets, query.words, query.words == 2, tokens, length, query.matches, NULL)
    elif query.length:
        read_ids(query, tokens, length)
        match_hypothesis(
            &query.work, TOKENIZE_IDS, &query.view, 0, query.most_orders, 0, query.vocabulary + 1, &query.index,
            query.row)
    return 0
