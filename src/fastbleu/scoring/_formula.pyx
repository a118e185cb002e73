"""The formula of `score` over rows of statistics, compiled: for as many scores as there are samples, pairs or prefixes.

The precisions are those of the scalar formula, by the same operations in the same order. Only the mean of their
logarithms is taken as the logarithm of their product, and the brevity penalty goes into the same exponential,

    score = exp(log(p_1 * ... * p_N) / N + min(0, 1 - ref_len / sys_len))

so that a row costs one logarithm and one exponential, and its score differs from the scalar one in the last digits.
Weights, and rows of many orders, need a logarithm for each order.
"""

from cpython.version cimport PY_VERSION_HEX
from libc.math cimport INFINITY, exp, log
from libc.stddef cimport size_t
from libc.stdlib cimport free, malloc

from fastbleu.inputs._column cimport Float64Buffer, Int64Buffer

cdef enum:
    PYTHON_3_12 = 0x030c0000
    FEW_ORDERS = 8               # with precisions of 100 at most, no product comes back from where floats lose digits

# A product within these has lost no digits, and no precision in it is 0.
cdef double SMALLEST_PRODUCT = 1e-290
cdef double LARGEST_PRODUCT = 1e290

# Beyond, the penalty or the mean may be 0 by itself, and then the score is, though one exponential of both is not.
cdef double LARGEST_EXPONENT = 690.0


cdef double mean_logarithm(
    const Formula* formula, const count_t* correct, const count_t* total, int orders
) noexcept nogil:
    """The weighted mean of the precisions' logarithms; -inf where one that has a weight is 0, or none has a weight."""
    cdef const double* weights = formula.weights
    cdef double added = formula.added_first, doubled = 1.0, precision, share = 1.0, largest = 0.0
    cdef ExactSum logs, shares
    cdef int n
    logs.total = logs.lost = shares.total = shares.lost = 0.0
    if weights != NULL:
        for n in range(orders):
            largest = max(largest, weights[n])
        if largest <= 0:
            return -INFINITY
    for n in range(orders):
        precision = smoothed_precision(formula, <double>correct[n] + added, <double>total[n] + added, &doubled)
        added = formula.added
        if weights != NULL:
            if weights[n] <= 0:
                continue
            share = weights[n] / largest
        if precision <= 0:
            return -INFINITY
        add(&logs, share * log(precision))
        add(&shares, share)
    # Before, the built-in `sum` of the scalar formula does not make up for what it loses.
    if weights == NULL and PY_VERSION_HEX < PYTHON_3_12:
        return logs.total / orders
    return value(&logs) / value(&shares)


cdef inline bint scores_nothing(const Formula* formula, const count_t* row, double* penalty) noexcept nogil:
    """Whether a row scores 0 before any precision is looked at; the logarithm of its brevity penalty, 0 or below."""
    cdef double sys_len = <double>row[0], ref_len = <double>row[1]
    cdef bint matched = formula.without_match
    cdef int n = 0
    while not matched and n < formula.order:
        matched = row[2 + n] > 0
        n += 1
    penalty[0] = 0.0
    if not matched or row[2 + formula.order] <= 0:
        return True
    if sys_len < ref_len:
        if sys_len <= 0:
            return True
        penalty[0] = 1.0 - ref_len / sys_len
    return False


cdef inline bint counts_order(const Formula* formula, const count_t* total, int order) noexcept nogil:
    """Whether an order, from 0 on, is one of those used: all before it are."""
    return order < formula.last_order and (total[order] > 0 or order > 0 and formula.every_order)


cdef double score_row(const Formula* formula, const count_t* row) noexcept nogil:
    """The score of one row, 0..100: sys_len, ref_len, correct_1..N, total_1..N, none below 0."""
    cdef const count_t* correct = row + 2
    cdef const count_t* total = correct + formula.order
    cdef double added = formula.added_first, doubled = 1.0, product = 1.0, mean, penalty, exponent
    cdef int orders = 0
    if scores_nothing(formula, row, &penalty):
        return 0.0
    while counts_order(formula, total, orders):
        product *= smoothed_precision(
            formula, <double>correct[orders] + added, <double>total[orders] + added, &doubled)
        added = formula.added
        orders += 1
    if orders < formula.last_order and not formula.effective_order:
        return 0.0
    if formula.weights == NULL and orders <= FEW_ORDERS and SMALLEST_PRODUCT < product < LARGEST_PRODUCT:
        mean = log(product) / orders
    else:
        mean = mean_logarithm(formula, correct, total, orders)
    exponent = mean + penalty
    if penalty > -LARGEST_EXPONENT and -LARGEST_EXPONENT < exponent < LARGEST_EXPONENT:
        return exp(exponent)
    return exp(mean) * exp(penalty)


