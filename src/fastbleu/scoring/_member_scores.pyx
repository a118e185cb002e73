"""The formulas of two members of the family over many rows of statistics, with the same floats as in Python.

`pycocoevalcap_formula` and `smooth_bleu` describe the scores and their sources. The operations are those of the
original implementations, in the same order.
"""

from libc.float cimport DBL_MIN
from libc.math cimport exp, log, pow
from libc.stdint cimport int64_t

from fastbleu.inputs._column cimport Float64Buffer, Int64Buffer

cdef enum:
    TABLED = 256

# pycocoevalcap adds these to numerators and to denominators, so that nothing divides by 0.
cdef double TINY = 1e-15
cdef double SMALL = 1e-9
# Smooth BLEU uses this as the logarithm of a precision without candidates. Its exponential is 0.
cdef double NO_CANDIDATES = -10000000.0

# log(count + DBL_MIN) for the small counts that most segments have.
cdef double[TABLED] LOGS


cdef struct Counts:
    double sys_len
    double ref_len
    const int64_t* correct
    const int64_t* total
    bint choice


# Writes the scores of one row, over its orders 1..`orders`.
ctypedef void (*Scorer)(const Counts* row, Py_ssize_t orders, double* scores) noexcept nogil


cdef void fill_logs() noexcept:
    cdef int count
    for count in range(TABLED):
        LOGS[count] = log(<double>count + DBL_MIN)


fill_logs()


cdef inline double log_of(int64_t count) noexcept nogil:
    return LOGS[count] if 0 <= count < TABLED else log(<double>count + DBL_MIN)


cdef void by_pycocoevalcap(const Counts* row, Py_ssize_t orders, double* scores) noexcept nogil:
    """Write BLEU-1..orders, each 0..1."""
    cdef double product = 1.0, ratio = (row.sys_len + TINY) / (row.ref_len + SMALL), penalty
    cdef Py_ssize_t n
    for n in range(orders):
        product *= (<double>row.correct[n] + TINY) / (<double>row.total[n] + SMALL)
        scores[n] = pow(product, 1.0 / <double>(n + 1))
    if ratio < 1:
        penalty = exp(1 - 1 / ratio)
        for n in range(orders):
            scores[n] *= penalty


cdef void by_smooth_bleu(const Counts* row, Py_ssize_t orders, double* scores) noexcept nogil:
    """Write the score, then the precisions, each 0..1; `choice` is whether 1 is added to both counts above order 1."""
    cdef double mean = 0.0, penalty = 1 - (row.ref_len + 1) / (row.sys_len + 1)
    cdef Py_ssize_t n
    cdef int64_t added = 0
    for n in range(orders):
        mean += log_of(row.correct[n] + added) - log_of(row.total[n] + added)
        added = row.choice
        scores[1 + n] = exp(log_of(row.correct[n]) - log_of(row.total[n]) if row.total[n] else NO_CANDIDATES)
    mean /= <double>orders
    scores[0] = exp(mean + (penalty if penalty < 0 else 0))


def score_rows(str member not None, rows, scores, lengths=None, bint choice=True):
    """Score every row of statistics.

    Args:
        member: "pycocoevalcap" or "smooth_bleu".
        rows: int64 [n, 2 + 2N], C-contiguous: sys_len, ref_len, correct_1..N, total_1..N. Never changed.
        scores: float64 [n, numbers] to write to, each 0..1. For "pycocoevalcap" BLEU-1..numbers, at most N. For
            "smooth_bleu" 1 + N numbers: the score, then the precisions.
        lengths: float64 [n], the reference lengths to use; None: those in the rows.
        choice: For "smooth_bleu" whether counts are smoothed.

    Raises:
        TypeError: An argument is not an array.
        ValueError: An array has another type, shape or layout; or the member is unknown.

    Example:
        >>> import numpy as np
        >>> scores = np.empty((1, 2))
        >>> score_rows("pycocoevalcap", np.array([[6, 7, 5, 3, 6, 5]]), scores)
        >>> scores.tolist()
        [[0.7054014371737114, 0.5985529676111455]]
    """
    cdef Int64Buffer counts = Int64Buffer(rows, "rows", 2, False)
    cdef Float64Buffer out = Float64Buffer(scores, "scores", 2, True)
    cdef Float64Buffer own = None if lengths is None else Float64Buffer(lengths, "lengths", 1, False)
    cdef const double* ref_lens = NULL if own is None else own.data
    cdef Py_ssize_t i, numbers = out.columns, orders = counts.columns // 2 - 1, scored = orders
    cdef const int64_t* data
    cdef Counts row
    cdef Scorer scorer
    cdef bint fits
    if member == "pycocoevalcap":
        scorer, fits = by_pycocoevalcap, numbers <= orders
        scored = numbers
    elif member == "smooth_bleu":
        scorer, fits = by_smooth_bleu, numbers == 1 + orders
    else:
        raise ValueError(f"unknown member {member!r}")
    if (not fits or orders < 1 or counts.columns % 2 or out.rows != counts.rows
            or own is not None and own.rows != out.rows):
        raise ValueError(f"rows [{counts.rows}, {counts.columns}] or lengths do not fit scores [{out.rows}, {numbers}]")
    row.choice = choice
    with nogil:
        for i in range(counts.rows):
            data = counts.data + i * counts.columns
            row.sys_len = <double>data[0]
            row.ref_len = <double>data[1] if ref_lens == NULL else ref_lens[i]
            row.correct = data + 2
            row.total = row.correct + orders
            scorer(&row, scored, out.data + i * numbers)
