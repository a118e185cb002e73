"""Rows of int64 -> columns of token ids, where they lie: no Python object per token.

One rule says which items of a row are tokens: skip leading padding, cut at the first end-of-sequence id, drop padding
and ignored ids from what is left. Ids that count must not be negative, nor beyond the vocabulary if there is one.
"""

from libc.stddef cimport size_t
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcmp

from fastbleu._native.memory cimport release, reserve
from fastbleu.inputs._column cimport ITEM_BYTES, Column, IdColumn, Int64Buffer, check_length, is_native

from fastbleu.errors import ArgumentValueError, place, wrong_type

cdef extern from "Python.h":
    Py_buffer* PyMemoryView_GET_BUFFER(object view)
    bint PyBuffer_IsContiguous(const Py_buffer* view, char order)

cdef extern from "inputs/ids.h" nogil:
    const int64_t FB_TOO_LARGE
    ctypedef struct fb_id_set:
        size_t number
    ctypedef size_t (*fb_look)(
        const int64_t* ids, size_t n, const fb_id_set* ends, const fb_id_set* others, uint64_t* bits, int* is_special)
    fb_look fb_choose_look(int level)
    uint64_t fb_largest_id(const int64_t* ids, size_t n)
    void fb_make_id_set(fb_id_set* set, const int64_t* rising, size_t number)
    bint fb_has_id(const fb_id_set* set, int64_t id)
    void fb_prefetch_row(const char* row, Py_ssize_t width)

cdef enum:
    ROWS_AHEAD = 4               # of the one that is read are prefetched
    ROWS_LOOKED_AT = 8           # for padding that nobody declared

# In a rule: there is no such id. In a row: an unsigned id beyond int64, or -2**63; both are refused.
cdef int64_t NONE = FB_TOO_LARGE

# Ids of tokens that match nothing: two, because a hypothesis' must not match a reference's either.
cdef int64_t UNKNOWN_IN_HYPOTHESIS = -1
cdef int64_t UNKNOWN_IN_REFERENCE = -2

cdef fb_look LOOK = fb_choose_look(2)


cdef struct Rule:
    # The ids that are not tokens.
    fb_id_set pads
    fb_id_set ends
    fb_id_set others             # pads, ignore and unk, unless they are negative
    uint64_t largest             # that a token may be
    int64_t ignore
    int64_t unk
    int64_t unknown              # what a token that matches nothing becomes


def use_instructions(int level):
    """Chooses the instructions that look at ids: 0 portable, 1 AVX2 at most, 2 the widest there are. For tests."""
    global LOOK
    LOOK = fb_choose_look(level)


cdef class IdRule:
    """The ids of a row that are not tokens; None where there is no such id.

    Args:
        pads: Fill rows up, on either side; in rising order.
        ends: The first one ends a row; in rising order.
        ignore_id: Left out wherever it stands.
        unk_id: A token that matches none, not even itself.
        vocabulary_size: One more than the largest id that a token may be.
    """

    cdef Rule rule
    cdef int64_t* ids            # a buffer: those of the sets

    def __cinit__(self, tuple pads not None, tuple ends not None, ignore_id, unk_id, vocabulary_size):
        cdef size_t k = 0, padding = len(pads), ending = len(ends)
        cdef set others = set()
        for id in pads + (ignore_id, unk_id):
            if id is not None and id >= 0:
                others.add(id)
        reserve(<void**>&self.ids, padding + ending + len(others), sizeof(int64_t))
        for id in pads + ends + tuple(sorted(others)):
            self.ids[k] = id
            k += 1
        fb_make_id_set(&self.rule.pads, self.ids, padding)
        fb_make_id_set(&self.rule.ends, self.ids + padding, ending)
        fb_make_id_set(&self.rule.others, self.ids + padding + ending, <size_t>len(others))
        self.rule.ignore = NONE if ignore_id is None else ignore_id
        self.rule.unk = NONE if unk_id is None else unk_id
        self.rule.largest = <uint64_t>INT64_MAX if vocabulary_size is None else vocabulary_size - 1

    def __dealloc__(self):
        release(<void**>&self.ids)


cdef bint is_all_padding(const Rule* rule, const int64_t* ids, Py_ssize_t count) noexcept nogil:
    """Return whether there is nothing but padding and ignored ids."""
    cdef Py_ssize_t t
    for t in range(count):
        if ids[t] == NONE or not fb_has_id(&rule.pads, ids[t]) and ids[t] != rule.ignore:
            return False
    return True


cdef bint find_ends(
    const Rule* rule, const int64_t* ids, Py_ssize_t* start, Py_ssize_t* stop, uint64_t* bits
) noexcept nogil:
    """Finds where the tokens of a row of `stop` ids begin and end, and whether all ids in between are tokens.

    In most rows they are; then `bits` gets their bits.
    """
    cdef Py_ssize_t first = 0, last = stop[0]
    cdef uint64_t found = 0
    cdef int special = False
    while first < last and fb_has_id(&rule.pads, ids[first]):
        first += 1
        while first < last and ids[first] == ids[first - 1]:
            first += 1
    while rule.ends.number == 0 and last > first and fb_has_id(&rule.pads, ids[last - 1]):
        last -= 1
    start[0] = first
    stop[0] = first + <Py_ssize_t>LOOK(
        ids + first, <size_t>(last - first), &rule.ends, &rule.others, &found, &special)
    if special or found > rule.largest and fb_largest_id(ids + first, <size_t>(stop[0] - first)) > rule.largest:
        return False
    bits[0] |= found
    return True


