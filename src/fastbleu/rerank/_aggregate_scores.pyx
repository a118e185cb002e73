"""Score each candidate of a pool against all of its evidence together, as if it were one reference.

This reference has the expected n-gram counts and the expected length of the evidence. The method is from DeNero et al.
(2009, "Fast Consensus Decoding over Translation Forests", https://aclanthology.org/P09-1064/) for BLEU, computed as in
mbrs 0.1.8, and from Vamvas and Sennrich (2024, https://arxiv.org/abs/2402.04251) for chrF, computed as in fastchrf
0.2.1. An n-gram of a candidate matches as often as it occurs in the candidate, but at most as often as it is expected
to occur in the evidence. The score approximates the mean score of pairs, in time linear in the size of the pool.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t

from fastbleu._native.memory cimport release_all, reserve
from fastbleu._native.signals cimport check_signals, clear_memory
from fastbleu.inputs._column cimport View
from fastbleu.rerank._hypothesis_scores cimport Chrf
from fastbleu.rerank._pool_ngrams cimport Pool, clear_counts, free_pool, number_ngrams, read_pool
from fastbleu.scoring._formula cimport CompiledFormula, ExactSum, add, score_row, value
from fastbleu.tokenizers._tokenize cimport TOKENIZE_CHRF_WORDS

cdef extern from "counting/chrf_score.h" nogil:
    double fb_chrf_score(const double* row, size_t orders, double factor, bint eps_smoothing)


cdef int init_aggregate(Aggregate* aggregate, formula) except -1:
    """Set the formula, which is a `CompiledFormula` or the tuple `CHRFFormula.compiled`.

    Raises:
        TypeError: The formula has another type.
    """
    cdef Chrf* chrf = &aggregate.chrf
    if isinstance(formula, tuple):
        chrf.char_order, chrf.word_order, chrf.factor, chrf.eps_smoothing = formula
    else:
        aggregate.formula = &(<CompiledFormula?>formula).formula
    return 0


cdef void free_aggregate(Aggregate* aggregate) noexcept nogil:
    free_pool(&aggregate.pool)
    release_all(<void**>&aggregate.expected, <void**>&aggregate.formula, 2)


cdef inline double weight_of(const Aggregate* aggregate, size_t text) noexcept nogil:
    """Return the weight of a piece of evidence, given the index of its text in the pool."""
    return aggregate.weights[text - aggregate.first] if aggregate.weights != NULL else 1.0


cdef inline double ngrams_of(uint32_t length, size_t n) noexcept nogil:
    """Return the number of n-grams of order n in a text of this length."""
    return <double>(length - n + 1) if length >= n else 0.0


cdef double expect_total(const Aggregate* aggregate, size_t n) noexcept nogil:
    """Return the number of n-grams of order n in the evidence, as a sum weighted by the weights of the texts."""
    cdef ExactSum total
    cdef size_t text
    total.total = total.lost = 0.0
    for text in range(aggregate.first, aggregate.pool.texts):
        add(&total, weight_of(aggregate, text) * ngrams_of(aggregate.pool.lengths[text], n))
    return value(&total)


cdef int expect_counts(Aggregate* aggregate, size_t n) except -1 nogil:
    """Write the weighted count of each n-gram of order n in the evidence to `aggregate.expected`."""
    cdef Pool* pool = &aggregate.pool
    cdef size_t first = 0, text, t, length
    cdef double weight
    reserve(<void**>&aggregate.expected, <size_t>pool.n_ngrams + 1, sizeof(ExactSum))
    clear_memory(aggregate.expected, (<size_t>pool.n_ngrams + 1) * sizeof(ExactSum))
    for text in range(pool.texts):
        length = pool.lengths[text]
        if text >= aggregate.first:
            weight = weight_of(aggregate, text)
            for t in range(first + n - 1, first + length):
                check_signals(t)
                add(&aggregate.expected[pool.ngrams[t]], weight)
        first += length
    return 0


cdef int match_candidates(
    Aggregate* aggregate, size_t n, double scale, double divisor, double* matches, size_t width
) except -1 nogil:
    """Compute the matches of order n of each candidate, clipping its n-gram counts by those of the evidence.

    The matches of an n-gram are min(scale * count in the candidate, weighted count in the evidence / divisor). The
    fields `running` of `pool.counts` must be 0 before the call, and are 0 after it.

    Args:
        aggregate: The pool, with the weighted counts of the evidence.
        n: The order.
        scale: The factor of the counts in the candidate.
        divisor: The divisor of the weighted counts.
        matches: The matches of candidate i are written to matches[i * width].
        width: The distance between the matches of adjacent candidates.
    """
    cdef Pool* pool = &aggregate.pool
    cdef size_t first = 0, text, t, length
    cdef uint32_t number
    cdef double matched
    for text in range(aggregate.candidates):
        length = pool.lengths[text]
        matched = 0.0
        for t in range(first + n - 1, first + length):
            check_signals(t)
            pool.counts[pool.ngrams[t]].running += 1
        for t in range(first + n - 1, first + length):
            check_signals(t)
            number = pool.ngrams[t]
            # At the first occurrence of an n-gram its count is used and set to 0; at later ones it is 0.
            if pool.counts[number].running != 0:
                matched += min(scale * pool.counts[number].running, value(&aggregate.expected[number]) / divisor)
                pool.counts[number].running = 0
        matches[text * width] = matched
        first += length
    return 0


cdef int match_order(
    Aggregate* aggregate, size_t n, double scale, double divisor, double* matches, size_t width
) except -1 nogil:
    """Number the n-grams of order n, and compute the matches of each candidate.

    Call it for the orders 1, 2, 3, ... in turn, because the numbers of n-grams are computed from the numbers of shorter
    n-grams. The arguments are those of `match_candidates`.
    """
    if n > 1 and aggregate.pool.n_ngrams > 0:
        number_ngrams(&aggregate.pool)
    clear_counts(&aggregate.pool)
    expect_counts(aggregate, n)
    match_candidates(aggregate, n, scale, divisor, matches, width)
    return 0


cdef int score_bleu(Aggregate* aggregate, double* scores) except -1 nogil:
    """Score each candidate by sacreBLEU's formula after the pool has been read; write to `scores`, [candidates]."""
    cdef const uint32_t* lengths = aggregate.pool.lengths
    cdef size_t text, n, order = <size_t>aggregate.formula.order, width = 2 + 2 * order
    cdef double length = expect_total(aggregate, 1) / aggregate.weight
    cdef double* row
    for n in range(1, order + 1):
        match_order(aggregate, n, 1.0, aggregate.weight, aggregate.rows + 1 + n, width)
    for text in range(aggregate.candidates):
        row = aggregate.rows + text * width
        row[0], row[1] = lengths[text], length
        for n in range(1, order + 1):
            row[1 + order + n] = ngrams_of(lengths[text], n)
        scores[text] = score_row(aggregate.formula, <const double*>row)
    return 0


