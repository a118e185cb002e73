"""Convert rows of int64 to columns of token ids, without a Python object per token.

To find the tokens of a row, leading padding is skipped, the row is cut at the first end-of-sequence id, and padding and
ignored ids are excluded from the rest. Tokens must not be negative. Most rows have no excluded id between their first
and last token, so the column points to the tokens in the input. Otherwise, the tokens of the row are copied.
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
    ctypedef size_t (*fb_scan)(
        const int64_t* ids, size_t n, const fb_id_set* ends, const fb_id_set* others, uint64_t* bits, int* is_special)
    fb_scan fb_choose_scan(int level)
    void fb_make_id_set(fb_id_set* set, const int64_t* rising, size_t number)
    bint fb_has_id(const fb_id_set* set, int64_t id)
    void fb_prefetch_row(const char* row, Py_ssize_t width)

cdef enum:
    ROWS_AHEAD = 4  # The prefetch distance in rows.
    SAMPLED_ROWS = 8  # The number of rows that `repeated_end` searches for undeclared padding.

# The value of an option that is None. In a row, it marks an id that does not fit int64, which is reported as an error.
cdef int64_t NO_ID = FB_TOO_LARGE

cdef fb_scan SCAN = fb_choose_scan(2)


cdef struct SpecialIds:
    # The ids with a special meaning, from the options of `IdFilter`.
    fb_id_set pads
    fb_id_set ends
    fb_id_set others  # The non-negative ids among pads, ignore and unk.
    int64_t ignore  # NO_ID if the option is None.
    int64_t unk  # NO_ID if the option is None.


def use_instructions(int level):
    """Select the instructions for scanning ids, for tests: 0 portable, 1 up to AVX2, 2 the widest available."""
    global SCAN
    SCAN = fb_choose_scan(level)


cdef struct Rows:
    # The rows of a matrix [B, T], of references [B, R, T], or of a ragged array with one row per segment.
    char* first  # The address of the first row of the first segment.
    Py_ssize_t stride  # The distance in bytes from one segment to the next.
    Py_ssize_t row_stride  # The distance in bytes from one row of a segment to the next.
    Py_ssize_t rows  # The number of rows per segment.
    Py_ssize_t width  # The number of ids in each row of a matrix.
    Py_ssize_t segments
    const int64_t* starts  # The start of each row of a ragged array, in ids from `first`; NULL for a matrix.
    const int64_t* ends  # The end of each row of a ragged array, in ids from `first`.
    const int64_t* lengths  # The number of ids to read from each row; NULL to read all ids.


cdef inline const int64_t* row_at(const Rows* rows, Py_ssize_t i, Py_ssize_t k) noexcept nogil:
    if rows.starts != NULL:
        return <const int64_t*>rows.first + rows.starts[i]
    return <const int64_t*>(rows.first + i * rows.stride + k * rows.row_stride)


cdef inline Py_ssize_t row_length(const Rows* rows, Py_ssize_t i, Py_ssize_t k) noexcept nogil:
    if rows.lengths != NULL:
        return <Py_ssize_t>rows.lengths[i * rows.rows + k]
    return rows.width if rows.starts == NULL else <Py_ssize_t>(rows.ends[i] - rows.starts[i])


cdef bint is_plain(const Py_buffer* buffer) noexcept:
    """Return whether the rows of a buffer are aligned int64 in native byte order, so that C can read them in place."""
    cdef int d, last = buffer.ndim - 1
    cdef bint plain = is_native(buffer.format, b"ql") and buffer.itemsize == ITEM_BYTES
    plain = plain and <size_t>buffer.buf % ITEM_BYTES == 0 and buffer.strides[last] == ITEM_BYTES
    for d in range(last):
        plain = plain and buffer.strides[d] % ITEM_BYTES == 0
    return plain


cdef bint is_all_padding(const SpecialIds* special, const int64_t* ids, Py_ssize_t count) noexcept nogil:
    """Return whether a row consists only of padding and ignored ids."""
    cdef Py_ssize_t t
    for t in range(count):
        if ids[t] == NO_ID or not fb_has_id(&special.pads, ids[t]) and ids[t] != special.ignore:
            return False
    return True


cdef bint find_ends(
    const SpecialIds* special, const int64_t* ids, Py_ssize_t* start, Py_ssize_t* stop, uint64_t* bits
) noexcept nogil:
    """Find the first and the last token of a row; return whether all ids between them are tokens, as in most rows.

    Args:
        special: The special ids.
        ids: The ids of the row.
        start: Output: the index of the first token.
        stop: Input: the number of ids. Output: the index after the last token.
        bits: Updated by OR with each id from `start` to `stop` if the function returns True.
    """
    cdef Py_ssize_t first = 0, last = stop[0]
    cdef uint64_t row_bits = 0
    cdef int is_special = False
    while first < last and fb_has_id(&special.pads, ids[first]):
        first += 1
        while first < last and ids[first] == ids[first - 1]:
            first += 1
    while special.ends.number == 0 and last > first and fb_has_id(&special.pads, ids[last - 1]):
        last -= 1
    start[0] = first
    stop[0] = first + <Py_ssize_t>SCAN(
        ids + first, <size_t>(last - first), &special.ends, &special.others, &row_bits, &is_special)
    if is_special or <int64_t>row_bits < 0:
        return False
    bits[0] |= row_bits
    return True


cdef Py_ssize_t copy_tokens(
    const SpecialIds* special, int64_t unknown, const int64_t* ids, Py_ssize_t count, int64_t* out, uint64_t* bits,
    int64_t* token_counts
) noexcept nogil:
    """Copy the ids of a row that are tokens.

    Args:
        special: The special ids.
        unknown: The id that replaces `special.unk`, and matches nothing.
        ids: The ids of the row after leading padding and before the end of the sequence.
        count: The number of ids.
        out: Output with space for `count` tokens.
        bits: Updated by OR with each token except `unknown`.
        token_counts: Output [count]: item t is the number of tokens among the first t + 1 ids; or NULL.

    Returns:
        The number of tokens, or -1 - t if the id at index t is negative or does not fit int64.
    """
    cdef Py_ssize_t t, tokens = 0
    cdef uint64_t row_bits = 0
    cdef int64_t id
    for t in range(count):
        id = ids[t]
        if id == NO_ID:
            return -1 - t
        if not fb_has_id(&special.pads, id) and id != special.ignore:
            if id == special.unk:
                id = unknown
            elif id < 0:
                return -1 - t
            else:
                row_bits |= <uint64_t>id
            out[tokens] = id
            tokens += 1
        if token_counts != NULL:
            token_counts[t] = tokens
    bits[0] |= row_bits
    return tokens


cdef class IdFilter:
    """Finds the tokens in rows of ids, according to the token-id options.

    Args:
        pads: The padding ids in ascending order. They may be on either side of a row.
        ends: The end-of-sequence ids in ascending order. The first of them in a row ends the row.
        ignore_id: The id that is excluded wherever it occurs, or None.
        unk_id: The id of a token that matches no token, not even itself, or None.
    """

    cdef SpecialIds special
    cdef int64_t* ids  # A growable buffer with the ids of the three sets in `special`.

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
        fb_make_id_set(&self.special.pads, self.ids, padding)
        fb_make_id_set(&self.special.ends, self.ids + padding, ending)
        fb_make_id_set(&self.special.others, self.ids + padding + ending, <size_t>len(others))
        self.special.ignore = NO_ID if ignore_id is None else ignore_id
        self.special.unk = NO_ID if unk_id is None else unk_id

    def __dealloc__(self):
        release(<void**>&self.ids)

    def read(self, ids, int64_t unknown, bounds=None, missing=None, lengths=None, token_counts=None):
        """Find the tokens of rows.

        Args:
            ids: Integers: a matrix [B, T], references [B, R, T], or the concatenated items of ragged rows. The integers
                are read in place if they are int64 and the items of each row are adjacent, else copied.
            unknown: The id that replaces `unk_id`, and matches nothing.
            bounds: Two int64 [B], the starts and the ends of ragged rows as indices into `ids`; None for a matrix.
            missing: B flags, 1 for a missing ragged row; None if no row is missing.
            lengths: int64 [B * R], the number of ids to read from each row; None to read all ids.
            token_counts: Output for a matrix, int64 [B, T]: item [b, t] is the number of tokens among the first t + 1
                ids of row b; or None.

        Returns:
            A list of R IdColumns for references [B, R, T], else of one IdColumn; and the indices (segment, row, id) of
            the first id that is negative or FB_TOO_LARGE, or None. A reference that contains only padding and ignored
            ids is missing, unless all R references of the segment contain only such ids.

        Raises:
            ValueError: A row is too long.
        """
        cdef Int64Buffer starts, ends, length_buffer, count_buffer
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
        if token_counts is not None:
            count_buffer = Int64Buffer(token_counts, "token_counts", 2, True)
            if (count_buffer.rows, count_buffer.columns) != (rows.segments, rows.width) or buffer.ndim == 3:
                raise ValueError(f"token_counts must have the shape [{rows.segments}, {rows.width}]")
        columns = []
        for k in range(rows.rows):
            column, bad = self.column_of(&rows, k, view, unknown, NULL if token_counts is None else count_buffer.data)
            columns.append(column)
            for i in range(0 if missing is None else len(column)):
                if missing[i]:
                    (<IdColumn>column).set_missing(i)
            if bad is not None:
                return columns, bad
        if buffer.ndim == 3:
            self.exclude_padding(&rows, columns)
        return columns, None

    cdef tuple column_of(self, const Rows* rows, Py_ssize_t k, object owner, int64_t unknown, int64_t* token_counts):
        """Return a column of row k of each segment; and the indices (segment, row, id) of an invalid id, or None.

        Args:
            rows: The rows.
            k: The index of the row within each segment.
            owner: The object that owns the memory of the rows.
            unknown: The id that replaces `unk_id`.
            token_counts: The output `token_counts` of `read`, int64 [B, T]; or NULL.
        """
        cdef IdColumn column = IdColumn()
        cdef Py_ssize_t i, t, first, last, tokens, bad = -1
        cdef size_t total = 0
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
                if not find_ends(&self.special, tokens_start, &first, &last, &column.bits) or token_counts != NULL:
                    if copy == NULL:
                        for t in range(i, rows.segments):
                            total += <size_t>row_length(rows, t, k)
                        reserve(<void**>&column.own_data, total, sizeof(int64_t))
                        copy = <int64_t*>column.own_data
                    tokens = copy_tokens(
                        &self.special, unknown, tokens_start + first, last - first, copy, &column.bits,
                        NULL if token_counts == NULL else token_counts + i * rows.width + first)
                    if tokens < 0:
                        bad = first - 1 - tokens
                        break
                    if token_counts != NULL:
                        for t in range(first):
                            token_counts[i * rows.width + t] = 0
                        for t in range(last, rows.width):
                            token_counts[i * rows.width + t] = tokens
                    tokens_start = copy - first
                    last = first + tokens
                    copy += tokens
                # Offsets are relative to rows.first even if the tokens were copied to other memory.
                column.own_offsets[i] = (<int64_t>tokens_start - <int64_t>rows.first) // ITEM_BYTES + first
                column.own_ends[i] = column.own_offsets[i] - first + last
                column.length = i + 1
        column.borrow(owner, <const uint8_t*>rows.first, <const uint8_t*>rows.first)
        return column, None if bad < 0 else (column.length, k, bad)

    cdef int exclude_padding(self, const Rows* rows, list columns) except -1:
        """Mark a reference as missing if it consists only of padding and ignored ids.

        If all references of a segment are like this, none of them is marked.
        """
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
                        &self.special, row_at(rows, i, k), row_length(rows, i, k))
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
    """Return the id that seems to be padding although no `pad_id` was given, or None.

    This is the id that most of 8 sampled rows repeat at their end, if the number of repetitions differs between rows.
    An id that is not repeated may be an end-of-sequence id. An id that all rows repeat equally often may be an ordinary
    token, for example in a batch of equal rows.

    Args:
        ids: A NumPy array [B, T] or [B, R, T] of any integer type.
    """
    view = memoryview(ids)
    cdef Py_buffer* buffer = PyMemoryView_GET_BUFFER(view)
    cdef int last = buffer.ndim - 1
    cdef Py_ssize_t per_segment = buffer.shape[1] if last == 2 else 1, width = buffer.shape[last]
    cdef Py_ssize_t rows = buffer.shape[0] * per_segment, number = min(rows, <Py_ssize_t>SAMPLED_ROWS), j, row, run
    cdef const char* end
    cdef dict runs = {}  # For each id at the end of a row, the lengths of its runs there.
    for j in range(number if width > 1 else 0):
        row = (rows // number * j + j % per_segment) % rows  # Sample references of different indices within a segment.
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
