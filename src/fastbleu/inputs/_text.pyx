"""Convert Python strings to columns of UTF-8."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_Check, PyUnicode_DecodeUTF8, PyUnicode_GET_LENGTH
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

from fastbleu._native.memory cimport release, reserve
from fastbleu._native.signals cimport fb_handle_signals
from fastbleu.inputs._column cimport LONGEST_SEGMENT, Column, Int64Buffer

from fastbleu.errors import ArgumentValueError, locate, wrong_type

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX
    Py_buffer* PyMemoryView_GET_BUFFER(object view)
    unsigned int PyUnicode_KIND(PyObject* text)
    void* PyUnicode_DATA(PyObject* text)
    bint PyUnicode_IS_ASCII(PyObject* text)
    uint32_t Py_UNICODE_TOLOWER(uint32_t code_point) nogil

cdef extern from "_native/bits.h" nogil:
    void fb_fetch(const void* start, size_t bytes)

cdef extern from "inputs/shared_lists.h":
    PyObject* fb_element(PyObject* sequence, bint is_list, Py_ssize_t i)
    object fb_owned(PyObject* element)
    PyObject* fb_peek(PyObject* sequence, bint is_list, Py_ssize_t i)

cdef extern from "inputs/encode.h" nogil:
    const fb_encoder* fb_choose_encoders(int level)
    void fb_lower_ascii(const uint8_t* text, size_t length, uint8_t* out)
    void fb_lower_latin1(const uint8_t* text, size_t length, uint8_t* out)

cdef extern from "_native/utf8.h" nogil:
    bint fb_is_ascii(const uint8_t* text, size_t length)
    size_t fb_find_invalid_utf8(const uint8_t* text, size_t length)

cdef enum:
    PREFETCH_DISTANCE = 6  # Prefetch the str that is this many items ahead, because str are scattered over the heap.
    FETCHED_BYTES = 320  # The number of bytes of a str to prefetch: its header and usually all of its text.
    SEGMENTS_PER_SIGNAL_CHECK = 4096
    SEGMENTS_AT_ONCE = 1024  # The number of segments per slice when a column is iterated over.
    USUAL_BYTES = 256  # The number of bytes per segment to reserve before reading.
    SPARE_BYTES = 4096  # The number of bytes to reserve for the segment with which a chunk exceeds its size limit.
    CAPITAL_I_WITH_DOT = 0x130  # The lower case of this letter has two characters.
    CAPITAL_SIGMA = 0x3A3  # The lower case of this letter depends on its position in the word.

ENCODE = fb_choose_encoders(2)


def use_instructions(int level):
    """Select the instructions for writing UTF-8, for tests: level 2 for the widest available, else portable ones."""
    global ENCODE
    ENCODE = fb_choose_encoders(level)


cdef bint lower_by_character(const uint16_t* text, size_t length, uint16_t* lowered) noexcept nogil:
    """Convert 16-bit characters to lower case. Return False if this needs str.lower().

    That is the case if the lower case of a character has two characters or depends on its neighbors.
    """
    cdef size_t i
    cdef uint32_t code_point
    for i in range(length):
        code_point = text[i]
        if code_point < 0x80:
            code_point |= <uint32_t>(code_point - c"A" < 26) << 5
        elif code_point == CAPITAL_I_WITH_DOT or code_point == CAPITAL_SIGMA:
            return False
        else:
            code_point = Py_UNICODE_TOLOWER(code_point)
        lowered[i] = <uint16_t>code_point
    return True


cdef class TextColumn(Column):
    """Segments of text as one UTF-8 buffer and int64 offsets.

    Example:
        >>> column = text_column(["A b.", None], may_be_missing=True)
        >>> len(column), column[0], list(column)
        (2, 'A b.', ['A b.', None])
    """

    def __getitem__(self, index):
        cdef Py_ssize_t i = self.position(index)
        if i < 0:
            return None
        cdef const char* text = <const char*>self.view.data + self.view.starts[i]
        cdef Py_ssize_t size = self.view.ends[i] - self.view.starts[i]
        if self.owner is None:
            return PyUnicode_DecodeUTF8(text, size, "surrogatepass")
        # Decode a copy, because another thread may write to borrowed memory, which the decoder reads more than once.
        copied = PyBytes_FromStringAndSize(text, size)
        return PyUnicode_DecodeUTF8(PyBytes_AS_STRING(copied), size, "surrogatepass")

    def __iter__(self):
        cdef Py_ssize_t start, i
        cdef TextColumn part
        for start in range(0, self.length, SEGMENTS_AT_ONCE):
            part = self.slice(start, min(start + SEGMENTS_AT_ONCE, self.length))
            for i in range(part.length):
                yield part[i]

    cdef TextColumn part(self, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t max_bytes):
        """Return segments start..stop - 1 as a column that shares this column's memory.

        If the segments exceed `max_bytes` bytes in total, the last segment returned is the one that exceeds this limit.
        """
        cdef TextColumn column = self.slice(start, stop)
        cdef Py_ssize_t i = 0
        cdef int64_t bytes = 0
        while i < column.length and bytes <= max_bytes:
            bytes += column.view.ends[i] - column.view.starts[i]
            i += 1
        column.length = i
        return column

    cdef int append(self, object text, object name, Py_ssize_t i, bint lowercase, bint may_be_missing) except -1:
        """Append a segment; see `append_text`."""
        return append_text(self, text, <PyObject*>name, i, lowercase, may_be_missing)

    def lowered(self):
        """Return a copy with str.lower() applied to every segment.

        Example:
            >>> list(text_column(["A b.", "É"]).lowered())
            ['a b.', 'é']
        """
        cdef TextColumn column = TextColumn(), source = self.slice(0, self.length)
        cdef Py_ssize_t i
        cdef size_t used, length
        cdef const uint8_t* text
        column.reserve_segments(self.length)
        for i in range(self.length):
            if source.view.missing != NULL and source.view.missing[i]:
                column.append_missing()
                continue
            text = source.view.data + source.view.starts[i]
            length = <size_t>(source.view.ends[i] - source.view.starts[i])
            if fb_is_ascii(text, length):
                used = <size_t>column.own_offsets[column.length]
                column.reserve_bytes(used + length)
                fb_lower_ascii(text, length, column.own_data + used)
                column.length += 1
                column.own_offsets[column.length] = <int64_t>(used + length)
            else:
                column.append(source[i], "column", i, True, False)
        column.finish()
        return column


cdef inline int append_text(
    TextColumn column, object text, PyObject* name, Py_ssize_t i, bint lowercase, bint may_be_missing
) except -1:
    """Append a copy of a str to a column.

    Args:
        column: The column.
        text: The str, or None for a missing segment.
        name: The name of the segments in errors.
        i: The index of the segment in errors.
        lowercase: Whether to apply str.lower().
        may_be_missing: Whether `text` may be None.

    Raises:
        TypeError: `text` is neither a str nor an allowed None.
        ValueError: The text is too long.
    """
    cdef size_t used = <size_t>column.own_offsets[column.length]
    cdef size_t characters, bytes
    cdef unsigned int kind
    cdef const void* data
    cdef uint8_t* out
    if not PyUnicode_Check(text):
        if text is None and may_be_missing:
            return column.append_missing()
        raise wrong_type(locate(<object>name, i), "a str", text)
    characters = <size_t>PyUnicode_GET_LENGTH(text)
    data = PyUnicode_DATA(<PyObject*>text)
    kind = PyUnicode_KIND(<PyObject*>text)
    if lowercase and kind == 2:
        # Write the lower-case text to memory after that reserved for the UTF-8, aligned for 16-bit characters.
        bytes = used + 3 * characters + FB_ENCODE_SLACK
        bytes += bytes & 1
        column.reserve_bytes(bytes + 2 * characters)
        lowercase = not lower_by_character(
            <const uint16_t*>data, characters, <uint16_t*>(column.own_data + bytes))
        if not lowercase:
            data = column.own_data + bytes
    if lowercase and kind > 1:
        text = str.lower(text)
        characters = <size_t>PyUnicode_GET_LENGTH(text)
        data = PyUnicode_DATA(<PyObject*>text)
        kind = PyUnicode_KIND(<PyObject*>text)
    if PyUnicode_IS_ASCII(<PyObject*>text):
        column.reserve_bytes(used + characters)
        out = column.own_data + used
        if lowercase:
            fb_lower_ascii(<const uint8_t*>data, characters, out)
        else:
            memcpy(out, data, characters)
        out += characters
    else:
        # A character that a str stores in 1, 2 or 4 bytes takes at most 2, 3 or 4 bytes in UTF-8.
        bytes = used + min(kind + 1, 4) * characters + FB_ENCODE_SLACK
        if lowercase and kind == 1:
            # Write the lower-case text to memory after that reserved for the UTF-8.
            column.reserve_bytes(bytes + characters)
            fb_lower_latin1(<const uint8_t*>data, characters, column.own_data + bytes)
            data = column.own_data + bytes
        else:
            column.reserve_bytes(bytes)
        out = ENCODE[kind >> 1](data, characters, column.own_data + used)
    column.length += 1
    column.own_offsets[column.length] = out - column.own_data
    if column.own_offsets[column.length] - <int64_t>used > LONGEST_SEGMENT:
        raise too_long(locate(<object>name, i), column.own_offsets[column.length] - <int64_t>used)
    return 0


cdef object too_long(object where, int64_t length):
    return ArgumentValueError(
        where, f"has {length} bytes of UTF-8, more than the {LONGEST_SEGMENT} that one segment may have")


cdef bint is_utf8(const uint8_t* text, const uint8_t* end) noexcept nogil:
    return text == end or fb_find_invalid_utf8(text, <size_t>(end - text)) == <size_t>(end - text)


cdef object not_utf8(object where, const uint8_t* text, size_t length):
    cdef size_t offset = fb_find_invalid_utf8(text, length)
    value = f"byte 0x{text[offset]:02x}" if offset < length else "the end"
    return ArgumentValueError(
        where, f"is not valid UTF-8: {value} at byte offset {offset}",
        value=PyBytes_FromStringAndSize(<const char*>text, <Py_ssize_t>length))


def text_over(data, offsets, bytes missing, name not None):
    """Return a column that points to UTF-8 in the memory of another object, such as an Arrow array of large strings.

    The offsets are copied, because another thread may write to their memory.

    Args:
        data: The object with the UTF-8, which supports the buffer protocol.
        offsets: int64 [n + 1], the offset of each of n texts, followed by the end of the last one.
        missing: n flags, 1 for a missing text; None if no text is missing.
        name: The name of the texts in errors.

    Raises:
        ValueError: A text is too long or is not UTF-8, or the offsets are not ascending or are out of range.
    """
    view = memoryview(data)
    cdef Py_buffer* buffer = PyMemoryView_GET_BUFFER(view)
    cdef Int64Buffer bounds = Int64Buffer(offsets, "offsets", 1, False)
    cdef TextColumn column = TextColumn()
    cdef const uint8_t* text = <const uint8_t*>buffer.buf
    cdef Py_ssize_t n = bounds.rows - 1, i
    cdef int64_t start, stop, size = buffer.len
    cdef bint is_valid
    column.reserve_segments(n)
    memcpy(column.own_offsets, bounds.data, (<size_t>n + 1) * sizeof(int64_t))
    start = column.own_offsets[0]
    is_valid = 0 <= start <= column.own_offsets[n] <= size and is_utf8(text + start, text + column.own_offsets[n])
    for i in range(n):
        start, stop = column.own_offsets[i], column.own_offsets[i + 1]
        if not 0 <= start <= stop <= size:
            raise ArgumentValueError(locate(name, i), "is not valid: its offsets point outside its buffer")
        if stop - start > LONGEST_SEGMENT:
            raise too_long(locate(name, i), stop - start)
        is_valid = is_valid and (start == stop or text[start] & 0xc0 != 0x80)
        if missing is not None and missing[i]:
            column.set_missing(i)
    for i in range(0 if is_valid else n):
        start, stop = column.own_offsets[i], column.own_offsets[i + 1]
        if (missing is None or not missing[i]) and not is_utf8(text + start, text + stop):
            raise not_utf8(locate(name, i), text + start, <size_t>(stop - start))
    column.length = n
    column.borrow(view, text, text + size)
    column.view.ends = column.own_offsets + 1
    return column


cdef object item(const InputList* input_list, Py_ssize_t i):
    """Return item i of a list or tuple.

    Raises:
        RuntimeError: There is no such item, because another thread shortened the list.
    """
    # Take no reference to the list or its name: threads that share them would contend for the reference count.
    cdef PyObject* element = fb_element(input_list.items, input_list.is_list, i)
    if element == NULL:
        raise RuntimeError(f"{<object>input_list.name} became shorter while it was scored")
    return fb_owned(element)


def text_column(strings, str name="column", bint lowercase=False, bint may_be_missing=False):
    """Copy a list or tuple of str to a column. With `may_be_missing`, it may contain None for missing segments."""
    return collect([strings], [name], 0, len(strings), PY_SSIZE_T_MAX, lowercase, 0 if may_be_missing else 1)[0][0]


def collect(
    list inputs, list names, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t max_bytes, bint lowercase,
    Py_ssize_t complete=1,
):
    """Copy a range of segments from several inputs to columns; stop early if a chunk has `max_bytes` bytes.

    Args:
        inputs: Lists or tuples of str, or TextColumns, which are copied only if `lowercase` is true.
        names: The name of each input in errors, a `str` or a `Location`.
        start: The index of the first segment, >= 0.
        stop: The index after the last segment of the range.
        max_bytes: Stop after the first segment at which the copied text, or the text of one TextColumn, exceeds this
            many bytes.
        lowercase: Whether to apply str.lower().
        complete: The first `complete` inputs must have every segment. The other inputs may contain None.

    Returns:
        A list of TextColumns, one per input, and the index after their last segment.

    Raises:
        TypeError: A segment is neither a str nor an allowed None; the message names its index.
        RuntimeError: Another thread shortened a list.
    """
    cdef Py_ssize_t n_inputs = len(inputs), s, i, copied = 0, lists = 0
    cdef TextColumn column
    cdef PyObject* following
    cdef list columns = []
    cdef InputList* copies = NULL
    try:
        reserve(<void**>&copies, <size_t>n_inputs, sizeof(InputList))
        # Limit also the size of columns that are not copied, because Ctrl-C is handled only between chunks.
        for s in range(n_inputs):
            column = None
            if isinstance(inputs[s], TextColumn):
                column = (<TextColumn>inputs[s]).part(start, stop, max_bytes)
                stop = start + column.length
                if s < complete and column.view.missing != NULL:
                    for i in range(column.length):
                        if column.view.missing[i]:
                            raise wrong_type(locate(names[s], start + i), "a str", None)
            columns.append(column)
        for s in range(n_inputs):
            segments = inputs[s]
            if columns[s] is not None:
                continue
            if not isinstance(segments, (list, tuple)):
                raise wrong_type(names[s], "a list, a tuple or a TextColumn", segments)
            columns[s] = column = TextColumn()
            column.reserve_segments(
                stop - start, <size_t>(min(max_bytes, USUAL_BYTES * (stop - start) - SPARE_BYTES) + SPARE_BYTES))
            copies[lists].items = <PyObject*>segments
            copies[lists].is_list = isinstance(segments, list)
            copies[lists].column = <PyObject*>column
            copies[lists].name = <PyObject*>names[s]
            copies[lists].may_be_missing = s >= complete
            lists += 1
        copied = 0
        i = start
        while lists and i < stop and copied <= max_bytes:
            if i % SEGMENTS_PER_SIGNAL_CHECK == 0:
                fb_handle_signals()
            copied = 0
            for s in range(lists):
                column = <TextColumn>copies[s].column
                following = fb_peek(copies[s].items, copies[s].is_list, i + PREFETCH_DISTANCE)
                if following != NULL:
                    fb_fetch(following, FETCHED_BYTES)
                append_text(
                    column, item(&copies[s], i), copies[s].name, i, lowercase, copies[s].may_be_missing)
                copied += column.own_offsets[column.length]
            i += 1
        stop = i if lists else stop
        for s in range(n_inputs):
            column = <TextColumn>columns[s]
            if isinstance(inputs[s], TextColumn):
                column = column.slice(0, stop - start)
                columns[s] = column.lowered() if lowercase else column
            else:
                column.finish()
        return columns, stop
    finally:
        release(<void**>&copies)
