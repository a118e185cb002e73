"""Texts as sets of elements, for intersections by the million.

A clipped match is an element that two texts have in common, if the k-th occurrence of an n-gram in a text is taken for
an element of its own: then counts are sizes of intersections of sets. Elements that only one text has are left out from
the start. Those that many references have become rows of zeros and ones, a byte for each reference; rarer ones lists of
the references that have them, so that memory stays linear in the texts.

Texts that are equal, token by token, are kept once.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy, memmove, memset

from fastbleu.inputs._column cimport View
from fastbleu.rerank._pool_ngrams cimport (
    NgramCounts,
    Pool,
    begin_pool,
    clear_counts,
    find_two_largest,
    free_pool,
    number_ngrams,
    number_pool,
    read_texts,
)
from fastbleu.rerank._score_by_length cimport MOST_TABLE_ORDERS
from fastbleu.counting._workspace cimport SEED1, fb_mix, reserve, reserve_cleared, slots_for

cdef extern from "rerank/pairs.h" nogil:
    const size_t FB_ROW_BLOCK

cdef enum:
    RARE = 16                    # an element that no more than one in so many references have goes into a list,
    FEW = 6                      # and one that no more than so many have: a row has some length in any case
    MOST_ELEMENTS = 0xfffffffe   # they are numbered in 32 bits


cdef void free_pair_index(PairIndex* index) noexcept nogil:
    free_pool(&index.pool)
    free(index.places)
    free(index.firsts)
    free(index.slots)
    free(index.hashes)
    free(index.elements)
    free(index.n_elements)
    free(index.n_rows)
    free(index.starts)
    free(index.listed)
    free(index.row_of)
    free(index.matrix)


# Texts


cdef int keep_distinct(
    PairIndex* index, size_t start, size_t stop, size_t* read, size_t* kept, size_t* tokens
) except -1 nogil:
    """Keeps those of the texts start..stop - 1 that equal none before in this range.

    They move behind the texts that are `kept` so far, of so many `tokens`; `read` is the token where `start` begins.
    """
    cdef Pool* pool = &index.pool
    cdef uint32_t* numbers = pool.work.numbers
    cdef size_t mask = slots_for(stop - start, 2) - 1, first = kept[0], text, other, t, slot
    cdef uint32_t length
    cdef uint64_t seed = SEED1, hashed
    if not reserve_cleared(<void**>&index.slots, &index.slots_capacity, mask + 1, sizeof(uint32_t)):
        memset(index.slots, 0, (mask + 1) * sizeof(uint32_t))
    for text in range(start, stop):
        length = pool.lengths[text]
        hashed = length
        for t in range(read[0], read[0] + length):
            hashed = fb_mix(hashed ^ numbers[t], seed)
        slot = hashed & mask
        while index.slots[slot] != 0:
            other = first + index.slots[slot] - 1
            if (
                index.hashes[other] == hashed and pool.lengths[other] == length
                and memcmp(numbers + index.firsts[other], numbers + read[0], length * sizeof(uint32_t)) == 0
            ):
                break
            slot = (slot + 1) & mask
        if index.slots[slot] == 0:
            index.slots[slot] = <uint32_t>(kept[0] - first) + 1
            index.hashes[kept[0]] = hashed
            index.firsts[kept[0]] = tokens[0]
            pool.lengths[kept[0]] = length
            memmove(numbers + tokens[0], numbers + read[0], length * sizeof(uint32_t))
            kept[0] += 1
            tokens[0] += length
        index.places[text] = index.slots[slot] - 1
        read[0] += length
    return 0


cdef int read_pair_texts(
    PairIndex* index, int tokenizer, const View* hypotheses, int64_t start, int64_t stop,
    const View* references, int64_t reference_start, int64_t reference_stop,
) except -1 nogil:
    """Reads one pool and, unless they are NULL, its references; numbers tokens, and keeps each text once."""
    cdef Pool* pool = &index.pool
    cdef size_t n_hypotheses = <size_t>(stop - start), texts = n_hypotheses, read = 0, kept = 0, tokens = 0
    index.own = references == NULL
    if not index.own:
        texts += <size_t>(reference_stop - reference_start)
    begin_pool(pool, tokenizer, texts, hypotheses, start, stop, references, reference_start, reference_stop)
    read_texts(pool, tokenizer, hypotheses, start, stop)
    if not index.own:
        read_texts(pool, tokenizer, references, reference_start, reference_stop)
    number_pool(pool)
    reserve(<void**>&index.places, &index.places_capacity, texts, sizeof(uint32_t))
    reserve(<void**>&index.firsts, &index.firsts_capacity, texts, sizeof(size_t))
    reserve(<void**>&index.hashes, &index.hashes_capacity, texts, sizeof(uint64_t))
    keep_distinct(index, 0, n_hypotheses, &read, &kept, &tokens)
    index.hypotheses = kept
    index.references = kept
    if not index.own:
        keep_distinct(index, n_hypotheses, texts, &read, &kept, &tokens)
        index.references = kept - index.hypotheses
    pool.texts = kept
    pool.tokens = tokens
    memcpy(pool.ngrams, pool.numbers, tokens * sizeof(uint32_t))
    index.width = (index.references + FB_ROW_BLOCK - 1) // FB_ROW_BLOCK * FB_ROW_BLOCK
    return 0


# Elements


cdef void find_largest_of_parts(PairIndex* index, int n) noexcept nogil:
    """Finds the largest count of each n-gram in any hypothesis, and in any reference; the counts are all 0 before."""
    cdef Pool* pool = &index.pool
    cdef size_t text, t, first, length
    cdef NgramCounts* counts
    for text in range(pool.texts):
        length = pool.lengths[text]
        if length < <size_t>n:
            continue
        first = index.firsts[text]
        for t in range(first + n - 1, first + length):
            counts = &pool.counts[pool.ngrams[t]]
            counts.run += 1
            if text < index.hypotheses:
                counts.most = max(counts.most, counts.run)
            else:
                counts.second = max(counts.second, counts.run)
        for t in range(first + n - 1, first + length):
            pool.counts[pool.ngrams[t]].run = 0
    # What has no number has no counts.
    memset(pool.counts, 0, sizeof(NgramCounts))


cdef void list_elements(PairIndex* index, int n) noexcept nogil:
    """Lists each text's elements of order n that have a counterpart; forgets the n-grams that have none at all."""
    cdef Pool* pool = &index.pool
    cdef size_t text, t, first, length
    cdef uint32_t number, found
    cdef NgramCounts* counts
    cdef uint32_t* elements
    # An n-gram's k-th occurrence has a counterpart where another text, or one of the other part, has as many.
    for number in range(1, pool.n_ngrams + 1):
        counts = &pool.counts[number]
        counts.most = counts.second if index.own else min(counts.most, counts.second)
        counts.base = <uint32_t>index.n_distinct
        index.n_distinct += counts.most
    for text in range(pool.texts):
        length = pool.lengths[text]
        found = 0
        if length >= <size_t>n:
            first = index.firsts[text]
            elements = index.elements + <size_t>(n - 1) * pool.tokens + first
            for t in range(first + n - 1, first + length):
                counts = &pool.counts[pool.ngrams[t]]
                if counts.run < counts.most:
                    elements[found] = counts.base + counts.run
                    counts.run += 1
                    found += 1
            for t in range(first + n - 1, first + length):
                counts = &pool.counts[pool.ngrams[t]]
                counts.run = 0
                if counts.most == 0:
                    pool.ngrams[t] = 0
        index.n_elements[<size_t>(n - 1) * pool.texts + text] = found


