"""Lines of a file -> columns over the file's bytes: only the places of the segments are stored."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memchr

from fastbleu.inputs._column cimport LONGEST_SEGMENT
from fastbleu.inputs._text cimport TextColumn

cdef extern from "_native/utf8.h" nogil:
    size_t fb_find_invalid_utf8(const uint8_t* text, size_t length)
    size_t fb_rstrip(const uint8_t* text, size_t length)


class FieldCountError(ValueError):
    """A line of tab-separated fields has the wrong number of fields.

    Attributes:
        line: Number of the line, from 1.
        found: Fields in it.
        expected: Fields that it should have.
    """

    def __init__(self, line: int, found: int, expected: int) -> None:
        super().__init__(f"line {line}: expected {expected} fields, but found {found}")
        self.line = line
        self.found = found
        self.expected = expected

    def __reduce__(self):
        return FieldCountError, (self.line, self.found, self.expected)


def column_of_lines(bytes data not None):
    """One segment per line of valid UTF-8, split at b"\\n" only, over the memory of `data`.

    White space at the end of a line is removed, as str.rstrip() does. A last newline begins no further line.
    """
    return columns_of_fields(data, 1, True)[0]


def columns_of_fields(bytes data not None, Py_ssize_t fields, bint limit=False):
    """One column per tab-separated field of the lines of valid UTF-8, over the memory of `data`.

    White space at the end of a line is removed first; then the line is split at tabs, and white space at the end of
    each field is removed.

    Args:
        data: The lines.
        fields: How many fields each line must have, >= 1.
        limit: Whether further tabs stay in the last field.

    Raises:
        FieldCountError: A line has the wrong number of fields.
        ValueError: A line is too long.
    """
    cdef const uint8_t* text = <const uint8_t*>PyBytes_AS_STRING(data)
    cdef const uint8_t* newline
    cdef const uint8_t* tab
    cdef size_t size = <size_t>PyBytes_GET_SIZE(data), position = 0, stop, next_line, field_start, field_stop
    cdef Py_ssize_t lines = 0, line, field
    cdef TextColumn column
    cdef list columns = []
    cdef bint split = fields > 1 or not limit
    while position < size:
        newline = <const uint8_t*>memchr(text + position, c"\n", size - position)
        position = <size_t>(newline - text) + 1 if newline != NULL else size
        lines += 1
    for _ in range(fields):
        column = TextColumn()
        column.reserve_segments(lines)
        column.reserve_ends()
        column.borrow(data, text)
        column.view.readable_end = text + size
        column.length = lines
        columns.append(column)
    position = 0
    for line in range(lines):
        newline = <const uint8_t*>memchr(text + position, c"\n", size - position)
        stop = <size_t>(newline - text) if newline != NULL else size
        next_line = stop + 1
        stop = position + fb_rstrip(text + position, stop - position)
        if stop - position > <size_t>LONGEST_SEGMENT:
            raise ValueError(f"line {line + 1} has {stop - position} bytes, "
                             f"more than the {LONGEST_SEGMENT} that one segment may have")
        field_start = position
        for field in range(fields):
            tab = NULL
            if split and (field < fields - 1 or not limit) and field_start <= stop:
                tab = <const uint8_t*>memchr(text + field_start, c"\t", stop - field_start)
            field_stop = <size_t>(tab - text) if tab != NULL else stop
            if field < fields - 1 and tab == NULL or field == fields - 1 and tab != NULL:
                raise FieldCountError(line + 1, bytes(data[position:stop]).count(b"\t") + 1, fields)
            column = <TextColumn>columns[field]
            column.own_offsets[line] = <int64_t>field_start
            column.own_ends[line] = <int64_t>(
                field_start + fb_rstrip(text + field_start, field_stop - field_start))
            field_start = field_stop + 1
        position = next_line
    return columns


def find_invalid_utf8(data):
    """Offset of the first byte that is not valid UTF-8, as bytes.decode("utf-8") reports it, or -1."""
    cdef Py_buffer buffer
    cdef size_t size, found
    PyObject_GetBuffer(data, &buffer, PyBUF_SIMPLE)
    size = <size_t>buffer.len
    with nogil:
        found = fb_find_invalid_utf8(<const uint8_t*>buffer.buf, size)
    PyBuffer_Release(&buffer)
    return -1 if found == size else found
