"""Coordinate ascent to a selection with a high corpus BLEU: one candidate for each source, changed one at a time.

A corpus score depends only on the sum of the rows of the chosen candidates, so a change is tried in the time that it
takes to score one row. The ascent visits the sources in order, again and again. For each source it takes the best
candidate while all others are kept, until no single change raises the score.
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
    FEW_ORDERS = 8               # A product of up to 8 precisions, each at most 100, cannot underflow and recover.

# A product between these bounds has lost no digits, and none of its precisions is 0.
cdef double SMALLEST_PRODUCT = 1e-290
cdef double LARGEST_PRODUCT = 1e290


cdef double log_score(const Formula* formula, const int64_t* row) noexcept nogil:
    """Return the logarithm of a row's score, to about 1e-15, by one logarithm instead of one for each order."""
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
    """Find the best candidate of one source while the others are kept, and update the sums and the best score.

    Args:
        formula: The options.
        rows: The statistics of all candidates, [candidates, width].
        width: Numbers in a row.
        start: The first candidate of the source.
        stop: One after its last candidate.
        chosen: The index of the chosen candidate among those of the source.
        sums: The sum of the rows of all chosen candidates, [width]; updated.
        trial: Memory for a row, [width].
        best: The logarithm of the score of `sums`; updated.

    Returns:
        The index of the best candidate; `chosen` if no other candidate scores higher.
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
    """Check the shapes, and that each source has the candidate that is chosen for it.

    Raises:
        ValueError: A shape differs, or an index is out of range.
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
        rows: int64 [candidates, 2 + 2N]: sys_len, ref_len, correct_1..N, total_1..N of each candidate, none below 0.
        bounds: int64 [n + 1]: the candidates of source i are bounds[i]..bounds[i + 1] - 1.
        chosen: int64 [n]: the index of the chosen candidate of each source among its own candidates, from 0; updated in
            place.
        formula: The options.

    Returns:
        The number of passes over the sources, at least 1; the last pass changed nothing.

    Raises:
        ValueError: A shape differs, or an index is out of range.
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
