"""CodeBERT's smooth BLEU, compiled: the scores of many rows of statistics, summed, the same floats as Python's."""

from libc.float cimport DBL_MIN
from libc.math cimport exp, log
from libc.stddef cimport size_t
from libc.stdint cimport int64_t

from fastbleu._native.memory cimport release, reserve
from fastbleu.inputs._column cimport Int64Buffer

cdef enum:
    TABLED = 256

# log(count + DBL_MIN): counts of a segment are small.
cdef double[TABLED] LOGS
# In place of the logarithm of a precision without candidates; its exponential is 0.
cdef double NO_CANDIDATES = -10000000.0


cdef void fill_logs() noexcept:
    cdef int count
    for count in range(TABLED):
        LOGS[count] = log(<double>count + DBL_MIN)


fill_logs()


cdef inline double log_of(int64_t count) noexcept nogil:
    return LOGS[count] if 0 <= count < TABLED else log(<double>count + DBL_MIN)


cdef void score_row(const int64_t* row, Py_ssize_t orders, bint smooth, double* scores) noexcept nogil:
    cdef const int64_t* correct = row + 2
    cdef const int64_t* total = correct + orders
    cdef double mean = 0.0, penalty
    cdef Py_ssize_t n
    cdef int64_t added = 0
    for n in range(orders):
        mean += log_of(correct[n] + added) - log_of(total[n] + added)
        added = smooth
        scores[1 + n] = exp(log_of(correct[n]) - log_of(total[n]) if total[n] else NO_CANDIDATES)
    mean /= <double>orders
    penalty = 1 - <double>(row[1] + 1) / <double>(row[0] + 1)
    scores[0] = exp(mean + (penalty if penalty < 0 else 0))


def sum_scores(rows, bint smooth=True):
    """Adds up the scores of all rows of statistics, in their order.

    Args:
        rows: int64 [segments, 2 + 2N], C-contiguous: sys_len, ref_len, correct_1..N, total_1..N. Never changed.
        smooth: Add 1 to both counts of each order above 1.

    Returns:
        N + 1 float: the sum of the scores, each 0..1, then the sums of the precisions of the orders 1..N.

    Raises:
        TypeError: No array.
        ValueError: An array of another type, shape or layout.

    Example:
        >>> import numpy as np
        >>> sum_scores(np.array([[2, 2, 2, 1, 2, 1], [0, 2, 0, 0, 0, 0]]))
        [1.1353352832366128, 1.0, 1.0]
    """
    cdef Int64Buffer counts = Int64Buffer(rows, "rows", 2, False)
    cdef Py_ssize_t i, n, orders = counts.columns // 2 - 1
    cdef double* sums = NULL
    cdef double* scores
    if orders < 1 or counts.columns % 2:
        raise ValueError(f"rows must have the shape [segments, 2 + 2N], not [{counts.rows}, {counts.columns}]")
    try:
        reserve(<void**>&sums, 2 * <size_t>(orders + 1), sizeof(double))
        scores = sums + orders + 1
        with nogil:
            for n in range(orders + 1):
                sums[n] = 0.0
            for i in range(counts.rows):
                score_row(counts.data + i * counts.columns, orders, smooth, scores)
                for n in range(orders + 1):
                    sums[n] += scores[n]
        return [sums[n] for n in range(orders + 1)]
    finally:
        release(<void**>&sums)
