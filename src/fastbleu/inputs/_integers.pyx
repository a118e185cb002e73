"""Copy rows of integers, which are lists of int or arrays, to one buffer of int64."""

from array import array

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_FromStringAndSize
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from libc.stddef cimport size_t
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from fastbleu._native.signals cimport STEPS_PER_CHECK, check_signals
from fastbleu.inputs._column cimport Int64Buffer, check_length

from fastbleu.errors import ArgumentValueError, locate, wrong_type
from fastbleu.inputs.id_arrays import as_int64, as_row

cdef extern from "inputs/ids.h" nogil:
    Py_ssize_t fb_read_small_ints(object row, int64_t* out, size_t capacity)

cdef extern from "inputs/shared_lists.h":
    const bint FB_FREE_THREADED


def gather(list rows not None, name not None, Py_ssize_t start):
    """Copy rows of integers to one buffer.

    Args:
        rows: n rows: lists or tuples of int, arrays of integers, or None for a missing row.
        name: The name of the rows in errors, a `Location`.
        start: The index of the first row in errors.

    Returns:
        The tuple ``(values, (starts, ends), missing)``. `values` is a bytearray with the int64 of all rows. `starts`
        and `ends`, int64 [n], contain the start and the end of each row as indices into these int64. `missing` has n
        flags, 1 for each missing row, or is None if no row is missing.

    Raises:
        TypeError: An item is not an int; the message names its index.
        ValueError: An int does not fit 64 bits, or a row is too long.
    """
    cdef Py_ssize_t n = len(rows), i, total = 0, count
    cdef Int64Buffer row_buffer
    missing = None
    starts, ends = array("q", bytes(8 * n)), array("q", bytes(8 * n))
    cdef Int64Buffer first = Int64Buffer(starts, "starts", 1, True), last = Int64Buffer(ends, "ends", 1, True)
    for i in range(n):
        row = rows[i]
        first.data[i] = total
        if row is not None:
            total += check_length(len(row), name, start + i)
        last.data[i] = total
    memory = PyByteArray_FromStringAndSize(NULL, total * <Py_ssize_t>sizeof(int64_t))
    cdef int64_t* out = <int64_t*>PyByteArray_AS_STRING(memory)
    for i in range(n):
        row, count = rows[i], <Py_ssize_t>(last.data[i] - first.data[i])
        if row is None:
            missing = bytearray(n) if missing is None else missing
            missing[i] = 1
        elif isinstance(row, (list, tuple)):
            last.data[i] = first.data[i] + copy_list(row, out + first.data[i], count, name, start + i)
        else:
            try:
                row_buffer = Int64Buffer(row, "row", 1, False)
            except (BufferError, TypeError, ValueError):
                row_buffer = Int64Buffer(as_int64(as_row(row, name, start + i)), "row", 1, False)
            if row_buffer.rows != count:
                raise RuntimeError(f"{locate(name, start + i)} changed its length while it was read")
            memcpy(out + first.data[i], row_buffer.data, <size_t>count * sizeof(int64_t))
    return memory, (starts, ends), missing


cdef object as_int(object token, object where, Py_ssize_t t):
    """Convert an integer of any type, such as a NumPy scalar, to int. Reject a bool.

    Args:
        token: The item of a row.
        where: The location of the row.
        t: The index of the item in the row.

    Raises:
        TypeError: The item is not an integer, or is a bool of Python or of an array library.
    """
    if not isinstance(token, bool) and hasattr(token, "__index__") and "bool" not in str(getattr(token, "dtype", "")):
        try:
            return token.__index__()
        except (TypeError, ValueError, RuntimeError):
            raise wrong_type(where[t], "an int", token) from None
    raise wrong_type(where[t], "an int", token)


cdef Py_ssize_t copy_list(object row, int64_t* out, Py_ssize_t capacity, object name, Py_ssize_t i) except -1:
    """Copy a list or tuple of int; return the number of ints.

    Args:
        row: The list or tuple.
        out: Output with space for `capacity` ints.
        capacity: The maximum number of ints.
        name: The name of all rows in errors.
        i: The index of the row in errors.
    """
    cdef Py_ssize_t t
    if capacity <= STEPS_PER_CHECK and (type(row) is list or type(row) is tuple):
        t = fb_read_small_ints(row, out, <size_t>capacity)
        if t >= 0:
            return t
        # An item is not a small int, or the length of the row has changed. The general loop handles both cases.
    return copy_any_ints(row, out, capacity, locate(name, i))


cdef Py_ssize_t copy_any_ints(object row, int64_t* out, Py_ssize_t capacity, object where) except -1:
    """Copy a row of ints of any size or of objects that can be converted to int; return the number of items.

    Raises:
        TypeError: An item is not an integer.
        ValueError: An int does not fit 64 bits.
        RuntimeError: The row has more than `capacity` items, because it was changed.
    """
    cdef Py_ssize_t t = 0
    cdef int overflow = 0
    if FB_FREE_THREADED and isinstance(row, list):
        row = tuple(row)  # Without the GIL, another thread may shorten a list during the loop.
    for token in row:
        check_signals(<size_t>t)
        if not PyLong_CheckExact(token):
            token = as_int(token, where, t)
        # `as_int` may run Python code that appends items to the row.
        if t >= capacity:
            raise RuntimeError(f"{where} changed its length while it was read")
        out[t] = PyLong_AsLongLongAndOverflow(token, &overflow)
        if overflow:
            raise ArgumentValueError(where[t], f"is {token}, which does not fit 64 bits", value=token)
        t += 1
    return t
