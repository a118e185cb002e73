"""Lines of n-best lists as bestbleu.py reads them, and its way to undo byte-pair encoding.

All of it happens in the bytes of a block, without the GIL; a candidate never becomes a Python object.
"""

from array import array

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memchr, memcmp

from fastbleu.inputs._column cimport LONGEST_SEGMENT, Int64Buffer
from fastbleu.inputs._lines cimport borrowed
from fastbleu.inputs._text cimport TextColumn

cdef extern from "_native/utf8.h" nogil:
    size_t fb_find_invalid_utf8(const uint8_t* text, size_t length)
    size_t fb_rstrip(const uint8_t* text, size_t length)

cdef enum:
    NOT_FOUND = -1
    SEPARATOR_BYTES = 5          # of " ||| "
    LONGEST_ID = 18              # digits of numbers that all fit in an int64

cpdef enum:
    # What is wrong with a line.
    FINE = 0
    ID_IS_UNUSUAL = 1            # no plain digits; Python's `int` may still read it
    HAS_NO_TEXT = 2
    NOT_UTF8 = 3
    TOO_LONG = 4

cdef const char* SEPARATOR = " ||| "


cdef int64_t find_separator(const uint8_t* text, int64_t start, int64_t stop) noexcept nogil:
    """Return where the next " ||| " stands; NOT_FOUND if there is none."""
    cdef const uint8_t* bar
    cdef int64_t i = start + 1
    # The bar after the first blank.
    while i + SEPARATOR_BYTES - 1 <= stop:
        bar = <const uint8_t*>memchr(text + i, c"|", <size_t>(stop - i))
        if bar == NULL:
            return NOT_FOUND
        i = bar - text
        if i - 1 + SEPARATOR_BYTES <= stop and memcmp(text + i - 1, SEPARATOR, SEPARATOR_BYTES) == 0:
            return i - 1
        i += 1
    return NOT_FOUND


cdef uint8_t parse_line(
    const uint8_t* text, int64_t start, int64_t stop, bint valid, int64_t* number, int64_t* text_start,
    int64_t* text_stop
) noexcept nogil:
    cdef int64_t first, second, i
    text_start[0] = text_stop[0] = start
    number[0] = NOT_FOUND
    if not valid and fb_find_invalid_utf8(text + start, <size_t>(stop - start)) != <size_t>(stop - start):
        return NOT_UTF8
    stop = start + <int64_t>fb_rstrip(text + start, <size_t>(stop - start))
    first = find_separator(text, start, stop)
    if first == NOT_FOUND:
        return HAS_NO_TEXT
    second = find_separator(text, first + SEPARATOR_BYTES, stop)
    text_start[0] = first + SEPARATOR_BYTES
    text_stop[0] = stop if second == NOT_FOUND else second
    if text_stop[0] - text_start[0] > LONGEST_SEGMENT:
        return TOO_LONG
    if first == start or first - start > LONGEST_ID:
        return ID_IS_UNUSUAL
    number[0] = 0
    for i in range(start, first):
        if not c"0" <= text[i] <= c"9":
            return ID_IS_UNUSUAL
        number[0] = 10 * number[0] + text[i] - c"0"
    return FINE


def parse_lines(TextColumn lines not None):
    """The number and the text of each line, as `line.rstrip().split(" ||| ")` has them in front.

    Args:
        lines: n lines.

    Returns:
        The numbers (array 'q'); a column of the texts over the same memory; and a bytearray that says what is wrong
        with each line, or None if nothing is wrong with any.

    Example:
        >>> from fastbleu.inputs._lines import split_lines
        >>> numbers, texts, _ = parse_lines(split_lines(b"0 ||| a cat ||| f= 1\\n1 |||  a\\n", True)[0])
        >>> numbers.tolist(), list(texts)
        ([0, 1], ['a cat', ' a'])
    """
    cdef Py_ssize_t n = lines.length, i
    cdef const uint8_t* text = lines.view.data
    cdef const int64_t* starts = lines.view.starts
    cdef const int64_t* ends = lines.view.ends
    cdef TextColumn texts = borrowed(lines, text, lines.view.readable_end, n)
    cdef bint valid = True, wrong = False
    cdef uint8_t* codes
    numbers = array("q", bytes(8 * n))
    problems = bytearray(n)
    codes = <uint8_t*>PyByteArray_AS_STRING(problems)
    if n == 0:
        return numbers, texts, None
    cdef Int64Buffer found = Int64Buffer(numbers, "numbers", 1, True)
    with nogil:
        valid = fb_find_invalid_utf8(
            text + starts[0], <size_t>(ends[n - 1] - starts[0])) == <size_t>(ends[n - 1] - starts[0])
        for i in range(n):
            codes[i] = parse_line(
                text, starts[i], ends[i], valid, found.data + i, texts.own_offsets + i, texts.own_ends + i)
            wrong = wrong or codes[i] != FINE
    del found
    return numbers, texts, problems if wrong else None


def joined_pieces(TextColumn column not None):
    r"""Texts with byte-pair encoding undone: `re.sub("@@ +", "", text)` of each.

    Args:
        column: The texts, none of them absent.

    Returns:
        The column itself if there is nothing to undo.

    Example:
        >>> from fastbleu.inputs._text import text_column
        >>> list(joined_pieces(text_column(["un@@ do@@  ne", "@@", "a @@ b@@ "])))
        ['undone', '@@', 'a b']
    """
    cdef const uint8_t* text = column.view.data
    cdef const uint8_t* mark
    cdef const int64_t* starts = column.view.starts
    cdef const int64_t* ends = column.view.ends
    cdef Py_ssize_t n = column.length, i
    cdef size_t size = 0
    cdef int64_t k, stop, out = 0
    cdef bint has_pieces = False
    with nogil:
        for i in range(n):
            size += <size_t>(ends[i] - starts[i])
            k = starts[i]
            while not has_pieces and k + 3 <= ends[i]:
                mark = <const uint8_t*>memchr(text + k, c"@", <size_t>(ends[i] - k - 2))
                if mark == NULL:
                    break
                k = mark - text + 1
                has_pieces = text[k] == c"@" and text[k + 1] == c" "
    if not has_pieces:
        return column
    cdef bytes data = PyBytes_FromStringAndSize(NULL, <Py_ssize_t>size)
    cdef uint8_t* written = <uint8_t*>PyBytes_AS_STRING(data)
    cdef TextColumn joined = borrowed(data, written, written + size, n)
    with nogil:
        for i in range(n):
            joined.own_offsets[i] = out
            k = starts[i]
            stop = ends[i]
            while k < stop:
                if text[k] == c"@" and k + 3 <= stop and text[k + 1] == c"@" and text[k + 2] == c" ":
                    k += 3
                    while k < stop and text[k] == c" ":
                        k += 1
                    continue
                written[out] = text[k]
                out += 1
                k += 1
            joined.own_ends[i] = out
    return joined
