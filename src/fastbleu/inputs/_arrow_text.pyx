"""Arrow arrays of text -> columns over the memory where the strings lie.

Arrow arrays do not change, but their memory may be another object's, which another thread may write to. So an offset,
an index or a flag is read once, checked, and then used from a copy.
"""

from bisect import bisect_right

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

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
from fastbleu.inputs._column cimport LONGEST_SEGMENT, READ_AHEAD
from fastbleu.inputs._text cimport ReadText, TextColumn, is_utf8, not_utf8, too_long

from fastbleu.errors import place

cdef extern from "_native/bits.h" nogil:
    int64_t fb_once_8(const void* place)
    int64_t fb_once_u8(const void* place)
    int64_t fb_once_16(const void* place)
    int64_t fb_once_u16(const void* place)
    int64_t fb_once_u32(const void* place)
    int64_t fb_once_32(const void* place)
    int64_t fb_once_64(const void* place)

cdef enum:
    VIEW_BYTES = 16
    INLINE_BYTES = 12            # of a string that stands in its view

cdef enum Form:
    OFFSETS_32
    OFFSETS_64
    VIEWS

cdef enum Found:
    PRESENT
    ABSENT
    BROKEN                       # its offsets point outside its buffers

# The forms in which strings lie, by the format of their array.
cdef dict TEXT_FORMS = {"u": OFFSETS_32, "U": OFFSETS_64, "vu": VIEWS}


cdef struct Values:
    # The strings of an array, without the indices of a dictionary.
    int form
    int64_t offset               # of the first one
    int64_t length
    const uint8_t* validity      # a bit for each string; NULL: all are there
    const void* offsets          # int32 or int64 [offset + length + 1], or views of 16 bytes
    const uint8_t* data
    int64_t size                 # bytes of data
    const void** buffers         # of views: theirs begin at the third
    const int64_t* sizes         # of these buffers
    int64_t n_buffers


cdef struct Text:
    # Where one string lies.
    const uint8_t* start
    int64_t length
    const uint8_t* readable_end  # of its buffer


cdef struct Texts:
    # Some rows of an array of text, or of a dictionary of text.
    int64_t length
    Values values
    const uint8_t* validity      # of the indices
    const char* indices          # of a dictionary
    int64_t index_offset
    int index_size               # 0: there is no dictionary
    bint index_is_signed
    bint is_plain                # by offsets, none is missing, and there is no dictionary
    bint is_checked              # the dictionary has no more texts than there are rows, and all are valid


cdef struct Run:
    # Texts that lie one after the other; they are checked together.
    const uint8_t* start
    const uint8_t* end
    const uint8_t* readable_end  # of the buffer
    bint is_checked              # before
    # What is known of all runs that have ended.
    bint is_valid
    const uint8_t* farthest      # end of a buffer
    const uint8_t* nearest       # end of a buffer in whose last READ_AHEAD bytes a run ends; NULL: there is none


cdef inline int64_t offset_at(const Values* values, int64_t k) noexcept nogil:
    if values.form == OFFSETS_32:
        return fb_once_32(<const int32_t*>values.offsets + k)
    return fb_once_64(<const int64_t*>values.offsets + k)


cdef inline int find_value(const Values* values, int64_t i, Text* text) noexcept nogil:
    """Find string i; return whether there is one."""
    cdef int64_t k = values.offset + i, start, stop, number, size
    cdef const uint8_t* at
    if values.validity != NULL and not is_set(values.validity, k):
        return ABSENT
    if values.form == VIEWS:
        # A view: the length; then the text, or its first bytes, the number of its buffer and its place there.
        at = <const uint8_t*>values.offsets + VIEW_BYTES * k
        text.length = stop = fb_once_32(at)
        if 0 <= stop <= INLINE_BYTES:
            text.start = at + sizeof(int32_t)
            text.readable_end = at + VIEW_BYTES * (values.length - i)
            return PRESENT
        number, start = fb_once_32(at + 2 * sizeof(int32_t)), fb_once_32(at + 3 * sizeof(int32_t))
        if stop < 0 or not 0 <= number < values.n_buffers or values.buffers[2 + number] == NULL:
            return BROKEN
        size = fb_once_64(values.sizes + number)
        if start < 0 or start + stop > size:
            return BROKEN
        at = <const uint8_t*>values.buffers[2 + number]
    else:
        start, stop = offset_at(values, k), offset_at(values, k + 1)
        size = values.size
        if not 0 <= start <= stop <= size:
            return BROKEN
        text.length = stop - start
        at = values.data
    text.start = at + start
    text.readable_end = at + size
    return PRESENT


