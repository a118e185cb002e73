"""Every hypothesis of a pool against every reference by itself: millions of pairs, as a matrix or as means.

For one hypothesis at a time, the scores with all references are found together (`_hypothesis_scores`).
"""

from libc.math cimport fma
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memcpy, memset

from fastbleu._native.memory cimport release, reserve
from fastbleu.inputs._column cimport Column, Float64Buffer
from fastbleu.rerank._exact_mean cimport divide, exact_mean
from fastbleu.rerank._hypothesis_scores cimport Pairs, PairsHolder, prepare_pool, score_hypothesis
from fastbleu.rerank._pair_index cimport PairIndex, read_pair_texts
from fastbleu.rerank._pool_arguments cimport PoolArguments, PoolRange, check_kind, find_pool
from fastbleu.scoring._formula cimport ExactSum, add, value

from fastbleu.rerank._pool_arguments import NoEvidenceError, NoTrigramError

cdef enum:
    BLOCK = 8                    # rows and columns that are mirrored at a time: numbers in a line of the cache


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
    cdef size_t i, hypothesis, after = 0, scored = 0, first = index.first_reference
    cdef ExactSum total, sum, rest, equals
    cdef double low, high
    weigh_references(pairs, first, n_references, weights, &total)
    reserve(<void**>&pairs.sums, index.hypotheses, sizeof(ExactSum))
    reserve(<void**>&pairs.own_scores, index.hypotheses, sizeof(double))
    for i in range(n_hypotheses):
        hypothesis = index.places[i]
        if hypothesis == after:
            # Distinct hypotheses are numbered in the order in which they come.
            score_hypothesis(pairs, hypothesis, 0)
            scored = hypothesis
            after += 1
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
            score_hypothesis(pairs, hypothesis, 0)
            scored = hypothesis
        expected[i] = exact_mean(
            pairs.scores, index.places + first, weights, n_references, i if exclude_self else n_references, low, high)
    return -1


# For Python


cdef int find_first_needed(const uint32_t* places, size_t n, size_t** needed) except -1 nogil:
    """Finds the lowest of places[j..n - 1] for each j."""
    cdef size_t j = n, lowest
    reserve(<void**>needed, n + 1, sizeof(size_t))
    lowest = n
    needed[0][n] = lowest
    while j > 0:
        j -= 1
        lowest = min(lowest, <size_t>places[j])
        needed[0][j] = lowest
    return 0


def score_pairs(
    Column hypotheses not None, Column references, int tokenizer, formula not None, scores, Py_ssize_t first=-1
):
    """Scores each hypothesis against each reference as its only one.

    Args:
        hypotheses: H segments, none of them absent.
        references: R segments; None: the hypotheses themselves.
        tokenizer: The kernel's number of a tokenizer, or IDS where the columns hold ids.
        formula: The options, compiled; sacreBLEU's or NLTK's.
        scores: float64 [H, R] to write to, on the formula's scale: the scalar formula's scores, to the last digit
            unless sacreBLEU's formula has weights.
        first: -1: all pairs. Otherwise hypothesis i is scored with the references from first + i on, and the rest of
            its row is left as it is.

    Returns:
        The lowest order, from 1 on, that has no match in a pair in which a token matches, if NLTK's method 0 must warn
        of it; 0: none.

    Raises:
        TypeError: A column of the other kind.
        NoTrigramError: NLTK's method 6 cannot score a pair; a ValueError.
        ValueError: Another shape, or far too many tokens.
    """
    cdef Float64Buffer out = Float64Buffer(scores, "scores", 2, True)
    cdef Column others = hypotheses if references is None else references
    cdef PairsHolder holder = PairsHolder(formula)
    cdef Pairs* pairs = &holder.pairs
    cdef size_t i, j, n = <size_t>hypotheses.length, n_references = <size_t>others.length
    cdef size_t after = 0, row = 0, start = 0
    cdef size_t* first_rows = NULL
    cdef size_t* needed = NULL
    cdef const uint32_t* places
    cdef double* found
    check_kind(hypotheses, "hypotheses", tokenizer)
    check_kind(others, "references", tokenizer)
    if out.rows != hypotheses.length or out.columns != others.length:
        raise ValueError(f"scores must have the shape [{n}, {n_references}], not [{out.rows}, {out.columns}]")
    if first >= 0 and <size_t>first + n > n_references:
        raise ValueError(f"there are {n_references} references, too few for {n} hypotheses from {first} on")
    if n == 0 or n_references == 0:
        return 0
    try:
        reserve(<void**>&first_rows, n, sizeof(size_t))
        with nogil:
            read_pair_texts(
                &pairs.index, tokenizer, &hypotheses.view, 0, hypotheses.length,
                NULL if references is None else &others.view, 0, others.length)
            prepare_pool(pairs)
            places = pairs.index.places + pairs.index.first_reference
            if first >= 0:
                find_first_needed(places, n_references, &needed)
            for i in range(n):
                if first >= 0:
                    start = <size_t>first + i
                found = out.data + i * n_references
                if pairs.index.places[i] < after:
                    row = first_rows[pairs.index.places[i]]
                    memcpy(
                        found + start, out.data + row * n_references + start, (n_references - start) * sizeof(double))
                    continue
                # Distinct hypotheses are numbered in the order in which they come.
                score_hypothesis(pairs, after, needed[start] if first >= 0 else 0)
                for j in range(start, n_references):
                    found[j] = pairs.scores[places[j]]
                first_rows[after] = i
                after += 1
    finally:
        release(<void**>&first_rows)
        release(<void**>&needed)
    return holder.unmatched()


def mirror(scores):
    """Copies the part of a matrix above its diagonal below it: matrix[j, i] = matrix[i, j] for i < j.

    Args:
        scores: float64 [n, n] to write to.

    Raises:
        ValueError: Another shape.
    """
    cdef Float64Buffer out = Float64Buffer(scores, "scores", 2, True)
    cdef Py_ssize_t n = out.rows, above = 0, left, i, j
    if out.columns != n:
        raise ValueError(f"scores must be square, not [{n}, {out.columns}]")
    with nogil:
        while above < n:
            left = above
            while left < n:
                for j in range(left, min(n, left + BLOCK)):
                    for i in range(above, min(j, above + BLOCK)):
                        out.data[j * n + i] = out.data[i * n + j]
                left += BLOCK
            above += BLOCK


def expect_scores(
    Column candidates not None, bounds, Column evidence, evidence_bounds, weights, bint exclude_self, int tokenizer,
    formula not None, scores,
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
        exclude_self: Whether a candidate is not evidence for itself; only without `evidence`.
        tokenizer: The kernel's number of a tokenizer, or IDS where the columns hold ids.
        formula: The options, compiled; sacreBLEU's or NLTK's.
        scores: float64 [candidates] to write to, on the formula's scale.

    Returns:
        As `score_pairs`.

    Raises:
        TypeError: A column of the other kind.
        NoEvidenceError: A candidate has no evidence; a ValueError.
        NoTrigramError: NLTK's method 6 cannot score a pair; a ValueError.
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
    try:
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
    except NoTrigramError as error:
        raise NoTrigramError(error.hypothesis, error.reference, i) from None
    if lonely >= 0:
        raise NoEvidenceError(i, lonely)
    return holder.unmatched()
