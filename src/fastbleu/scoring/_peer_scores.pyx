"""Score many rows by the formulas of pycocoevalcap and of smooth BLEU, with the same floats as the original programs.

`pycocoevalcap_formula` and `codexglue_formula` describe the formulas and name the original programs. The operations are
the same, in the same order.
"""

from libc.float cimport DBL_MIN
from libc.math cimport exp, log, pow
from libc.stdint cimport int64_t

from fastbleu.inputs._column cimport Float64Buffer, Int64Buffer

cdef enum:
    TABLED = 256                 # The size of the table of logarithms. Most segments have only smaller counts.

# pycocoevalcap adds TINY to numerators and SMALL to denominators, so that it never divides by 0.
cdef double TINY = 1e-15
cdef double SMALL = 1e-9
# Smooth BLEU uses this as the logarithm of a precision without candidates. Its exponential is 0.
cdef double NO_CANDIDATES = -10000000.0

# LOGS[count] is log(count + DBL_MIN). Smooth BLEU adds DBL_MIN, so that log(0) is finite.
cdef double[TABLED] LOGS


cdef void fill_logs() noexcept:
    cdef int count
    for count in range(TABLED):
        LOGS[count] = log(<double>count + DBL_MIN)


fill_logs()


cdef inline double log_of(int64_t count) noexcept nogil:
    """Return log(count + DBL_MIN)."""
    return LOGS[count] if 0 <= count < TABLED else log(<double>count + DBL_MIN)


cdef void score_captions(
    const int64_t* row, double ref_len, Py_ssize_t order, Py_ssize_t n_scores, double* scores
) noexcept nogil:
    """Write pycocoevalcap's BLEU-1..n_scores of a row to `scores`, [n_scores]. The row has the orders 1..order."""
    cdef double product = 1.0, ratio = (<double>row[0] + TINY) / (ref_len + SMALL), penalty
    cdef Py_ssize_t n
    for n in range(n_scores):
        product *= (<double>row[2 + n] + TINY) / (<double>row[2 + order + n] + SMALL)
        scores[n] = pow(product, 1.0 / <double>(n + 1))
    if ratio < 1:
        penalty = exp(1 - 1 / ratio)
        for n in range(n_scores):
            scores[n] *= penalty


cdef void score_smoothed(const int64_t* row, bint smooth, Py_ssize_t order, double* scores) noexcept nogil:
    """Write CodeXGLUE's score of a row to scores[0], and the unsmoothed precisions of the orders 1..order after it.

    If `smooth` is true, 1 is added to both counts of each order above 1, for the score only.
    """
    cdef double mean = 0.0, penalty = 1 - (<double>row[1] + 1) / (<double>row[0] + 1)
    cdef const int64_t* correct = row + 2
    cdef const int64_t* total = correct + order
    cdef int64_t added = 0
    cdef Py_ssize_t n
    for n in range(order):
        mean += log_of(correct[n] + added) - log_of(total[n] + added)
        added = smooth
        scores[1 + n] = exp(log_of(correct[n]) - log_of(total[n]) if total[n] else NO_CANDIDATES)
    mean /= <double>order
    scores[0] = exp(mean + (penalty if penalty < 0 else 0))


cdef int check_shapes(Int64Buffer rows, Float64Buffer scores, Py_ssize_t fewest_orders) except -1:
    if rows.columns < 2 + 2 * fewest_orders or rows.columns % 2 or scores.rows != rows.rows:
        raise ValueError(f"rows [{rows.rows}, {rows.columns}] do not fit scores [{scores.rows}, {scores.columns}]")
    return 0


def pycocoevalcap_scores(rows, scores, lengths=None):
    """Score each row as pycocoevalcap does.

    Args:
        rows: int64 [n, 2 + 2N], C-contiguous: sys_len, ref_len, correct_1..N, total_1..N. Never changed.
        scores: float64 [n, M] to write BLEU-1..M to, 0..1; M <= N.
        lengths: float64 [n], reference lengths to use instead of those in the rows, or None.

    Raises:
        TypeError: An argument is not an array.
        ValueError: An array has a wrong dtype, shape or layout.

    Example:
        >>> import numpy as np
        >>> scores = np.empty((1, 2))
        >>> pycocoevalcap_scores(np.array([[6, 7, 5, 3, 6, 5]]), scores)
        >>> scores.tolist()
        [[0.7054014371737114, 0.5985529676111455]]
    """
    cdef Int64Buffer counts = Int64Buffer(rows, "rows", 2, False)
    cdef Float64Buffer out = Float64Buffer(scores, "scores", 2, True)
    cdef Float64Buffer given_lengths = None if lengths is None else Float64Buffer(lengths, "lengths", 1, False)
    cdef const double* ref_lens = NULL if given_lengths is None else given_lengths.data
    cdef const int64_t* row
    cdef Py_ssize_t i, order = counts.columns // 2 - 1
    check_shapes(counts, out, out.columns)
    if given_lengths is not None and given_lengths.rows != out.rows:
        raise ValueError(f"lengths must have {out.rows} items, not {given_lengths.rows}")
    with nogil:
        for i in range(counts.rows):
            row = counts.data + i * counts.columns
            score_captions(
                row, <double>row[1] if ref_lens == NULL else ref_lens[i], order, out.columns,
                out.data + i * out.columns)


def smooth_bleu_scores(rows, scores, bint smooth):
    """Score each row by smooth BLEU.

    Args:
        rows: int64 [n, 2 + 2N], C-contiguous: sys_len, ref_len, correct_1..N, total_1..N. Never changed.
        scores: float64 [n, 1 + N] to write to: the score, then the precisions, all 0..1.
        smooth: Whether to add 1 to both counts of each order above 1.

    Raises:
        TypeError: An argument is not an array.
        ValueError: An array has a wrong dtype, shape or layout.
    """
    cdef Int64Buffer counts = Int64Buffer(rows, "rows", 2, False)
    cdef Float64Buffer out = Float64Buffer(scores, "scores", 2, True)
    cdef Py_ssize_t i, order = out.columns - 1
    check_shapes(counts, out, max(order, 1))
    with nogil:
        for i in range(counts.rows):
            score_smoothed(counts.data + i * counts.columns, smooth, order, out.data + i * out.columns)
