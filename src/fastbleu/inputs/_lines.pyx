"""Convert the lines of a file, and the output of a Python tokenizer, to columns.

A column of lines points to the bytes of the file, and stores only the offsets of the lines.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memchr

from fastbleu._native.signals cimport fb_handle_signals
from fastbleu.inputs._column cimport LONGEST_SEGMENT, borrowed
from fastbleu.inputs._text cimport TextColumn

cdef extern from "_native/utf8.h" nogil:
    size_t fb_find_invalid_utf8(const uint8_t* text, size_t length)
    size_t fb_rstrip(const uint8_t* text, size_t length)


cdef enum:
    LINES_PER_SIGNAL_CHECK = 1 << 15


class FieldCountError(ValueError):
    """A line of tab-separated fields has the wrong number of fields."""


cdef Py_ssize_t count_newlines(const uint8_t* text, size_t size) noexcept nogil:
    cdef Py_ssize_t newlines = 0
    cdef size_t i
    for i in range(size):
        newlines += text[i] == c"\n"
    return newlines


def column_of_lines(bytes data not None):
    """Split valid UTF-8 at b"\\n", and return a column of the lines that points to the memory of `data`.

    White space at the end of each line is removed, as by str.rstrip(). A newline at the end starts no further line.
    """
    return columns_of_fields(data, 1, True)[0]


def columns_of_fields(
    bytes data not None, Py_ssize_t fields, bint limit=False, str name="text", Py_ssize_t first_line=0
):
    """Split lines into tab-separated fields. Return one column per field, which points to the memory of `data`.

    White space at the end of a line is removed first. Then the line is split at tabs, and white space at the end of
    each field is removed.

    Args:
        data: Lines of valid UTF-8.
        fields: The number of fields that each line must have, >= 1.
        limit: Whether the last field may contain tabs.
        name: The name of the file in errors.
        first_line: The number of lines of the file before `data`, for errors.

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
    cdef bint split = fields > 1 or not limit
    with nogil:
        lines = count_newlines(text, size)
    if size and text[size - 1] != c"\n":
        lines += 1
    cdef list columns = []
    for _ in range(fields):
        columns.append(borrowed(TextColumn, data, text, text + size, lines))
    for line in range(lines):
        if line % LINES_PER_SIGNAL_CHECK == 0:
            fb_handle_signals()
        newline = <const uint8_t*>memchr(text + position, c"\n", size - position)
        stop = <size_t>(newline - text) if newline != NULL else size
        next_line = stop + 1
        stop = position + fb_rstrip(text + position, stop - position)
        if stop - position > <size_t>LONGEST_SEGMENT:
            raise ValueError(f"{name}: line {first_line + line + 1} has {stop - position} bytes, "
                             f"more than the {LONGEST_SEGMENT} that one segment may have")
        field_start = position
        for field in range(fields):
            tab = NULL
            if split and (field < fields - 1 or not limit) and field_start <= stop:
                tab = <const uint8_t*>memchr(text + field_start, c"\t", stop - field_start)
            field_stop = <size_t>(tab - text) if tab != NULL else stop
            if field < fields - 1 and tab == NULL or field == fields - 1 and tab != NULL:
                text_line = PyBytes_FromStringAndSize(<const char*>text + position, <Py_ssize_t>(stop - position))
                raise FieldCountError(
                    f"{name}: line {first_line + line + 1}: expected {fields} tab-separated field{'s'[:fields != 1]}, "
                    f"found {text_line.count(b'\t') + 1}")
            column = <TextColumn>columns[field]
            column.own_offsets[line] = <int64_t>field_start
            column.own_ends[line] = <int64_t>(
                field_start + fb_rstrip(text + field_start, field_stop - field_start))
            field_start = field_stop + 1
        position = min(next_line, size)
    return columns


def split_lines(bytes data not None, bint at_end):
    """Split a block of a file into lines, without their line ends: a newline, or a carriage return and a newline.

    Args:
        data: The block, which begins at the start of a line and may end within a line.
        at_end: Whether this is the last block of the file, so that text after the last newline is a line.

    Returns:
        A column of the lines, which points to the memory of `data`; and the number of bytes of these lines, including
        their line ends.
    """
    cdef const uint8_t* text = <const uint8_t*>PyBytes_AS_STRING(data)
    cdef const uint8_t* newline
    cdef size_t size = <size_t>PyBytes_GET_SIZE(data), position = 0, stop
    cdef Py_ssize_t lines, line
    with nogil:
        lines = count_newlines(text, size)
    if at_end and size and text[size - 1] != c"\n":
        lines += 1
    cdef TextColumn column = borrowed(TextColumn, data, text, text + size, lines)
    with nogil:
        for line in range(lines):
            newline = <const uint8_t*>memchr(text + position, c"\n", size - position)
            stop = <size_t>(newline - text) if newline != NULL else size
            column.own_offsets[line] = <int64_t>position
            column.own_ends[line] = <int64_t>(stop - 1 if stop > position and text[stop - 1] == c"\r" else stop)
            position = stop + 1 if newline != NULL else size
    return column, position


def start_of(TextColumn column not None, Py_ssize_t i):
    """Return the offset of segment i in the memory to which the column points."""
    return (<TextColumn>column.slice(i, i + 1)).view.starts[0]


def raw(TextColumn column not None, Py_ssize_t i):
    """Return the bytes of segment i, which need not be UTF-8."""
    cdef TextColumn segment = column.slice(i, i + 1)
    cdef int64_t start = segment.view.starts[0]
    return PyBytes_FromStringAndSize(
        <const char*>segment.view.data + start, <Py_ssize_t>(segment.view.ends[0] - start))


def has_tabs(TextColumn column not None):
    """Return whether any segment contains a tab.

    Example:
        >>> has_tabs(column_of_lines(b"the cat\\t\\nsat")), has_tabs(column_of_lines(b"the cat\\nsat\\tdown"))
        (False, True)
    """
    cdef Py_ssize_t i
    cdef int64_t start, stop
    for i in range(column.length):
        if i % LINES_PER_SIGNAL_CHECK == 0:
            fb_handle_signals()
        start, stop = column.view.starts[i], column.view.ends[i]
        if memchr(column.view.data + start, c"\t", <size_t>(stop - start)) != NULL:
            return True
    return False


def find_invalid_utf8(bytes data not None):
    """Return the offset of the first byte that is not valid UTF-8, as bytes.decode("utf-8") reports it; -1 if none.

    Example:
        >>> find_invalid_utf8(b"abc\\xff"), find_invalid_utf8(b"abc")
        (3, -1)
    """
    cdef const uint8_t* text = <const uint8_t*>PyBytes_AS_STRING(data)
    cdef size_t size = <size_t>PyBytes_GET_SIZE(data), offset
    with nogil:
        offset = fb_find_invalid_utf8(text, size)
    return -1 if offset == size else <Py_ssize_t>offset


def column_of_texts(list texts not None, name, Py_ssize_t first, bint may_be_missing):
    """Copy the texts that a Python tokenizer returned to a column.

    Args:
        texts: A list of str, or of None for missing segments.
        name: The name of the segments in errors.
        first: The index of the first text in errors.
        may_be_missing: Whether None is allowed.
    """
    cdef TextColumn column = TextColumn()
    cdef Py_ssize_t i
    column.reserve_segments(len(texts))
    for i in range(len(texts)):
        column.append(texts[i], name, first + i, False, may_be_missing)
    column.finish()
    return column
