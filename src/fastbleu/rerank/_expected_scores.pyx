"""Compute the expected score of each candidate of a pool, as a mean over pairs or against all evidence together.

The mean is the weighted mean of a candidate's scores against each piece of evidence as the only reference. The scores
of pairs are not stored. `_aggregate_scores` computes the scores against all evidence together.
"""

from math import fsum

from libc.math cimport INFINITY, fabs, fma, isinf, nextafter
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memset

from fastbleu._native.memory cimport reserve
from fastbleu.inputs._column cimport Column, Float64Buffer, Int64Buffer, View
from fastbleu.rerank._aggregate_scores cimport Aggregate, init_aggregate, free_aggregate, score_aggregate
from fastbleu.rerank._hypothesis_scores cimport Pairs, PairScorer, prepare_pool, read_pairs, score_hypothesis
from fastbleu.rerank._pair_index cimport PairIndex
from fastbleu.rerank._pool_ngrams cimport check_bounds, check_kind
from fastbleu.scoring._formula cimport ExactSum, add, value

from fastbleu.rerank._hypothesis_scores import NoTrigramError

# If all numbers are between these bounds, a float can represent the rounding error of a product or quotient exactly.
cdef double SMALLEST = 1e-250
cdef double LARGEST = 1e250

# The rounding error of an `ExactSum` of n terms >= 0 is at most SUM_ERROR * n^2 times the sum, including a margin.
cdef double SUM_ERROR = 2.0 ** -101


# Rounding
#
# A mean is the quotient of two sums, and the result must be the exact quotient, rounded once. `divide` computes it from
# sums of about twice the precision of a float, and bounds its error. Nearly always the lower and the upper bound round
# to the same float, which is then the result. Otherwise the mean is close to the midpoint of two floats, as means of
# two scores often are, and `exact_mean` compares it with the midpoint in exact arithmetic.


cdef bint divide(const ExactSum* sum, const ExactSum* weight, size_t terms, double* low, double* high) noexcept nogil:
    """Divide two sums, and bound the correctly rounded quotient.

    Args:
        sum: The weighted sum of scores, a sum of terms >= 0.
        weight: The sum of weights, a sum of terms >= 0.
        terms: The number of terms of the sum that has more terms.
        low: The lower bound is written here.
        high: The upper bound is written here.

    Returns:
        Whether `low` is certainly the correctly rounded quotient: it equals `high`, and the sums and the quotient are
        between SMALLEST and LARGEST.
    """
    cdef double total = sum.total + sum.lost, rest = sum.lost - (total - sum.total)
    cdef double whole = weight.total + weight.lost, whole_rest = weight.lost - (whole - weight.total)
    cdef double quotient = total / whole, correction, slack
    # A float can represent the remainder total - quotient * whole exactly, and fma computes it without rounding.
    correction = (fma(-quotient, whole, total) + (rest - quotient * whole_rest)) / whole
    slack = SUM_ERROR * (<double>terms + 2.0) * (<double>terms + 2.0) * quotient
    low[0] = quotient + (correction - slack)
    high[0] = quotient + (correction + slack)
    return (
        low[0] == high[0] and SMALLEST < total < LARGEST and SMALLEST < whole < LARGEST
        and SMALLEST < quotient < LARGEST)


