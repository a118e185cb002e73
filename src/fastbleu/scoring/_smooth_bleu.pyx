"""CodeBERT's smooth BLEU, compiled: the scores of many rows of statistics, summed, the same floats as Python's."""

from libc.float cimport DBL_MIN
from libc.math cimport exp, log
from libc.stddef cimport size_t
from libc.stdint cimport int64_t

from fastbleu._native.memory cimport release, reserve
from fastbleu.inputs._column cimport Int64Buffer

cdef extern from "Python.h":
    Py_ssize_t PyUnicode_FindChar(
        object text, Py_UCS4 character, Py_ssize_t start, Py_ssize_t end, int direction) except -2

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
    cdef list found = []
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
        for n in range(orders + 1):
            found.append(sums[n])
        return found
    finally:
        release(<void**>&sums)


cdef inline bint is_plain(object text):
    """Return whether a value is a str in which mteval-v11 rewrites nothing before it tokenizes."""
    cdef Py_ssize_t length
    if type(text) is not str:
        return False
    length = len(<str>text)
    return (
        PyUnicode_FindChar(text, c"&", 0, length, 1) == -1
        and PyUnicode_FindChar(text, c"<", 0, length, 1) == -1
        and PyUnicode_FindChar(text, c"\n", 0, length, 1) == -1
    )


def plain_texts(list texts not None, rewrite not None):
    """The texts, each that is not a plain str as `rewrite` makes it.

    Example:
        >>> plain_texts(["x y", "&lt;", ["z"]], str)
        ['x y', '&lt;', "['z']"]
    """
    cdef list plain = []
    for text in texts:
        plain.append(text if is_plain(text) else rewrite(text))
    return plain


def single_pairs(dict references not None, dict predictions not None, rewrite not None):
    """Takes texts out of the two maps of a corpus in which each text has one reference.

    Args:
        references: For each name a list of one reference.
        predictions: For these names, and maybe others, a list that begins with the text to score.
        rewrite: Makes the str to tokenize; called for values that are not plain str.

    Returns:
        The texts to score and their references, in the order of `references`; names that `predictions` lacks are left
        out. None if something is not a list, or a list has another length.

    Example:
        >>> single_pairs({"a": ["x y"], "b": ["&lt;"]}, {"a": ["x"], "b": ["z"]}, str.upper)
        (['x', 'z'], ['x y', '&LT;'])
        >>> single_pairs({"a": ["x", "y"]}, {"a": ["x"]}, str.upper)
    """
    cdef list texts = [], others = []
    for name, some in references.items():
        found = predictions.get(name)
        if found is None and name not in predictions:
            continue
        if type(some) is not list or type(found) is not list or len(<list>some) != 1 or not <list>found:
            return None
        text, other = (<list>found)[0], (<list>some)[0]
        texts.append(text if is_plain(text) else rewrite(text))
        others.append(other if is_plain(other) else rewrite(other))
    return texts, others
