"""Chosen segments -> lines, each with numbers and its score after it."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Free
from libc.stdint cimport int64_t
from libc.stdio cimport snprintf
from libc.string cimport memcpy, strlen

from fastbleu._native.memory cimport grow, release
from fastbleu.inputs._column cimport Float64Buffer, Int64Buffer
from fastbleu.inputs._text cimport TextColumn

cdef extern from "Python.h":
    # Unlike C's printf, it writes the same digits in every locale. The last argument may be NULL.
    char* PyOS_double_to_string(double value, char format, int precision, int flags, int* kind) except NULL

cdef enum:
    MOST_DECIMALS = 17
    MOST_DIGITS = 21             # of an int64, with its sign and the byte after it


cdef struct Lines:
    char* text                   # a buffer
    size_t size


cdef inline int put(Lines* lines, const void* data, size_t size) except -1:
    """Appends bytes."""
    grow(<void**>&lines.text, lines.size + size, 1)
    memcpy(lines.text + lines.size, data, size)
    lines.size += size
    return 0


cdef int put_bytes(Lines* lines, bytes data) except -1:
    return put(lines, PyBytes_AS_STRING(data), <size_t>PyBytes_GET_SIZE(data))


cdef int put_number(Lines* lines, int64_t number) except -1:
    cdef char digits[MOST_DIGITS]
    return put(lines, digits, <size_t>snprintf(digits, MOST_DIGITS, "%lld", <long long>number))


cdef int put_score(Lines* lines, double score, int decimals) except -1:
    cdef char* digits = PyOS_double_to_string(score, c"f", decimals, 0, NULL)
    try:
        return put(lines, digits, strlen(digits))
    finally:
        PyMem_Free(digits)


def join_lines(TextColumn column not None, chosen, scores, bytes separator not None, int decimals, tuple numbers=()):
    """Make lines of chosen segments.

    Args:
        column: The segments.
        chosen: Their numbers, int64 [n], in the order in which they are written.
        scores: float64 [n], or None for lines without a score.
        separator: What stands between segment and score.
        decimals: Of the scores, 0..17.
        numbers: Pairs of bytes and int64 [n]: what stands between segment and score, each number after its bytes.

    Returns:
        The lines as bytes.
    """
    cdef Int64Buffer places = Int64Buffer(chosen, "chosen", 1, False), part
    cdef Float64Buffer values = None
    cdef const char* text = <const char*>column.view.data
    cdef Py_ssize_t i, k, n = places.rows
    cdef Lines lines
    cdef bytes prefix
    if not 0 <= decimals <= MOST_DECIMALS:
        raise ValueError(f"decimals must be in 0..{MOST_DECIMALS}, not {decimals}")
    if scores is not None:
        values = Float64Buffer(scores, "scores", 1, False)
        if values.rows != n:
            raise ValueError(f"scores must hold {n} numbers, not {values.rows}")
    parts = [(prefix, Int64Buffer(each, "numbers", 1, False)) for prefix, each in numbers]
    for _, part in parts:
        if part.rows != n:
            raise ValueError(f"each of the numbers must be an array of {n}, not of {part.rows}")
    lines.text, lines.size = NULL, 0
    try:
        for i in range(n):
            k = places.data[i]
            if not 0 <= k < column.length:
                raise IndexError(f"segment {k} is out of range for a column of {column.length} segments")
            put(&lines, text + column.view.starts[k], <size_t>(column.view.ends[k] - column.view.starts[k]))
            for prefix, part in parts:
                put_bytes(&lines, prefix)
                put_number(&lines, part.data[i])
            if values is not None:
                put_bytes(&lines, separator)
                put_score(&lines, values.data[i], decimals)
            put(&lines, "\n", 1)
        return PyBytes_FromStringAndSize(lines.text, <Py_ssize_t>lines.size)
    finally:
        release(<void**>&lines.text)
