"""Every hypothesis of a pool against every reference by itself: millions of pairs.

For one hypothesis at a time, the matches with all references are summed element by element (`_pair_index`). The score
of a pair is then a sum of logarithms that are looked up (`_score_by_length`), and one exponential.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport exp, fma, isinf
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memcpy, memset

from fastbleu._native.memory cimport release, release_all, reserve
from fastbleu.inputs._column cimport Column, Float64Buffer
from fastbleu.rerank._exact_mean cimport divide, exact_mean
from fastbleu.rerank._pair_index cimport PairIndex, free_pair_index, index_elements, read_pair_texts
from fastbleu.rerank._pool_arguments cimport PoolArguments, PoolRange, check_kind, find_pool
from fastbleu.rerank._pool_ngrams cimport Pool
from fastbleu.rerank._score_by_length cimport (
    MOST_TABLE_ORDERS,
    SHORT_TEXT,
    LengthTable,
    Tables,
    begin_tables,
    free_tables,
    table_of,
)
from fastbleu.scoring._formula cimport CompiledFormula, ExactSum, Formula, add, score_row, value

from fastbleu.rerank._pool_arguments import NoEvidenceError

cdef extern from "rerank/pairs.h" nogil:
    void fb_sum_rows(const uint8_t* matrix, size_t width, const uint32_t* rows, size_t n_rows, uint8_t* out)
    void fb_add_logs_8(
        const uint8_t* counts, size_t width, size_t pairs, const double* const* logs, int orders, bint compensated,
        double* sums)
    void fb_add_logs_32(
        const uint32_t* counts, size_t width, size_t pairs, const double* const* logs, int orders, bint compensated,
        double* sums)

cdef enum:
    MOST_BYTE = 255              # rows of ones that a byte can sum
    PAIRS_PER_SIGNAL_CHECK = 1 << 20

# A mean logarithm below it includes that of a precision of 0: no smoothing method gives precisions that small.
cdef double LOWEST_LOG = -1e6


cdef struct Pairs:
    PairIndex index              # of the pool at hand
    Tables tables
    # Buffers.
    uint8_t* counts              # [orders][width], of the hypothesis at hand
    uint32_t* wide_counts        # the same where bytes are too small
    uint8_t* wide_part
    int64_t* row                 # of statistics, where there are no tables
    uint32_t* reference_lengths  # each length that a reference has
    double* penalties            # by these lengths, of hypotheses of `penalized` tokens
    double* scores               # of the hypothesis at hand with each distinct reference
    ExactSum* sums               # of each distinct hypothesis
    double* own_scores           # of each distinct hypothesis with itself
    ExactSum* weights            # of each distinct reference
    # No more buffers.
    const Formula* formula
    size_t since_signal_check
    size_t n_reference_lengths
    int64_t penalized


cdef void free_pairs(Pairs* pairs) noexcept nogil:
    free_pair_index(&pairs.index)
    free_tables(&pairs.tables)
    release_all(<void**>&pairs.counts, <void**>&pairs.formula)


# Scores


cdef int list_reference_lengths(Pairs* pairs, size_t longest) except -1 nogil:
    cdef PairIndex* index = &pairs.index
    cdef size_t reference, before = 0 if index.own else index.hypotheses
    cdef uint32_t length
    reserve(<void**>&pairs.penalties, longest + 1, sizeof(double))
    reserve(<void**>&pairs.reference_lengths, longest + 1, sizeof(uint32_t))
    memset(pairs.penalties, 0, (longest + 1) * sizeof(double))
    pairs.n_reference_lengths = 0
    pairs.penalized = -1
    for reference in range(index.references):
        length = index.pool.lengths[before + reference]
        if pairs.penalties[length] == 0.0:
            pairs.penalties[length] = 1.0
            pairs.reference_lengths[pairs.n_reference_lengths] = length
            pairs.n_reference_lengths += 1
    return 0


cdef int prepare_pool(Pairs* pairs) except -1 nogil:
    """Prepares the pool that has been read for scoring."""
    cdef PairIndex* index = &pairs.index
    cdef size_t text
    cdef uint32_t longest = 0
    index_elements(&pairs.index)
    for text in range(index.pool.texts):
        longest = max(longest, index.pool.lengths[text])
    reserve(<void**>&pairs.counts, <size_t>index.orders * index.width, 1)
    reserve(<void**>&pairs.scores, index.width, sizeof(double))
    list_reference_lengths(pairs, longest)
    return 0


cdef void count_in_bytes(Pairs* pairs, size_t hypothesis) noexcept nogil:
    """Counts the matches of one hypothesis of at most 255 tokens with each reference."""
    cdef PairIndex* index = &pairs.index
    cdef Pool* pool = &index.pool
    cdef size_t k, place
    cdef uint32_t i
    cdef const uint32_t* elements
    cdef uint8_t* counts
    cdef int n
    for n in range(index.orders):
        elements = index.elements + <size_t>n * pool.tokens + index.firsts[hypothesis]
        place = <size_t>n * pool.texts + hypothesis
        counts = pairs.counts + <size_t>n * index.width
        fb_sum_rows(index.matrix, index.width, elements, index.n_rows[place], counts)
        for k in range(index.n_rows[place], index.n_elements[place]):
            for i in range(index.starts[elements[k]], index.starts[elements[k] + 1]):
                counts[index.listed[i]] += 1
        if index.own:
            # N-grams that it shares with no other text are no elements.
            counts[hypothesis] = <uint8_t>max(0, <int>pool.lengths[hypothesis] - n)


cdef int count_widely(Pairs* pairs, size_t hypothesis) except -1 nogil:
    """The same for a hypothesis of any length."""
    cdef PairIndex* index = &pairs.index
    cdef Pool* pool = &index.pool
    cdef size_t k, place, j, rows
    cdef uint32_t i
    cdef const uint32_t* elements
    cdef uint32_t* counts
    cdef int n
    reserve(<void**>&pairs.wide_counts, <size_t>index.orders * index.width, sizeof(uint32_t))
    reserve(<void**>&pairs.wide_part, index.width, 1)
    memset(pairs.wide_counts, 0, <size_t>index.orders * index.width * sizeof(uint32_t))
    for n in range(index.orders):
        elements = index.elements + <size_t>n * pool.tokens + index.firsts[hypothesis]
        place = <size_t>n * pool.texts + hypothesis
        counts = pairs.wide_counts + <size_t>n * index.width
        k = 0
        while k < index.n_rows[place]:
            rows = min(<size_t>MOST_BYTE, index.n_rows[place] - k)
            fb_sum_rows(index.matrix, index.width, elements + k, rows, pairs.wide_part)
            for j in range(index.width):
                counts[j] += pairs.wide_part[j]
            k += rows
        for k in range(index.n_rows[place], index.n_elements[place]):
            for i in range(index.starts[elements[k]], index.starts[elements[k] + 1]):
                counts[index.listed[i]] += 1
        if index.own:
            counts[hypothesis] = <uint32_t>max(<int64_t>0, <int64_t>pool.lengths[hypothesis] - n)
    return 0


cdef int score_rows_of(Pairs* pairs, size_t hypothesis, bint wide) except -1 nogil:
    """Scores the counts of one hypothesis without tables."""
    cdef PairIndex* index = &pairs.index
    cdef Pool* pool = &index.pool
    cdef size_t j, before = 0 if index.own else index.hypotheses, place
    cdef int64_t length = pool.lengths[hypothesis]
    cdef int n, order = pairs.formula.order
    reserve(<void**>&pairs.row, 2 + 2 * <size_t>order, sizeof(int64_t))
    for n in range(order):
        pairs.row[2 + order + n] = max(<int64_t>0, length - n)
        pairs.row[2 + n] = 0
    for j in range(index.references):
        pairs.row[0] = length
        pairs.row[1] = pool.lengths[before + j]
        for n in range(index.orders):
            place = <size_t>n * index.width + j
            pairs.row[2 + n] = pairs.wide_counts[place] if wide else pairs.counts[place]
        pairs.scores[j] = score_row(pairs.formula, pairs.row)
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
    cdef PairIndex* index = &pairs.index
    cdef Pool* pool = &index.pool
    cdef size_t j, before = 0 if index.own else index.hypotheses
    cdef uint32_t length = pool.lengths[hypothesis]
    cdef bint wide = length > SHORT_TEXT
    cdef const LengthTable* table
    cdef double* scores = pairs.scores
    cdef double divisor
    if wide:
        count_widely(pairs, hypothesis)
    else:
        count_in_bytes(pairs, hypothesis)
    pairs.since_signal_check += index.references
    if pairs.since_signal_check > PAIRS_PER_SIGNAL_CHECK:
        pairs.since_signal_check = 0
        with gil:
            PyErr_CheckSignals()
    if pairs.formula.order > MOST_TABLE_ORDERS or isinf(pairs.formula.unmatched):
        return score_rows_of(pairs, hypothesis, wide)
    table = table_of(&pairs.tables, length)
    if table.orders == 0:
        memset(scores, 0, index.references * sizeof(double))
        return 0
    if wide:
        fb_add_logs_32(
            pairs.wide_counts, index.width, index.references, table.logs, table.orders, pairs.tables.compensated,
            scores)
    else:
        fb_add_logs_8(
            pairs.counts, index.width, index.references, table.logs, table.orders, pairs.tables.compensated, scores)
    find_penalties(pairs, length)
    divisor = table.divisor
    for j in range(index.references):
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


cdef inline void add_weighted(ExactSum* sum, const ExactSum* weight, double score) noexcept nogil:
    """Adds a score times a weight that is itself a sum."""
    add_product(sum, weight.total, score)
    if weight.lost != 0.0:
        add_product(sum, weight.lost, score)


cdef int weigh_references(
    Pairs* pairs, size_t first, size_t n_references, const double* weights, ExactSum* total
) except -1 nogil:
    """Adds up the weights of equal references, and of all; `first` is the text where references begin."""
    cdef PairIndex* index = &pairs.index
    cdef size_t i
    reserve(<void**>&pairs.weights, index.references, sizeof(ExactSum))
    memset(pairs.weights, 0, index.references * sizeof(ExactSum))
    total.total = total.lost = 0.0
    for i in range(n_references):
        add(&pairs.weights[index.places[first + i]], weights[i] if weights != NULL else 1.0)
        add(total, weights[i] if weights != NULL else 1.0)
    return 0


cdef void leave_out(
    Pairs* pairs, size_t i, size_t n, const double* weights, ExactSum* all_others, ExactSum* equal_others
) noexcept nogil:
    """Takes the weight of candidate i from the sums of all candidates' and of its equals' weights."""
    cdef size_t j, own = pairs.index.places[i]
    cdef double weight = weights[i] if weights != NULL else 1.0
    if weights == NULL or 2.0 * weight < value(equal_others):
        add(all_others, -weight)
        add(equal_others, -weight)
        return
    # The difference would lose too many digits: the weights of the others are added up instead.
    equal_others.total = equal_others.lost = 0.0
    for j in range(n):
        if j != i and pairs.index.places[j] == own:
            add(equal_others, weights[j])
    if 2.0 * weight < value(all_others):
        add(all_others, -weight)
        return
    all_others.total = all_others.lost = 0.0
    for j in range(n):
        if j != i:
            add(all_others, weights[j])


cdef ExactSum sum_scores(const Pairs* pairs, size_t left_out) noexcept nogil:
    """Adds up the scores of the hypothesis at hand by the weights of references, but for one."""
    cdef ExactSum sum
    cdef size_t j
    sum.total = sum.lost = 0.0
    for j in range(pairs.index.references):
        if j != left_out:
            add_weighted(&sum, &pairs.weights[j], pairs.scores[j])
    return sum


cdef int64_t expect_pool(
    Pairs* pairs, size_t n_hypotheses, size_t n_references, const double* weights, bint exclude_self, double* expected
) except -2 nogil:
    """Writes the expected score of each hypothesis; returns one that has no evidence, or -1."""
    cdef PairIndex* index = &pairs.index
    cdef size_t i, hypothesis, behind = 0, scored = 0, first = 0 if index.own else n_hypotheses
    cdef ExactSum total, sum, rest, equals
    cdef double low, high
    weigh_references(pairs, first, n_references, weights, &total)
    reserve(<void**>&pairs.sums, index.hypotheses, sizeof(ExactSum))
    reserve(<void**>&pairs.own_scores, index.hypotheses, sizeof(double))
    for i in range(n_hypotheses):
        hypothesis = index.places[i]
        if hypothesis == behind:
            # Distinct hypotheses are numbered in the order in which they come.
            score_hypothesis(pairs, hypothesis)
            scored = hypothesis
            behind += 1
            pairs.sums[hypothesis] = sum_scores(pairs, hypothesis if exclude_self else index.references)
            pairs.own_scores[hypothesis] = pairs.scores[hypothesis] if exclude_self else 0.0
        sum = pairs.sums[hypothesis]
        rest = total
        if exclude_self:
            # Texts that equal it remain evidence.
            equals = pairs.weights[hypothesis]
            leave_out(pairs, i, n_references, weights, &rest, &equals)
            add_weighted(&sum, &equals, pairs.own_scores[hypothesis])
        if not value(&rest) > 0:
            return <int64_t>i
        if divide(&sum, &rest, 4 * n_references, &low, &high):
            expected[i] = low
            continue
        if hypothesis != scored:
            score_hypothesis(pairs, hypothesis)
            scored = hypothesis
        expected[i] = exact_mean(
            pairs.scores, index.places + first, weights, n_references, i if exclude_self else n_references, low, high)
    return -1


# For Python


cdef class PairsHolder:
    """Memory for pairs, freed with the object."""

    cdef Pairs pairs

    def __cinit__(self, CompiledFormula formula not None):
        memset(&self.pairs, 0, sizeof(Pairs))
        self.pairs.formula = &formula.formula
        self.pairs.index.most_orders = formula.formula.last_order
        begin_tables(&self.pairs.tables, &formula.formula)

    def __dealloc__(self):
        free_pairs(&self.pairs)


def score_pairs(Column hypotheses not None, Column references, int tokenizer, CompiledFormula formula not None, scores):
    """Scores each hypothesis against each reference as its only one.

    Args:
        hypotheses: H segments, none of them absent.
        references: R segments; None: the hypotheses themselves.
        tokenizer: The kernel's number of a tokenizer, or IDS where the columns hold ids.
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
    cdef size_t* first_rows = NULL
    cdef const uint32_t* places
    check_kind(hypotheses, "hypotheses", tokenizer)
    check_kind(others, "references", tokenizer)
    if out.rows != hypotheses.length or out.columns != others.length:
        raise ValueError(f"scores must have the shape [{n}, {n_references}], not [{out.rows}, {out.columns}]")
    if n == 0 or n_references == 0:
        return
    try:
        reserve(<void**>&first_rows, n, sizeof(size_t))
        with nogil:
            read_pair_texts(
                &pairs.index, tokenizer, &hypotheses.view, 0, hypotheses.length,
                NULL if references is None else &others.view, 0, others.length)
            prepare_pool(pairs)
            places = pairs.index.places + (0 if pairs.index.own else n)
            for i in range(n):
                if pairs.index.places[i] < behind:
                    row = first_rows[pairs.index.places[i]]
                    memcpy(out.data + i * n_references, out.data + row * n_references, n_references * sizeof(double))
                    continue
                # Distinct hypotheses are numbered in the order in which they come.
                score_hypothesis(pairs, behind)
                for j in range(n_references):
                    out.data[i * n_references + j] = pairs.scores[places[j]]
                first_rows[behind] = i
                behind += 1
    finally:
        release(<void**>&first_rows)