cdef double score_row_exactly(const Formula* formula, const count_t* row) noexcept nogil:
    """`score_row` by the scalar formula's own operations: without weights equal to it to the last digit."""
    cdef const count_t* total = row + 2 + formula.order
    cdef double penalty
    cdef int orders = 0
    if scores_nothing(formula, row, &penalty):
        return 0.0
    while counts_order(formula, total, orders):
        orders += 1
    if orders < formula.last_order and not formula.effective_order:
        return 0.0
    return exp(penalty) * exp(mean_logarithm(formula, row + 2, total, orders))


cdef void score_each(
    const Formula* formula, const count_t* rows, Py_ssize_t n_rows, bint exactly, double* scores
) noexcept nogil:
    cdef Py_ssize_t i, width = 2 + 2 * <Py_ssize_t>formula.order
    for i in range(n_rows):
        if exactly:
            scores[i] = score_row_exactly(formula, rows + i * width)
        else:
            scores[i] = score_row(formula, rows + i * width)


cdef class FormulaHolder:
    """The options of the formula, prepared once. They never change, so that threads may share them.

    Args:
        smooth_method: A name in `smoothing.SMOOTH_DEFAULTS`.
        smooth_value: The method's value as `smoothing.check_smoothing` returns it.
        effective_order: Leave out the orders for which the hypothesis is too short.
        max_ngram_order: N, >= 1.
        weights: As `score.check_weights` returns them: N numbers >= 0, not all of them 0, or None.

    Raises:
        TypeError: An argument of the wrong type.
        ValueError: An unknown method, an order below 1, weights of another length, or all of them 0.
    """

    def __cinit__(self, str smooth_method not None, smooth_value, bint effective_order, int max_ngram_order, weights):
        cdef Formula* formula = &self.formula
        if max_ngram_order < 1:
            raise ValueError(f"max_ngram_order must be at least 1, got {max_ngram_order}")
        formula.order = max_ngram_order
        formula.last_order = max_ngram_order
        formula.effective_order = effective_order
        formula.growth = 1.0
        if smooth_method == "exp":
            formula.unmatched = 100.0
            formula.growth = 2.0
        elif smooth_method == "floor":
            formula.unmatched = 100.0 * <double>smooth_value
        elif smooth_method == "add-k":
            formula.added = smooth_value
            formula.every_order = formula.added > 0
        elif smooth_method in ("add-one", "add-one-above-first"):
            formula.added = 1.0
            # These add to a precision, not to what the hypothesis has: its effective orders stay the same.
            formula.every_order = not effective_order
            if smooth_method == "add-one":
                formula.added_first = 1.0
                formula.without_match = True
        elif smooth_method != "none":
            raise ValueError(f"unknown smooth_method {smooth_method!r}")
        if weights is not None:
            self.set_weights(weights)

    cdef int set_weights(self, weights) except -1:
        cdef Formula* formula = &self.formula
        cdef int n
        if len(weights) != formula.order:
            raise ValueError(f"weights must hold max_ngram_order={formula.order} numbers, got {len(weights)}")
        self.own_weights = <double*>malloc(<size_t>formula.order * sizeof(double))
        if self.own_weights == NULL:
            raise MemoryError
        formula.last_order = 0
        for n in range(formula.order):
            self.own_weights[n] = weights[n]
            if self.own_weights[n] > 0:
                formula.last_order = n + 1
        if formula.last_order == 0:
            raise ValueError(f"weights must not all be 0, got {weights!r}")
        formula.weights = self.own_weights
        return 0

    def __dealloc__(self):
        free(self.own_weights)


def score_rows(rows, scores, FormulaHolder formula not None, bint exactly=False):
    """Scores every row of statistics.

    Args:
        rows: int64 or float64 [rows, 2 + 2N], C-contiguous: sys_len, ref_len, correct_1..N, total_1..N. Never changed.
        scores: float64 [rows] to write to, 0..100.
        formula: The options.
        exactly: Whether to take the scalar formula's own operations, in twice the time.

    Raises:
        TypeError: No array.
        ValueError: An array of another type, shape or layout.
    """
    cdef Float64Buffer out = Float64Buffer(scores, "scores", 1, True), sums
    cdef Int64Buffer counts
    if memoryview(rows).format.endswith("d"):
        sums = Float64Buffer(rows, "rows", 2, False)
        check_shape(sums.rows, sums.columns, out.rows, formula.formula.order)
        with nogil:
            score_each(&formula.formula, sums.data, sums.rows, exactly, out.data)
    else:
        counts = Int64Buffer(rows, "rows", 2, False)
        check_shape(counts.rows, counts.columns, out.rows, formula.formula.order)
        with nogil:
            score_each(&formula.formula, counts.data, counts.rows, exactly, out.data)


cdef int check_shape(Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t scores, int order) except -1:
    if rows != scores or columns != 2 + 2 * <Py_ssize_t>order:
        raise ValueError(f"rows must have the shape [{scores}, {2 + 2 * <Py_ssize_t>order}], not [{rows}, {columns}]")
    return 0
