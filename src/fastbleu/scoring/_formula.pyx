"""Score many rows of statistics in C, with the same floats as `formula` in Python.

The operations are those of `formula`, in the same order:

    score = BP * exp((log p_1 + ... + log p_N) / N)

Logarithms would take most of the time, but their arguments have few different values if segments are short:
100 * matches / candidates, and under "exp" 100 / (2^k * candidates) for the k-th order without a match. So tables
contain the logarithms for up to MAX_TABLED candidates.
"""

from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.version cimport PY_VERSION_HEX
from libc.math cimport INFINITY, NAN, exp, isfinite, log
from libc.stddef cimport size_t
from libc.stdint cimport int64_t
from libc.string cimport memset

from fastbleu._native.memory cimport release, reserve
from fastbleu._native.signals cimport check_signals
from fastbleu.inputs._column cimport Float64Buffer, Int64Buffer
from fastbleu.scoring._score cimport make_score

cdef extern from "counting/chrf_score.h" nogil:
    const double FB_CHRF_EPSILON
    ctypedef struct fb_chrf_sums:
        double score
    void fb_chrf_add(
        fb_chrf_sums* sums, double precision, double recall, bint is_effective, double factor, bint eps_smoothing)
    double fb_chrf_mean(fb_chrf_sums sums, size_t orders, double factor, bint eps_smoothing)
    double fb_chrf_score(const double* row, size_t orders, double factor, bint eps_smoothing)

cdef enum:
    PYTHON_3_12 = 0x030c0000     # From this version on, the built-in `sum` of floats is compensated (Neumaier 1974).
    MAX_TABLED = 128             # The largest number of candidates in the tables.
    N_LOGS = 8385                # The size of LOGS, (MAX_TABLED + 1) * (MAX_TABLED + 2) / 2, which takes 67 kB.
    MAX_DOUBLED = 16             # The largest 2^k in the tables: that of the fourth order without a match.
    N_UNMATCHED_LOGS = 2193      # The size of UNMATCHED_LOGS, (MAX_DOUBLED + 1) * (MAX_TABLED + 1).
    MAX_ORDERS = 16              # The largest N that `score` and `score_one` support.

# The largest count that `score` and `score_one` support. A double represents all integers up to it exactly.
cdef int64_t MAX_EXACT = <int64_t>1 << 53

# log(100 * matches / candidates) is at index candidates * (candidates + 1) / 2 + matches.
cdef double[N_LOGS] LOGS
# log(100 / (doubled * candidates)) is at index doubled * (MAX_TABLED + 1) + candidates, for doubled = 2, 4, 8 and 16.
cdef double[N_UNMATCHED_LOGS] UNMATCHED_LOGS


