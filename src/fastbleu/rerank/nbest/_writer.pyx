"""Chosen segments -> lines, each with numbers and its score after it."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Free
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, strlen

from fastbleu._native.memory cimport release, reserve_cleared
from fastbleu.inputs._column cimport Float64Buffer, Int64Buffer
from fastbleu.inputs._text cimport TextColumn

cdef extern from "Python.h":
    # Unlike C's printf, it writes the same digits in every locale. The last argument may be NULL.
    char* PyOS_double_to_string(double value, char format, int precision, int flags, int* kind) except NULL

cdef enum:
    MOST_DECIMALS = 17
    MOST_DIGITS = 20             # of an int64, with its sign


cdef struct Part:
    const char* prefix
    size_t prefix_size
    const int64_t* numbers


cdef size_t put_number(char* out, int64_t number) noexcept nogil:
    """Writes a number, or nothing if `out` is NULL; returns how many characters it has."""
    cdef char digits[MOST_DIGITS]
    cdef size_t size = 0, i
    cdef uint64_t rest = <uint64_t>0 - <uint64_t>number if number < 0 else <uint64_t>number
    while True:
        digits[size] = <char>(c"0" + rest % 10)
        size += 1
        rest //= 10
        if rest == 0:
            break
    if number < 0:
        digits[size] = c"-"
        size += 1
    if out != NULL:
        for i in range(size):
            out[i] = digits[size - 1 - i]
    return size


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
    cdef const uint8_t* text = column.view.data
    cdef const char* between = PyBytes_AS_STRING(separator)
    cdef size_t between_size = <size_t>PyBytes_GET_SIZE(separator), size = 0
    cdef Py_ssize_t i, k, p, n = places.rows, parts = len(numbers)
    cdef char** printed = NULL
    cdef Part* details = NULL
    cdef list held = []
    cdef bytes lines
    cdef char* out
    if not 0 <= decimals <= MOST_DECIMALS:
        raise ValueError(f"decimals must be in 0..{MOST_DECIMALS}, not {decimals}")
    if scores is not None:
        values = Float64Buffer(scores, "scores", 1, False)
        if values.rows != n:
            raise ValueError(f"scores must hold {n} numbers, not {values.rows}")
    for i in range(n):
        k = places.data[i]
        if not 0 <= k < column.length:
            raise IndexError(f"segment {k} is out of range for a column of {column.length} segments")
        size += <size_t>(column.view.ends[k] - column.view.starts[k]) + 1
    try:
        reserve_cleared(<void**>&details, <size_t>parts + 1, sizeof(Part))
        for p in range(parts):
            part = Int64Buffer(numbers[p][1], "numbers", 1, False)
            if part.rows != n:
                raise ValueError(f"each of the numbers must be an array of {n}, not of {part.rows}")
            held.append((numbers[p][0], part))
            details[p].prefix = PyBytes_AS_STRING(numbers[p][0])
            details[p].prefix_size = <size_t>PyBytes_GET_SIZE(numbers[p][0])
            details[p].numbers = part.data
            size += <size_t>n * details[p].prefix_size
            for i in range(n):
                size += put_number(NULL, part.data[i])
        if values is not None:
            reserve_cleared(<void**>&printed, <size_t>n + 1, sizeof(char*))
            for i in range(n):
                printed[i] = PyOS_double_to_string(values.data[i], c"f", decimals, 0, NULL)
                size += between_size + strlen(printed[i])
        lines = PyBytes_FromStringAndSize(NULL, <Py_ssize_t>size)
        out = PyBytes_AS_STRING(lines)
        with nogil:
            for i in range(n):
                k = places.data[i]
                out = put(out, text + column.view.starts[k], <size_t>(column.view.ends[k] - column.view.starts[k]))
                for p in range(parts):
                    out = put(out, details[p].prefix, details[p].prefix_size)
                    out += put_number(out, details[p].numbers[i])
                if printed != NULL:
                    out = put(out, between, between_size)
                    out = put(out, printed[i], strlen(printed[i]))
                out = put(out, "\n", 1)
        return lines
    finally:
        release(<void**>&details)
        if printed != NULL:
            for i in range(n):
                PyMem_Free(printed[i])
            release(<void**>&printed)


cdef inline char* put(char* out, const void* data, size_t size) noexcept nogil:
    """Copy to `out`; return the place after the copy."""
    memcpy(out, data, size)
    return out + size
