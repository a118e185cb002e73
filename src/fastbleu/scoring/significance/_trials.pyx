"""In how many trials of a randomization each pair of systems differs by more than it does.

The counts of a pseudo system are those of one system, with what the exchanged segments of the other one have more.
`trials.h` decides most trials in float32, many at a time. What is too close to tell is scored by the formula, so that
every count is the one that the formula gives.
"""

from libc.math cimport exp, fabs, fmin, isfinite, log
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t

from fastbleu._native.memory cimport release, release_all, reserve
from fastbleu.inputs._column cimport Float64Buffer, Int64Buffer
from fastbleu.scoring._formula cimport CompiledFormula, Formula, score_row

cdef extern from "scoring/significance/trials.h" nogil:
    const size_t FB_TRIALS
    const double FB_MOST_PENALTY
    const size_t FB_MOST_ORDERS
    ctypedef struct fb_order:
        size_t correct
        size_t total
        float inverse_correct
        float inverse_total
        float weight
    ctypedef struct fb_pair:
        size_t first
        size_t second
        float sys_len
        float excess
        float penalty
        float difference
    void fb_decide_trials(
        const float* moved, const fb_pair* pair, const fb_order* orders, size_t n_orders, int level, int32_t* verdicts)
    int fb_cpu_level()

cdef enum:
    UNSURE = 2                   # the bit of a verdict that float32 cannot give


cdef struct Compared:
    fb_pair pair
    double difference            # of the scores, without its sign
    bint by_formula              # every trial, because float32 cannot decide any


