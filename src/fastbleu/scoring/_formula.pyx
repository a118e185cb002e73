"""The formula of `formula`, compiled: the score of each of many rows of statistics, the same floats.

The operations are those of the scalar formula, in the same order:

    score = BP * exp((log p_1 + ... + log p_N) / N)

Most of its time is logarithms. For segments their arguments come from a small set: 100 * matches / candidates, and for
an order without a match under "exp" 100 / (2^k * candidates). Up to TABLED candidates they are looked up.
"""

from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.version cimport PY_VERSION_HEX
from libc.math cimport INFINITY, NAN, exp, isfinite, log
from libc.stddef cimport size_t
from libc.stdint cimport int64_t

from fastbleu._native.memory cimport release, reserve
from fastbleu.inputs._column cimport Float64Buffer, Int64Buffer
from fastbleu.scoring._score cimport make_score

cdef extern from "counting/chrf_score.h" nogil:
    double fb_chrf_score(const double* row, size_t orders, double factor, bint eps_smoothing)

cdef enum:
    PYTHON_3_12 = 0x030c0000     # the built-in `sum` of floats is compensated from here on (Neumaier 1974)
    TABLED = 128
    N_LOGS = 8385                # (TABLED + 1) * (TABLED + 2) / 2; 66 kB
    MOST_DOUBLED = 16            # 2^k of the fourth order without a match
    N_UNMATCHED_LOGS = 2193      # (MOST_DOUBLED + 1) * (TABLED + 1); four rows of it are used
    MOST_ORDERS = 16             # of a row that is scored by itself

# The largest number in such a row: a float holds it and each smaller one.
cdef int64_t MOST_EXACT = <int64_t>1 << 53

# log(100 * matches / candidates) at candidates * (candidates + 1) / 2 + matches.
cdef double[N_LOGS] LOGS
# log(100 / (doubled * candidates)) at doubled * (TABLED + 1) + candidates.
cdef double[N_UNMATCHED_LOGS] UNMATCHED_LOGS