cdef double exact_mean(
    const double* scores, const uint32_t* distinct, const double* weights, size_t n, size_t excluded, double low,
    double high,
) except? -1 with gil:
    """Return the correctly rounded weighted mean of n scores, from the bounds that `divide` computed.

    Usually `low` and `high` are adjacent floats. The mean is above their midpoint if the sum of weight * (score -
    midpoint) is above 0. Each product is stored as the exact sum of two floats, and `fsum` rounds the sum of all floats
    once, so the sign is exact. If the bounds are not adjacent, or products are very small or large, the mean is
    computed with fractions.

    Args:
        scores: [distinct references]: the score of the hypothesis against each distinct reference.
        distinct: [n]: the number of the distinct reference that each piece of evidence equals.
        weights: [n]: the weight of each piece of evidence; NULL: equal weights.
        n: The number of pieces of evidence.
        excluded: The index of the excluded piece of evidence; n if none is excluded.
        low: The lower bound of the mean.
        high: The upper bound of the mean.
    """
    cdef size_t j
    cdef double weight, score, factor, product, lost, half = (high - low) / 2
    cdef bint exact = SMALLEST < low <= high < LARGEST and high <= nextafter(low, INFINITY), zero = True
    cdef list terms = []
    for j in range(n):
        weight = weights[j] if weights != NULL else 1.0
        if j == excluded or weight == 0.0:
            continue
        score = scores[distinct[j]]
        zero = zero and score == 0.0
        for factor in (score, -low):
            product = weight * factor
            lost = fma(weight, factor, -product)
            exact = exact and (product == 0.0 or SMALLEST < fabs(product) < LARGEST)
            terms.append(product)
            if lost != 0.0:
                terms.append(lost)
        terms.append(-weight * half)
    if zero:
        return 0.0
    if not exact:
        return mean_of_fractions(scores, distinct, weights, n, excluded)
    above = fsum(terms)
    if above == 0.0:
        return low + half        # The mean is the midpoint, and this addition rounds it to even.
    return high if above > 0.0 else low


cdef double mean_of_fractions(
    const double* scores, const uint32_t* distinct, const double* weights, size_t n, size_t excluded
) except? -1:
    """Return the correctly rounded weighted mean of n scores, for scores and weights of any magnitude.

    The arguments are those of `exact_mean` with the same names.
    """
    from fractions import Fraction

    cdef size_t j
    total = whole = Fraction()
    for j in range(n):
        weight = Fraction(weights[j] if weights != NULL else 1.0)
        if j == excluded or not weight:
            continue
        if isinf(scores[distinct[j]]):
            return INFINITY
        total += weight * Fraction(scores[distinct[j]])
        whole += weight
    return float(total / whole)


# The mean over pairs


cdef inline void add_product(ExactSum* sum, double weight, double score) noexcept nogil:
    """Add weight * score to a sum without rounding the product, by adding its rounding error as well."""
    cdef double product
    if weight == 1.0:
        add(sum, score)
    else:
        product = weight * score
        add(sum, product)
        sum.lost += fma(weight, score, -product)


cdef inline void add_weighted(ExactSum* sum, const ExactSum* weight, double score) noexcept nogil:
    """Add score * (weight.total + weight.lost) to a sum."""
    add_product(sum, weight.total, score)
    if weight.lost != 0.0:
        add_product(sum, weight.lost, score)


cdef int weigh_references(
    Pairs* pairs, size_t first, size_t n_references, const double* weights, ExactSum* total
) except -1 nogil:
    """Sum the weights of the references, for each distinct reference and in total.

    Args:
        pairs: The pool; the sum of the weights of each distinct reference is written to `pairs.weights`.
        first: The index of the first reference in `pairs.index.distinct`.
        n_references: The number of references, including repeated ones.
        weights: [n_references]: the weights; NULL: all weights are 1.
        total: The sum of all weights is written here.
    """
    cdef PairIndex* index = &pairs.index
    cdef size_t i
    reserve(<void**>&pairs.weights, index.references, sizeof(ExactSum))
    memset(pairs.weights, 0, index.references * sizeof(ExactSum))
    total.total = total.lost = 0.0
    for i in range(n_references):
        add(&pairs.weights[index.distinct[first + i]], weights[i] if weights != NULL else 1.0)
        add(total, weights[i] if weights != NULL else 1.0)
    return 0