cdef inline int64_t index_at(const Texts* rows, int64_t i) noexcept nogil:
    """Index i of a dictionary; one beyond int64 is negative."""
    cdef const char* at = rows.indices + i * rows.index_size
    if rows.index_size == 1:
        return fb_once_8(at) if rows.index_is_signed else fb_once_u8(at)
    if rows.index_size == 2:
        return fb_once_16(at) if rows.index_is_signed else fb_once_u16(at)
    if rows.index_size == 4:
        return fb_once_32(at) if rows.index_is_signed else fb_once_u32(at)
    return fb_once_64(at)


cdef inline int find_row(const Texts* rows, int64_t row, Text* text) noexcept nogil:
    """Find the text of a row; return whether there is one."""
    cdef int64_t i = rows.index_offset + row
    if rows.index_size == 0:
        return find_value(&rows.values, row, text)
    if rows.validity != NULL and not is_set(rows.validity, i):
        return ABSENT
    i = index_at(rows, i)
    if not 0 <= i < rows.values.length:
        return BROKEN
    return find_value(&rows.values, i, text)


cdef inline bint begins_character(const uint8_t* text) noexcept nogil:
    return (text[0] & 0xc0) != 0x80


cdef inline void end_run(Run* run) noexcept nogil:
    """Check the texts of a run, if there are any, and begin an empty one."""
    if run.start == run.end:
        return
    run.is_valid &= run.is_checked or is_utf8(run.start, run.end)
    run.farthest = max(run.farthest, run.readable_end)
    if run.readable_end - run.end < READ_AHEAD and (run.nearest == NULL or run.readable_end < run.nearest):
        run.nearest = run.readable_end
    run.start = run.end = NULL


cdef int64_t take_plain(
    const Values* values, int64_t row, int64_t rows, int64_t most_bytes, const uint8_t* base, int64_t* starts,
    int64_t* ends, Run* run
) noexcept nogil:
    """Find texts in an array without nulls; each begins where the one before it ends.

    Returns:
        How many: it stops after `most_bytes`, and before a text that is too long or whose offsets are wrong.
    """
    cdef int64_t k = values.offset + row, shift = values.data - base, taken = 0
    cdef int64_t first = offset_at(values, k), start = first, stop, size = values.size, longest = LONGEST_SEGMENT
    cdef const uint8_t* data = values.data
    cdef bint is_valid = True
    end_run(run)
    while taken < rows and start - first <= most_bytes:
        stop = offset_at(values, k + taken + 1)
        if not 0 <= start <= stop <= size or stop - start > longest:
            break
        is_valid &= start == stop or begins_character(data + start)
        starts[taken], ends[taken] = start + shift, stop + shift
        start = stop
        taken += 1
    run.is_valid &= is_valid
    if start > first:
        run.start, run.end = values.data + first, values.data + start
        run.readable_end, run.is_checked = values.data + values.size, False
    return taken


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
    if array.length == 0:
        return 0
    values.size = offset_at(values, last)
    if values.size < 0:
        raise damaged(name, f"its last offset is {values.size}")
    values.data = <const uint8_t*>buffer(array, 2, values.size > 0, name)
    return 0


cdef bint are_valid(const Values* values) noexcept nogil:
    """Return whether all texts of a dictionary are UTF-8."""
    cdef int64_t i
    cdef Text text
    cdef int found
    for i in range(values.length):
        found = find_value(values, i, &text)
        if found == BROKEN or found == PRESENT and not is_utf8(text.start, text.start + text.length):
            return False
    return True