cdef Py_ssize_t keep_tokens(
    const Rule* rule, const int64_t* ids, Py_ssize_t start, Py_ssize_t stop, int64_t* out, uint64_t* bits, int64_t* kept
) noexcept nogil:
    """Copies the ids of a row that are tokens, between where find_ends has found them.

    Args:
        rule: The ids that are not tokens.
        ids: The row.
        start: The first that may be a token.
        stop: One after the last.
        out: Has room for all of them; may be where they are.
        bits: Gets the bits of each token, except those that match nothing.
        kept: Gets for each of these places how many tokens there are up to it, or is NULL.

    Returns:
        How many tokens there are; -1 - t if the id at place t is not allowed.
    """
    cdef Py_ssize_t t, tokens = 0
    cdef uint64_t found = 0
    cdef int64_t id
    for t in range(start, stop):
        id = ids[t]
        if id == NONE:
            return -1 - t
        if not fb_has_id(&rule.pads, id) and id != rule.ignore:
            if id == rule.unk:
                id = rule.unknown
            elif <uint64_t>id > rule.largest:
                return -1 - t
            else:
                found |= <uint64_t>id
            out[tokens] = id
            tokens += 1
        if kept != NULL:
            kept[t] = tokens
    bits[0] |= found
    return tokens


cdef object refused(const Rule* rule, object where, Py_ssize_t t, object value):
    """The error for an id at place t of a row that must not be."""
    reason = "and a token id must not be negative"
    if value > INT64_MAX:
        reason = f"more than the {INT64_MAX} that a token id may be"
    elif value >= 0:
        reason = f"and with vocabulary_size={rule.largest + 1} a token id is at most {rule.largest}"
    elif value != FB_TOO_LARGE:
        reason += f"; if it stands for no token, say so: pad_id={value} or ignore_id={value}"
    return ArgumentValueError(where[t], f"is {value}, {reason}", value=value)


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


cdef Column widened(const Py_buffer* buffer):
    """The items of a buffer as int64, in memory of their own; None if they are not contiguous int32."""
    cdef Column copy = Column()
    cdef Py_ssize_t t, n = buffer.len // <Py_ssize_t>sizeof(int32_t)
    cdef const int32_t* items = <const int32_t*>buffer.buf
    cdef int64_t* out
    if not is_native(buffer.format, b"il") or buffer.itemsize != sizeof(int32_t) \
            or <size_t>items % sizeof(int32_t) or not PyBuffer_IsContiguous(buffer, c"C"):
        return None
    copy.make_room(<size_t>n * ITEM_BYTES)
    out = <int64_t*>copy.own_data
    with nogil:
        for t in range(n):
            out[t] = items[t]
    return copy


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
        moved or counted, or it is neither int64 with the items of a row next to each other nor contiguous int32.

    Raises:
        TypeError: A segment is absent that must be there; says where.
        ValueError: An id that counts is negative, or beyond int64; says where.
    """
    cdef Py_ssize_t i, k, bad_row = 0, bad = 0
    cdef Int64Buffer starts, ends, length_buffer, kept_buffer
    cdef IdColumn column
    cdef Rows rows
    cdef list columns = []
    cdef Column copy = None
    cdef Py_ssize_t scale = 1
    owner = view = memoryview(ids)
    cdef Py_buffer* buffer = PyMemoryView_GET_BUFFER(view)
    cdef bint several = buffer.ndim == 3
    rows.first = <char*>buffer.buf
    if not is_ours and not is_plain(buffer):
        owner = copy = widened(buffer)
        if copy is None:
            return None
        rows.first = <char*>copy.own_data
        scale = ITEM_BYTES // <Py_ssize_t>sizeof(int32_t)
        is_ours = True
    rows.stride = rows.row_stride = rows.width = 0
    rows.rows = 1
    rows.starts = rows.ends = rows.lengths = rows.kept = NULL
    rows.is_ours = is_ours
    rows.rule = rule.rule
    rows.rule.unknown = UNKNOWN_IN_REFERENCE if is_reference else UNKNOWN_IN_HYPOTHESIS
    if lengths is not None:
        length_buffer = Int64Buffer(lengths, "lengths", 1, False)
        rows.lengths = length_buffer.data
    if bounds is None:
        rows.segments = buffer.shape[0]
        rows.stride = scale * buffer.strides[0]
        rows.width = check_length(buffer.shape[buffer.ndim - 1], name, -1)
        if several:
            rows.rows, rows.row_stride = buffer.shape[1], scale * buffer.strides[1]
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
            if value == NONE:  # or a number that int64 does not hold
                given = source[start + bad_row][k][bad] if several else source[start + bad_row][bad]
                if given is None:
                    raise wrong_type(where[start + bad_row][bad], "an int", None)
                value = int(given)
            raise refused(&rows.rule, where[start + bad_row], bad, value)
        column.borrow(owner, <const uint8_t*>rows.first, <const uint8_t*>rows.first)
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
