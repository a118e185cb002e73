"""Rows of int64 -> columns of token ids, where they lie: no Python object per token. `_id_rules` says which items of a
row are tokens.
"""

from array import array

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_FromStringAndSize
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcmp, memcpy

from fastbleu._native.memory cimport release, reserve
from fastbleu.inputs._column cimport ITEM_BYTES, IdColumn, Int64Buffer, check_length, is_native
from fastbleu.inputs._id_rules cimport (
    FB_TOO_LARGE,
    IdRule,
    Rule,
    find_ends,
    is_all_padding,
    keep_tokens,
    refused,
    rule_for,
)

from fastbleu.errors import ArgumentValueError, place, wrong_type
from fastbleu.inputs.id_arrays import as_row
from fastbleu.inputs.integers import as_int64

cdef extern from "Python.h":
    Py_buffer* PyMemoryView_GET_BUFFER(object view)

cdef extern from "inputs/ids.h" nogil:
    Py_ssize_t fb_read_small_ints(object row, int64_t* out, size_t room)
    void fb_prefetch_row(const char* row, Py_ssize_t width)

cdef extern from "inputs/shared_lists.h":
    const bint FB_FREE_THREADED

cdef enum:
    ROWS_AHEAD = 4               # of the one that is read are prefetched
    ROWS_LOOKED_AT = 8           # for padding that nobody declared


cdef struct Rows:
    # Rows of some segments, and how to read them.
    char* first                  # the first row of the first segment
    Py_ssize_t stride            # bytes from one segment to the next
    Py_ssize_t row_stride        # and from one row of a segment to the next
    Py_ssize_t rows              # of a segment
    Py_ssize_t width
    Py_ssize_t segments
    const int64_t* starts        # of rows that have other places and widths; or NULL
    const int64_t* ends
    int64_t origin               # the number of the item at `first`
    const int64_t* lengths       # of all rows, or NULL
    int64_t* kept                # int64 [segments, width], or NULL
    bint is_ours                 # the memory is nobody else's, so that tokens may be moved in it
    Rule rule


cdef inline int64_t* row_at(const Rows* rows, Py_ssize_t i, Py_ssize_t k) noexcept nogil:
    if rows.starts != NULL:
        return <int64_t*>rows.first + (rows.starts[i] - rows.origin)
    return <int64_t*>(rows.first + i * rows.stride + k * rows.row_stride)


cdef inline Py_ssize_t row_length(const Rows* rows, Py_ssize_t i, Py_ssize_t k) noexcept nogil:
    if rows.lengths != NULL:
        return <Py_ssize_t>rows.lengths[i * rows.rows + k]
    return rows.width if rows.starts == NULL else <Py_ssize_t>(rows.ends[i] - rows.starts[i])


cdef bint find_tokens(
    const Rows* rows, Py_ssize_t k, IdColumn column, Py_ssize_t* bad_row, Py_ssize_t* bad
) except -1:
    """Points a column at the tokens of the rows k; those of a row with other ids among them are moved together.

    Args:
        rows: The rows.
        k: Which row of each segment.
        column: Empty.
        bad_row: Gets the number of the segment with an id that is not allowed, if there is one.
        bad: Gets the place of that id in its row; else -1.

    Returns:
        False if tokens have to be moved or counted, and the memory is not ours.
    """
    cdef Py_ssize_t i, t, first = 0, last, tokens
    cdef uint64_t bits = 0
    cdef int64_t* row
    cdef int64_t* kept = NULL
    bad[0] = -1
    column.reserve_segments(rows.segments)
    column.reserve_ends()
    with nogil:
        for i in range(rows.segments):
            if i + ROWS_AHEAD < rows.segments:
                fb_prefetch_row(<const char*>row_at(rows, i + ROWS_AHEAD, k), rows.width)
            row = row_at(rows, i, k)
            last = row_length(rows, i, k)
            if not find_ends(&rows.rule, row, &first, &last, &bits) or rows.kept != NULL:
                if not rows.is_ours:
                    return False
                if rows.kept != NULL:
                    kept = rows.kept + i * rows.width
                tokens = keep_tokens(&rows.rule, row, first, last, row + first, &bits, kept)
                if tokens < 0:
                    bad_row[0], bad[0] = i, -1 - tokens
                    return True
                if kept != NULL:
                    for t in range(first):
                        kept[t] = 0
                    for t in range(last, rows.width):
                        kept[t] = tokens
                last = first + tokens
            column.own_offsets[i] = row - <int64_t*>rows.first + first
            column.own_ends[i] = column.own_offsets[i] - first + last
    column.bits = bits
    column.length = rows.segments
    return True