def expect_scores(
    Column candidates not None, bounds, Column evidence, evidence_bounds, weights, bint exclude_self, int tokenizer,
    CompiledFormula formula not None, scores,
):
    """Takes the mean of each candidate's scores against each piece of evidence of its pool; no matrix is stored.

    The mean of the scores that `score_pairs` writes, by the weights as they are, is computed exactly and rounded once.
    So the order of a pool, and equal texts in it, change no digit.

    Args:
        candidates: All candidates of n pools, none of them absent.
        bounds: int64 [n + 1]: the candidates of pool i are those from bounds[i] to bounds[i + 1] - 1.
        evidence: Likewise what they are scored against, each by itself; None: the candidates of their own pool.
        evidence_bounds: int64 [n + 1] of the evidence; None without.
        weights: float64, of each piece of evidence, finite and >= 0; they are divided by their sum in a pool. None: all
            the same.
        exclude_self: Whether a candidate is no evidence for itself; only without `evidence`.
        tokenizer: The kernel's number of a tokenizer, or IDS where the columns hold ids.
        formula: The options.
        scores: float64 [candidates] to write to, 0..100.

    Raises:
        TypeError: A column of the other kind.
        NoEvidenceError: A candidate has no evidence; a ValueError.
        ValueError: Something does not fit; far too many tokens.
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
            if pool.evidence_start == pool.evidence_stop:
                lonely = 0
                break
            read_pair_texts(
                &pairs.index, tokenizer, pools.candidate_view, pool.start, pool.stop, pools.evidence_view,
                pool.evidence_start, pool.evidence_stop)
            prepare_pool(pairs)
            lonely = expect_pool(
                pairs, <size_t>(pool.stop - pool.start), <size_t>(pool.evidence_stop - pool.evidence_start),
                pool.weights, exclude_self, pool.scores)
            if lonely >= 0:
                break
    if lonely >= 0:
        raise NoEvidenceError(i, lonely)