cdef void fill_logs() noexcept:
    cdef int candidates, matches, doubled = 2
    for candidates in range(1, MAX_TABLED + 1):
        for matches in range(1, candidates + 1):
            LOGS[candidates * (candidates + 1) // 2 + matches] = log(100.0 * matches / candidates)
    while doubled <= MAX_DOUBLED:
        for candidates in range(1, MAX_TABLED + 1):
            UNMATCHED_LOGS[doubled * (MAX_TABLED + 1) + candidates] = log(100.0 / (<double>doubled * candidates))
        doubled *= 2


fill_logs()


cdef inline double log_of_precision(
    const Formula* formula, count_t matches, count_t candidates, double added, double* doubled
) noexcept nogil:
    """Return the logarithm of an order's precision, LOG_OF_ZERO if it is 0.

    Args:
        formula: The options.
        matches, candidates: The counts of the order.
        added: The number that smoothing adds to both counts.
        doubled: growth^k, where k is the number of smaller orders without a match. If this order has no match, the
            function multiplies it by growth.
    """
    cdef double precision
    if count_t is int64_t:
        if 0 < candidates <= MAX_TABLED and added == 0:
            if 0 < matches <= candidates:
                return LOGS[candidates * (candidates + 1) // 2 + matches]
            if matches <= 0 and formula.growth == 2 and doubled[0] < MAX_DOUBLED:
                doubled[0] *= 2
                return UNMATCHED_LOGS[<int64_t>doubled[0] * (MAX_TABLED + 1) + candidates]
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
    """Return the weighted mean of the logarithms of the precisions of the first `orders` orders.

    Return -inf if all weights are 0, or if an order has a weight above 0 but the precision 0.
    """
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
    """Return whether a row scores 0 regardless of its precisions. Write the log of its brevity penalty to `penalty`."""
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
    """Return the score, 0..100, of one row: sys_len, ref_len, correct_1..N, total_1..N, all >= 0."""
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
        return 0.0               # The precision of an excluded order is 0, and no precision is infinite.
    return exp(mean) if penalty == 0 else exp(penalty) * exp(mean)


cdef int score_each(const Formula* formula, const count_t* rows, Py_ssize_t n_rows, double* scores) except -1 nogil:
    """Write the score of each row, [n_rows, 2 + 2N], to `scores`, [n_rows]."""
    cdef Py_ssize_t i, width = 2 + 2 * <Py_ssize_t>formula.order
    for i in range(n_rows):
        check_signals(<size_t>i)
        scores[i] = score_row(formula, rows + i * width)
    return 0


cdef class CompiledFormula:
    """The checked options of a `Formula`, for kernels. They never change, so threads may share an object.

    Args:
        max_ngram_order: The largest order of n-grams, N >= 1.
        smooth_method: A name in `options.SMOOTH_DEFAULTS`.
        smooth_value: The method's value, as `options.check_smoothing` returns it.
        effective_order: Exclude the orders for which the hypothesis is too short.
        weights: N numbers >= 0, not all of them 0; None for equal weights.
        single: The arithmetic for float64 rows. 0: float64. 1 (`SINGLE_COUNTS`): counts are rounded to float32, and
            again after smoothing has added to them. 2 (`SINGLE_PRECISIONS`): precisions are also computed in float32.

    Raises:
        TypeError: An argument has the wrong type.
    """

    def __cinit__(self, int max_ngram_order, str smooth_method not None, smooth_value, bint effective_order, weights,
                  int single=0):
        cdef Formula* formula = &self.formula
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
            # With effective order, an order without candidates is excluded, although these methods add candidates.
            formula.every_order = not effective_order and formula.added > 0
            if smooth_method != "add-one-above-first":
                formula.added_first = formula.added
                formula.without_match = True
        self.keeps_counts = smooth_method in ("none", "exp", "floor")
        if weights is not None:
            self.set_weights(weights)

    def score(self, type kind not None, list row not None):
        """Score one row, and return a score object.

        Args:
            kind: `BLEUScore`, or a subclass of it.
            row: sys_len, ref_len, correct_1..N, total_1..N.

        Returns:
            An object of the class `kind` with its score, 0..100; its other attributes are computed on first use. None
            if the score must be computed in Python, because the smoothing method adds to counts, N is above 16, or a
            count is above 2^53 or not an int.
        """
        cdef int64_t[2 + 2 * MAX_ORDERS] counts
        cdef double score = self.score_of(row, counts)
        return make_score(kind, score, (self, row[:])) if isfinite(score) else None

    def score_one(self, list row not None):
        """Score one row, and return the values of a `BLEUScore`'s attributes.

        Args:
            row: sys_len, ref_len, correct_1..N, total_1..N.

        Returns:
            The score, 0..100; the lists of correct and total counts; the precisions, 0..100; and the brevity penalty,
            0..1. None in the same cases as `score`.
        """
        cdef int64_t[2 + 2 * MAX_ORDERS] counts
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
        """Return the score of a row, and write the row to `counts`. Return NaN if Python must compute the score."""
        cdef int order = self.formula.order, n, width = 2 + 2 * order, overflow = 0
        if not self.keeps_counts or order > MAX_ORDERS or len(row) != width:
            return NAN
        for n in range(width):
            number = row[n]
            if not PyLong_CheckExact(number):
                return NAN
            counts[n] = PyLong_AsLongLongAndOverflow(number, &overflow)
            if overflow or counts[n] > MAX_EXACT:
                return NAN
        return score_row(&self.formula, <const int64_t*>counts)

    def score_rows(self, rows, scores):
        """Score every row of statistics.

        Args:
            rows: int64 or float64 [n, 2 + 2N], C-contiguous: sys_len, ref_len, correct_1..N, total_1..N. Never changed.
            scores: float64 [n] to write to, 0..100.

        Raises:
            TypeError: An argument is not an array.
            ValueError: An array has a wrong dtype, shape or layout.
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
        """Store the N weights, and the largest order with a weight above 0."""
        cdef Formula* formula = &self.formula
        cdef int n
        reserve(<void**>&self.weights, <size_t>formula.order, sizeof(double))
        formula.last_order = 0
        for n in range(formula.order):
            self.weights[n] = weights[n]
            if self.weights[n] > 0:
                formula.last_order = n + 1
        formula.weights = self.weights
        return 0

    def __dealloc__(self):
        release(<void**>&self.weights)


cdef int check_shape(Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t scores, int order) except -1:
    if rows != scores or columns != 2 + 2 * <Py_ssize_t>order:
        raise ValueError(f"rows must have the shape [{scores}, {2 + 2 * <Py_ssize_t>order}], not [{rows}, {columns}]")
    return 0


def score_chrf_rows(rows not None, double factor, bint eps_smoothing, scores not None):
    """Compute the chrF of each row, as sacreBLEU does.

    Args:
        rows: float64 [n, 3 * orders], C-contiguous, whole numbers. A row has three counts for each order of characters,
            then for each order of words: n-grams of the hypothesis, n-grams of the reference, and matches.
        factor: The square of beta.
        eps_smoothing: Whether orders without a match count as almost 0. If not, the orders for which the hypothesis or
            the reference is too short are excluded.
        scores: float64 [n] to write to, 0..100.

    Raises:
        TypeError: An argument is not an array.
        ValueError: An array has a wrong dtype, shape or layout, or the numbers of rows and of scores differ.
    """
    cdef Float64Buffer counts = Float64Buffer(rows, "rows", 2, False), out = Float64Buffer(scores, "scores", 1, True)
    cdef Py_ssize_t i
    if out.rows != counts.rows:
        raise ValueError(f"scores must have {counts.rows} items, not {out.rows}")
    with nogil:
        for i in range(counts.rows):
            check_signals(<size_t>i)
            out.data[i] = fb_chrf_score(
                counts.data + i * counts.columns, <size_t>(counts.columns // 3), factor, eps_smoothing)


def score_chrf_row(list row not None, double factor, bint eps_smoothing):
    """Compute the chrF of one row.

    Args:
        row: 3 * orders whole numbers, in the order described at `score_chrf_rows`.
        factor: As for `score_chrf_rows`.
        eps_smoothing: As for `score_chrf_rows`.

    Returns:
        The score, 0..100.

    Raises:
        TypeError: A count is not a number.
    """
    cdef fb_chrf_sums sums
    cdef Py_ssize_t n, columns = len(row)
    memset(&sums, 0, sizeof(fb_chrf_sums))
    for n in range(0, columns, 3):
        hypothesis, reference, matches = row[n], row[n + 1], row[n + 2]
        # As in sacreBLEU, Python divides the ints. This rounds only once, even if an int is not exact as a double.
        fb_chrf_add(
            &sums, matches / hypothesis if hypothesis else FB_CHRF_EPSILON,
            matches / reference if reference else FB_CHRF_EPSILON, bool(hypothesis and reference), factor,
            eps_smoothing)
    return fb_chrf_mean(sums, <size_t>(columns // 3), factor, eps_smoothing)
