"""The candidates of a pool against its evidence as one reference: expected n-gram counts, and the expected length.

DeNero et al. (2009, "Fast Consensus Decoding over Translation Forests", https://aclanthology.org/P09-1064/); BLEU as
mbrs 0.1.8 has it. An n-gram of a candidate matches as often as it occurs in the candidate, but at most as often as it
is expected to occur in the evidence. The result approximates the expectation of the scores, in time linear in the
pool.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memset

from fastbleu._native.memory cimport release_all, reserve
from fastbleu.inputs._column cimport Column, View
from fastbleu.rerank._pool_arguments cimport PoolArguments, PoolRange, find_pool
from fastbleu.rerank._pool_ngrams cimport (
    Pool,
    begin_pool,
    clear_counts,
    free_pool,
    number_ngrams,
    number_pool,
    read_texts,
)
from fastbleu.scoring._formula cimport CompiledFormula, ExactSum, Formula, add, score_row, value

from fastbleu.rerank._pool_arguments import NoEvidenceError


cdef struct Aggregate:
    Pool pool
    # Buffers.
    ExactSum* expected           # weighted counts of the n-grams of the order at hand, by number
    double* matches              # [orders][candidates]
    double* row
    # No more buffers.
    const Formula* formula
    size_t candidates            # the first texts of the pool
    size_t first                 # text where the evidence begins: 0 where candidates are their own


cdef class AggregateHolder:
    """Memory for pools, freed with the object."""

    cdef Aggregate aggregate

    def __cinit__(self, CompiledFormula formula not None):
        memset(&self.aggregate, 0, sizeof(Aggregate))
        self.aggregate.formula = &formula.formula

    def __dealloc__(self):
        free_pool(&self.aggregate.pool)
        release_all(<void**>&self.aggregate.expected, <void**>&self.aggregate.formula)


cdef int expect_counts(Aggregate* aggregate, int n, const double* weights) except -1 nogil:
    """Adds up how often each n-gram of order n is in the evidence, times the weights."""
    cdef Pool* pool = &aggregate.pool
    cdef size_t first = 0, text, t, length
    cdef double weight
    reserve(<void**>&aggregate.expected, <size_t>pool.n_ngrams + 1, sizeof(ExactSum))
    memset(aggregate.expected, 0, (<size_t>pool.n_ngrams + 1) * sizeof(ExactSum))
    for text in range(pool.texts):
        length = pool.lengths[text]
        if text >= aggregate.first and length >= <size_t>n:
            weight = weights[text - aggregate.first] if weights != NULL else 1.0
            for t in range(first + n - 1, first + length):
                add(&aggregate.expected[pool.ngrams[t]], weight)
        first += length
    return 0


cdef void match_candidates(Aggregate* aggregate, int n, double total, double* matches) noexcept nogil:
    """Writes how many n-grams of order n of each candidate match; the counts are all 0 before and after.

    `total` is the sum of the evidence's weights.
    """
    cdef Pool* pool = &aggregate.pool
    cdef size_t first = 0, text, t, length
    cdef uint32_t number
    cdef double found
    for text in range(aggregate.candidates):
        length = pool.lengths[text]
        found = 0.0
        if length >= <size_t>n:
            for t in range(first + n - 1, first + length):
                pool.counts[pool.ngrams[t]].run += 1
            for t in range(first + n - 1, first + length):
                number = pool.ngrams[t]
                # Only its first occurrence finds a count: run is 0 at the others.
                if pool.counts[number].run != 0:
                    found += min(<double>pool.counts[number].run, value(&aggregate.expected[number]) / total)
                    pool.counts[number].run = 0
        matches[text] = found
        first += length


cdef int score_pool(Aggregate* aggregate, const double* weights, double* scores) except -1 nogil:
    """Scores all candidates of the pool that has been read."""
    cdef Pool* pool = &aggregate.pool
    cdef const Formula* formula = aggregate.formula
    cdef size_t text, longest = 0, orders, candidates = aggregate.candidates
    cdef double total, weight
    cdef ExactSum weights_sum, length
    cdef double* row
    cdef int n, order = formula.order
    weights_sum.total = weights_sum.lost = length.total = length.lost = 0.0
    for text in range(aggregate.first, pool.texts):
        weight = weights[text - aggregate.first] if weights != NULL else 1.0
        add(&weights_sum, weight)
        add(&length, weight * pool.lengths[text])
    total = value(&weights_sum)
    if not total > 0:
        return 1
    for text in range(candidates):
        longest = max(longest, <size_t>pool.lengths[text])
    orders = min(<size_t>order, longest)
    reserve(<void**>&aggregate.matches, orders * candidates, sizeof(double))
    reserve(<void**>&aggregate.row, 2 + 2 * <size_t>order, sizeof(double))
    row = aggregate.row
    for n in range(1, <int>orders + 1):
        if n > 1:
            number_ngrams(pool)
        clear_counts(pool)
        expect_counts(aggregate, n, weights)
        match_candidates(aggregate, n, total, aggregate.matches + <size_t>(n - 1) * candidates)
    for text in range(candidates):
        row[0] = pool.lengths[text]
        row[1] = value(&length) / total
        for n in range(order):
            row[2 + n] = aggregate.matches[<size_t>n * candidates + text] if <size_t>n < orders else 0.0
            row[2 + order + n] = <double>max(<int64_t>0, <int64_t>pool.lengths[text] - n)
        scores[text] = score_row(formula, <const double*>row)
    return 0


def expect_aggregate(
    Column candidates not None, bounds, Column evidence, evidence_bounds, weights, int tokenizer,
    CompiledFormula formula not None, scores,
):
    """Scores each candidate against the expected n-gram counts and the expected length of its pool's evidence.

    Args:
        candidates: All candidates of n pools, none of them absent.
        bounds: int64 [n + 1]: the candidates of pool i are those from bounds[i] to bounds[i + 1] - 1.
        evidence: Likewise what they are scored against; None: the candidates of their own pool.
        evidence_bounds: int64 [n + 1] of the evidence; None without.
        weights: float64, of each piece of evidence, finite and >= 0; they are divided by their sum in a pool. None: all
            the same.
        tokenizer: The kernel's number of a tokenizer, or IDS where the columns hold ids.
        formula: The options.
        scores: float64 [candidates] to write to, 0..100.

    Raises:
        TypeError: A column of the other kind.
        NoEvidenceError: A pool has no evidence; a ValueError.
        ValueError: Something does not fit; far too many tokens.
    """
    cdef PoolArguments pools = PoolArguments(
        candidates, bounds, evidence, evidence_bounds, weights, tokenizer, scores)
    cdef AggregateHolder holder = AggregateHolder(formula)
    cdef Aggregate* aggregate = &holder.aggregate
    cdef const View* view = pools.candidate_view
    cdef const View* other_view = pools.evidence_view
    cdef PoolRange pool
    cdef Py_ssize_t i
    cdef int64_t texts
    cdef int lonely = 0
    with nogil:
        for i in range(pools.pools):
            find_pool(pools, i, &pool)
            if pool.start == pool.stop:
                continue
            texts = pool.stop - pool.start
            aggregate.candidates = <size_t>texts
            aggregate.first = 0
            if other_view != NULL:
                aggregate.first = <size_t>texts
                texts += pool.evidence_stop - pool.evidence_start
            begin_pool(
                &aggregate.pool, tokenizer, <size_t>texts, view, pool.start, pool.stop, other_view,
                pool.evidence_start, pool.evidence_stop)
            read_texts(&aggregate.pool, tokenizer, view, pool.start, pool.stop)
            if other_view != NULL:
                read_texts(&aggregate.pool, tokenizer, other_view, pool.evidence_start, pool.evidence_stop)
            number_pool(&aggregate.pool)
            lonely = score_pool(aggregate, pool.weights, pool.scores)
            if lonely:
                break
    if lonely:
        raise NoEvidenceError(i, 0)