cdef int count_chrf(Aggregate* aggregate, size_t orders, double* rows, size_t width) except -1 nogil:
    """Write the chrF statistics of all candidates; the tokens of the pool are either characters or words.

    All counts are multiplied by the sum of the weights, as in fastchrf, so that they are integers for equal weights.

    Args:
        aggregate: The pool.
        orders: The number of n-gram orders to count, from order 1 on.
        rows: [candidates][width]: the statistics are written here, three numbers per order: the n-grams of the
            candidate, the n-grams of the evidence, and the matches.
        width: The distance between the rows of adjacent candidates.
    """
    cdef size_t text, n
    cdef double total
    for n in range(1, orders + 1):
        total = expect_total(aggregate, n)
        match_order(aggregate, n, aggregate.weight, 1.0, rows + 2, width)
        for text in range(aggregate.candidates):
            # As in sacreBLEU, the n-grams of a candidate are not counted if the reference has none of this order.
            rows[text * width] = aggregate.weight * ngrams_of(aggregate.pool.lengths[text], n) if total > 0 else 0.0
            rows[text * width + 1] = total
        rows += 3
    return 0


cdef int64_t score_aggregate(
    Aggregate* aggregate, int tokenizer, const View* view, int64_t start, int64_t stop,
    const View* other, int64_t other_start, int64_t other_stop, const double* weights, double* scores
) except -2 nogil:
    """Score the candidates of one pool against all of its evidence together.

    Args:
        aggregate: The formula and reusable buffers.
        tokenizer: A constant TOKENIZE_*; for chrF the tokenizer of characters.
        view: The texts of which start..stop - 1 are the candidates.
        other: The texts of which other_start..other_stop - 1 are the evidence; NULL: the candidates are the evidence.
        weights: The weight of each piece of evidence; NULL: equal weights.
        scores: [candidates]: the scores are written here.

    Returns:
        -1 if the candidates have been scored; 0 if all weights are 0, so that no candidate has evidence.
    """
    cdef const Chrf* chrf = &aggregate.chrf
    cdef size_t text, width, orders = chrf.char_order + chrf.word_order
    cdef int64_t pieces = stop - start if other == NULL else other_stop - other_start
    cdef ExactSum weight
    aggregate.weights = weights
    aggregate.candidates = <size_t>(stop - start)
    aggregate.first = 0 if other == NULL else aggregate.candidates
    weight.total = weight.lost = 0.0
    for text in range(aggregate.first, aggregate.first + <size_t>pieces):
        add(&weight, weight_of(aggregate, text))
    aggregate.weight = value(&weight)
    if not aggregate.weight > 0:
        return 0
    width = 3 * orders if aggregate.formula == NULL else 2 + 2 * <size_t>aggregate.formula.order
    reserve(<void**>&aggregate.rows, aggregate.candidates * width, sizeof(double))
    if aggregate.formula != NULL or chrf.char_order > 0:
        read_pool(&aggregate.pool, tokenizer, view, start, stop, other, other_start, other_stop)
    if aggregate.formula != NULL:
        score_bleu(aggregate, scores)
        return -1
    count_chrf(aggregate, chrf.char_order, aggregate.rows, width)
    if chrf.word_order > 0:
        read_pool(&aggregate.pool, TOKENIZE_CHRF_WORDS, view, start, stop, other, other_start, other_stop)
        count_chrf(aggregate, chrf.word_order, aggregate.rows + 3 * chrf.char_order, width)
    for text in range(aggregate.candidates):
        scores[text] = fb_chrf_score(aggregate.rows + text * width, orders, chrf.factor, chrf.eps_smoothing)
    return -1