cdef int leave_out_padding(const Rows* rows, list columns) except -1:
    """Makes references that are nothing but padding absent, unless all references of the segment are."""
    cdef Py_ssize_t i, k, padding
    cdef IdColumn column
    cdef uint8_t* is_padding = NULL
    try:
        reserve(<void**>&is_padding, <size_t>rows.rows, 1)
        for i in range(rows.segments):
            padding = 0
            for k in range(rows.rows):
                column = <IdColumn>columns[k]
                is_padding[k] = column.view.starts[i] == column.view.ends[i] and is_all_padding(
                    &rows.rule, row_at(rows, i, k), row_length(rows, i, k))
                padding += is_padding[k]
            if 0 < padding < rows.rows:
                for k in range(rows.rows):
                    if is_padding[k]:
                        column = <IdColumn>columns[k]
                        column.set_absent(i)
                        column.view.absent = column.own_absent
        return 0
    finally:
        release(<void**>&is_padding)


cdef bint is_plain(const Py_buffer* buffer) noexcept:
    """Return whether rows of a buffer can be read as int64_t*."""
    cdef int d, last = buffer.ndim - 1
    cdef bint plain = is_native(buffer.format, b"ql") and buffer.itemsize == ITEM_BYTES
    plain = plain and <size_t>buffer.buf % ITEM_BYTES == 0 and buffer.strides[last] == ITEM_BYTES
    for d in range(last):
        plain = plain and buffer.strides[d] % ITEM_BYTES == 0
    return plain


def read_rows(
    ids, bint is_ours, IdRule rule not None, lengths, Py_ssize_t start, bint is_reference, name not None, source,
    bounds=None, absent=None, kept=None,
):
    """Reads rows of ids as tokens.

    Args:
        ids: A matrix [B, T], references [B, R, T], or all items of rows of any widths; it has the buffer protocol.
        is_ours: Whether the memory is contiguous int64 and nobody else's, so that tokens may be moved in it.
        rule: The ids that are not tokens.
        lengths: int64 [B * R], how many ids of each row are read; or None: all are.
        start: The number of the first segment in errors.
        is_reference: Whether they are references, of which some may be absent.
        name: What errors call them, a Place.
        source: All ids as they were given, for errors: source[i][t], or source[i][k][t].
        bounds: Of rows of any widths, int64 [B] each, where they begin and end, and the number of the first of all
            items; None: it is a matrix.
        absent: B flags, 1 for a row that is absent; None: all are there.
        kept: int64 [B, T], gets how many tokens there are up to each place of a matrix; or None.

    Returns:
        A list of R IdColumns, or of one. With several references, one that is nothing but padding is absent, unless all
        references of the segment are. None if the memory must be copied for that: it is not ours, and tokens have to be
        moved or counted, or it is not int64 with the items of a row next to each other.

    Raises:
        TypeError: A segment is absent that must be there; says where.
        ValueError: An id that counts is negative, or beyond int64; says where.
    """
    cdef Py_ssize_t i, k, bad_row = 0, bad = 0
    cdef Int64Buffer starts, ends, length_buffer, kept_buffer
    cdef IdColumn column
    cdef Rows rows
    cdef list columns = []
    view = memoryview(ids)
    cdef Py_buffer* buffer = PyMemoryView_GET_BUFFER(view)
    cdef bint several = buffer.ndim == 3
    if not is_ours and not is_plain(buffer):
        return None
    rows.first = <char*>buffer.buf
    rows.stride = rows.row_stride = rows.width = 0
    rows.rows = 1
    rows.starts = rows.ends = rows.lengths = rows.kept = NULL
    rows.is_ours = is_ours
    rows.rule = rule_for(rule, is_reference)
    if lengths is not None:
        length_buffer = Int64Buffer(lengths, "lengths", 1, False)
        rows.lengths = length_buffer.data
    if bounds is None:
        rows.segments = buffer.shape[0]
        rows.stride = buffer.strides[0]
        rows.width = check_length(buffer.shape[buffer.ndim - 1], name, -1)
        if several:
            rows.rows, rows.row_stride = buffer.shape[1], buffer.strides[1]
    else:
        starts, ends = Int64Buffer(bounds[0], "starts", 1, False), Int64Buffer(bounds[1], "ends", 1, False)
        rows.segments, rows.starts, rows.ends, rows.origin = starts.rows, starts.data, ends.data, bounds[2]
    if lengths is not None and length_buffer.rows != rows.segments * rows.rows:
        raise ValueError(f"lengths must have {rows.segments * rows.rows} numbers, not {length_buffer.rows}")
    if bounds is not None:
        for i in range(rows.segments):
            check_length(rows.ends[i] - rows.starts[i], name, start + i)
            if rows.lengths != NULL and rows.lengths[i] > rows.ends[i] - rows.starts[i]:
                raise RuntimeError(f"{place(name, start + i)} became shorter while it was scored")
    if kept is not None:
        kept_buffer = Int64Buffer(kept, "kept", 2, True)
        rows.kept = kept_buffer.data
        if (kept_buffer.rows, kept_buffer.columns) != (rows.segments, rows.width) or several:
            raise ValueError(f"kept must have the shape [{rows.segments}, {rows.width}]")
    for k in range(rows.rows):
        column = IdColumn()
        if not find_tokens(&rows, k, column, &bad_row, &bad):
            return None
        if absent is not None or bad >= 0:
            where = place(name).before(k) if several else place(name)
        if absent is not None:
            for i in range(rows.segments if bad < 0 else bad_row):
                if absent[i]:
                    if not is_reference:
                        raise wrong_type(where[start + i], "a sequence of token ids", None)
                    column.set_absent(i)
        if bad >= 0:
            value = row_at(&rows, bad_row, k)[bad]
            if value == FB_TOO_LARGE:  # or a number that int64 does not hold
                given = source[start + bad_row][k][bad] if several else source[start + bad_row][bad]
                if given is None:
                    raise wrong_type(where[start + bad_row][bad], "an int", None)
                value = int(given)
            raise refused(&rows.rule, where[start + bad_row], bad, value)
        column.borrow(view, <const uint8_t*>rows.first)
        columns.append(column)
    if several:
        leave_out_padding(&rows, columns)
    return columns


