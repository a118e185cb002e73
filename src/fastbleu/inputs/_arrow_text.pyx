"""Arrow arrays of text -> columns, read where the strings lie.

Arrow arrays do not change, but their memory may be another object's, which another thread may write to. So an offset,
an index or a flag is read once, checked, and then used from a copy.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from fastbleu._native.memory cimport release, reserve
from fastbleu.inputs._arrow cimport (
    INTEGER_BYTES,
    ArrowArray,
    ArrowSchema,
    Node,
    buffer,
    damaged,
    format_of,
    is_set,
    name_type,
)
from fastbleu.inputs._column cimport LONGEST_SEGMENT, Int64Buffer
from fastbleu.inputs._text cimport TextColumn

from bisect import bisect_right

from fastbleu.errors import ArgumentValueError, place

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX

cdef extern from "_native/bits.h" nogil:
    int64_t fb_once_8(const void* place)
    int64_t fb_once_u8(const void* place)
    int64_t fb_once_16(const void* place)
    int64_t fb_once_u16(const void* place)
    int64_t fb_once_32(const void* place)
    int64_t fb_once_u32(const void* place)
    int64_t fb_once_64(const void* place)

cdef extern from "_native/utf8.h" nogil:
    size_t fb_find_invalid_utf8(const uint8_t* text, size_t length)

cdef enum:
    VIEW_BYTES = 16
    INLINE_BYTES = 12            # of a string that stands in its view
    ROWS_AT_ONCE = 1024          # of a column that is read from front to back


cdef enum Found:
    PRESENT
    ABSENT
    BROKEN                       # its offsets point outside its buffers

# The forms in which strings lie, by the format of their array.
cdef dict TEXT_FORMS = {"u": OFFSETS_32, "U": OFFSETS_64, "vu": VIEWS}

cdef class TextArray:
    """Some rows of an array of text, or of a dictionary of text."""

    def __dealloc__(self):
        release(<void**>&self.sizes)

    cdef int keep_sizes(self) except -1:
        """Copies the sizes of the buffers of views, so that they stay as they are."""
        if self.values.form == VIEWS:
            reserve(<void**>&self.sizes, <size_t>self.values.n_buffers, sizeof(int64_t))
            if self.values.n_buffers:
                memcpy(self.sizes, self.values.sizes, <size_t>self.values.n_buffers * sizeof(int64_t))
            self.values.sizes = self.sizes
        return 0

    cdef bint is_contiguous(self) noexcept nogil:
        """Return whether the rows are the strings one after the other."""
        return self.indices == NULL and self.values.form != VIEWS

    cdef int find(self, int64_t row, const uint8_t** text, int64_t* length) noexcept nogil:
        """Find the text of a row; return whether there is one."""
        cdef int64_t i = self.index_offset + row
        if self.indices == NULL:
            return find_value(&self.values, row, text, length)
        if self.validity != NULL and not is_set(self.validity, i):
            return ABSENT
        if self.index_size == 1:
            i = fb_once_8(self.indices + i) if self.index_is_signed else fb_once_u8(self.indices + i)
        elif self.index_size == 2:
            i = fb_once_16(self.indices + 2 * i) if self.index_is_signed else fb_once_u16(self.indices + 2 * i)
        elif self.index_size == 4:
            i = fb_once_32(self.indices + 4 * i) if self.index_is_signed else fb_once_u32(self.indices + 4 * i)
        else:
            i = fb_once_64(self.indices + 8 * i)
        if not 0 <= i < self.values.length:
            return BROKEN
        return find_value(&self.values, i, text, length)


cdef int find_value(const Values* values, int64_t i, const uint8_t** text, int64_t* length) noexcept nogil:
    """Find string i; return whether there is one."""
    cdef int64_t k = values.offset + i, start, stop, number
    cdef const uint8_t* at
    if values.validity != NULL and not is_set(values.validity, k):
        return ABSENT
    if values.form == VIEWS:
        # A view: the length; then the text, or its first bytes, the number of its buffer and its place there.
        at = <const uint8_t*>values.offsets + VIEW_BYTES * k
        length[0] = stop = fb_once_32(at)
        if 0 <= stop <= INLINE_BYTES:
            text[0] = at + sizeof(int32_t)
            return PRESENT
        number, start = fb_once_32(at + 2 * sizeof(int32_t)), fb_once_32(at + 3 * sizeof(int32_t))
        if stop < 0 or not 0 <= number < values.n_buffers or start < 0 \
                or start + stop > values.sizes[number] or values.buffers[2 + number] == NULL:
            return BROKEN
        text[0] = <const uint8_t*>values.buffers[2 + number] + start
        return PRESENT
    if values.form == OFFSETS_32:
        start = fb_once_32(<const int32_t*>values.offsets + k)
        stop = fb_once_32(<const int32_t*>values.offsets + k + 1)
    else:
        start = fb_once_64(<const int64_t*>values.offsets + k)
        stop = fb_once_64(<const int64_t*>values.offsets + k + 1)
    if not 0 <= start <= stop <= values.size:
        return BROKEN
    text[0] = values.data + start
    length[0] = stop - start
    return PRESENT


cdef int read_values(
    Values* values, const ArrowSchema* schema, const ArrowArray* array, int64_t first, int64_t length, object name
) except -1:
    """Finds the buffers of an array of text.

    Raises:
        ValueError: It has not those that its type asks for, or its last offset is negative.
    """
    cdef int64_t last = array.offset + array.length
    values.form = TEXT_FORMS[format_of(schema)]
    values.offset = array.offset + first
    values.length = length
    values.validity = <const uint8_t*>buffer(array, 0, False, name)
    values.offsets = buffer(array, 1, array.length > 0, name)
    values.size = 0
    values.data = NULL
    if values.form == VIEWS:
        if array.n_buffers < 3:
            raise damaged(name, f"it has {array.n_buffers} buffers, too few for its type")
        values.n_buffers = array.n_buffers - 3
        values.buffers = array.buffers
        values.sizes = <const int64_t*>array.buffers[array.n_buffers - 1]
        if values.n_buffers and values.sizes == NULL:
            raise damaged(name, "the sizes of its buffers are missing")
        return 0
    if array.length > 0:
        if values.form == OFFSETS_32:
            values.size = fb_once_32(<const int32_t*>values.offsets + last)
        else:
            values.size = fb_once_64(<const int64_t*>values.offsets + last)
    if values.size < 0:
        raise damaged(name, f"its last offset is {values.size}")
    values.data = <const uint8_t*>buffer(array, 2, values.size > 0, name)
    return 0


cdef TextArray text_array(Node rows, object name):
    """The rows of an array of text."""
    cdef TextArray found = TextArray()
    cdef const ArrowArray* array = rows.array
    found.owner = rows.owner
    found.length = rows.length
    found.indices = NULL
    if rows.schema.dictionary == NULL:
        read_values(&found.values, rows.schema, array, rows.first, rows.length, name)
        found.keep_sizes()
        return found
    read_values(&found.values, rows.schema.dictionary, array.dictionary, 0, array.dictionary.length, name)
    found.keep_sizes()
    letters = format_of(rows.schema)
    if letters not in INTEGER_BYTES:
        raise damaged(name, f"the indices of its dictionary are {name_type(rows.schema)}")
    found.index_size = INTEGER_BYTES[letters]
    found.index_is_signed = letters.islower()
    found.index_offset = array.offset + rows.first
    found.validity = <const uint8_t*>buffer(array, 0, False, name)
    found.indices = <const uint8_t*>buffer(array, 1, array.length > 0, name)
    if found.indices == NULL:
        found.indices = <const uint8_t*>b""  # no row reads it
    return found


cdef class ArrowText(TextColumn):
    """Segments of text in Arrow arrays, which are not one buffer. `part` gives a range as a column that kernels read.

    Args:
        rows: What `nodes_of` makes of arrays of text.
        name: What errors call them.

    Raises:
        ValueError: An array is not what its schema says.
    """

    def __init__(self, list rows not None, name not None):
        cdef TextArray array
        self.name = name
        self.arrays = []
        self.bounds = [0]
        for each in rows:
            array = text_array(<Node?>each, name)
            if array.length:
                self.arrays.append(array)
                self.length += array.length
                self.bounds.append(self.length)

    def __getitem__(self, index):
        cdef Py_ssize_t i = index + self.length if index < 0 else index
        if not 0 <= i < self.length:
            raise IndexError(f"index {index} is out of range for a column of {self.length} segments")
        return self.slice(i, i + 1)[0]

    def __iter__(self):
        cdef Py_ssize_t start
        for start in range(0, self.length, ROWS_AT_ONCE):
            yield from self.slice(start, min(start + ROWS_AT_ONCE, self.length))

    def __reduce__(self):
        return self.slice(0, self.length).__reduce__()

    def slice(self, Py_ssize_t start, Py_ssize_t stop):
        """Segments start..stop - 1 as a column that kernels read."""
        if not 0 <= start <= stop <= self.length:
            raise IndexError(f"slice {start}:{stop} is out of range for a column of {self.length} segments")
        return self.part(start, stop, self.name, PY_SSIZE_T_MAX)

    def lowered(self):
        """A copy with every segment as str.lower() makes it."""
        return self.slice(0, self.length).lowered()

    def trim(self):
        """Does nothing: no memory is set aside."""

    def take(self, segments):
        """The segments of these numbers (int64), copied, in this order."""
        cdef Int64Buffer numbers = Int64Buffer(segments, "segments", 1, False)
        cdef TextColumn column = TextColumn()
        cdef TextArray array
        cdef Py_ssize_t i, k, row
        column.reserve_segments(numbers.rows)
        for i in range(numbers.rows):
            row = <Py_ssize_t>fb_once_64(&numbers.data[i])
            if not 0 <= row < self.length:
                raise IndexError(f"segment {row} is out of range for a column of {self.length} segments")
            k = bisect_right(self.bounds, row) - 1
            array = self.arrays[k]
            append_row(column, array, row - <Py_ssize_t>self.bounds[k], self.name, row)
        check_copied(column, self.name, 0, numbers)
        column.finish()
        return column

    cdef TextColumn part(self, Py_ssize_t start, Py_ssize_t stop, object name, Py_ssize_t most_bytes):
        cdef TextColumn column
        cdef TextArray array
        cdef Py_ssize_t k, i
        column = TextColumn()
        column.reserve_segments(stop - start)
        if start == stop:
            column.finish()
            return column
        k = bisect_right(self.bounds, start) - 1
        array = self.arrays[k]
        if stop <= self.bounds[k + 1] and array.is_contiguous():
            return borrow_rows(array, start - <Py_ssize_t>self.bounds[k], stop - start, name, start, most_bytes)
        i = start
        while i < stop and column.own_offsets[column.length] <= most_bytes:
            array = self.arrays[k]
            append_row(column, array, i - <Py_ssize_t>self.bounds[k], name, i)
            i += 1
            k += i == self.bounds[k + 1]
        check_copied(column, name, start)
        column.finish()
        return column


cdef object not_utf8(object where, const uint8_t* text, size_t length, size_t offset):
    value = f"byte 0x{text[offset]:02x}" if offset < length else "the end"
    return ArgumentValueError(where, f"is not valid UTF-8: {value} at byte offset {offset}")


cdef object too_long(object where, int64_t length):
    return ArgumentValueError(
        where, f"has {length} bytes of UTF-8, more than the {LONGEST_SEGMENT} that one segment may have")


cdef int append_row(TextColumn column, TextArray array, int64_t row, object name, Py_ssize_t i) except -1:
    """Copies a row after the segments of a column; errors call it name[i]."""
    cdef const uint8_t* text = NULL
    cdef int64_t length = 0, used = column.own_offsets[column.length]
    cdef int found = array.find(row, &text, &length)
    if found == ABSENT:
        return column.append_absent()
    if found == BROKEN:
        raise damaged(place(name, i), "its offsets or index point outside its buffers")
    if length > LONGEST_SEGMENT:
        raise too_long(place(name, i), length)
    column.make_room(<size_t>(used + length))
    if length:
        memcpy(column.own_data + used, text, <size_t>length)
    column.length += 1
    column.own_offsets[column.length] = used + length
    return 0


cdef bint are_utf8(const uint8_t* data, const int64_t* offsets, Py_ssize_t length) noexcept nogil:
    """Return whether strings that lie one after the other are valid UTF-8, each of them."""
    cdef size_t size = <size_t>(offsets[length] - offsets[0])
    cdef bint split = False
    cdef Py_ssize_t i
    if size == 0:
        return True
    # A string must not begin within a character of the one before.
    for i in range(length):
        split |= offsets[i] < offsets[i + 1] and (data[offsets[i]] & 0xc0) == 0x80
    return not split and fb_find_invalid_utf8(data + offsets[0], size) == size


cdef int check_copied(TextColumn column, object name, Py_ssize_t first, Int64Buffer numbers=None) except -1:
    """Checks that the strings of a column of copies are valid UTF-8.

    Errors call them name[first] and so on, or by these numbers.

    Raises:
        ValueError: One is not.
    """
    cdef Py_ssize_t i
    cdef size_t length, invalid
    cdef const uint8_t* text
    if are_utf8(column.own_data, column.own_offsets, column.length):
        return 0
    for i in range(column.length):
        text = column.own_data + column.own_offsets[i]
        length = <size_t>(column.own_offsets[i + 1] - column.own_offsets[i])
        invalid = fb_find_invalid_utf8(text, length)
        if invalid < length:
            raise not_utf8(place(name, first + i if numbers is None else numbers.data[i]), text, length, invalid)
    return 0


cdef bint read_offsets(
    const Values* values, int64_t row, Py_ssize_t length, int64_t* offsets, int64_t* longest
) noexcept nogil:
    """Copies offsets of strings; returns whether they rise and stay within the data."""
    cdef const int32_t* narrow = <const int32_t*>values.offsets + values.offset + row
    cdef const int64_t* wide = <const int64_t*>values.offsets + values.offset + row
    cdef Py_ssize_t i
    cdef uint64_t most = 0
    cdef bint falls = False
    if values.form == OFFSETS_32:
        for i in range(length + 1):
            offsets[i] = narrow[i]
    else:
        memcpy(offsets, wide, <size_t>(length + 1) * sizeof(int64_t))
    for i in range(length):
        falls |= offsets[i + 1] < offsets[i]
        most = max(most, <uint64_t>offsets[i + 1] - <uint64_t>offsets[i])
    if falls or offsets[0] < 0 or offsets[length] > values.size:
        return False
    longest[0] = <int64_t>most
    return True


cdef TextColumn borrow_rows(
    TextArray array, int64_t row, Py_ssize_t length, object name, Py_ssize_t first, Py_ssize_t most_bytes
):
    """A column over the memory of an array whose strings lie one after the other; errors call its rows name[first..].

    It has `length` rows, or fewer where these have more bytes than `most_bytes`.

    Raises:
        ValueError: An offset points outside the data, a string is not UTF-8, or is too long.
    """
    cdef TextColumn column = TextColumn()
    cdef const Values* values = &array.values
    cdef const uint8_t* data = values.data
    cdef const uint8_t* text = NULL
    cdef int64_t* offsets
    cdef int64_t longest = 0, bytes = 0, used
    cdef Py_ssize_t i = 0
    cdef size_t invalid
    cdef bint good
    cdef int found
    column.reserve_segments(length)
    offsets = column.own_offsets
    with nogil:
        good = read_offsets(values, row, length, offsets, &longest)
    if not good:
        for i in range(length):
            if not 0 <= offsets[i] <= offsets[i + 1] <= values.size:
                break
        raise damaged(
            place(name, first + i), f"its offsets are {offsets[i]} and {offsets[i + 1]} in {values.size} bytes")
    used = offsets[0]
    if offsets[length] - used > most_bytes:
        i = 0
        while offsets[i] - used <= most_bytes:
            i += 1
        length = i
    if values.validity != NULL:
        for i in range(length):
            if not is_set(values.validity, values.offset + row + i):
                column.set_absent(i)
    with nogil:
        good = are_utf8(data, offsets, length)
    if not good or longest > LONGEST_SEGMENT:
        # Look closer: bytes of rows that are null may be anything.
        for i in range(length):
            found = find_value(values, row + i, &text, &bytes)
            if found != PRESENT:
                continue
            if bytes > LONGEST_SEGMENT:
                raise too_long(place(name, first + i), bytes)
            invalid = fb_find_invalid_utf8(text, <size_t>bytes)
            if invalid < <size_t>bytes:
                raise not_utf8(place(name, first + i), text, <size_t>bytes, invalid)
    column.length = length
    column.borrow(array.owner, data)
    column.view.ends = offsets + 1
    column.view.readable_end = data + values.size
    return column
