"""Arrays of integers -> columns of token ids, read where they lie: no Python object per token. `_id_rules` says which
items of a row are tokens.
"""

import sys

from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint64_t

from fastbleu._native.memory cimport release, reserve
from fastbleu.inputs._arrow_lists cimport ArrowIntegers
from fastbleu.inputs._column cimport NOWHERE, IdColumn, Int64Buffer, check_length
from fastbleu.inputs._id_array cimport IdArray
from fastbleu.inputs._id_rules cimport (
    FB_TOO_LARGE,
    IdRule,
    Rule,
    find_ends,
    is_all_padding,
    refused,
    rule_for,
    take_tokens,
)

from fastbleu.errors import ArgumentValueError, place, wrong_type

cdef extern from "inputs/ids.h" nogil:
    Py_ssize_t fb_read_small_ints(object row, int64_t* out, size_t room)
    void fb_prefetch_row(const char* row, Py_ssize_t width)

cdef extern from "inputs/shared_lists.h":
    const bint FB_FREE_THREADED

cdef enum:
    ROWS_AHEAD = 4               # of the one that is read are prefetched


cdef struct Matrix:
    # A range of segments of a matrix, and how to read it.
    Py_ssize_t rows              # of a segment
    Py_ssize_t width
    Py_ssize_t start
    Py_ssize_t segments
    Rule rule
    const int64_t* lengths       # of all rows, or NULL
    int64_t* kept                # int64 [segments, width], or NULL


cdef object as_it_is(IdArray array, const char* row, Py_ssize_t t, int64_t value):
    """The item at place t of a row that was read as this value; one beyond int64 is read again from the row."""
    if value != FB_TOO_LARGE or array.is_signed:
        return value
    row += t * array.buffer.strides[array.buffer.ndim - 1]
    order = sys.byteorder
    if array.swapped:
        order = "big" if order == "little" else "little"
    return int.from_bytes(row[:array.buffer.itemsize], order)


cdef inline Py_ssize_t row_length(const Matrix* matrix, Py_ssize_t i, Py_ssize_t k) noexcept nogil:
    return matrix.width if matrix.lengths == NULL else <Py_ssize_t>matrix.lengths[(matrix.start + i) * matrix.rows + k]


cdef bint look_at_rows(IdArray array, const Matrix* matrix, Py_ssize_t k, IdColumn column) except -1:
    """Points a column at the rows k of the segments where they lie.

    Returns False if that is not possible: a row has other ids among its tokens, rows are not plain int64, or tokens
    are to be counted.
    """
    cdef Py_ssize_t i, first, last
    cdef Py_ssize_t stride = array.buffer.strides[0]
    cdef const char* row = array.row(matrix.start, k)
    cdef uint64_t bits = 0
    cdef int64_t* starts
    cdef int64_t* ends
    cdef const char* origin = <const char*>array.buffer.buf
    cdef bint clean = array.is_plain() and matrix.kept == NULL
    if not clean:
        return False
    column.reserve_segments(matrix.segments)
    column.reserve_ends()
    starts = column.own_offsets
    ends = column.own_ends
    with nogil:
        for i in range(matrix.segments):
            if i + ROWS_AHEAD < matrix.segments:
                fb_prefetch_row(row + ROWS_AHEAD * stride, matrix.width)
            last = row_length(matrix, i, k)
            clean = find_ends(&matrix.rule, <const int64_t*>row, &first, &last, &bits)
            if not clean:
                break
            starts[i] = (row - origin) // <Py_ssize_t>sizeof(int64_t) + first
            ends[i] = starts[i] - first + last
            row += stride
    if clean:
        column.bits = bits
        column.length = matrix.segments
        column.borrow(array, <const uint8_t*>array.buffer.buf)
    return clean


cdef int copy_rows(IdArray array, const Matrix* matrix, Py_ssize_t k, IdColumn column, object name) except -1:
    """Copies the tokens of the rows k of the segments to a column.

    Raises:
        ValueError: An id is negative, or beyond int64; says which.
    """
    cdef Py_ssize_t i, t, count, first, last, tokens = 0
    cdef uint64_t bits = 0
    cdef const char* row = NULL
    cdef int64_t* ids = NULL
    cdef int64_t* kept = NULL
    try:
        reserve(<void**>&ids, <size_t>matrix.width + 1, sizeof(int64_t))
        column.reserve_segments(matrix.segments, <size_t>(matrix.segments * matrix.width) * sizeof(int64_t))
        with nogil:
            for i in range(matrix.segments):
                row = array.row(matrix.start + i, k)
                count = row_length(matrix, i, k)
                array.load(row, <size_t>count, ids)
                last = count
                if matrix.kept != NULL:
                    kept = matrix.kept + i * matrix.width
                tokens = take_tokens(
                    &matrix.rule, ids, &first, &last, <int64_t*>column.own_data + column.own_offsets[i], &bits, kept)
                if tokens < 0:
                    break
                if kept != NULL:
                    for t in range(first):
                        kept[t] = 0
                    for t in range(last, matrix.width):
                        kept[t] = tokens
                column.own_offsets[i + 1] = column.own_offsets[i] + tokens
        if tokens < 0:
            t = -1 - tokens
            raise refused(&matrix.rule, place(name, matrix.start + i), t, as_it_is(array, row, t, ids[t]))
        column.bits = bits
        column.length = matrix.segments
        column.finish()
        return 0
    finally:
        release(<void**>&ids)


