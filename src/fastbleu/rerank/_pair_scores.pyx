"""Score every hypothesis of a pool against every reference as its only reference: a matrix of millions of pairs.

The scores of one hypothesis against all references are computed together (`_hypothesis_scores`).
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from fastbleu._native.memory cimport release, reserve
from fastbleu.inputs._column cimport Column, Float64Buffer
from fastbleu.rerank._hypothesis_scores cimport (
    Pairs,
    PairsHolder,
    prepare_pool,
    read_pairs,
    score_exchanged,
    score_hypothesis,
)
from fastbleu.rerank._pool_ngrams cimport check_kind


cdef int find_first_needed(const uint32_t* distinct, size_t n, size_t** needed) except -1 nogil:
    """Write the lowest of distinct[j..n - 1] for each j, [n + 1]; n for j = n."""
    cdef size_t j = n, lowest
    reserve(<void**>needed, n + 1, sizeof(size_t))
    lowest = n
    needed[0][n] = lowest
    while j > 0:
        j -= 1
        lowest = min(lowest, <size_t>distinct[j])
        needed[0][j] = lowest
    return 0


def score_pairs(
    Column hypotheses not None, Column references, int tokenizer, formula not None, scores, Py_ssize_t first=-1,
    exchanged=None,
):
    """Score each hypothesis against each reference as its only reference.

    Args:
        hypotheses: H segments, none of them missing.
        references: R segments; None: the hypotheses themselves.
        tokenizer: The kernel's number of a tokenizer, or IDS for columns of ids; for chrF the tokenizer of characters.
        formula: The compiled options of sacreBLEU's, NLTK's or chrF's formula.
        scores: float64 [H, R] to write to, on the formula's scale: the scalar formula's scores, equal to the last digit
            unless sacreBLEU's formula has weights.
        first: -1: score all pairs. Otherwise score hypothesis i against the references from first + i on, and leave the
            rest of its row unchanged.
        exchanged: float64 [H, R] to write to: at [h, r] the score of reference r against hypothesis h, from the same
            matches. None: not needed. Only without `first`.

    Returns:
        The lowest order, from 1, without a match in a pair in which a token matches, if NLTK's method 0 must warn about
        it; 0: none.

    Raises:
        TypeError: A column is of the other kind.
        NoTrigramError: NLTK's method 6 cannot score a pair; a ValueError.
        ValueError: A shape differs, `first` leaves too few references, or there are far too many tokens.
    """
    cdef Float64Buffer out = Float64Buffer(scores, "scores", 2, True)
    cdef Float64Buffer other_way = None if exchanged is None else Float64Buffer(exchanged, "exchanged", 2, True)
    cdef Column others = hypotheses if references is None else references
    cdef PairsHolder holder = PairsHolder(formula)
    cdef Pairs* pairs = &holder.pairs
    cdef size_t i, j, n = <size_t>hypotheses.length, n_references = <size_t>others.length
    cdef size_t next_new = 0, row = 0, start = 0
    cdef size_t* first_rows = NULL
    cdef size_t* needed = NULL
    cdef const uint32_t* distinct
    cdef double* row_scores
    cdef double* exchanged_scores = NULL if other_way is None else other_way.data
    check_kind(hypotheses, "hypotheses", tokenizer)
    check_kind(others, "references", tokenizer)
    if out.rows != hypotheses.length or out.columns != others.length:
        raise ValueError(f"scores must have the shape [{n}, {n_references}], not [{out.rows}, {out.columns}]")
    if other_way is not None and (other_way.rows != out.rows or other_way.columns != out.columns):
        raise ValueError(f"exchanged must have the shape [{n}, {n_references}]")
    if first >= 0 and <size_t>first + n > n_references:
        raise ValueError(f"there are {n_references} references, too few for {n} hypotheses from {first} on")
    if n == 0 or n_references == 0:
        return 0
    try:
        reserve(<void**>&first_rows, n, sizeof(size_t))
        with nogil:
            read_pairs(
                pairs, tokenizer, &hypotheses.view, 0, hypotheses.length,
                NULL if references is None else &others.view, 0, others.length)
            prepare_pool(pairs)
            distinct = pairs.index.distinct + pairs.index.first_reference
            if first >= 0:
                find_first_needed(distinct, n_references, &needed)
            for i in range(n):
                if first >= 0:
                    start = <size_t>first + i
                row_scores = out.data + i * n_references
                if pairs.index.distinct[i] < next_new:
                    row = first_rows[pairs.index.distinct[i]]
                    memcpy(
                        row_scores + start, out.data + row * n_references + start,
                        (n_references - start) * sizeof(double))
                    if exchanged_scores != NULL:
                        memcpy(
                            exchanged_scores + i * n_references, exchanged_scores + row * n_references,
                            n_references * sizeof(double))
                    continue
                # Distinct hypotheses are numbered in order of first occurrence.
                score_hypothesis(pairs, next_new, needed[start] if first >= 0 else 0)
                for j in range(start, n_references):
                    row_scores[j] = pairs.scores[distinct[j]]
                if exchanged_scores != NULL:
                    score_exchanged(pairs, next_new)
                    for j in range(n_references):
                        exchanged_scores[i * n_references + j] = pairs.scores[distinct[j]]
                first_rows[next_new] = i
                next_new += 1
    finally:
        release(<void**>&first_rows)
        release(<void**>&needed)
    return holder.unmatched()
