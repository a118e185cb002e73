"""Arrays of integers -> columns of token ids, read where they lie: no Python object per token.

One rule says which items of a row count: skip leading padding, cut at the first end-of-sequence id, drop padding and
ignored ids from what is left. Ids that count must not be negative, nor beyond the vocabulary if there is one. Where
padding or ends are several ids, other code looks at a row, so that a single id costs no more for it.
"""

import sys
from array import array as new_array

from cpython.buffer cimport PyBUF_RECORDS_RO, PyBuffer_Release, PyObject_GetBuffer
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.object cimport PyObject
from libc.stddef cimport size_t
from libc.stdint cimport INT64_MAX, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from fastbleu._native.memory cimport release, reserve
from fastbleu.inputs._column cimport LONGEST_SEGMENT, IdColumn, Int64Buffer

from fastbleu.errors import ArgumentTypeError, ArgumentValueError, describe, place, wrong_type

cdef extern from "inputs/ids.h" nogil:
    const int64_t FB_TOO_LARGE
    ctypedef size_t (*fb_look)(
        const int64_t* ids, size_t n, uint64_t end, uint64_t lowest, uint64_t span, uint64_t* bits, int* is_special)
    fb_look fb_choose_look(int level)
    uint64_t fb_largest_id(const int64_t* ids, size_t n)
    size_t fb_read_small_ints(object row, int64_t* out, size_t room)
    void fb_prefetch_row(const char* row, Py_ssize_t width)
    void fb_load_row(
        const char* row, Py_ssize_t stride, size_t width, int item_size, bint is_signed, bint swapped, int64_t* out)

cdef extern from "inputs/shared_lists.h":
    const bint FB_FREE_THREADED

cdef extern from "inputs/id_sets.h" nogil:
    ctypedef struct fb_id_set:
        pass
    ctypedef size_t (*fb_look_for_sets)(
        const int64_t* ids, size_t n, const fb_id_set* ends, const fb_id_set* others, uint64_t* bits, int* is_special)
    void fb_make_id_set(fb_id_set* set, const int64_t* rising, size_t number)
    bint fb_has_id(const fb_id_set* set, int64_t id)
    fb_look_for_sets fb_choose_look_for_sets(int level, const fb_id_set* ends, const fb_id_set* others)

cdef enum:
    ROWS_AHEAD = 4               # of the one that is read are prefetched
    ROWS_LOOKED_AT = 8           # for padding that nobody declared

cdef int64_t MOST_TOKENS = LONGEST_SEGMENT // 8

# In a rule: there is no such id. In a row: an unsigned id beyond int64, or -2**63; both are refused.
cdef int64_t NONE = FB_TOO_LARGE

# Ids of tokens that match nothing: two, because a hypothesis' must not match a reference's either.
cdef int64_t UNKNOWN_IN_HYPOTHESIS = -1
cdef int64_t UNKNOWN_IN_REFERENCE = -2

cdef int LEVEL = 2
cdef fb_look LOOK = fb_choose_look(LEVEL)

cdef str OTHER_ORDER = ">!" if sys.byteorder == "little" else "<"


def use_instructions(int level):
    """Chooses the instructions that look at ids: 0 portable, 1 AVX2 at most, 2 the widest there are. For tests."""
    global LEVEL, LOOK
    LEVEL = level
    LOOK = fb_choose_look(level)


cdef struct Sets:
    # Padding and ends. At least one of the two is several ids.
    fb_id_set pads
    fb_id_set ends
    fb_id_set others             # pads, ignore and unk, unless they are negative
    fb_look_for_sets look


cdef struct Rule:
    # The ids that are not tokens.
    bint has_pad
    bint has_eos
    int64_t pad
    int64_t eos
    const Sets* sets             # what holds instead of pad and eos, or NULL
    uint64_t largest             # that a token may be
    int64_t ignore
    int64_t unk
    int64_t unknown              # what a token that matches nothing becomes
    uint64_t lowest              # pad, ignore and unk lie in lowest..lowest + span, unless they are negative
    uint64_t span


