"""Score every hypothesis of a pool against every reference as its only reference, and write the matrix of scores.

`_hypothesis_scores` computes one row of the matrix: the scores of one hypothesis against all references.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from fastbleu._native.memory cimport release, reserve
from fastbleu.inputs._column cimport Column, Float64Buffer
from fastbleu.rerank._hypothesis_scores cimport (
    Pairs,
    PairScorer,
    prepare_pool,
    read_pairs,
    score_exchanged,
    score_hypothesis,
)
from fastbleu.rerank._pool_ngrams cimport check_kind


cdef int find_first_needed(const uint32_t* distinct, size_t n, size_t** needed) except -1 nogil:
    """Compute for each index the lowest number of the distinct references at this index or later.

    Args:
        distinct: [n]: the number of the distinct reference that each reference equals.
        n: The number of references.
        needed: A buffer, [n + 1]: item j is set to the minimum of distinct[j..n - 1], and item n to n.
    """
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
        references: R segments; None: the hypotheses are also the references.
        tokenizer: A constant TOKENIZE_*: TOKENIZE_IDS for columns of ids; for chrF the tokenizer of characters.
        formula: The compiled formula: a `CompiledFormula`, a `CompiledNLTKFormula`, or the tuple
            `CHRFFormula.compiled`.
        scores: float64 [H, R]: the scores are written here, on the formula's scale. They are the same floats as if each
            pair was scored alone, except that the last digit may differ if sacreBLEU's formula has weights.
        first: -1 to score all pairs. Otherwise hypothesis i is scored only against the references from first + i on,
            and the rest of its row is unchanged.
        exchanged: float64 [H, R]: if given, the score of reference r with hypothesis h as its only reference is written
            to [h, r]. Not allowed with `first`.

    Returns:
        Under NLTK's method 0, the lowest order, from 1, that has no match in a pair that shares a token; 0 if there is
        no such pair, and for all other formulas.

    Raises:
        TypeError: A column has text for TOKENIZE_IDS, or ids for another tokenizer.
        NoTrigramError: NLTK's method 6 cannot score a pair. This is a ValueError.
        ValueError: An array has a wrong shape, there are fewer than first + H references, or there are more tokens than
            the kernel can number.
    """
    cdef Float64Buffer out = Float64Buffer(scores, "scores", 2, True)
    cdef Float64Buffer exchanged_buffer = None if exchanged is None else Float64Buffer(exchanged, "exchanged", 2, True)
    cdef Column others = hypotheses if references is None else references
    cdef PairScorer scorer = PairScorer(formula)
    cdef Pairs* pairs = &scorer.pairs
    cdef size_t i, j, n = <size_t>hypotheses.length, n_references = <size_t>others.length
    cdef size_t next_new = 0, row = 0, start = 0
    cdef size_t* first_rows = NULL
    cdef size_t* needed = NULL
    cdef const uint32_t* distinct
    cdef double* row_scores
    cdef double* exchanged_scores = NULL if exchanged_buffer is None else exchanged_buffer.data
    check_kind(hypotheses, "hypotheses", tokenizer)
    check_kind(others, "references", tokenizer)
    if out.rows != hypotheses.length or out.columns != others.length:
        raise ValueError(f"scores must have the shape [{n}, {n_references}], not [{out.rows}, {out.columns}]")
    if exchanged_buffer is not None and (exchanged_buffer.rows != out.rows or exchanged_buffer.columns != out.columns):
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
                # This hypothesis has not occurred before. Distinct hypotheses are numbered in order of occurrence.
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
    return scorer.unmatched()