cdef int leave_out_padding(IdArray array, const Matrix* matrix, list columns) except -1:
    """Makes references that are nothing but padding absent, unless all references of the segment are."""
    cdef Py_ssize_t i, k, padding
    cdef IdColumn column
    cdef int64_t* ids = NULL
    cdef uint8_t* is_padding = NULL
    try:
        reserve(<void**>&ids, <size_t>matrix.width + 1, sizeof(int64_t))
        reserve(<void**>&is_padding, <size_t>matrix.rows, 1)
        for i in range(matrix.segments):
            padding = 0
            for k in range(matrix.rows):
                column = <IdColumn>columns[k]
                is_padding[k] = False
                if column.view.starts[i] == column.view.ends[i]:
                    array.load(array.row(matrix.start + i, k), <size_t>row_length(matrix, i, k), ids)
                    is_padding[k] = is_all_padding(&matrix.rule, ids, row_length(matrix, i, k))
                padding += is_padding[k]
            if 0 < padding < matrix.rows:
                for k in range(matrix.rows):
                    if is_padding[k]:
                        column = <IdColumn>columns[k]
                        column.set_absent(i)
                        column.view.absent = column.own_absent
        return 0
    finally:
        release(<void**>&ids)
        release(<void**>&is_padding)


def read_matrix(
    IdArray array not None, IdRule rule not None, lengths, Py_ssize_t start, Py_ssize_t stop, bint is_reference,
    name not None, kept=None,
):
    """Reads a range of segments from a matrix [B, T], or from references [B, R, T].

    Args:
        array: The matrix.
        rule: The ids that are not tokens.
        lengths: int64 [B * R], of each row, 0..T; or None: they are full.
        start: First segment, >= 0.
        stop: One after the last, <= B.
        is_reference: Whether they are references.
        name: What errors call them, a str or a Place.
        kept: int64 [stop - start, T], gets how many tokens there are up to each place of a matrix; or None.

    Returns:
        A list of R IdColumns, or of one. With several references, one that is nothing but padding is absent, unless all
        references of the segment are.

    Raises:
        ValueError: An id that counts is negative, or beyond int64; says where.
    """
    cdef bint several = array.buffer.ndim == 3
    cdef Py_ssize_t k
    cdef Matrix matrix
    cdef Int64Buffer length_buffer = None, kept_buffer = None
    cdef list columns = []
    matrix.rows = array.buffer.shape[1] if several else 1
    matrix.width = array.buffer.shape[array.buffer.ndim - 1]
    matrix.start = start
    matrix.segments = stop - start
    matrix.rule = rule_for(rule, is_reference)
    matrix.lengths = NULL
    matrix.kept = NULL
    if not 0 <= start <= stop <= array.buffer.shape[0]:
        raise IndexError(f"{name}: segments {start}:{stop} are out of range for {array.buffer.shape[0]}")
    check_length(matrix.width, name, NOWHERE)
    if lengths is not None:
        length_buffer = Int64Buffer(lengths, "lengths", 1, False)
        matrix.lengths = length_buffer.data
        if length_buffer.rows != array.buffer.shape[0] * matrix.rows:
            raise ValueError(
                f"lengths must have {array.buffer.shape[0] * matrix.rows} numbers, not {length_buffer.rows}")
    if kept is not None:
        kept_buffer = Int64Buffer(kept, "kept", 2, True)
        matrix.kept = kept_buffer.data
        if (kept_buffer.rows, kept_buffer.columns) != (matrix.segments, matrix.width) or several:
            raise ValueError(f"kept must have the shape [{matrix.segments}, {matrix.width}]")
    for k in range(matrix.rows):
        columns.append(IdColumn())
        if not look_at_rows(array, &matrix, k, <IdColumn>columns[k]):
            copy_rows(array, &matrix, k, <IdColumn>columns[k], place(name).before(k) if several else name)
    if several:
        leave_out_padding(array, &matrix, columns)
    return columns


cdef object as_int(object token, object where, Py_ssize_t t):
    """An integer of any kind as an int. Bools are none, whether Python's or an array's."""
    if not isinstance(token, bool) and hasattr(token, "__index__") and "bool" not in str(getattr(token, "dtype", "")):
        try:
            return token.__index__()
        except (TypeError, ValueError, RuntimeError):
            raise wrong_type(where[t], "an int", token) from None
    raise wrong_type(where[t], "an int", token)


