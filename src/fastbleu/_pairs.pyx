"""Every hypothesis of a pool against every reference by itself: millions of pairs.

A clipped match is an element that two texts have in common, if the k-th occurrence of an n-gram in a text is taken for
an element of its own: then counts are sizes of intersections of sets. Elements that only one text has are left out from
the start. For one hypothesis at a time, the matches with all references are summed element by element: those that many
references have as rows of zeros and ones, a byte for each reference, and rarer ones as lists of the references that
have them. What a pair scores is looked up (`_score_tables`), but for one exponential.

Texts that are equal, token by token, are scored once.
"""

from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.math cimport exp, fma
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy, memmove, memset

from fastbleu._columns cimport Column, Float64Buffer, View
from fastbleu._pool_arguments cimport PoolArguments, PoolRange, check_kind, find_pool
from fastbleu._pool_ngrams cimport (
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
from fastbleu._score cimport ExactSum, Formula, FormulaHolder, add, score_row_exactly, value
from fastbleu._score_tables cimport (
    MOST_TABLE_ORDERS,
    SHORT_TEXT,
    LengthTable,
    Tables,
    begin_tables,
    free_tables,
    table_of,
)
from fastbleu._workspace cimport SEED1, fb_mix, reserve, reserve_cleared, slots_for

cdef extern from "_pairs.h" nogil:
    const size_t FB_ROW_BLOCK
    void fb_sum_rows(const uint8_t* matrix, size_t width, const uint32_t* rows, size_t n_rows, uint8_t* out)
    void fb_add_logs_8(
        const uint8_t* counts, size_t width, size_t pairs, const double* const* logs, int orders, bint compensated,
        double* sums)
    void fb_add_logs_32(
        const uint32_t* counts, size_t width, size_t pairs, const double* const* logs, int orders, bint compensated,
        double* sums)

cdef enum:
    MOST_BYTE = 255              # rows of ones that a byte can sum
    RARE = 16                    # an element that fewer than one in so many references have goes into a list
    PAIRS_PER_SIGNAL_CHECK = 1 << 20
    MOST_ELEMENTS = 0xfffffffe   # they are numbered in 32 bits

# A mean logarithm below it is one of 0: no method's precisions come near.
cdef double LOWEST_LOG = -1e6


cdef struct Pairs:
    # The texts of one pool, once each, the references behind the hypotheses or the same.
    Pool pool
    Tables tables
    const Formula* formula
    int orders                   # that are counted: the formula's
    bint own                     # whether the pool is its own evidence
    size_t hypotheses            # distinct
    size_t references            # distinct
    size_t width                 # of a row of the matrix, and of counts
    size_t since_signal_check
    uint32_t* places             # of the texts as they were read, which distinct one each is; references from 0 on, too
    size_t places_capacity
    size_t* firsts               # token where each distinct text begins
    size_t firsts_capacity
    uint32_t* slots              # of the distinct texts
    size_t slots_capacity
    uint64_t* hashes
    size_t hashes_capacity
    uint32_t* elements           # [orders][tokens]: of each text, from its first token on; rows of the matrix first
    size_t elements_capacity
    uint32_t* n_elements         # [orders][texts]
    size_t n_elements_capacity
    uint32_t* n_rows             # [orders][texts]: how many of them are rows
    size_t n_rows_capacity
    size_t n_distinct            # elements
    uint32_t* starts             # of the list of each element's references
    size_t starts_capacity
    uint32_t* listed
    size_t listed_capacity
    uint32_t* row_of             # of each element; MOST_ELEMENTS + 1: it is in a list
    size_t row_of_capacity
    uint8_t* matrix
    size_t matrix_capacity
    uint8_t* counts              # [orders][width], of the hypothesis at hand
    size_t counts_capacity
    uint32_t* wide_counts        # the same where bytes are too small
    size_t wide_counts_capacity
    uint8_t* wide_part
    size_t wide_part_capacity
    int64_t* row                 # of statistics, where there are no tables
    size_t row_capacity
    uint32_t* reference_lengths  # that there are
    size_t reference_lengths_capacity
    size_t n_reference_lengths
    double* penalties            # by them, of hypotheses of `penalized` tokens
    size_t penalties_capacity
    int64_t penalized
    double* scores               # of the hypothesis at hand with each distinct reference
    size_t scores_capacity
    ExactSum* sums               # of each distinct hypothesis
    size_t sums_capacity
    double* own_scores           # of each distinct hypothesis with itself
    size_t own_scores_capacity
    ExactSum* weights            # of each distinct reference
    size_t weights_capacity


cdef void free_pairs(Pairs* pairs) noexcept nogil:
    free_pool(&pairs.pool)
    free_tables(&pairs.tables)
    free(pairs.places)
    free(pairs.firsts)
    free(pairs.slots)
    free(pairs.hashes)
    free(pairs.elements)
    free(pairs.n_elements)
    free(pairs.n_rows)
    free(pairs.starts)
    free(pairs.listed)
    free(pairs.row_of)
    free(pairs.matrix)
    free(pairs.counts)
    free(pairs.wide_counts)
    free(pairs.wide_part)
    free(pairs.row)
    free(pairs.reference_lengths)
    free(pairs.penalties)
    free(pairs.scores)
    free(pairs.sums)
    free(pairs.own_scores)
    free(pairs.weights)


# Texts


cdef int keep_distinct(
    Pairs* pairs, size_t start, size_t stop, size_t* read, size_t* kept, size_t* tokens
) except -1 nogil:
    """Keeps those of the texts start..stop - 1 that equal none before in this range.

    They move behind the texts that are `kept` so far, of so many `tokens`; `read` is the token where `start` begins.
    """
    cdef Pool* pool = &pairs.pool
    cdef uint32_t* numbers = pool.work.numbers
    cdef size_t mask = slots_for(stop - start, 2) - 1, first = kept[0], text, other, t, slot
    cdef uint32_t length
    cdef uint64_t seed = SEED1, hashed
    if not reserve_cleared(<void**>&pairs.slots, &pairs.slots_capacity, mask + 1, sizeof(uint32_t)):
        memset(pairs.slots, 0, (mask + 1) * sizeof(uint32_t))
    for text in range(start, stop):
        length = pool.lengths[text]
        hashed = length
        for t in range(read[0], read[0] + length):
            hashed = fb_mix(hashed ^ numbers[t], seed)
        slot = hashed & mask
        while pairs.slots[slot] != 0:
            other = first + pairs.slots[slot] - 1
            if (
                pairs.hashes[other] == hashed and pool.lengths[other] == length
                and memcmp(numbers + pairs.firsts[other], numbers + read[0], length * sizeof(uint32_t)) == 0
            ):
                break
            slot = (slot + 1) & mask
        if pairs.slots[slot] == 0:
            pairs.slots[slot] = <uint32_t>(kept[0] - first) + 1
            pairs.hashes[kept[0]] = hashed
            pairs.firsts[kept[0]] = tokens[0]
            pool.lengths[kept[0]] = length
            memmove(numbers + tokens[0], numbers + read[0], length * sizeof(uint32_t))
            kept[0] += 1
            tokens[0] += length
        pairs.places[text] = pairs.slots[slot] - 1
        read[0] += length
    return 0


cdef int read_pool(
    Pairs* pairs, int tokenizer, const View* hypotheses, int64_t start, int64_t stop,
    const View* references, int64_t reference_start, int64_t reference_stop,
) except -1 nogil:
    """Reads one pool and, unless they are NULL, its references; numbers tokens, and keeps each text once."""
    cdef Pool* pool = &pairs.pool
    cdef size_t n_hypotheses = <size_t>(stop - start), texts = n_hypotheses, read = 0, kept = 0, tokens = 0
    pairs.own = references == NULL
    if not pairs.own:
        texts += <size_t>(reference_stop - reference_start)
    begin_pool(pool, tokenizer, texts, hypotheses, start, stop, references, reference_start, reference_stop)
    read_texts(pool, tokenizer, hypotheses, start, stop)
    if not pairs.own:
        read_texts(pool, tokenizer, references, reference_start, reference_stop)
    number_pool(pool)
    reserve(<void**>&pairs.places, &pairs.places_capacity, texts, sizeof(uint32_t))
    reserve(<void**>&pairs.firsts, &pairs.firsts_capacity, texts, sizeof(size_t))
    reserve(<void**>&pairs.hashes, &pairs.hashes_capacity, texts, sizeof(uint64_t))
    keep_distinct(pairs, 0, n_hypotheses, &read, &kept, &tokens)
    pairs.hypotheses = kept
    pairs.references = kept
    if not pairs.own:
        keep_distinct(pairs, n_hypotheses, texts, &read, &kept, &tokens)
        pairs.references = kept - pairs.hypotheses
    pool.texts = kept
    pool.tokens = tokens
    memcpy(pool.ngrams, pool.numbers, tokens * sizeof(uint32_t))
    pairs.width = (pairs.references + FB_ROW_BLOCK - 1) // FB_ROW_BLOCK * FB_ROW_BLOCK
    return 0


# Elements


cdef void find_largest_of_parts(Pairs* pairs, int n) noexcept nogil:
    """Finds the largest count of each n-gram in any hypothesis, and in any reference; the counts are all 0 before."""
    cdef Pool* pool = &pairs.pool
    cdef size_t text, t, first, length
    cdef NgramCounts* counts
    for text in range(pool.texts):
        length = pool.lengths[text]
        if length < <size_t>n:
            continue
        first = pairs.firsts[text]
        for t in range(first + n - 1, first + length):
            counts = &pool.counts[pool.ngrams[t]]
            counts.run += 1
            if text < pairs.hypotheses:
                counts.most = max(counts.most, counts.run)
            else:
                counts.second = max(counts.second, counts.run)
        for t in range(first + n - 1, first + length):
            pool.counts[pool.ngrams[t]].run = 0
    # What has no number has no counts.
    memset(pool.counts, 0, sizeof(NgramCounts))


cdef void list_elements(Pairs* pairs, int n) noexcept nogil:
    """Lists each text's elements of order n that have a counterpart; forgets the n-grams that have none at all."""
    cdef Pool* pool = &pairs.pool
    cdef size_t text, t, first, length
    cdef uint32_t number, found
    cdef NgramCounts* counts
    cdef uint32_t* elements
    # An n-gram's k-th occurrence has a counterpart where another text, or one of the other part, has as many.
    for number in range(1, pool.n_ngrams + 1):
        counts = &pool.counts[number]
        counts.most = counts.second if pairs.own else min(counts.most, counts.second)
        counts.base = <uint32_t>pairs.n_distinct
        pairs.n_distinct += counts.most
    for text in range(pool.texts):
        length = pool.lengths[text]
        found = 0
        if length >= <size_t>n:
            first = pairs.firsts[text]
            elements = pairs.elements + <size_t>(n - 1) * pool.tokens + first
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
        pairs.n_elements[<size_t>(n - 1) * pool.texts + text] = found


cdef int list_references(Pairs* pairs) except -1 nogil:
    """Makes of each element a row of the matrix, or a list of the references that have it."""
    cdef Pool* pool = &pairs.pool
    cdef size_t reference, text, place, k, element, rows = 0, listed = 0, behind = 0
    cdef size_t before = 0 if pairs.own else pairs.hypotheses
    cdef const uint32_t* elements
    cdef uint32_t rare = <uint32_t>(pairs.references // RARE)
    cdef int n
    if not reserve_cleared(<void**>&pairs.starts, &pairs.starts_capacity, pairs.n_distinct + 2, sizeof(uint32_t)):
        memset(pairs.starts, 0, (pairs.n_distinct + 2) * sizeof(uint32_t))
    reserve(<void**>&pairs.row_of, &pairs.row_of_capacity, pairs.n_distinct + 1, sizeof(uint32_t))
    # How many references have each element, two places on; then where its list begins, one place on.
    for n in range(pairs.orders):
        for reference in range(pairs.references):
            text = before + reference
            elements = pairs.elements + <size_t>n * pool.tokens + pairs.firsts[text]
            for k in range(pairs.n_elements[<size_t>n * pool.texts + text]):
                pairs.starts[elements[k] + 2] += 1
    for element in range(pairs.n_distinct):
        behind = pairs.starts[element + 2]
        pairs.row_of[element] = <uint32_t>MOST_ELEMENTS + 1
        if behind > rare:
            pairs.row_of[element] = <uint32_t>rows
            rows += 1
            behind = 0
        listed += behind
        pairs.starts[element + 2] = <uint32_t>listed
    reserve(<void**>&pairs.listed, &pairs.listed_capacity, listed, sizeof(uint32_t))
    if not reserve_cleared(<void**>&pairs.matrix, &pairs.matrix_capacity, rows * pairs.width, 1):
        memset(pairs.matrix, 0, rows * pairs.width)
    for n in range(pairs.orders):
        for reference in range(pairs.references):
            text = before + reference
            elements = pairs.elements + <size_t>n * pool.tokens + pairs.firsts[text]
            for k in range(pairs.n_elements[<size_t>n * pool.texts + text]):
                element = elements[k]
                if pairs.row_of[element] <= MOST_ELEMENTS:
                    pairs.matrix[pairs.row_of[element] * pairs.width + reference] = 1
                else:
                    place = pairs.starts[element + 1]
                    pairs.listed[place] = <uint32_t>reference
                    pairs.starts[element + 1] += 1
    return 0


cdef void sort_elements(Pairs* pairs) noexcept nogil:
    """Puts the elements of each hypothesis that are rows before the others, as rows."""
    cdef Pool* pool = &pairs.pool
    cdef size_t hypothesis, k, rows, place
    cdef uint32_t element
    cdef uint32_t* elements
    cdef int n
    for n in range(pairs.orders):
        for hypothesis in range(pairs.hypotheses):
            elements = pairs.elements + <size_t>n * pool.tokens + pairs.firsts[hypothesis]
            place = <size_t>n * pool.texts + hypothesis
            rows = 0
            for k in range(pairs.n_elements[place]):
                element = elements[k]
                if pairs.row_of[element] <= MOST_ELEMENTS:
                    elements[k] = elements[rows]
                    elements[rows] = pairs.row_of[element]
                    rows += 1
            pairs.n_rows[place] = <uint32_t>rows


cdef int list_reference_lengths(Pairs* pairs, size_t longest) except -1 nogil:
    cdef size_t reference, before = 0 if pairs.own else pairs.hypotheses
    cdef uint32_t length
    reserve(<void**>&pairs.penalties, &pairs.penalties_capacity, longest + 1, sizeof(double))
    reserve(<void**>&pairs.reference_lengths, &pairs.reference_lengths_capacity, longest + 1, sizeof(uint32_t))
    memset(pairs.penalties, 0, (longest + 1) * sizeof(double))
    pairs.n_reference_lengths = 0
    pairs.penalized = -1
    for reference in range(pairs.references):
        length = pairs.pool.lengths[before + reference]
        if pairs.penalties[length] == 0.0:
            pairs.penalties[length] = 1.0
            pairs.reference_lengths[pairs.n_reference_lengths] = length
            pairs.n_reference_lengths += 1
    return 0


cdef int index_pool(Pairs* pairs) except -1 nogil:
    """Prepares the pool that has been read for scoring."""
    cdef Pool* pool = &pairs.pool
    cdef size_t text, places = <size_t>pairs.orders * pool.texts
    cdef uint32_t longest_hypothesis = 0, longest_reference = 0
    cdef int n
    if <size_t>pairs.orders * pool.tokens >= MOST_ELEMENTS:
        with gil:
            raise ValueError(f"one pool has {pool.tokens} tokens, too many for n-grams of {pairs.orders} orders")
    for text in range(pool.texts):
        if text < pairs.hypotheses:
            longest_hypothesis = max(longest_hypothesis, pool.lengths[text])
        if text >= pairs.hypotheses or pairs.own:
            longest_reference = max(longest_reference, pool.lengths[text])
    reserve(<void**>&pairs.elements, &pairs.elements_capacity, <size_t>pairs.orders * pool.tokens, sizeof(uint32_t))
    reserve(<void**>&pairs.n_elements, &pairs.n_elements_capacity, places, sizeof(uint32_t))
    reserve(<void**>&pairs.n_rows, &pairs.n_rows_capacity, places, sizeof(uint32_t))
    memset(pairs.n_elements, 0, places * sizeof(uint32_t))
    pairs.n_distinct = 0
    for n in range(1, pairs.orders + 1):
        if <uint32_t>n > min(longest_hypothesis, longest_reference):
            break
        if n > 1:
            number_ngrams(pool, n)
        if pool.n_ngrams == 0:
            break
        clear_counts(pool)
        if pairs.own:
            find_two_largest(pool, n)
        else:
            find_largest_of_parts(pairs, n)
        list_elements(pairs, n)
    list_references(pairs)
    sort_elements(pairs)
    reserve(<void**>&pairs.counts, &pairs.counts_capacity, <size_t>pairs.orders * pairs.width, 1)
    reserve(<void**>&pairs.scores, &pairs.scores_capacity, pairs.width, sizeof(double))
    list_reference_lengths(pairs, longest_reference)
    return 0


# Scores


cdef void count_in_bytes(Pairs* pairs, size_t hypothesis) noexcept nogil:
    """Counts the matches of one hypothesis of at most 255 tokens with each reference."""
    cdef Pool* pool = &pairs.pool
    cdef size_t k, place
    cdef uint32_t i
    cdef const uint32_t* elements
    cdef uint8_t* counts
    cdef int n
    for n in range(pairs.orders):
        elements = pairs.elements + <size_t>n * pool.tokens + pairs.firsts[hypothesis]
        place = <size_t>n * pool.texts + hypothesis
        counts = pairs.counts + <size_t>n * pairs.width
        fb_sum_rows(pairs.matrix, pairs.width, elements, pairs.n_rows[place], counts)
        for k in range(pairs.n_rows[place], pairs.n_elements[place]):
            for i in range(pairs.starts[elements[k]], pairs.starts[elements[k] + 1]):
                counts[pairs.listed[i]] += 1
        if pairs.own:
            # What it shares with itself alone is no element.
            counts[hypothesis] = <uint8_t>max(0, <int>pool.lengths[hypothesis] - n)


cdef int count_widely(Pairs* pairs, size_t hypothesis) except -1 nogil:
    """The same for a hypothesis of any length."""
    cdef Pool* pool = &pairs.pool
    cdef size_t k, place, j, rows
    cdef uint32_t i
    cdef const uint32_t* elements
    cdef uint32_t* counts
    cdef int n
    reserve(
        <void**>&pairs.wide_counts, &pairs.wide_counts_capacity, <size_t>pairs.orders * pairs.width, sizeof(uint32_t))
    reserve(<void**>&pairs.wide_part, &pairs.wide_part_capacity, pairs.width, 1)
    memset(pairs.wide_counts, 0, <size_t>pairs.orders * pairs.width * sizeof(uint32_t))
    for n in range(pairs.orders):
        elements = pairs.elements + <size_t>n * pool.tokens + pairs.firsts[hypothesis]
        place = <size_t>n * pool.texts + hypothesis
        counts = pairs.wide_counts + <size_t>n * pairs.width
        k = 0
        while k < pairs.n_rows[place]:
            rows = min(<size_t>MOST_BYTE, pairs.n_rows[place] - k)
            fb_sum_rows(pairs.matrix, pairs.width, elements + k, rows, pairs.wide_part)
            for j in range(pairs.width):
                counts[j] += pairs.wide_part[j]
            k += rows
        for k in range(pairs.n_rows[place], pairs.n_elements[place]):
            for i in range(pairs.starts[elements[k]], pairs.starts[elements[k] + 1]):
                counts[pairs.listed[i]] += 1
        if pairs.own:
            counts[hypothesis] = <uint32_t>max(<int64_t>0, <int64_t>pool.lengths[hypothesis] - n)
    return 0


cdef int score_rows_of(Pairs* pairs, size_t hypothesis, bint wide) except -1 nogil:
    """Scores the counts of one hypothesis without tables."""
    cdef Pool* pool = &pairs.pool
    cdef size_t j, before = 0 if pairs.own else pairs.hypotheses, place
    cdef int64_t length = pool.lengths[hypothesis]
    cdef int n, order = pairs.formula.order
    reserve(<void**>&pairs.row, &pairs.row_capacity, 2 + 2 * <size_t>order, sizeof(int64_t))
    for n in range(order):
        pairs.row[2 + order + n] = max(<int64_t>0, length - n)
        pairs.row[2 + n] = 0
    for j in range(pairs.references):
        pairs.row[0] = length
        pairs.row[1] = pool.lengths[before + j]
        for n in range(pairs.orders):
            place = <size_t>n * pairs.width + j
            pairs.row[2 + n] = pairs.wide_counts[place] if wide else pairs.counts[place]
        pairs.scores[j] = score_row_exactly(pairs.formula, pairs.row)
    return 0


cdef void find_penalties(Pairs* pairs, uint32_t length) noexcept nogil:
    """The brevity penalties of hypotheses of one length with each length that references have."""
    cdef size_t k
    cdef uint32_t reference_length
    if pairs.penalized == <int64_t>length:
        return
    for k in range(pairs.n_reference_lengths):
        reference_length = pairs.reference_lengths[k]
        if length >= reference_length:
            pairs.penalties[reference_length] = 1.0
        else:
            pairs.penalties[reference_length] = exp(1.0 - <double>reference_length / <double>length)
    pairs.penalized = <int64_t>length


cdef int score_hypothesis(Pairs* pairs, size_t hypothesis) except -1 nogil:
    """Scores one distinct hypothesis against each distinct reference by itself: `scores`."""
    cdef Pool* pool = &pairs.pool
    cdef size_t j, before = 0 if pairs.own else pairs.hypotheses
    cdef uint32_t length = pool.lengths[hypothesis]
    cdef bint wide = length > SHORT_TEXT
    cdef const LengthTable* table
    cdef double* scores = pairs.scores
    cdef double divisor
    if wide:
        count_widely(pairs, hypothesis)
    else:
        count_in_bytes(pairs, hypothesis)
    pairs.since_signal_check += pairs.references
    if pairs.since_signal_check > PAIRS_PER_SIGNAL_CHECK:
        pairs.since_signal_check = 0
        with gil:
            PyErr_CheckSignals()
    if pairs.formula.order > MOST_TABLE_ORDERS:
        return score_rows_of(pairs, hypothesis, wide)
    table = table_of(&pairs.tables, length)
    if table.orders == 0:
        memset(scores, 0, pairs.references * sizeof(double))
        return 0
    if wide:
        fb_add_logs_32(
            pairs.wide_counts, pairs.width, pairs.references, table.logs, table.orders, pairs.tables.compensated, scores)
    else:
        fb_add_logs_8(
            pairs.counts, pairs.width, pairs.references, table.logs, table.orders, pairs.tables.compensated, scores)
    find_penalties(pairs, length)
    divisor = table.divisor
    for j in range(pairs.references):
        if scores[j] > LOWEST_LOG:
            scores[j] = pairs.penalties[pool.lengths[before + j]] * exp(scores[j] / divisor)
        else:
            scores[j] = 0.0
    return 0


# Expectations


cdef inline void add_product(ExactSum* sum, double weight, double score) noexcept nogil:
    """Adds a product as if it were not rounded."""
    cdef double product
    if weight == 1.0:
        add(sum, score)
    else:
        product = weight * score
        add(sum, product)
        sum.lost += fma(weight, score, -product)


cdef int weigh_references(Pairs* pairs, size_t first, size_t n_references, const double* weights, ExactSum* total
                          ) except -1 nogil:
    """Adds up the weights of equal references, and of all; `first` is the text where references begin."""
    cdef size_t i
    reserve(<void**>&pairs.weights, &pairs.weights_capacity, pairs.references, sizeof(ExactSum))
    memset(pairs.weights, 0, pairs.references * sizeof(ExactSum))
    total.total = total.lost = 0.0
    for i in range(n_references):
        add(&pairs.weights[pairs.places[first + i]], weights[i] if weights != NULL else 1.0)
        add(total, weights[i] if weights != NULL else 1.0)
    return 0


cdef int64_t expect_pool(
    Pairs* pairs, size_t n_hypotheses, size_t n_references, const double* weights, bint exclude_self, double* expected
) except -2 nogil:
    """Writes the expected score of each hypothesis; returns one that has no evidence, or -1."""
    cdef size_t i, j, hypothesis
    cdef double weight
    cdef ExactSum total, sum, rest
    weigh_references(pairs, 0 if pairs.own else n_hypotheses, n_references, weights, &total)
    reserve(<void**>&pairs.sums, &pairs.sums_capacity, pairs.hypotheses, sizeof(ExactSum))
    reserve(<void**>&pairs.own_scores, &pairs.own_scores_capacity, pairs.hypotheses, sizeof(double))
    for hypothesis in range(pairs.hypotheses):
        score_hypothesis(pairs, hypothesis)
        sum.total = sum.lost = 0.0
        for j in range(pairs.references):
            if exclude_self and j == hypothesis:
                pairs.own_scores[hypothesis] = pairs.scores[j]
            else:
                add_product(&sum, value(&pairs.weights[j]), pairs.scores[j])
        pairs.sums[hypothesis] = sum
    for i in range(n_hypotheses):
        hypothesis = pairs.places[i]
        sum = pairs.sums[hypothesis]
        rest = total
        if exclude_self:
            # Its equals stay.
            weight = weights[i] if weights != NULL else 1.0
            add(&rest, -weight)
            add(&pairs.weights[hypothesis], -weight)
            add_product(&sum, value(&pairs.weights[hypothesis]), pairs.own_scores[hypothesis])
            add(&pairs.weights[hypothesis], weight)
        if not value(&rest) > 0:
            return <int64_t>i
        expected[i] = value(&sum) / value(&rest)
    return -1


# Python's doors


cdef class PairsHolder:
    """Memory for pairs, freed with the object."""

    cdef Pairs pairs

    def __cinit__(self, FormulaHolder formula not None):
        memset(&self.pairs, 0, sizeof(Pairs))
        self.pairs.formula = &formula.formula
        self.pairs.orders = formula.formula.last_order
        begin_tables(&self.pairs.tables, &formula.formula)

    def __dealloc__(self):
        free_pairs(&self.pairs)


def score_pairs(Column hypotheses not None, Column references, int tokenizer, FormulaHolder formula not None, scores):
    """Scores each hypothesis against each reference as its only one.

    Args:
        hypotheses: H segments, none of them absent.
        references: R segments; None: the hypotheses themselves.
        tokenizer: A number of tokenizers.COMPILED, or IDS where the columns hold ids.
        formula: The options.
        scores: float64 [H, R] to write to, 0..100: the scalar formula's, to the last digit without weights.

    Raises:
        TypeError: A column of the other kind.
        ValueError: Another shape, or far too many tokens.
    """
    cdef Float64Buffer out = Float64Buffer(scores, "scores", 2, True)
    cdef Column others = hypotheses if references is None else references
    cdef PairsHolder holder = PairsHolder(formula)
    cdef Pairs* pairs = &holder.pairs
    cdef size_t i, j, n = <size_t>hypotheses.length, n_references = <size_t>others.length, behind = 0, row = 0
    cdef size_t* first_rows
    cdef const uint32_t* places
    check_kind(hypotheses, "hypotheses", tokenizer)
    check_kind(others, "references", tokenizer)
    if out.rows != hypotheses.length or out.columns != others.length:
        raise ValueError(f"scores must have the shape [{n}, {n_references}], not [{out.rows}, {out.columns}]")
    if n == 0 or n_references == 0:
        return
    first_rows = <size_t*>PyMem_Malloc(n * sizeof(size_t))
    if first_rows == NULL:
        raise MemoryError
    try:
        with nogil:
            read_pool(
                pairs, tokenizer, &hypotheses.view, 0, hypotheses.length,
                NULL if references is None else &others.view, 0, others.length)
            index_pool(pairs)
            places = pairs.places + (0 if pairs.own else n)
            for i in range(n):
                if pairs.places[i] < behind:
                    row = first_rows[pairs.places[i]]
                    memcpy(out.data + i * n_references, out.data + row * n_references, n_references * sizeof(double))
                    continue
                # Distinct hypotheses are numbered in the order in which they come.
                score_hypothesis(pairs, behind)
                for j in range(n_references):
                    out.data[i * n_references + j] = pairs.scores[places[j]]
                first_rows[behind] = i
                behind += 1
    finally:
        PyMem_Free(first_rows)


def expect_scores(
    Column candidates not None, bounds, Column evidence, evidence_bounds, weights, bint exclude_self, int tokenizer,
    FormulaHolder formula not None, scores,
):
    """Takes the mean of each candidate's scores against each piece of evidence of its pool; no matrix is stored.

    The mean is that of the exact scores, rounded once: the order of a pool, and equal texts in it, change nothing.

    Args:
        candidates: All candidates of n pools, none of them absent.
        bounds: int64 [n + 1]: the candidates of pool i are those from bounds[i] to bounds[i + 1] - 1.
        evidence: Likewise what they are scored against, each by itself; None: the candidates of their own pool.
        evidence_bounds: int64 [n + 1] of the evidence; None without.
        weights: float64, of each piece of evidence, finite and >= 0; they are divided by their sum in a pool. None: all
            the same.
        exclude_self: Whether a candidate is no evidence for itself; only without `evidence`.
        tokenizer: A number of tokenizers.COMPILED, or IDS where the columns hold ids.
        formula: The options.
        scores: float64 [candidates] to write to, 0..100.

    Raises:
        TypeError: A column of the other kind.
        ValueError: Something does not fit; a candidate has no evidence; far too many tokens.
    """
    cdef PoolArguments pools = PoolArguments(
        candidates, bounds, evidence, evidence_bounds, weights, tokenizer, scores)
    cdef PairsHolder holder = PairsHolder(formula)
    cdef Pairs* pairs = &holder.pairs
    cdef PoolRange pool
    cdef Py_ssize_t i
    cdef int64_t lonely = -1
    if exclude_self and evidence is not None:
        raise ValueError("exclude_self is for pools that are their own evidence")
    with nogil:
        for i in range(pools.pools):
            find_pool(pools, i, &pool)
            if pool.start == pool.stop:
                continue
            read_pool(
                pairs, tokenizer, pools.candidate_view, pool.start, pool.stop, pools.evidence_view,
                pool.evidence_start, pool.evidence_stop)
            index_pool(pairs)
            lonely = expect_pool(
                pairs, <size_t>(pool.stop - pool.start), <size_t>(pool.evidence_stop - pool.evidence_start),
                pool.weights, exclude_self, pool.scores)
            if lonely >= 0:
                break
    if lonely >= 0:
        raise ValueError(f"candidate {lonely} of pool {i} has no evidence")