cdef void fill_logs() noexcept:
    cdef int candidates, matches, doubled = 2
    for candidates in range(1, TABLED + 1):
        for matches in range(1, candidates + 1):
            LOGS[candidates * (candidates + 1) // 2 + matches] = log(100.0 * matches / candidates)
    while doubled <= MOST_DOUBLED:
        for candidates in range(1, TABLED + 1):
            UNMATCHED_LOGS[doubled * (TABLED + 1) + candidates] = log(100.0 / (<double>doubled * candidates))
        doubled *= 2


fill_logs()


cdef inline double log_of_precision(
    const Formula* formula, count_t matches, count_t candidates, double added, double* doubled
) noexcept nogil:
    """The logarithm of the next order's precision; LOG_OF_ZERO where that is 0."""
    cdef double precision
    if count_t is int64_t:
        if 0 < candidates <= TABLED and added == 0:
            if 0 < matches <= candidates:
                return LOGS[candidates * (candidates + 1) // 2 + matches]
            if matches <= 0 and formula.growth == 2 and doubled[0] < MOST_DOUBLED:
                doubled[0] *= 2
                return UNMATCHED_LOGS[<int64_t>doubled[0] * (TABLED + 1) + candidates]
    if count_t is double and formula.single == SINGLE_PRECISIONS:
        precision = single_precision(
            formula, <float>matches + <float>added, <float>candidates + <float>added, doubled
        )
    elif count_t is double and formula.single == SINGLE_COUNTS:
        precision = smoothed_precision(formula, <float>(matches + added), <float>(candidates + added), doubled)
    else:
        precision = smoothed_precision(formula, <double>matches + added, <double>candidates + added, doubled)
    return log(precision) if precision > 0 else LOG_OF_ZERO


cdef double weighted_mean(
    const Formula* formula, const count_t* correct, const count_t* total, int orders
) noexcept nogil:
    """The weighted mean of the logarithms; -inf where a precision that has a weight is 0, or none has a weight."""
    cdef const double* weights = formula.weights
    cdef double added = formula.added_first, doubled = 1.0, term, share, largest = 0.0
    cdef ExactSum logs, shares
    cdef int n
    logs.total = logs.lost = shares.total = shares.lost = 0.0
    for n in range(orders):
        largest = max(largest, weights[n])
    if largest <= 0:
        return -INFINITY
    for n in range(orders):
        term = log_of_precision(formula, correct[n], total[n], added, &doubled)
        added = formula.added
        if weights[n] <= 0:
            continue
        if term == LOG_OF_ZERO:
            return -INFINITY
        share = weights[n] / largest
        add(&logs, share * term)
        add(&shares, share)
    return value(&logs) / value(&shares)


cdef bint scores_nothing(const Formula* formula, const count_t* row, double* penalty) noexcept nogil:
    """Return whether a row scores 0 whatever its precisions are; writes the logarithm of its brevity penalty, <= 0."""
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
        penalty[0] = 1.0 - ref_len / sys_len if sys_len > 0 else -INFINITY
    return False


cdef double score_row(const Formula* formula, const count_t* row) noexcept nogil:
    """The score of one row, 0..100: sys_len, ref_len, correct_1..N, total_1..N, none below 0."""
    cdef const count_t* correct = row + 2
    cdef const count_t* total = correct + formula.order
    cdef double added = formula.added_first, doubled = 1.0, penalty, mean
    cdef ExactSum logs
    cdef int orders = 0
    if scores_nothing(formula, row, &penalty):
        return 0.0
    if formula.weights == NULL:
        logs.total = logs.lost = 0.0
        while counts_order(formula, total, orders):
            add(&logs, log_of_precision(formula, correct[orders], total[orders], added, &doubled))
            added = formula.added
            orders += 1
        mean = (value(&logs) if PY_VERSION_HEX >= PYTHON_3_12 else logs.total) / orders
    else:
        while counts_order(formula, total, orders):
            orders += 1
        mean = weighted_mean(formula, correct, total, orders)
    if orders < formula.last_order and not formula.effective_order and (mean < INFINITY or formula.weights != NULL):
        return 0.0               # a precision is 0; sacreBLEU's formula gives infinity if another is infinite
    return exp(mean) if penalty == 0 else exp(penalty) * exp(mean)


cdef void score_each(const Formula* formula, const count_t* rows, Py_ssize_t n_rows, double* scores) noexcept nogil:
    cdef Py_ssize_t i, width = 2 + 2 * <Py_ssize_t>formula.order
    for i in range(n_rows):
        scores[i] = score_row(formula, rows + i * width)


cdef class CompiledFormula:
    """The options of a `Formula` as the kernels read them. They never change, so threads may share them.

    Args:
        max_ngram_order: N, >= 1.
        smooth_method: A name in `options.SMOOTH_DEFAULTS`.
        smooth_value: The method's value as `options.check_smoothing` returns it.
        effective_order: Leave out the orders for which the hypothesis is too short.
        weights: N numbers >= 0, not all of them 0, or None.
        single: What float64 rows hold: 0: float64; 1: float32, to which the method adds in float32; 2: the same, and
            precisions are computed in float32.

    Raises:
        TypeError: An argument of the wrong type.
        ValueError: An unknown method, an order below 1, weights of another length, or all of them 0.
    """

    def __cinit__(self, int max_ngram_order, str smooth_method not None, smooth_value, bint effective_order, weights,
                  int single=0):
        cdef Formula* formula = &self.formula
        if max_ngram_order < 1:
            raise ValueError(f"max_ngram_order must be at least 1, got {max_ngram_order}")
        formula.order = max_ngram_order
        formula.last_order = max_ngram_order
        formula.effective_order = effective_order
        formula.single = single
        formula.growth = 1.0
        if smooth_method == "exp":
            formula.unmatched = 100.0
            formula.growth = 2.0
        elif smooth_method == "floor":
            formula.unmatched = 100.0 * <double>smooth_value
        elif smooth_method == "add-k":
            formula.added = smooth_value
            formula.every_order = formula.added > 0
        elif smooth_method in ("add-k-all", "add-one", "add-one-above-first"):
            formula.added = smooth_value if smooth_method == "add-k-all" else 1.0
            # These add to a precision, not to what the hypothesis has: its effective orders stay the same.
            formula.every_order = not effective_order and formula.added > 0
            if smooth_method != "add-one-above-first":
                formula.added_first = formula.added
                formula.without_match = True
        elif smooth_method != "none":
            raise ValueError(f"unknown smooth_method {smooth_method!r}")
        self.keeps_counts = smooth_method in ("none", "exp", "floor")
        if weights is not None:
            self.set_weights(weights)

    def score(self, type kind not None, list row not None):
        """Scores one row: a `BLEUScore` of this class, or None; arguments and reasons as of `score_one`."""
        cdef int64_t[2 + 2 * MOST_ORDERS] counts
        cdef double score = self.score_of(row, counts)
        return make_score(kind, score, (self, row[:])) if isfinite(score) else None

    def score_one(self, list row not None):
        """Scores one row, with what a `BLEUScore` says beside the score.

        Args:
            row: sys_len, ref_len, correct_1..N, total_1..N.

        Returns:
            The score; the lists of correct and total counts; the precisions, 0..100; and the brevity penalty. None
            where Python must compute: the method adds to counts, there are many orders, or a number is too large.
        """
        cdef int64_t[2 + 2 * MOST_ORDERS] counts
        cdef int order = self.formula.order, n
        cdef double doubled = 1.0, penalty = 1.0, score = self.score_of(row, counts)
        cdef bint matched = False
        if not isfinite(score):
            return None
        for n in range(order):
            matched |= counts[2 + n] != 0
        precisions = [0.0] * order
        n = 0
        while matched and n < order and counts[2 + order + n]:
            precisions[n] = smoothed_precision(
                &self.formula, <double>counts[2 + n], <double>counts[2 + order + n], &doubled)
            n += 1
        if counts[0] < counts[1]:
            penalty = exp(1.0 - <double>counts[1] / <double>counts[0]) if counts[0] else 0.0
        return score, row[2:2 + order], row[2 + order:], precisions, penalty

    cdef double score_of(self, list row, int64_t* counts) except? -1:
        """Scores one row and writes it to `counts`; NaN where Python must compute, which may raise an OverflowError."""
        cdef int order = self.formula.order, n, width = 2 + 2 * order, overflow = 0
        if not self.keeps_counts or order > MOST_ORDERS or len(row) != width:
            return NAN
        for n in range(width):
            number = row[n]
            if not PyLong_CheckExact(number):
                return NAN
            counts[n] = PyLong_AsLongLongAndOverflow(number, &overflow)
            if overflow or counts[n] > MOST_EXACT:
                return NAN
        return score_row(&self.formula, <const int64_t*>counts)

    def score_rows(self, rows, scores):
        """Scores every row of statistics.

        Args:
            rows: int64 or float64 [rows, 2 + 2N], C-contiguous: sys_len, ref_len, correct_1..N, total_1..N. Never
                changed.
            scores: float64 [rows] to write to, 0..100.

        Raises:
            TypeError: No array.
            ValueError: An array of another type, shape or layout.
        """
        cdef Float64Buffer out = Float64Buffer(scores, "scores", 1, True), sums
        cdef Int64Buffer counts
        if memoryview(rows).format.endswith("d"):
            sums = Float64Buffer(rows, "rows", 2, False)
            check_shape(sums.rows, sums.columns, out.rows, self.formula.order)
            with nogil:
                score_each(&self.formula, sums.data, sums.rows, out.data)
        else:
            counts = Int64Buffer(rows, "rows", 2, False)
            check_shape(counts.rows, counts.columns, out.rows, self.formula.order)
            with nogil:
                score_each(&self.formula, counts.data, counts.rows, out.data)

    cdef int set_weights(self, weights) except -1:
        cdef Formula* formula = &self.formula
        cdef int n
        if len(weights) != formula.order:
            raise ValueError(f"weights must hold max_ngram_order={formula.order} numbers, got {len(weights)}")
        reserve(<void**>&self.own_weights, <size_t>formula.order, sizeof(double))
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
        release(<void**>&self.own_weights)


cdef int check_shape(Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t scores, int order) except -1:
    if rows != scores or columns != 2 + 2 * <Py_ssize_t>order:
        raise ValueError(f"rows must have the shape [{scores}, {2 + 2 * <Py_ssize_t>order}], not [{rows}, {columns}]")
    return 0


def score_chrf_rows(rows not None, double factor, bint eps_smoothing, scores not None):
    """Scores rows as sacreBLEU does, 0..100.

    Args:
        rows: float64 [n, 3 * orders], whole numbers.
        factor: The square of beta.
        eps_smoothing: Whether orders without a match count as almost 0.
        scores: float64 [n] to write to.
    """
    cdef Float64Buffer given = Float64Buffer(rows, "rows", 2, False), out = Float64Buffer(scores, "scores", 1, True)
    cdef Py_ssize_t i
    if out.rows != given.rows:
        raise ValueError(f"scores must have {given.rows} items, not {out.rows}")
    with nogil:
        for i in range(given.rows):
            out.data[i] = fb_chrf_score(
                given.data + i * given.columns, <size_t>(given.columns // 3), factor, eps_smoothing)


def score_chrf_row(list row not None, double factor, bint eps_smoothing):
    """Scores one row of 3 * orders whole numbers; the other arguments are those of `score_chrf_rows`."""
    cdef double* counts = NULL
    cdef Py_ssize_t i, columns = len(row)
    try:
        reserve(<void**>&counts, <size_t>columns, sizeof(double))
        for i in range(columns):
            counts[i] = row[i]
        return fb_chrf_score(counts, <size_t>(columns // 3), factor, eps_smoothing)
    finally:
        release(<void**>&counts)