cdef int list_references(PairIndex* index) except -1 nogil:
    """Makes of each element a row of the matrix, or a list of the references that have it."""
    cdef Pool* pool = &index.pool
    cdef size_t reference, text, place, k, element, rows = 0, listed = 0, behind = 0
    cdef size_t before = 0 if index.own else index.hypotheses
    cdef const uint32_t* elements
    cdef size_t rare = max(index.references // RARE, <size_t>FEW)
    cdef int n
    if not reserve_cleared(<void**>&index.starts, &index.starts_capacity, index.n_distinct + 2, sizeof(uint32_t)):
        memset(index.starts, 0, (index.n_distinct + 2) * sizeof(uint32_t))
    reserve(<void**>&index.row_of, &index.row_of_capacity, index.n_distinct + 1, sizeof(uint32_t))
    # How many references have each element, two places on; then where its list begins, one place on.
    for n in range(index.orders):
        for reference in range(index.references):
            text = before + reference
            elements = index.elements + <size_t>n * pool.tokens + index.firsts[text]
            for k in range(index.n_elements[<size_t>n * pool.texts + text]):
                index.starts[elements[k] + 2] += 1
    for element in range(index.n_distinct):
        behind = index.starts[element + 2]
        index.row_of[element] = <uint32_t>MOST_ELEMENTS + 1
        if behind > rare:
            index.row_of[element] = <uint32_t>rows
            rows += 1
            behind = 0
        listed += behind
        index.starts[element + 2] = <uint32_t>listed
    reserve(<void**>&index.listed, &index.listed_capacity, listed, sizeof(uint32_t))
    if rows and not reserve_cleared(<void**>&index.matrix, &index.matrix_capacity, rows * index.width, 1):
        memset(index.matrix, 0, rows * index.width)
    for n in range(index.orders):
        for reference in range(index.references):
            text = before + reference
            elements = index.elements + <size_t>n * pool.tokens + index.firsts[text]
            for k in range(index.n_elements[<size_t>n * pool.texts + text]):
                element = elements[k]
                if index.row_of[element] <= MOST_ELEMENTS:
                    index.matrix[index.row_of[element] * index.width + reference] = 1
                else:
                    place = index.starts[element + 1]
                    index.listed[place] = <uint32_t>reference
                    index.starts[element + 1] += 1
    return 0


cdef void sort_elements(PairIndex* index) noexcept nogil:
    """Puts the elements of each hypothesis that are rows before the others, as rows."""
    cdef Pool* pool = &index.pool
    cdef size_t hypothesis, k, rows, place
    cdef uint32_t element
    cdef uint32_t* elements
    cdef int n
    for n in range(index.orders):
        for hypothesis in range(index.hypotheses):
            elements = index.elements + <size_t>n * pool.tokens + index.firsts[hypothesis]
            place = <size_t>n * pool.texts + hypothesis
            rows = 0
            for k in range(index.n_elements[place]):
                element = elements[k]
                if index.row_of[element] <= MOST_ELEMENTS:
                    elements[k] = elements[rows]
                    elements[rows] = index.row_of[element]
                    rows += 1
            index.n_rows[place] = <uint32_t>rows


cdef int index_elements(PairIndex* index) except -1 nogil:
    """Finds the elements of the texts that have been read, and the references of each."""
    cdef Pool* pool = &index.pool
    cdef size_t text, places
    cdef uint32_t longest_hypothesis = 0, longest_reference = 0
    cdef int n
    for text in range(pool.texts):
        if text < index.hypotheses:
            longest_hypothesis = max(longest_hypothesis, pool.lengths[text])
        if text >= index.hypotheses or index.own:
            longest_reference = max(longest_reference, pool.lengths[text])
    index.orders = index.most_orders
    if index.orders > MOST_TABLE_ORDERS:
        index.orders = max(1, min(index.orders, <int>longest_hypothesis))
    places = <size_t>index.orders * pool.texts
    if <size_t>index.orders * pool.tokens >= MOST_ELEMENTS:
        with gil:
            raise ValueError(f"one pool has {pool.tokens} tokens, too many for n-grams of {index.orders} orders")
    reserve(<void**>&index.elements, &index.elements_capacity, <size_t>index.orders * pool.tokens, sizeof(uint32_t))
    reserve(<void**>&index.n_elements, &index.n_elements_capacity, places, sizeof(uint32_t))
    reserve(<void**>&index.n_rows, &index.n_rows_capacity, places, sizeof(uint32_t))
    memset(index.n_elements, 0, places * sizeof(uint32_t))
    index.n_distinct = 0
    for n in range(1, index.orders + 1):
        if <uint32_t>n > min(longest_hypothesis, longest_reference):
            break
        if n > 1:
            number_ngrams(pool, n)
        if pool.n_ngrams == 0:
            break
        clear_counts(pool)
        if index.own:
            find_two_largest(pool, n)
        else:
            find_largest_of_parts(index, n)
        list_elements(index, n)
    list_references(index)
    sort_elements(index)
    return 0