cdef int read_texts(Texts* found, Node rows, object name) except -1:
    """Finds the buffers of an array of text, or of the dictionary and the indices of one."""
    cdef const ArrowArray* array = rows.array
    found.length = rows.length
    found.index_size = 0
    found.is_plain = found.is_checked = False
    if rows.schema.dictionary == NULL:
        read_values(&found.values, rows.schema, array, rows.first, rows.length, name)
        found.is_plain = found.values.form != VIEWS and found.values.validity == NULL
        return 0
    read_values(&found.values, rows.schema.dictionary, array.dictionary, 0, array.dictionary.length, name)
    found.is_checked = found.values.length <= found.length and are_valid(&found.values)
    letters = format_of(rows.schema)
    if letters not in INTEGER_BYTES:
        raise damaged(name, f"the indices of its dictionary are {name_type(rows.schema)}")
    found.index_size = INTEGER_BYTES[letters]
    found.index_is_signed = letters.islower()
    found.index_offset = array.offset + rows.first
    found.validity = <const uint8_t*>buffer(array, 0, False, name)
    found.indices = <const char*>buffer(array, 1, array.length > 0, name)
    return 0


cdef class ArrowText(ReadText):
    """Segments of text in Arrow arrays.

    Args:
        rows: What `Arrays.rows` makes of arrays of text.
        name: What errors call them.

    Raises:
        ValueError: An array is not what its schema says. Each row is checked when it is read.
    """

    cdef list owners
    cdef list firsts             # the number of the first segment of each array
    cdef Texts* arrays           # a buffer

    def __init__(self, list rows not None, name not None):
        cdef Node each
        self.name = name
        self.owners = []
        self.firsts = []
        reserve(<void**>&self.arrays, <size_t>len(rows) + 1, sizeof(Texts))
        for each in rows:
            read_texts(&self.arrays[len(self.owners)], each, name)
            self.owners.append(each.owner)
            self.firsts.append(self.length)
            self.length += each.length
            self.repeats |= each.schema.dictionary != NULL

    def __dealloc__(self):
        release(<void**>&self.arrays)

    cdef TextColumn part(self, Py_ssize_t start, Py_ssize_t stop, object name, Py_ssize_t most_bytes):
        cdef TextColumn column = TextColumn()
        cdef Py_ssize_t i = 0, n = stop - start, k = bisect_right(self.firsts, start) - 1
        cdef int64_t row = start - <int64_t>self.firsts[k] if n else 0, bytes = 0, taken
        cdef Text text
        cdef Run run
        cdef const uint8_t* base
        cdef const Texts* rows
        cdef int64_t* starts
        cdef int64_t* ends
        cdef const uint8_t* at
        cdef int found = PRESENT
        column.reserve_segments(n)
        column.reserve_ends()
        # Places count from any address: the arrays lie apart.
        starts, ends = column.own_offsets, column.own_ends
        base = <const uint8_t*>starts
        rows = self.arrays + max(k, 0)
        text.length = 0
        memset(&run, 0, sizeof(Run))
        run.is_valid = True
        while i < n and bytes <= most_bytes:
            while row >= rows.length:
                end_run(&run)
                row -= rows.length
                rows += 1
            if rows.is_plain:
                taken = take_plain(
                    &rows.values, row, min(n - i, rows.length - row), most_bytes - bytes, base, starts + i, ends + i,
                    &run)
                if taken:
                    bytes += ends[i + taken - 1] - starts[i]
                    row += taken
                    i += taken
                    continue
            found = find_row(rows, row, &text)
            if found == BROKEN or text.length > LONGEST_SEGMENT:
                break
            if found == ABSENT:
                column.set_absent(i)
                text.start, text.length = base, 0
            elif text.length:
                if text.start != run.end:
                    end_run(&run)
                    run.start, run.is_checked = text.start, rows.is_checked
                run.is_valid &= begins_character(text.start)
                run.end, run.readable_end = text.start + text.length, text.readable_end
            starts[i] = text.start - base
            ends[i] = starts[i] + text.length
            bytes += text.length
            row += 1
            i += 1
        column.length = i
        end_run(&run)
        if not run.is_valid:
            for i in range(column.length):
                at = base + starts[i]
                if not is_utf8(at, base + ends[i]):
                    raise not_utf8(place(name, start + i), at, <size_t>(ends[i] - starts[i]))
        if found == BROKEN:
            raise damaged(place(name, start + i), "its offsets or index point outside its buffers")
        if text.length > LONGEST_SEGMENT:
            raise too_long(place(name, start + i), text.length)
        # Texts that do not lie near the end of their buffer may be read past theirs, wherever it is.
        column.borrow(self.owners, base, run.farthest if run.nearest == NULL else run.nearest)
        return column
