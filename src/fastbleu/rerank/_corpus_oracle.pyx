"""Choose one candidate per source by coordinate ascent, so that the chosen candidates have a high corpus BLEU.

The corpus score depends only on the sum of the sufficient statistics of the chosen candidates, so replacing one
candidate costs one evaluation of the formula. The ascent visits the sources in order, repeatedly. For each source it
chooses the candidate with the highest corpus score while the candidates of all other sources are fixed. It stops when
no single change raises the score.
"""

from libc.math cimport log
from libc.stdint cimport int64_t

from fastbleu._native.memory cimport release, reserve_cleared
from fastbleu._native.signals cimport STEPS_PER_CHECK, fb_handle_signals
from fastbleu.inputs._column cimport Int64Buffer
from fastbleu.rerank._pool_ngrams cimport check_bounds
from fastbleu.scoring._formula cimport (
    CompiledFormula,
    Formula,
    counts_order,
    score_row,
    scores_nothing,
    smoothed_precision,
)

cdef enum:
    # Up to this number of orders, the precisions are multiplied, and one logarithm is taken of the product. Precisions
    # are at most 100, so a product of 8 of them that has underflowed cannot come back above SMALLEST_PRODUCT.
    FEW_ORDERS = 8

# If the product of the precisions is between these bounds, it has not under- or overflowed, and no precision is 0.
cdef double SMALLEST_PRODUCT = 1e-290
cdef double LARGEST_PRODUCT = 1e290


cdef double log_score(const Formula* formula, const int64_t* row) noexcept nogil:
    """Return the logarithm of the score of a row, with an error of about 1e-15.

    It usually computes one logarithm instead of one per order, which is faster.
    """
    cdef const int64_t* correct = row + 2
    cdef const int64_t* total = correct + formula.order
    cdef double added = formula.added_first, doubled = 1.0, product = 1.0, penalty
    cdef int orders = 0
    cdef bint is_used
    if formula.weights == NULL and formula.order <= FEW_ORDERS and not scores_nothing(formula, row, &penalty):
        while counts_order(formula, total, orders):
            product *= smoothed_precision(
                formula, <double>correct[orders] + added, <double>total[orders] + added, &doubled)
            added = formula.added
            orders += 1
        is_used = orders == formula.last_order or formula.effective_order
        if is_used and SMALLEST_PRODUCT < product < LARGEST_PRODUCT:
            return log(product) / orders + penalty
    return log(score_row(formula, row))


cdef int64_t improve(
    const Formula* formula, const int64_t* rows, Py_ssize_t width, int64_t start, int64_t stop, int64_t chosen,
    int64_t* sums, int64_t* trial, double* best
) noexcept nogil:
    """Find the candidate of one source with the highest corpus score while all other sources keep their candidates.

    Args:
        formula: The formula and its options.
        rows: [candidates][width]: the sufficient statistics of the candidates of all sources.
        width: The number of statistics in a row.
        start: The index of the first candidate of the source.
        stop: The index after the last candidate of the source.
        chosen: The index of the source's chosen candidate among start..stop - 1, from 0.
        sums: [width]: the sum of the rows of all chosen candidates; updated.
        trial: [width]: a scratch buffer.
        best: The logarithm of the score of `sums`; updated.

    Returns:
        The index of the best candidate among start..stop - 1, from 0; `chosen` if no other candidate scores higher.
    """
    cdef int64_t candidate, winner = chosen
    cdef const int64_t* row
    cdef const int64_t* old = rows + (start + chosen) * width
    cdef Py_ssize_t k
    cdef double score
    for candidate in range(stop - start):
        if candidate == chosen:
            continue
        row = rows + (start + candidate) * width
        for k in range(width):
            trial[k] = sums[k] - old[k] + row[k]
        score = log_score(formula, trial)
        if score > best[0]:
            best[0] = score
            winner = candidate
    if winner != chosen:
        row = rows + (start + winner) * width
        for k in range(width):
            sums[k] += row[k] - old[k]
    return winner


cdef int check_selection(Int64Buffer rows, Int64Buffer bounds, Int64Buffer chosen, Py_ssize_t width) except -1:
    """Check the shapes of the arguments of `ascend`, and that each source has a candidate at its chosen index.

    Raises:
        ValueError: An array has a wrong shape, or an index is out of range.
    """
    cdef Py_ssize_t source
    if rows.columns != width:
        raise ValueError(f"rows must have the shape [candidates, {width}], not [{rows.rows}, {rows.columns}]")
    if bounds.rows != chosen.rows + 1:
        raise ValueError(f"bounds must hold {chosen.rows + 1} offsets, not {bounds.rows}")
    check_bounds(bounds, rows.rows, "bounds")
    for source in range(chosen.rows):
        if not 0 <= chosen.data[source] < bounds.data[source + 1] - bounds.data[source]:
            raise ValueError(f"chosen[{source}] = {chosen.data[source]} must be one of "
                             f"{bounds.data[source + 1] - bounds.data[source]} candidates")
    return 0


def ascend(rows, bounds, chosen, CompiledFormula formula not None):
    """Improve a selection by coordinate ascent on the corpus score.

    Args:
        rows: int64 [candidates, 2 + 2N], all >= 0: sys_len, ref_len, correct_1..N, total_1..N of each candidate.
        bounds: int64 [n + 1]: source i has the candidates bounds[i] to bounds[i + 1] - 1.
        chosen: int64 [n]: the index of the chosen candidate among the candidates of its source, from 0; updated in
            place.
        formula: The formula and its options.

    Returns:
        The number of passes over the sources, at least 1, including the last one, which changed nothing.

    Raises:
        ValueError: An array has a wrong shape, or an index is out of range.
    """
    cdef Int64Buffer counts = Int64Buffer(rows, "rows", 2, False)
    cdef Int64Buffer offsets = Int64Buffer(bounds, "bounds", 1, False)
    cdef Int64Buffer selection = Int64Buffer(chosen, "chosen", 1, True)
    cdef Py_ssize_t width = 2 + 2 * <Py_ssize_t>formula.formula.order, source, n = selection.rows, k, passes = 0
    cdef int64_t start, stop, winner, since_signal_check = 0
    cdef int64_t* sums = NULL
    cdef bint changed = True
    cdef double best
    check_selection(counts, offsets, selection, width)
    try:
        reserve_cleared(<void**>&sums, 2 * <size_t>width, sizeof(int64_t))
        with nogil:
            for source in range(n):
                for k in range(width):
                    sums[k] += counts.data[(offsets.data[source] + selection.data[source]) * width + k]
            best = log_score(&formula.formula, sums)
            while changed:
                changed = False
                passes += 1
                for source in range(n):
                    start, stop = offsets.data[source], offsets.data[source + 1]
                    since_signal_check += stop - start
                    if since_signal_check > STEPS_PER_CHECK:
                        since_signal_check = 0
                        fb_handle_signals()
                    winner = improve(
                        &formula.formula, counts.data, width, start, stop, selection.data[source], sums, sums + width,
                        &best)
                    if winner != selection.data[source]:
                        selection.data[source] = winner
                        changed = True
    finally:
        release(<void**>&sums)
    return passes
