"""pycocoevalcap's formula, compiled: BLEU-1..N of each of many rows of statistics, the same floats as Python's."""

from libc.math cimport exp, pow
from libc.stddef cimport size_t
from libc.stdint cimport int64_t

from fastbleu._native.memory cimport release, reserve
from fastbleu.inputs._column cimport Float64Buffer, Int64Buffer

# What its compute_score adds to numerators and to denominators, so that nothing divides by 0.
cdef double TINY = 1e-15
cdef double SMALL = 1e-9


cdef void score_row(
    const int64_t* row, Py_ssize_t counted, Py_ssize_t orders, double ref_len, double* scores
) noexcept nogil:
    cdef double product = 1.0, sys_len = <double>row[0], ratio, penalty
    cdef Py_ssize_t n
    for n in range(orders):
        product *= (<double>row[2 + n] + TINY) / (<double>row[2 + counted + n] + SMALL)
        scores[n] = pow(product, 1.0 / <double>(n + 1))
    ratio = (sys_len + TINY) / (ref_len + SMALL)
    if ratio < 1:
        penalty = exp(1 - 1 / ratio)
        for n in range(orders):
            scores[n] *= penalty


def score_rows(rows, lengths, Py_ssize_t orders):
    """Scores every row of statistics.

    Args:
        rows: int64 [segments, 2 + 2N], C-contiguous: sys_len, ref_len, correct_1..N, total_1..N. Never changed.
        lengths: float64 [segments], the reference lengths that count; None: those in the rows.
        orders: How many scores each segment gets, 0..N.

    Returns:
        For each order a list of one float per segment, 0..1.

    Raises:
        TypeError: No array.
        ValueError: An array of another type, shape or layout; too many orders.

    Example:
        >>> import numpy as np
        >>> score_rows(np.array([[2, 2, 2, 1, 2, 1]]), None, 2)
        [[0.9999999990000008], [0.9999999987500011]]
    """
    cdef Int64Buffer counts = Int64Buffer(rows, "rows", 2, False)
    cdef Float64Buffer own_lengths = None
    cdef const double* lengths_data = NULL
    cdef Py_ssize_t i, n, counted = counts.columns // 2 - 1
    cdef double* scores = NULL
    cdef list results, column
    if not 0 <= orders <= counted:
        raise ValueError(f"orders must be in 0..{counted}, not {orders}")
    if lengths is not None:
        own_lengths = Float64Buffer(lengths, "lengths", 1, False)
        if own_lengths.rows != counts.rows:
            raise ValueError(f"lengths must have the shape [{counts.rows}], not [{own_lengths.rows}]")
        lengths_data = own_lengths.data
    try:
        reserve(<void**>&scores, <size_t>(counts.rows * orders) + 1, sizeof(double))
        with nogil:
            for i in range(counts.rows):
                score_row(
                    counts.data + i * counts.columns, counted, orders,
                    lengths_data[i] if lengths_data != NULL else <double>counts.data[i * counts.columns + 1],
                    scores + i * orders)
        results = []
        for n in range(orders):
            column = []
            for i in range(counts.rows):
                column.append(scores[i * orders + n])
            results.append(column)
        return results
    finally:
        release(<void**>&scores)