cdef Py_ssize_t copy_list(object row, int64_t* out, Py_ssize_t room, object name, Py_ssize_t i) except -1:
    """Copies a list or tuple of int, which is name[i]; returns how many there are."""
    cdef Py_ssize_t t
    if type(row) is list or type(row) is tuple:
        t = fb_read_small_ints(row, out, <size_t>room)
        if t >= 0:
            return t
        # There is something else, or it changed its length: all is read again, in the long way.
    return copy_any_ints(row, out, room, place(name, i))


cdef Py_ssize_t copy_any_ints(object row, int64_t* out, Py_ssize_t room, object where) except -1:
    """copy_list for ints of any size, and for what can be made an int."""
    cdef Py_ssize_t t = 0
    cdef int overflow = 0
    if FB_FREE_THREADED and isinstance(row, list):
        row = tuple(row)  # without the global lock, a list may become shorter between two items
    for token in row:
        if not PyLong_CheckExact(token):
            token = as_int(token, where, t)
        # as_int may run Python code, which may make the list longer.
        if t >= room:
            raise RuntimeError(f"{where} changed its length while it was read")
        out[t] = PyLong_AsLongLongAndOverflow(token, &overflow)
        if overflow:
            raise ArgumentValueError(where[t], f"is {token}, which 64 bits do not hold", value=token)
        t += 1
    return t


def read_rows(
    rows not None, IdRule rule not None, lengths, Py_ssize_t start, Py_ssize_t stop, bint is_reference, name not None,
):
    """Reads segments, each an IdArray of one dimension, a list or a tuple of int; or lists of Arrow.

    Args:
        rows: A list of the segments from `start` on, None for one that is absent; or all lists of an Arrow column.
        rule: The ids that are not tokens.
        lengths: int64, of the rows from segment 0 on; or None: they are full.
        start: The first segment.
        stop: One after the last.
        is_reference: Whether they are references, of which some may be absent.
        name: What errors call them, a str or a Place.

    Returns:
        A list of one IdColumn.

    Raises:
        TypeError: A token is not an int, or a segment is absent that must be there; says where.
        ValueError: An id that counts is negative, or beyond int64; says where.
    """
    cdef Rule found = rule_for(rule, is_reference)
    cdef IdColumn column = IdColumn()
    cdef Py_ssize_t i, t, count, tokens, first, last
    cdef Int64Buffer length_buffer = None if lengths is None else Int64Buffer(lengths, "lengths", 1, False)
    cdef Int64Buffer starts = None, ends = None
    cdef ArrowIntegers flat = None
    cdef int64_t* out
    cdef int64_t* ids
    cdef uint64_t bits = 0
    cdef bint has_nulls = False, is_absent
    absent = row = None
    if not isinstance(rows, list):
        flat, absent = rows.flat, rows.absent
        starts, ends = Int64Buffer(rows.starts, "starts", 1, False), Int64Buffer(rows.ends, "ends", 1, False)
        if not 0 <= start <= stop <= starts.rows:
            raise IndexError(f"{name}: segments {start}:{stop} are out of range for {starts.rows}")
    column.reserve_segments(stop - start)
    for i in range(start, stop):
        if flat is None:
            row = rows[i - start]
            is_absent = row is None
        else:
            is_absent = absent is not None and absent[i]
        if is_absent:
            if not is_reference:
                raise wrong_type(place(name, i), "a sequence of token ids", None)
            column.append_absent()
            continue
        if flat is not None:
            count = <Py_ssize_t>(ends.data[i] - starts.data[i])
        else:
            count = len(row)
        check_length(count, name, i)
        # The row is read into the memory after its tokens.
        column.make_room(<size_t>(column.own_offsets[column.length] + 2 * count) * sizeof(int64_t))
        out = <int64_t*>column.own_data + column.own_offsets[column.length]
        ids = out + count
        if flat is not None:
            has_nulls = flat.copy(starts.data[i], ends.data[i], ids)
        elif isinstance(row, IdArray):
            (<IdArray>row).load(<const char*>(<IdArray>row).buffer.buf, <size_t>count, ids)
        else:
            count = copy_list(row, ids, count, name, i)
        if length_buffer is not None:
            if length_buffer.data[i] > count:
                raise RuntimeError(f"{place(name, i)} became shorter while it was scored")
            count = <Py_ssize_t>length_buffer.data[i]
        if has_nulls:
            for t in range(count):
                if flat[starts.data[i] + t] is None:
                    raise wrong_type(place(name, i)[t], "an int", None)
        last = count
        tokens = take_tokens(&found, ids, &first, &last, out, &bits, NULL)
        if tokens < 0:
            t = -1 - tokens
            value = ids[t]
            if flat is not None:
                value = flat[starts.data[i] + t]
                # Another thread may have changed it since it was copied.
                value = ids[t] if value is None else value
            elif isinstance(row, IdArray):
                value = as_it_is(<IdArray>row, <const char*>(<IdArray>row).buffer.buf, t, ids[t])
            raise refused(&found, place(name, i), t, value)
        column.length += 1
        column.own_offsets[column.length] = column.own_offsets[column.length - 1] + tokens
    column.bits = bits
    column.finish()
    return [column]
