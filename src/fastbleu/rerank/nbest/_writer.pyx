"""Chosen segments -> lines, each with its score behind it."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Free
from libc.stdint cimport uint8_t
from libc.string cimport memcpy, strlen

from fastbleu._native.memory cimport release, reserve_cleared
from fastbleu.inputs._column cimport Float64Buffer, Int64Buffer
from fastbleu.inputs._text cimport TextColumn

cdef extern from "Python.h":
    # Unlike C's printf, it writes the same digits in every locale. The last argument may be NULL.
    char* PyOS_double_to_string(double value, char format, int precision, int flags, int* kind) except NULL

cdef enum:
    MOST_DECIMALS = 17


def join_lines(TextColumn column not None, chosen, scores, bytes separator not None, int decimals):
    """Make lines of chosen segments.

    Args:
        column: The segments.
        chosen: Their numbers, int64 [n], in the order in which they are written.
        scores: float64 [n], or None for lines without a score.
        separator: What stands between segment and score.
        decimals: Of the scores, 0..17.

    Returns:
        The lines as bytes.
    """
    cdef Int64Buffer numbers = Int64Buffer(chosen, "chosen", 1, False)
    cdef Float64Buffer values = None
    cdef const uint8_t* text = column.view.data
    cdef const char* between = PyBytes_AS_STRING(separator)
    cdef size_t between_size = <size_t>PyBytes_GET_SIZE(separator), size = 0
    cdef Py_ssize_t i, k, n = numbers.rows
    cdef char** printed = NULL
    cdef bytes lines
    cdef char* out
    if not 0 <= decimals <= MOST_DECIMALS:
        raise ValueError(f"decimals must be in 0..{MOST_DECIMALS}, not {decimals}")
    if scores is not None:
        values = Float64Buffer(scores, "scores", 1, False)
        if values.rows != n:
            raise ValueError(f"scores must hold {n} numbers, not {values.rows}")
    for i in range(n):
        k = numbers.data[i]
        if not 0 <= k < column.length:
            raise IndexError(f"segment {k} is out of range for a column of {column.length} segments")
        size += <size_t>(column.view.ends[k] - column.view.starts[k]) + 1
    try:
        if values is not None:
            reserve_cleared(<void**>&printed, <size_t>n + 1, sizeof(char*))
            for i in range(n):
                printed[i] = PyOS_double_to_string(values.data[i], c"f", decimals, 0, NULL)
                size += between_size + strlen(printed[i])
        lines = PyBytes_FromStringAndSize(NULL, <Py_ssize_t>size)
        out = PyBytes_AS_STRING(lines)
        with nogil:
            for i in range(n):
                k = numbers.data[i]
                out = put(out, text + column.view.starts[k], <size_t>(column.view.ends[k] - column.view.starts[k]))
                if printed != NULL:
                    out = put(out, between, between_size)
                    out = put(out, printed[i], strlen(printed[i]))
                out = put(out, "\n", 1)
        return lines
    finally:
        if printed != NULL:
            for i in range(n):
                PyMem_Free(printed[i])
            release(<void**>&printed)


cdef inline char* put(char* out, const void* data, size_t size) noexcept nogil:
    """Copies to `out`; returns the place behind."""
    memcpy(out, data, size)
    return out + size
