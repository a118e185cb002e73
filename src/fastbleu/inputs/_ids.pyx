"""Convert rows of int64 to columns of token ids, without a Python object per token.

The tokens of a row are found by one rule: skip leading padding, cut the row at the first end-of-sequence id, and
exclude padding and ignored ids from the rest. Tokens must not be negative. Most rows have no excluded id between their
first and last token; these are read in place. The tokens of the others are copied.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcmp

from fastbleu._native.memory cimport release, reserve
from fastbleu._native.signals cimport check_after
from fastbleu.inputs._column cimport ITEM_BYTES, IdColumn, Int64Buffer, check_length, is_native

from fastbleu.inputs.id_arrays import as_int64

cdef extern from "Python.h":
    Py_buffer* PyMemoryView_GET_BUFFER(object view)

cdef extern from "inputs/ids.h" nogil:
    const int64_t FB_TOO_LARGE
    ctypedef struct fb_id_set:
        size_t number
    ctypedef size_t (*fb_look)(
        const int64_t* ids, size_t n, const fb_id_set* ends, const fb_id_set* others, uint64_t* bits, int* is_special)
    fb_look fb_choose_look(int level)
    void fb_make_id_set(fb_id_set* set, const int64_t* rising, size_t number)
    bint fb_has_id(const fb_id_set* set, int64_t id)
    void fb_prefetch_row(const char* row, Py_ssize_t width)

cdef enum:
    ROWS_AHEAD = 4  # Prefetch distance, in rows.
    ROWS_LOOKED_AT = 8  # Sample size in the search for undeclared padding.

# In a rule, this means that there is no such id. In a row, it represents an id that does not fit int64, and raises an
# error.
cdef int64_t NONE = FB_TOO_LARGE

cdef fb_look LOOK = fb_choose_look(2)


cdef struct Rule:
    # The ids that are not tokens.
    fb_id_set pads
    fb_id_set ends
    fb_id_set others  # The non-negative ids among pads, ignore and unk.
    int64_t ignore
    int64_t unk


def use_instructions(int level):
    """Select the instructions for scanning ids: 0 portable, 1 up to AVX2, 2 the widest available. For tests."""
    global LOOK
    LOOK = fb_choose_look(level)


cdef struct Rows:
    # The rows of several segments.
    char* first  # The first row of the first segment.
    Py_ssize_t stride  # Bytes from one segment to the next.
    Py_ssize_t row_stride  # Bytes from one row of a segment to the next.
    Py_ssize_t rows  # The number of rows per segment.
    Py_ssize_t width  # The number of ids per row of a matrix.
    Py_ssize_t segments
    const int64_t* starts  # The offset from `first` of each row, in ids; NULL for a matrix.
    const int64_t* ends
    const int64_t* lengths  # The number of ids to read from each row, or NULL for all ids.


cdef inline const int64_t* row_at(const Rows* rows, Py_ssize_t i, Py_ssize_t k) noexcept nogil:
    if rows.starts != NULL:
        return <const int64_t*>rows.first + rows.starts[i]
    return <const int64_t*>(rows.first + i * rows.stride + k * rows.row_stride)


cdef inline Py_ssize_t row_length(const Rows* rows, Py_ssize_t i, Py_ssize_t k) noexcept nogil:
    if rows.lengths != NULL:
        return <Py_ssize_t>rows.lengths[i * rows.rows + k]
    return rows.width if rows.starts == NULL else <Py_ssize_t>(rows.ends[i] - rows.starts[i])


cdef bint is_plain(const Py_buffer* buffer) noexcept:
    """Return whether rows of a buffer can be read as int64_t*."""
    cdef int d, last = buffer.ndim - 1
    cdef bint plain = is_native(buffer.format, b"ql") and buffer.itemsize == ITEM_BYTES
    plain = plain and <size_t>buffer.buf % ITEM_BYTES == 0 and buffer.strides[last] == ITEM_BYTES
    for d in range(last):
        plain = plain and buffer.strides[d] % ITEM_BYTES == 0
    return plain


cdef bint is_all_padding(const Rule* rule, const int64_t* ids, Py_ssize_t count) noexcept nogil:
    """Return whether all ids are padding or ignored."""
    cdef Py_ssize_t t
    for t in range(count):
        if ids[t] == NONE or not fb_has_id(&rule.pads, ids[t]) and ids[t] != rule.ignore:
            return False
    return True


cdef bint find_ends(
    const Rule* rule, const int64_t* ids, Py_ssize_t* start, Py_ssize_t* stop, uint64_t* bits
) noexcept nogil:
    """Find where the tokens of a row begin and end, and return whether all ids between are tokens, as in most rows.

    Args:
        rule: The ids that are not tokens.
        ids: The ids of the row.
        start: Receives the index of the first token.
        stop: The number of ids; receives the index after the last token.
        bits: Updated by OR with each id between, if all of them are tokens.
    """
    cdef Py_ssize_t first = 0, last = stop[0]
    cdef uint64_t row_bits = 0
    cdef int special = False
    while first < last and fb_has_id(&rule.pads, ids[first]):
        first += 1
        while first < last and ids[first] == ids[first - 1]:
            first += 1
    while rule.ends.number == 0 and last > first and fb_has_id(&rule.pads, ids[last - 1]):
        last -= 1
    start[0] = first
    stop[0] = first + <Py_ssize_t>LOOK(
        ids + first, <size_t>(last - first), &rule.ends, &rule.others, &row_bits, &special)
    if special or <int64_t>row_bits < 0:
        return False
    bits[0] |= row_bits
    return True


cdef Py_ssize_t copy_tokens(
    const Rule* rule, int64_t unknown, const int64_t* ids, Py_ssize_t count, int64_t* out, uint64_t* bits, int64_t* kept
) noexcept nogil:
    """Copy the ids that are tokens.

    Args:
        rule: The ids that are not tokens.
        unknown: The id that replaces tokens that match nothing.
        ids: Ids of a row.
        count: The number of ids.
        out: The output, with space for all ids.
        bits: Updated by OR with each token, except tokens that match nothing.
        kept: Output for each id: the number of tokens up to and including it; or NULL.

    Returns:
        The number of tokens, or -1 - t if the id at index t is not allowed.
    """
    cdef Py_ssize_t t, tokens = 0
    cdef uint64_t row_bits = 0
    cdef int64_t id
    for t in range(count):
        id = ids[t]
        if id == NONE:
            return -1 - t
        if not fb_has_id(&rule.pads, id) and id != rule.ignore:
            if id == rule.unk:
                id = unknown
            elif id < 0:
                return -1 - t
            else:
                row_bits |= <uint64_t>id
            out[tokens] = id
            tokens += 1
        if kept != NULL:
            kept[t] = tokens
    bits[0] |= row_bits
    return tokens


cdef class IdFilter:
    """The ids of a row that are not tokens.

    Args:
        pads: The padding ids on either side of a row, in ascending order.
        ends: The ids of which the first one ends a row, in ascending order.
        ignore_id: The id that is excluded wherever it occurs, or None.
        unk_id: The id of a token that matches no token, not even itself, or None.
    """

    cdef Rule rule
    cdef int64_t* ids  # A growable buffer with the ids of all sets.

    def __cinit__(self, tuple pads not None, tuple ends not None, ignore_id, unk_id):
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

    def __dealloc__(self):
        release(<void**>&self.ids)

    def read(self, ids, int64_t unknown, bounds=None, missing=None, lengths=None, kept=None):
        """Find the tokens of rows.

        Args:
            ids: Integers: a matrix [B, T], references [B, R, T], or the items of ragged rows, concatenated; copied if
                they are not int64 with the items of a row adjacent.
            unknown: The id that replaces tokens that match nothing.
            bounds: Two int64 [B], the starts and ends of ragged rows; None for a matrix.
            missing: B flags, 1 for a missing ragged row; None if no row is missing.
            lengths: int64 [B * R], the number of ids to read from each row; None for all ids.
            kept: Output, int64 [B, T]: the number of tokens up to each index of a matrix; or None.

        Returns:
            A list of R IdColumns, or of one; and the segment, row and index of the first id that is not allowed
            (negative, or FB_TOO_LARGE), or None. If there are several references, one that consists only of padding is
            missing, unless all references of the segment do.

        Raises:
            ValueError: A row is too long.
        """
        cdef Int64Buffer starts, ends, length_buffer, kept_buffer
        cdef Rows rows
        cdef Py_ssize_t i, k
        view = memoryview(ids)
        cdef Py_buffer* buffer = PyMemoryView_GET_BUFFER(view)
        if bounds is None and not is_plain(buffer):
            view = memoryview(as_int64(ids))
            buffer = PyMemoryView_GET_BUFFER(view)
        rows.first = <char*>buffer.buf
        rows.stride = rows.row_stride = rows.width = 0
        rows.rows = 1
        rows.starts = rows.ends = rows.lengths = NULL
        if lengths is not None:
            length_buffer = Int64Buffer(lengths, "lengths", 1, False)
            rows.lengths = length_buffer.data
        if bounds is None:
            rows.segments, rows.stride = buffer.shape[0], buffer.strides[0]
            rows.width = check_length(buffer.shape[buffer.ndim - 1], "ids", -1)
            if buffer.ndim == 3:
                rows.rows, rows.row_stride = buffer.shape[1], buffer.strides[1]
        else:
            starts, ends = Int64Buffer(bounds[0], "starts", 1, False), Int64Buffer(bounds[1], "ends", 1, False)
            rows.segments, rows.starts, rows.ends = starts.rows, starts.data, ends.data
            for i in range(rows.segments):
                check_length(rows.ends[i] - rows.starts[i], "ids", i)
        if lengths is not None and length_buffer.rows != rows.segments * rows.rows:
            raise ValueError(f"lengths must have {rows.segments * rows.rows} numbers, not {length_buffer.rows}")
        if kept is not None:
            kept_buffer = Int64Buffer(kept, "kept", 2, True)
            if (kept_buffer.rows, kept_buffer.columns) != (rows.segments, rows.width) or buffer.ndim == 3:
                raise ValueError(f"kept must have the shape [{rows.segments}, {rows.width}]")
        columns = []
        for k in range(rows.rows):
            column, bad = self.column_of(&rows, k, view, unknown, NULL if kept is None else kept_buffer.data)
            columns.append(column)
            for i in range(0 if missing is None else len(column)):
                if missing[i]:
                    (<IdColumn>column).set_missing(i)
            if bad is not None:
                return columns, bad
        if buffer.ndim == 3:
            self.exclude_padding(&rows, columns)
        return columns, None

    cdef tuple column_of(self, const Rows* rows, Py_ssize_t k, object owner, int64_t unknown, int64_t* kept):
        """Return a column of row k of each segment, and the position of an id that is not allowed, or None.

        Args:
            rows: The rows.
            k: The index of the row within each segment.
            owner: The object that owns the memory of the rows.
            unknown: The id that replaces tokens that match nothing.
            kept: As for `read`; or NULL.
        """
        cdef IdColumn column = IdColumn()
        cdef Py_ssize_t i, t, first, last, tokens, bad = -1
        cdef size_t room = 0
        cdef const int64_t* tokens_start
        cdef int64_t* copy = NULL
        column.bits = 0
        column.reserve_segments(rows.segments)
        column.reserve_ends()
        with nogil:
            for i in range(rows.segments):
                if i + ROWS_AHEAD < rows.segments:
                    fb_prefetch_row(<const char*>row_at(rows, i + ROWS_AHEAD, k), rows.width)
                tokens_start = row_at(rows, i, k)
                first, last = 0, row_length(rows, i, k)
                check_after(<size_t>last)
                if not find_ends(&self.rule, tokens_start, &first, &last, &column.bits) or kept != NULL:
                    if copy == NULL:
                        for t in range(i, rows.segments):
                            room += <size_t>row_length(rows, t, k)
                        reserve(<void**>&column.own_data, room, sizeof(int64_t))
                        copy = <int64_t*>column.own_data
                    tokens = copy_tokens(
                        &self.rule, unknown, tokens_start + first, last - first, copy, &column.bits,
                        NULL if kept == NULL else kept + i * rows.width + first)
                    if tokens < 0:
                        bad = first - 1 - tokens
                        break
                    if kept != NULL:
                        for t in range(first):
                            kept[i * rows.width + t] = 0
                        for t in range(last, rows.width):
                            kept[i * rows.width + t] = tokens
                    tokens_start = copy - first
                    last = first + tokens
                    copy += tokens
                # The offsets of copied tokens are also relative to the first row.
                column.own_offsets[i] = (<int64_t>tokens_start - <int64_t>rows.first) // ITEM_BYTES + first
                column.own_ends[i] = column.own_offsets[i] - first + last
                column.length = i + 1
        column.borrow(owner, <const uint8_t*>rows.first, <const uint8_t*>rows.first)
        return column, None if bad < 0 else (column.length, k, bad)

    cdef int exclude_padding(self, const Rows* rows, list columns) except -1:
        """Mark references that consist only of padding as missing, unless all references of the segment do."""
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
                        &self.rule, row_at(rows, i, k), row_length(rows, i, k))
                    padding += is_padding[k]
                if 0 < padding < rows.rows:
                    for k in range(rows.rows):
                        if is_padding[k]:
                            column = <IdColumn>columns[k]
                            column.set_missing(i)
            return 0
        finally:
            release(<void**>&is_padding)


def repeated_end(ids not None):
    """Return the id that seems to pad the rows, or None: most rows of a small sample end with a run of it.

    The runs must have at least two ids, and different lengths: a row that a model has ended ends with one id, and equal
    rows end with equal runs.

    Args:
        ids: An array of NumPy, [B, T] or [B, R, T], of any integers.
    """
    view = memoryview(ids)
    cdef Py_buffer* buffer = PyMemoryView_GET_BUFFER(view)
    cdef int last = buffer.ndim - 1
    cdef Py_ssize_t per_segment = buffer.shape[1] if last == 2 else 1, width = buffer.shape[last]
    cdef Py_ssize_t rows = buffer.shape[0] * per_segment, number = min(rows, <Py_ssize_t>ROWS_LOOKED_AT), j, row, run
    cdef const char* end
    cdef dict runs = {}  # The lengths of the runs of each id.
    for j in range(number if width > 1 else 0):
        row = (rows // number * j + j % per_segment) % rows  # Sample different references of the segments.
        end = <const char*>buffer.buf + row // per_segment * buffer.strides[0] + (width - 1) * buffer.strides[last]
        if last == 2:
            end += row % per_segment * buffer.strides[1]
        run = 1
        while run < width and memcmp(end - run * buffer.strides[last], end, <size_t>buffer.itemsize) == 0:
            run += 1
        if run > 1:
            runs.setdefault(ids.item((row + 1) * width - 1), []).append(run)
    for id, lengths in runs.items():
        if 2 * len(lengths) > number and id >= 0:
            return id if len(set(lengths)) > 1 else None
    return None
