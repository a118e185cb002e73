"""Lines of n-best lists as bestbleu.py reads them.

All of it happens in the bytes of a block, without the GIL; a candidate never becomes a Python object.
"""

from array import array

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memchr, memcmp

from fastbleu.inputs._column cimport LONGEST_SEGMENT, Int64Buffer, borrowed
from fastbleu.inputs._text cimport TextColumn

cdef extern from "_native/utf8.h" nogil:
    size_t fb_find_invalid_utf8(const uint8_t* text, size_t length)
    size_t fb_rstrip(const uint8_t* text, size_t length)

cdef enum:
    NOT_FOUND = -1
    SEPARATOR_BYTES = 5          # of " ||| "
    LONGEST_ID = 18              # digits of numbers that all fit in an int64

cdef const char* SEPARATOR = " ||| "


cdef int64_t find_separator(const uint8_t* text, int64_t start, int64_t stop) noexcept nogil:
    """Return where the next " ||| " stands; NOT_FOUND if there is none."""
    cdef const uint8_t* bar
    cdef int64_t i = start + 1
    # The first bar after the first blank.
    while i + SEPARATOR_BYTES - 1 <= stop:
        bar = <const uint8_t*>memchr(text + i, c"|", <size_t>(stop - i))
        if bar == NULL:
            return NOT_FOUND
        i = bar - text
        if i - 1 + SEPARATOR_BYTES <= stop and memcmp(text + i - 1, SEPARATOR, SEPARATOR_BYTES) == 0:
            return i - 1
        i += 1
    return NOT_FOUND


cdef bint is_valid(const uint8_t* text, int64_t start, int64_t stop) noexcept nogil:
    return fb_find_invalid_utf8(text + start, <size_t>(stop - start)) == <size_t>(stop - start)


cdef bint parse_line(
    const uint8_t* text, int64_t start, int64_t stop, int64_t* number, int64_t* text_start, int64_t* text_stop
) noexcept nogil:
    """Return whether a line has a number of digits and a text that is not too long."""
    cdef int64_t first, second, i
    stop = start + <int64_t>fb_rstrip(text + start, <size_t>(stop - start))
    first = find_separator(text, start, stop)
    if first == NOT_FOUND or first == start or first - start > LONGEST_ID:
        return False
    second = find_separator(text, first + SEPARATOR_BYTES, stop)
    text_start[0] = first + SEPARATOR_BYTES
    text_stop[0] = stop if second == NOT_FOUND else second
    number[0] = 0
    for i in range(start, first):
        if not c"0" <= text[i] <= c"9":
            return False
        number[0] = 10 * number[0] + text[i] - c"0"
    return text_stop[0] - text_start[0] <= LONGEST_SEGMENT


def parse_lines(TextColumn lines not None):
    """The number and the text of each line, as `line.rstrip().split(" ||| ")` has them first, up to a bad line.

    Args:
        lines: n lines.

    Returns:
        The numbers (array 'q'), a column of the texts over the same memory, and how many lines come before the first
        bad one, or n.

    Example:
        >>> from fastbleu.inputs._lines import split_lines
        >>> numbers, texts, good = parse_lines(split_lines(b"0 ||| a cat ||| f= 1\\n1 |||  a\\nx\\n", True)[0])
        >>> numbers[:good].tolist(), list(texts)[:good]
        ([0, 1], ['a cat', ' a'])
    """
    cdef Py_ssize_t n = lines.length, good = 0, i
    cdef const uint8_t* text = lines.view.data
    cdef const int64_t* starts = lines.view.starts
    cdef const int64_t* ends = lines.view.ends
    cdef TextColumn texts = borrowed(TextColumn, lines, text, lines.view.readable_end, n)
    cdef bint valid
    numbers = array("q", bytes(8 * n))
    if n == 0:
        return numbers, texts, 0
    cdef Int64Buffer found = Int64Buffer(numbers, "numbers", 1, True)
    with nogil:
        valid = is_valid(text, starts[0], ends[n - 1])
        while good < n and (valid or is_valid(text, starts[good], ends[good])) and parse_line(
            text, starts[good], ends[good], found.data + good, texts.own_offsets + good, texts.own_ends + good
        ):
            good += 1
        for i in range(good, n):
            texts.own_offsets[i] = texts.own_ends[i] = starts[i]
    del found
    return numbers, texts, good