cdef struct Matrix:
    # A range of segments of a matrix, and how to read it.
    Py_ssize_t rows              # of a segment
    Py_ssize_t width
    Py_ssize_t start
    Py_ssize_t segments
    Rule rule
    const int64_t* lengths       # of all rows, or NULL
    int64_t* kept                # int64 [segments, width], or NULL


cdef class IdRule:
    """The ids of a row that are not tokens; None where there is no such id.

    Args:
        pad_id: Fills rows up, on either side. An int, or a tuple of several in rising order.
        eos_id: The first one ends a row. An int, or a tuple of several in rising order.
        ignore_id: Left out wherever it stands.
        unk_id: A token that matches none, not even itself.
        vocabulary_size: One more than the largest id that a token may be.
    """

    cdef Rule rule
    cdef Sets* sets              # a buffer
    cdef int64_t* ids            # a buffer: those of the sets

    def __cinit__(self, pad_id, eos_id, ignore_id, unk_id, vocabulary_size):
        cdef uint64_t least = 0, most = 0
        cdef bint found = False
        self.rule.has_pad = pad_id is not None
        self.rule.has_eos = eos_id is not None
        self.rule.ignore = NONE if ignore_id is None else ignore_id
        self.rule.unk = NONE if unk_id is None else unk_id
        self.rule.largest = <uint64_t>INT64_MAX if vocabulary_size is None else vocabulary_size - 1
        if type(pad_id) is tuple or type(eos_id) is tuple:
            self.make_sets(as_tuple(pad_id), as_tuple(eos_id), ignore_id, unk_id)
            return
        self.rule.pad = NONE if pad_id is None else pad_id
        self.rule.eos = NONE if eos_id is None else eos_id
        for id in (pad_id, ignore_id, unk_id):
            if id is not None and id >= 0:
                least = min(least, <uint64_t>id) if found else <uint64_t>id
                most = max(most, <uint64_t>id)
                found = True
        # Where there is none: no id that is not negative is as large.
        self.rule.lowest = least if found else <uint64_t>1 << 63
        self.rule.span = most - least

    cdef int make_sets(self, tuple pads, tuple ends, ignore_id, unk_id) except -1:
        cdef size_t k = 0
        cdef size_t padding = len(pads), ending = len(ends)
        cdef set others = set()
        for id in pads + (ignore_id, unk_id):
            if id is not None and id >= 0:
                others.add(id)
        reserve(<void**>&self.sets, 1, sizeof(Sets))
        reserve(<void**>&self.ids, padding + ending + len(others), sizeof(int64_t))
        for id in pads + ends + tuple(sorted(others)):
            self.ids[k] = id
            k += 1
        fb_make_id_set(&self.sets.pads, self.ids, padding)
        fb_make_id_set(&self.sets.ends, self.ids + padding, ending)
        fb_make_id_set(&self.sets.others, self.ids + padding + ending, <size_t>len(others))
        self.sets.look = fb_choose_look_for_sets(LEVEL, &self.sets.ends, &self.sets.others)
        self.rule.sets = self.sets
        return 0

    def __dealloc__(self):
        release(<void**>&self.sets)
        release(<void**>&self.ids)


cdef tuple as_tuple(ids):
    """One id, several or none as a tuple."""
    if ids is None:
        return ()
    return ids if type(ids) is tuple else (ids,)


