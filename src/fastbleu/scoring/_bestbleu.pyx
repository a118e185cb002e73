"""The sentence score of bestbleu.py, compiled: the score of each of many rows of statistics, the same floats.

Both counts of every order get 1 more, the first order's too, as in https://github.com/tensorflow/nmt, from which the
script has taken it. A hypothesis with fewer tokens than the highest order scores 0. The operations are those of
`compute_bleu` in the same order; the built-in `sum` is compensated from Python 3.12 on.
"""

from cpython.version cimport PY_VERSION_HEX
from libc.math cimport exp, log
from libc.stdint cimport int64_t

from fastbleu.inputs._column cimport Float64Buffer, Int64Buffer
from fastbleu.scoring._formula cimport ExactSum, add, value

cdef enum:
    PYTHON_3_12 = 0x030c0000


cdef double score_row(const int64_t* row, Py_ssize_t orders, bint has_penalty) noexcept nogil:
    cdef const int64_t* correct = row + 2
    cdef const int64_t* total = correct + orders
    cdef double share = 1.0 / <double>orders, ratio, score
    cdef ExactSum logs = ExactSum(0.0, 0.0)
    cdef Py_ssize_t n
    for n in range(orders):
        if total[n] == 0:
            return 0.0
        add(&logs, share * log((<double>correct[n] + 1.0) / (<double>total[n] + 1.0)))
    score = exp(value(&logs) if PY_VERSION_HEX >= PYTHON_3_12 else logs.total)
    if has_penalty:
        ratio = <double>row[0] / <double>row[1]
        if not ratio > 1.0:
            score *= exp(1 - 1.0 / ratio)
    return score


def score_rows(rows, scores, bint has_penalty=True):
    """Scores every row of statistics.

    Args:
        rows: int64 [n, 2 + 2N], C-contiguous: sys_len, ref_len, correct_1..N, total_1..N; no ref_len is 0.
        scores: float64 [n] to write to: 0..1.
        has_penalty: Whether short hypotheses are penalised.

    Raises:
        ValueError: An array does not fit, or a ref_len is 0.

    Example:
        >>> import numpy as np
        >>> scores = np.empty(2)
        >>> score_rows(np.array([[5, 6, 4, 3, 2, 1, 5, 4, 3, 2], [1, 1, 1, 0, 0, 0, 1, 0, 0, 0]]), scores)
        >>> scores.tolist()
        [0.6221008431290531, 0.0]
    """
    cdef Int64Buffer counts = Int64Buffer(rows, "rows", 2, False)
    cdef Float64Buffer out = Float64Buffer(scores, "scores", 1, True)
    cdef Py_ssize_t i, orders = counts.columns // 2 - 1
    if orders < 1 or counts.columns % 2 or out.rows != counts.rows:
        raise ValueError(f"rows must have the shape [{out.rows}, 2 + 2N], not [{counts.rows}, {counts.columns}]")
    for i in range(counts.rows):
        if has_penalty and counts.data[i * counts.columns + 1] <= 0:
            raise ValueError(f"rows[{i}][1], the length of the reference, must be above 0")
    with nogil:
        for i in range(counts.rows):
            out.data[i] = score_row(counts.data + i * counts.columns, orders, has_penalty)
