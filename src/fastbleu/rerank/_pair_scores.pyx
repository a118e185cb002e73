"""Every hypothesis of a pool against every reference by itself: millions of pairs, as a matrix.

For one hypothesis at a time, the scores with all references are found together (`_hypothesis_scores`).
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


cdef int find_first_needed(const uint32_t* places, size_t n, size_t** needed) except -1 nogil:
    """Find the lowest of places[j..n - 1] for each j."""
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
    Column hypotheses not None, Column references, int tokenizer, formula not None, scores, Py_ssize_t first=-1,
    exchanged=None,
):
    """Score each hypothesis against each reference as its only one.

    Args:
        hypotheses: H segments, none of them absent.
        references: R segments; None: the hypotheses themselves.
        tokenizer: The kernel's number of a tokenizer, or IDS where the columns hold ids; for chrF that of characters.
        formula: The options, compiled; sacreBLEU's, NLTK's or chrF's.
        scores: float64 [H, R] to write to, on the formula's scale: the scalar formula's scores, to the last digit
            unless sacreBLEU's formula has weights.
        first: -1: all pairs. Otherwise hypothesis i is scored with the references from first + i on, and the rest of
            its row is left as it is.
        exchanged: float64 [H, R] to write the scores of each reference against each hypothesis to, at [h, r], by the
            same matches; None: these are not needed. Only without `first`.

    Returns:
        The lowest order, from 1 on, that has no match in a pair in which a token matches, if NLTK's method 0 must warn
        of it; 0: none.

    Raises:
        TypeError: A column of the other kind.
        NoTrigramError: NLTK's method 6 cannot score a pair; a ValueError.
        ValueError: Another shape, or far too many tokens.
    """
    cdef Float64Buffer out = Float64Buffer(scores, "scores", 2, True)
    cdef Float64Buffer other_way = None if exchanged is None else Float64Buffer(exchanged, "exchanged", 2, True)
    cdef Column others = hypotheses if references is None else references
    cdef PairsHolder holder = PairsHolder(formula)
    cdef Pairs* pairs = &holder.pairs
    cdef size_t i, j, n = <size_t>hypotheses.length, n_references = <size_t>others.length
    cdef size_t after = 0, row = 0, start = 0
    cdef size_t* first_rows = NULL
    cdef size_t* needed = NULL
    cdef const uint32_t* places
    cdef double* found
    cdef double* found_other_way = NULL if other_way is None else other_way.data
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
                    if found_other_way != NULL:
                        memcpy(
                            found_other_way + i * n_references, found_other_way + row * n_references,
                            n_references * sizeof(double))
                    continue
                # Distinct hypotheses are numbered in the order in which they come.
                score_hypothesis(pairs, after, needed[start] if first >= 0 else 0)
                for j in range(start, n_references):
                    found[j] = pairs.scores[places[j]]
                if found_other_way != NULL:
                    score_exchanged(pairs, after)
                    for j in range(n_references):
                        found_other_way[i * n_references + j] = pairs.scores[places[j]]
                first_rows[after] = i
                after += 1
    finally:
        release(<void**>&first_rows)
        release(<void**>&needed)
    return holder.unmatched()