cdef class Trials:
    """Pairs of systems, prepared for any number of trials. It never changes, so threads may share it.

    Args:
        totals: int64 [systems, 2 + 2N]: the sum of each system's rows.
        pairs: int64 [pairs, 2]: the places of two systems each.
        formula: The options.
        level: The highest level of instructions to use, as in `_native/compiler.h`; -1: no vectors and no float32.

    Raises:
        TypeError: No arrays.
        ValueError: Arrays of another type or shape, or a place that is none.
    """

    cdef CompiledFormula formula
    cdef Py_ssize_t n_systems, n_columns, n_pairs
    cdef size_t n_orders
    cdef int level
    # Buffers.
    cdef double* totals
    cdef Compared* pairs
    cdef fb_order* orders        # n_orders of each pair
    # No more buffers.

    def __cinit__(self, totals, pairs, CompiledFormula formula not None, int level=99):
        cdef Int64Buffer sums = Int64Buffer(totals, "totals", 2, False), places = Int64Buffer(pairs, "pairs", 2, False)
        cdef Py_ssize_t i, k
        if sums.columns != 2 + 2 * <Py_ssize_t>formula.formula.order or places.columns != 2:
            raise ValueError(f"no rows of order {formula.formula.order}, or no pairs")
        self.formula = formula
        self.n_systems, self.n_columns, self.n_pairs = sums.rows, sums.columns, places.rows
        self.n_orders = formula.formula.last_order
        self.level = min(level, fb_cpu_level())
        for i in range(places.rows * 2):
            if not 0 <= places.data[i] < sums.rows:
                raise ValueError(f"pairs must hold places below {sums.rows}, got {places.data[i]}")
        reserve(<void**>&self.totals, sums.rows * sums.columns, sizeof(double))
        reserve(<void**>&self.pairs, places.rows, sizeof(Compared))
        reserve(<void**>&self.orders, places.rows * self.n_orders, sizeof(fb_order))
        for k in range(sums.rows * sums.columns):
            self.totals[k] = <double>sums.data[k]
        for i in range(places.rows):
            self.prepare(i, places.data[2 * i], places.data[2 * i + 1])

    def __dealloc__(self):
        release_all(<void**>&self.totals, <void**>(&self.orders + 1))

    cdef void prepare(self, Py_ssize_t i, Py_ssize_t first, Py_ssize_t second) noexcept:
        """Computes what a pair has in all trials."""
        cdef const Formula* formula = &self.formula.formula
        cdef const double* one = self.totals + first * self.n_columns
        cdef const double* other = self.totals + second * self.n_columns
        cdef Compared* compared = self.pairs + i
        cdef fb_order* orders = self.orders + i * self.n_orders
        cdef double weights = 0, mean_log = 0, weight, added, correct, total, sys_len, excess, penalty, scale
        cdef bint is_good = self.level >= 0 and self.n_orders <= FB_MOST_ORDERS
        cdef Py_ssize_t n
        compared.difference = fabs(score_row(formula, one) - score_row(formula, other))
        for n in range(<Py_ssize_t>self.n_orders):
            weights += 1.0 if formula.weights == NULL else formula.weights[n]
        for n in range(<Py_ssize_t>self.n_orders):
            weight = (1.0 if formula.weights == NULL else formula.weights[n]) / weights
            added = formula.added if n else formula.added_first
            orders[n].correct, orders[n].total = 2 + n, 2 + formula.order + n
            correct = 0.5 * (one[orders[n].correct] + other[orders[n].correct])
            total = 0.5 * (one[orders[n].total] + other[orders[n].total])
            # Then a count that differs little from its mean with what is added is not 0 without it.
            is_good = is_good and correct > added and total > added
            if not is_good:
                break
            correct += added
            total += added
            orders[n].inverse_correct, orders[n].inverse_total = 1 / correct, 1 / total
            orders[n].weight = weight
            mean_log += weight * log(100 * correct / total)
        sys_len = 0.5 * (one[0] + other[0])
        excess = sys_len - 0.5 * (one[1] + other[1])
        penalty = fmin(0.0, excess / sys_len) if sys_len > 0 else -2 * FB_MOST_PENALTY
        scale = 2 * exp(mean_log + penalty)
        compared.pair.first, compared.pair.second = first * self.n_columns, second * self.n_columns
        compared.pair.sys_len, compared.pair.excess, compared.pair.penalty = sys_len, excess, penalty
        compared.pair.difference = compared.difference / scale
        compared.by_formula = not (is_good and -penalty <= FB_MOST_PENALTY and isfinite(compared.difference / scale))

    def count(self, sums, counts):
        """Adds to each pair's count the trials in which it differs by more than it does.

        Args:
            sums: float64 [systems * columns, trials], C-contiguous: the sum of each count over the exchanged segments.
            counts: int64 [pairs] to add to.

        Raises:
            TypeError: No arrays.
            ValueError: Arrays of another type or shape.
        """
        cdef Float64Buffer given = Float64Buffer(sums, "sums", 2, False)
        cdef Int64Buffer out = Int64Buffer(counts, "counts", 1, True)
        # Buffers of this call: several threads may count at the same time.
        cdef float* moved = NULL
        cdef int32_t* verdicts = NULL
        cdef double* row = NULL
        if given.rows != self.n_systems * self.n_columns or out.rows != self.n_pairs:
            raise ValueError(
                f"sums must have {self.n_systems * self.n_columns} rows and counts {self.n_pairs} entries, "
                f"got {given.rows} and {out.rows}"
            )
        try:
            with nogil:
                reserve(<void**>&moved, given.rows * FB_TRIALS, sizeof(float))
                reserve(<void**>&verdicts, FB_TRIALS, sizeof(int32_t))
                reserve(<void**>&row, 2 * self.n_columns, sizeof(double))
                self.count_all(given.data, given.columns, moved, verdicts, row, out.data)
        finally:
            release(<void**>&moved)
            release(<void**>&verdicts)
            release(<void**>&row)

    cdef void count_all(
        self, const double* sums, Py_ssize_t trials, float* moved, int32_t* verdicts, double* row, int64_t* counts
    ) noexcept nogil:
        """Goes through blocks of trials: their sums stay in the nearest caches while every pair is decided."""
        cdef Py_ssize_t start = 0, size, i, k, t
        cdef Compared* compared
        cdef double half
        while start < trials:
            size = min(trials - start, <Py_ssize_t>FB_TRIALS)
            for k in range(self.n_systems * self.n_columns):
                half = 0.5 * self.totals[k]
                for t in range(<Py_ssize_t>FB_TRIALS):
                    moved[k * <Py_ssize_t>FB_TRIALS + t] = 0
                for t in range(size):
                    moved[k * <Py_ssize_t>FB_TRIALS + t] = <float>(sums[k * trials + start + t] - half)
            for i in range(self.n_pairs):
                compared = self.pairs + i
                if not compared.by_formula:
                    fb_decide_trials(
                        moved, &compared.pair, self.orders + i * self.n_orders, self.n_orders, self.level, verdicts)
                for t in range(size):
                    if compared.by_formula or verdicts[t] & UNSURE:
                        counts[i] += self.is_larger(compared, sums + start + t, trials, row)
                    else:
                        counts[i] += verdicts[t]
            start += size

    cdef bint is_larger(
        self, const Compared* compared, const double* sums, Py_ssize_t trials, double* row
    ) noexcept nogil:
        """Decides one trial by the formula."""
        cdef Py_ssize_t k
        cdef double moved
        cdef size_t first = compared.pair.first, second = compared.pair.second
        for k in range(self.n_columns):
            moved = sums[(<Py_ssize_t>first + k) * trials] - sums[(<Py_ssize_t>second + k) * trials]
            row[k] = self.totals[second + k] + moved
            row[self.n_columns + k] = self.totals[first + k] - moved
        return fabs(
            score_row(&self.formula.formula, row) - score_row(&self.formula.formula, row + self.n_columns)
        ) > compared.difference