cdef void exclude_weight(
    Pairs* pairs, size_t i, size_t n, const double* weights, ExactSum* all_others, ExactSum* equal_others
) noexcept nogil:
    """Subtract the weight of candidate i from two sums of weights, without losing digits.

    Args:
        pairs: The pool.
        i: The index of the candidate.
        n: The number of candidates.
        weights: [n]: the weight of each candidate; NULL: all weights are 1.
        all_others: The sum of all weights, from which the weight of candidate i is subtracted.
        equal_others: The sum of the weights of all candidates that have the same text as candidate i, from which the
            weight of candidate i is subtracted.
    """
    cdef size_t j, hypothesis = pairs.index.distinct[i]
    cdef double weight = weights[i] if weights != NULL else 1.0
    if weights == NULL or 2.0 * weight < value(equal_others):
        add(all_others, -weight)
        add(equal_others, -weight)
        return
    # The difference would lose too many digits, so sum the weights of the other candidates instead.
    equal_others.total = equal_others.lost = 0.0
    for j in range(n):
        if j != i and pairs.index.distinct[j] == hypothesis:
            add(equal_others, weights[j])
    if 2.0 * weight < value(all_others):
        add(all_others, -weight)
        return
    all_others.total = all_others.lost = 0.0
    for j in range(n):
        if j != i:
            add(all_others, weights[j])


cdef ExactSum sum_scores(const Pairs* pairs, size_t excluded) noexcept nogil:
    """Return the weighted sum of the scores in `pairs.scores`, leaving out the distinct reference `excluded`."""
    cdef ExactSum sum
    cdef size_t j
    sum.total = sum.lost = 0.0
    for j in range(pairs.index.references):
        if j != excluded:
            add_weighted(&sum, &pairs.weights[j], pairs.scores[j])
    return sum


cdef int64_t expect_pool(
    Pairs* pairs, size_t n_hypotheses, size_t n_references, const double* weights, bint exclude_self, double* expected
) except -2 nogil:
    """Compute the expected score of each hypothesis of a pool that `prepare_pool` has indexed.

    Args:
        pairs: The pool.
        n_hypotheses: The number of hypotheses, including repeated ones.
        n_references: The number of pieces of evidence, including repeated ones.
        weights: [n_references]: the weight of each piece of evidence; NULL: equal weights.
        exclude_self: Whether to leave out the score of each hypothesis against itself.
        expected: [n_hypotheses]: the expected scores are written here.

    Returns:
        -1 if all hypotheses have a score; otherwise the index of a hypothesis whose evidence has no weight above 0.
    """
    cdef PairIndex* index = &pairs.index
    cdef size_t i, hypothesis, next_new = 0, scored = 0, first = index.first_reference
    cdef ExactSum total, sum, rest, equals
    cdef double low, high
    weigh_references(pairs, first, n_references, weights, &total)
    reserve(<void**>&pairs.sums, index.hypotheses, sizeof(ExactSum))
    reserve(<void**>&pairs.own_scores, index.hypotheses, sizeof(double))
    for i in range(n_hypotheses):
        hypothesis = index.distinct[i]
        if hypothesis == next_new:
            # This is the first occurrence, because distinct hypotheses are numbered in order of first occurrence.
            score_hypothesis(pairs, hypothesis, 0)
            scored = hypothesis
            next_new += 1
            pairs.sums[hypothesis] = sum_scores(pairs, hypothesis if exclude_self else index.references)
            pairs.own_scores[hypothesis] = pairs.scores[hypothesis] if exclude_self else 0.0
        sum = pairs.sums[hypothesis]
        rest = total
        if exclude_self:
            # Only this candidate is excluded: other candidates with the same text remain evidence.
            equals = pairs.weights[hypothesis]
            exclude_weight(pairs, i, n_references, weights, &rest, &equals)
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
            pairs.scores, index.distinct + first, weights, n_references, i if exclude_self else n_references, low, high)
    return -1


# The function for Python