cdef class IdArray:
    """An array of integers, seen through the buffer protocol: of any size and sign, in any byte order and strides.

    Args:
        array: What exports the buffer.
        name: What to call it in an error.

    Raises:
        TypeError: Its items are not integers.
    """

    cdef Py_buffer buffer
    cdef const PyObject* source  # only compared, never read: the object may be gone
    cdef bint held
    cdef bint is_signed
    cdef bint swapped

    def __cinit__(self, array, name not None):
        try:
            # Some exporters, such as ctypes, leave out strides though they are asked for; a memoryview has them.
            PyObject_GetBuffer(memoryview(array), &self.buffer, PyBUF_RECORDS_RO)
        except (BufferError, TypeError, ValueError) as error:
            raise ArgumentTypeError(name, f"must be an array of integers, not {describe(array)}: {error}") from None
        self.held = True
        self.source = <PyObject*>array
        kind = "B" if self.buffer.format == NULL else self.buffer.format.decode()
        letter = kind.lstrip("@=<>!")
        if 0 in self.shape:
            letter = "b"         # an empty array, such as numpy.array([]), may have any type
        elif letter not in ("b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "n", "N") \
                or self.buffer.itemsize not in (1, 2, 4, 8):
            raise ArgumentTypeError(name, f"must be an array of integers, not of {getattr(array, 'dtype', repr(kind))}")
        self.is_signed = letter.islower()
        self.swapped = kind[0] in OTHER_ORDER

    def __dealloc__(self):
        if self.held:
            PyBuffer_Release(&self.buffer)

    def is_of(self, array):
        """Return whether the memory is that of `array`, rather than of an array that was made of it."""
        return self.source == <PyObject*>array

    @property
    def shape(self):
        """Its dimensions."""
        cdef int d
        cdef list dimensions = []
        for d in range(self.buffer.ndim):
            dimensions.append(self.buffer.shape[d])
        return tuple(dimensions)

    cdef const char* row(self, Py_ssize_t i, Py_ssize_t k) noexcept nogil:
        """The first item of row k of segment i."""
        cdef const char* first = <const char*>self.buffer.buf + i * self.buffer.strides[0]
        return first + k * self.buffer.strides[1] if self.buffer.ndim == 3 else first

    cdef bint is_plain(self) noexcept nogil:
        """Return whether the rows can be read as int64_t*."""
        cdef Py_ssize_t d
        cdef bint plain = self.buffer.itemsize == sizeof(int64_t) and self.is_signed and not self.swapped
        plain = plain and self.buffer.strides[self.buffer.ndim - 1] == sizeof(int64_t)
        plain = plain and <size_t>self.buffer.buf % sizeof(int64_t) == 0
        for d in range(self.buffer.ndim):
            plain = plain and self.buffer.strides[d] % <Py_ssize_t>sizeof(int64_t) == 0
        return plain

    def repeated_end(self):
        """The id that most rows end with a run of, as padding does; None if there is none. A few rows are looked at.

        The runs are of two ids or more, and of different lengths: a row that a model has ended ends with one id, and
        equal rows end with equal runs.
        """
        cdef Py_ssize_t per_segment = self.buffer.shape[1] if self.buffer.ndim == 3 else 1
        cdef Py_ssize_t rows = self.buffer.shape[0] * per_segment, number = min(rows, <Py_ssize_t>ROWS_LOOKED_AT), j, at
        cdef list found = [], ids = []
        for j in range(number):
            at = (rows // number * j + j % per_segment) % rows  # not always the same reference of a segment
            run, id = self.run_at_end(self.row(at // per_segment, at % per_segment))
            found.append((run, id))
            if run > 1:
                ids.append(id)
        for id in set(ids):
            if 2 * ids.count(id) > number and id >= 0:
                return id if len({run for run, other in found if run > 1 and other == id}) > 1 else None
        return None

    cdef tuple run_at_end(self, const char* row):
        """The length of the run of equal ids at the end of a row, and that id."""
        cdef Py_ssize_t last = self.buffer.ndim - 1, width = self.buffer.shape[last], run = 0
        cdef int64_t id = 0, other = 0
        while run < width:
            self.load(row + (width - 1 - run) * self.buffer.strides[last], 1, &other)
            if run and other != id:
                break
            id = other
            run += 1
        return run, id

    cdef void load(self, const char* row, size_t width, int64_t* out) noexcept nogil:
        """Copies the first items of a row of the last dimension."""
        fb_load_row(
            row, self.buffer.strides[self.buffer.ndim - 1], width, <int>self.buffer.itemsize, self.is_signed,
            self.swapped, out)


cdef inline bint is_pad(const Rule* rule, const Sets* sets, int64_t id) noexcept nogil:
    """Return whether an id is padding. `sets` are those of the rule, in a variable that compilers see as constant."""
    return id == rule.pad if sets == NULL else fb_has_id(&sets.pads, id)


cdef bint is_all_padding(const Rule* rule, const int64_t* ids, Py_ssize_t count) noexcept nogil:
    """Return whether there is nothing but padding and ignored ids."""
    cdef Py_ssize_t t
    cdef const Sets* sets = rule.sets
    for t in range(count):
        if ids[t] == NONE or not is_pad(rule, sets, ids[t]) and ids[t] != rule.ignore:
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
    if rule.sets != NULL:
        return find_ends_for_sets(rule, ids, start, stop, bits)
    if rule.has_pad:
        while first < last and ids[first] == rule.pad:
            first += 1
        while not rule.has_eos and last > first and ids[last - 1] == rule.pad:
            last -= 1
    start[0] = first
    stop[0] = first + <Py_ssize_t>LOOK(
        ids + first, <size_t>(last - first), <uint64_t>rule.eos, rule.lowest, rule.span, &found, &special)
    if stop[0] < last and not rule.has_eos:
        # It stopped at NONE, which no id may be: keep_tokens refuses it.
        stop[0] = last
        return False
    if special or found > rule.largest and fb_largest_id(ids + first, <size_t>(stop[0] - first)) > rule.largest:
        return False
    bits[0] |= found
    return True


cdef bint find_ends_for_sets(
    const Rule* rule, const int64_t* ids, Py_ssize_t* start, Py_ssize_t* stop, uint64_t* bits
) noexcept nogil:
    """find_ends where padding or ends are several ids."""
    cdef Py_ssize_t first = 0, last = stop[0]
    cdef const Sets* sets = rule.sets
    cdef uint64_t found = 0
    cdef int special = False
    while first < last and fb_has_id(&sets.pads, ids[first]):
        first += 1
    while not rule.has_eos and last > first and fb_has_id(&sets.pads, ids[last - 1]):
        last -= 1
    start[0] = first
    stop[0] = first + <Py_ssize_t>sets.look(
        ids + first, <size_t>(last - first), &sets.ends, &sets.others, &found, &special)
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
        out: Has room for all of them.
        bits: Gets the bits of each token, except those that match nothing.
        kept: Gets for each of these places how many tokens there are up to it, or is NULL.

    Returns:
        How many tokens there are; -1 - t if the id at place t is not allowed.
    """
    cdef Py_ssize_t t, tokens = 0
    cdef const Sets* sets = rule.sets
    cdef uint64_t found = 0
    cdef int64_t id
    for t in range(start, stop):
        id = ids[t]
        if id == NONE:
            return -1 - t
        if not is_pad(rule, sets, id) and id != rule.ignore:
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


cdef Py_ssize_t take_tokens(
    const Rule* rule, const int64_t* ids, Py_ssize_t* start, Py_ssize_t* stop, int64_t* out, uint64_t* bits,
    int64_t* kept
) noexcept nogil:
    """find_ends and keep_tokens; where all ids in between are tokens, they are copied as they are."""
    cdef Py_ssize_t tokens
    if not find_ends(rule, ids, start, stop, bits) or kept != NULL:
        return keep_tokens(rule, ids, start[0], stop[0], out, bits, kept)
    tokens = stop[0] - start[0]
    memcpy(out, ids + start[0], <size_t>tokens * sizeof(int64_t))
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


cdef object as_it_is(IdArray array, const char* row, Py_ssize_t t, int64_t value):
    """The item at place t of a row that was read as this value; one beyond int64 is read again from the row."""
    if value != FB_TOO_LARGE or array.is_signed:
        return value
    row += t * array.buffer.strides[array.buffer.ndim - 1]
    order = sys.byteorder
    if array.swapped:
        order = "big" if order == "little" else "little"
    return int.from_bytes(row[:array.buffer.itemsize], order)


cdef Rule rule_for(IdRule rule, bint is_reference):
    cdef Rule found = rule.rule
    found.unknown = UNKNOWN_IN_REFERENCE if is_reference else UNKNOWN_IN_HYPOTHESIS
    return found


cdef IdColumn empty_column(Py_ssize_t segments, Py_ssize_t ids):
    cdef IdColumn column = IdColumn()
    column.bits = 0
    column.reserve_segments(segments, <size_t>ids * sizeof(int64_t))
    return column


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
    if matrix.width > MOST_TOKENS:
        raise ArgumentValueError(
            name, f"has {matrix.width} tokens, more than the {MOST_TOKENS} that one segment may have")
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
        t = <Py_ssize_t>fb_read_small_ints(row, out, <size_t>room)
        if t == len(row):
            return t
        # There is something else: all is read again, in the long way.
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
    list rows not None, IdRule rule not None, lengths, Py_ssize_t first, bint is_reference, name not None,
):
    """Reads segments, each an IdArray of one dimension, a list or a tuple of int.

    Args:
        rows: All of them; None for one that is absent.
        rule: The ids that are not tokens.
        lengths: int64, of the rows from segment 0 on; or None: they are full.
        first: The number of the first segment.
        is_reference: Whether they are references, and None may stand among them.
        name: What errors call them, a str or a Place.

    Returns:
        A list of one IdColumn.

    Raises:
        TypeError: A token is not an int, or None stands where a segment must be; says where.
        ValueError: An id that counts is negative, or beyond int64; says where.
    """
    cdef Rule found = rule_for(rule, is_reference)
    cdef IdColumn column = empty_column(len(rows), 0)
    cdef Py_ssize_t i, count, tokens, start, stop
    cdef Int64Buffer length_buffer = None if lengths is None else Int64Buffer(lengths, "lengths", 1, False)
    cdef IdArray array
    cdef int64_t* out
    cdef int64_t* ids
    cdef uint64_t bits = 0
    for i, row in enumerate(rows, first):
        if row is None:
            if not is_reference:
                raise wrong_type(place(name, i), "a sequence of token ids", None)
            column.append_absent()
            continue
        count = (<IdArray>row).buffer.shape[0] if isinstance(row, IdArray) else len(row)
        if count > MOST_TOKENS:
            raise ArgumentValueError(
                place(name, i), f"has {count} tokens, more than the {MOST_TOKENS} that one segment may have")
        # The row is read into the memory after its tokens.
        column.make_room(<size_t>(column.own_offsets[column.length] + 2 * count) * sizeof(int64_t))
        out = <int64_t*>column.own_data + column.own_offsets[column.length]
        ids = out + count
        if isinstance(row, IdArray):
            array = <IdArray>row
            array.load(<const char*>array.buffer.buf, <size_t>count, ids)
        else:
            count = copy_list(row, ids, count, name, i)
        if length_buffer is not None:
            if length_buffer.data[i] > count:
                raise RuntimeError(f"{place(name, i)} became shorter while it was scored")
            count = <Py_ssize_t>length_buffer.data[i]
        stop = count
        tokens = take_tokens(&found, ids, &start, &stop, out, &bits, NULL)
        if tokens < 0:
            tokens = -1 - tokens
            value = ids[tokens]
            if isinstance(row, IdArray):
                value = as_it_is(array, <const char*>array.buffer.buf, tokens, ids[tokens])
            raise refused(&found, place(name, i), tokens, value)
        column.length += 1
        column.own_offsets[column.length] = column.own_offsets[column.length - 1] + tokens
    column.bits = bits
    column.finish()
    return [column]


def read_lists(
    integers not None, starts, ends, absent, IdRule rule not None, lengths, Py_ssize_t start, Py_ssize_t stop,
    bint is_reference, name not None,
):
    """Reads segments that lie one after the other in a flat sequence of integers.

    Args:
        integers: A sequence of int or None. Has `read(first, last, out)`, which copies them to int64 and says whether
            any may be None.
        starts: int64, where in it each segment begins, in any order.
        ends: int64, where it ends.
        absent: Flags of segments that are absent, or None.
        rule: The ids that are not tokens.
        lengths: int64, of each segment; or None: they are full.
        start: The first segment.
        stop: One after the last.
        is_reference: Whether they are references, of which some may be absent.
        name: What errors call them, a str or a Place.

    Returns:
        A list of one IdColumn.

    Raises:
        TypeError: An id is null, or a segment is that must be there; says where.
        ValueError: An id that counts is negative, or beyond int64; says where.
    """
    cdef Rule found = rule_for(rule, is_reference)
    cdef Int64Buffer first = Int64Buffer(starts, "starts", 1, False), last = Int64Buffer(ends, "ends", 1, False)
    cdef Int64Buffer length_buffer = None if lengths is None else Int64Buffer(lengths, "lengths", 1, False), flat
    cdef Py_ssize_t i, t, count, tokens, begin, end, at = 0, number = 0
    cdef int64_t base
    cdef uint64_t bits = 0
    cdef IdColumn column
    cdef const int64_t* ids
    cdef bint has_nulls = False, is_one_piece = True
    if not 0 <= start <= stop <= first.rows:
        raise IndexError(f"{name}: segments {start}:{stop} are out of range for {first.rows}")
    base = first.data[start] if start < stop else 0
    for i in range(start, stop):
        number += last.data[i] - first.data[i]
        is_one_piece = is_one_piece and (i == start or first.data[i] >= last.data[i - 1])
    # Rows that were selected may lie far apart, or in another order: then each is read by itself.
    if is_one_piece and start < stop and last.data[stop - 1] - base <= 2 * number:
        number = last.data[stop - 1] - base
    else:
        is_one_piece = False
    copied = new_array("q", bytes(sizeof(int64_t) * number))
    flat = Int64Buffer(copied, "integers", 1, True)
    if is_one_piece:
        has_nulls = integers.read(base, base + number, copied)
    else:
        pieces = memoryview(copied)
        for i in range(start, stop):
            count = last.data[i] - first.data[i]
            if count:
                has_nulls = integers.read(first.data[i], last.data[i], pieces[at:at + count]) or has_nulls
                at += count
    at = 0
    column = empty_column(stop - start, number)
    for i in range(start, stop):
        count = last.data[i] - first.data[i]
        ids = flat.data + (first.data[i] - base if is_one_piece else at)
        at += count
        if absent is not None and absent[i]:
            if not is_reference:
                raise wrong_type(place(name, i), "a sequence of token ids", None)
            column.append_absent()
            continue
        if count > MOST_TOKENS:
            raise ArgumentValueError(
                place(name, i), f"has {count} tokens, more than the {MOST_TOKENS} that one segment may have")
        if length_buffer is not None:
            count = min(count, <Py_ssize_t>length_buffer.data[i])
        if has_nulls:
            for t in range(count):
                if integers[first.data[i] + t] is None:
                    raise wrong_type(place(name, i)[t], "an int", None)
        begin, end = 0, count
        tokens = take_tokens(
            &found, ids, &begin, &end, <int64_t*>column.own_data + column.own_offsets[column.length], &bits, NULL)
        if tokens < 0:
            tokens = -1 - tokens
            value = integers[first.data[i] + tokens]
            # Another thread may have changed it since it was copied.
            raise refused(&found, place(name, i), tokens, ids[tokens] if value is None else value)
        column.length += 1
        column.own_offsets[column.length] = column.own_offsets[column.length - 1] + tokens
    column.bits = bits
    column.finish()
    return [column]