def repeated_end(ids not None):
    """Find the id that most rows end with a run of, as padding does; None if there is none. A few rows are looked at.

    The runs are of two ids or more, and of different lengths: a row that a model has ended ends with one id, and equal
    rows end with equal runs.

    Args:
        ids: An array of NumPy, [B, T] or [B, R, T], of any integers.
    """
    view = memoryview(ids)
    cdef Py_buffer* buffer = PyMemoryView_GET_BUFFER(view)
    cdef int last = buffer.ndim - 1
    cdef Py_ssize_t per_segment = buffer.shape[1] if last == 2 else 1, width = buffer.shape[last]
    cdef Py_ssize_t rows = buffer.shape[0] * per_segment, number = min(rows, <Py_ssize_t>ROWS_LOOKED_AT), j, at, run
    cdef const char* end
    cdef dict runs = {}  # of each id how long its runs are
    for j in range(number if width > 1 else 0):
        at = (rows // number * j + j % per_segment) % rows  # not always the same reference of a segment
        end = <const char*>buffer.buf + at // per_segment * buffer.strides[0] + (width - 1) * buffer.strides[last]
        if last == 2:
            end += at % per_segment * buffer.strides[1]
        run = 1
        while run < width and memcmp(end - run * buffer.strides[last], end, <size_t>buffer.itemsize) == 0:
            run += 1
        if run > 1:
            runs.setdefault(ids.item((at + 1) * width - 1), []).append(run)
    for id, lengths in runs.items():
        if 2 * len(lengths) > number and id >= 0:
            return id if len(set(lengths)) > 1 else None
    return None


def gather(list rows not None, name not None, Py_ssize_t start):
    """Copies rows of integers into one memory.

    Args:
        rows: Lists or tuples of int, and arrays; None for one that is absent.
        name: What errors call them, a Place.
        start: The number of the first row in errors.

    Returns:
        The memory, a bytearray of int64; int64 where each row begins and ends in it, and 0; and a flag for each row
        that is absent, or None if none is.

    Raises:
        TypeError: An item is not an int; says where.
        ValueError: 64 bits do not hold an int.
    """
    cdef Py_ssize_t n = len(rows), i, total = 0, count
    cdef Int64Buffer row_buffer
    absent = None
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
            absent = bytearray(n) if absent is None else absent
            absent[i] = 1
        elif isinstance(row, (list, tuple)):
            last.data[i] = first.data[i] + copy_list(row, out + first.data[i], count, name, start + i)
        else:
            try:
                row_buffer = Int64Buffer(row, "row", 1, False)
            except (BufferError, TypeError, ValueError):
                row_buffer = Int64Buffer(as_int64(as_row(row, name, start + i)), "row", 1, False)
            if row_buffer.rows != count:
                raise RuntimeError(f"{place(name, start + i)} changed its length while it was read")
            memcpy(out + first.data[i], row_buffer.data, <size_t>count * sizeof(int64_t))
    return memory, (starts, ends, 0), absent


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