def expect_scores(
    Column candidates not None, bounds, Column evidence, evidence_bounds, weights, bint exclude_self, int tokenizer,
    formula not None, scores, bint aggregate=False
):
    """Compute the expected score of each candidate of n pools.

    The weighted mean of the scores of pairs is computed exactly and rounded once, so it does not depend on the order of
    the candidates or on which of them are equal.

    Args:
        candidates: The candidates of all pools, none of them missing.
        bounds: int64 [n + 1]: pool i has the candidates bounds[i] to bounds[i + 1] - 1.
        evidence: The evidence of all pools; None: the candidates of a pool are scored against each other.
        evidence_bounds: int64 [n + 1]: pool i has the evidence evidence_bounds[i] to evidence_bounds[i + 1] - 1; None
            without `evidence`.
        weights: float64 [pieces of evidence], finite and >= 0: the weight of each piece of evidence, which is divided
            by the sum of the weights in its pool; None: equal weights.
        exclude_self: Whether to leave out the score of each candidate against itself. Not allowed with `evidence`, and
            without effect for `aggregate`.
        tokenizer: A constant TOKENIZE_*; TOKENIZE_IDS for columns of ids.
        formula: The compiled formula: a `CompiledFormula`, a `CompiledNLTKFormula` unless `aggregate`, or the tuple
            `CHRFFormula.compiled`.
        scores: float64 [candidates]: the expected scores are written here, on the formula's scale.
        aggregate: Whether to score against all evidence together, instead of taking the mean over pairs.

    Returns:
        A tuple (order, candidate). Under NLTK's method 0, `order` is the lowest n-gram order, from 1, for which a
        warning about missing matches is due; 0 if none is due. `candidate` is the index, among all candidates, of one
        that has no evidence; -1 if all candidates have evidence.

    Raises:
        TypeError: A column has text for TOKENIZE_IDS, or ids for another tokenizer.
        NoTrigramError: NLTK's method 6 cannot score a pair. This is a ValueError.
        ValueError: An array has a wrong shape, bounds are out of range, `exclude_self` is given with evidence, or a
            pool has more tokens than the kernel can number.
    """
    cdef Column others = candidates if evidence is None else evidence
    cdef Int64Buffer starts = Int64Buffer(bounds, "bounds", 1, False), other_starts = starts
    cdef Float64Buffer out = Float64Buffer(scores, "scores", 1, True), factors = None
    cdef const View* view = &candidates.view
    cdef const View* other_view = NULL if evidence is None else &evidence.view
    cdef PairScorer scorer = PairScorer(formula)
    cdef Aggregate sums
    cdef const double* factor = NULL
    cdef Py_ssize_t i
    cdef int64_t start, stop, other_start, other_stop, without_evidence = -1
    memset(&sums, 0, sizeof(Aggregate))
    check_kind(candidates, "candidates", tokenizer)
    check_kind(others, "evidence", tokenizer)
    check_bounds(starts, candidates.length, "bounds")
    if evidence is not None:
        other_starts = Int64Buffer(evidence_bounds, "evidence_bounds", 1, False)
        check_bounds(other_starts, evidence.length, "evidence_bounds")
    if other_starts.rows != starts.rows:
        raise ValueError(f"evidence_bounds must hold {starts.rows} offsets, not {other_starts.rows}")
    if out.rows != candidates.length:
        raise ValueError(f"scores must have the shape [{candidates.length}], not [{out.rows}]")
    if weights is not None:
        factors = Float64Buffer(weights, "weights", 1, False)
        if factors.rows != others.length:
            raise ValueError(f"weights must have the shape [{others.length}], not [{factors.rows}]")
    if exclude_self and evidence is not None:
        raise ValueError("exclude_self must be False with evidence")
    if aggregate:
        init_aggregate(&sums, formula)
    try:
        with nogil:
            for i in range(starts.rows - 1):
                start, stop = starts.data[i], starts.data[i + 1]
                other_start, other_stop = other_starts.data[i], other_starts.data[i + 1]
                if start == stop:
                    continue
                if factors is not None:
                    factor = factors.data + other_start
                if other_start == other_stop:
                    without_evidence = 0
                elif aggregate:
                    without_evidence = score_aggregate(
                        &sums, tokenizer, view, start, stop, other_view, other_start, other_stop, factor,
                        out.data + start)
                else:
                    read_pairs(
                        &scorer.pairs, tokenizer, view, start, stop, other_view, other_start, other_stop)
                    prepare_pool(&scorer.pairs)
                    without_evidence = expect_pool(
                        &scorer.pairs, <size_t>(stop - start), <size_t>(other_stop - other_start), factor,
                        exclude_self, out.data + start)
                if without_evidence >= 0:
                    break
    except NoTrigramError as error:
        raise NoTrigramError(*error.args, i) from None
    finally:
        free_aggregate(&sums)
    return scorer.unmatched(), -1 if without_evidence < 0 else start + without_evidence
