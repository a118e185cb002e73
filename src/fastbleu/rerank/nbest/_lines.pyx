"""Lines of n-best lists -> columns over the bytes of a block, and chosen lines -> bytes.

A block is read, cut and written as bytes. Lines, their texts and their numbers are found without the GIL; a candidate
never becomes a Python object.
"""

from array import array

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.math cimport isfinite
from libc.stdint cimport int64_t, uint8_t
from libc.stdio cimport snprintf
from libc.stdlib cimport free, malloc, realloc, strtod
from libc.string cimport memchr, memcpy

from fastbleu.inputs._column cimport LONGEST_SEGMENT, Float64Buffer, Int64Buffer
from fastbleu.inputs._text cimport TextColumn

cdef extern from "_native/utf8.h" nogil:
    size_t fb_find_invalid_utf8(const uint8_t* text, size_t length)
    size_t fb_rstrip(const uint8_t* text, size_t length)

cdef enum:
    NOT_FOUND = -1
    LONGEST_ID = 18          # digits that an int64 holds whatever they are
    LONGEST_NUMBER = 63      # characters of a score as it is written
    LONGEST_PRINTED = 384    # characters of a double with up to MOST_DECIMALS decimals
    MOST_DECIMALS = 17
    LINES_AT_ONCE = 1024     # set aside before any is found

cdef enum:
    # What is wrong with a line.
    C_FINE = 0
    C_NOT_UTF8 = 1
    C_FEW_FIELDS = 2
    C_NO_NUMBER = 3
    C_NOT_FINITE = 4
    C_TOO_LONG = 5

NOT_UTF8 = C_NOT_UTF8
FEW_FIELDS = C_FEW_FIELDS
NO_NUMBER = C_NO_NUMBER
NOT_FINITE = C_NOT_FINITE
TOO_LONG = C_TOO_LONG


class LineError(ValueError):
    """A line is not what it has to be.

    Attributes:
        line: Which of the lines that were looked at, from 0.
    """

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line

    def __reduce__(self):
        return LineError, (self.line, str(self))


cdef object int64_array(Py_ssize_t length):
    return array("q", bytes(<Py_ssize_t>sizeof(int64_t) * length))


cdef TextColumn borrowed(object owner, const uint8_t* data, const uint8_t* readable_end, Py_ssize_t length):
    """A column of `length` segments over memory of the owner, whose starts and ends are still to be written."""
    cdef TextColumn column = TextColumn()
    column.reserve_segments(length)
    column.reserve_ends()
    column.borrow(owner, data)
    column.view.readable_end = readable_end
    column.length = length
    return column


def split_lines(bytes data not None, bint at_end):
    """The lines of a block, with all that is in them but the line ends (a newline, or a carriage return and one).

    Args:
        data: The block; it may end within a line.
        at_end: Whether nothing follows, so that what stands behind the last newline is a line.

    Returns:
        A column of the lines, over the memory of `data`, and how many bytes they and their line ends take.
    """
    cdef const uint8_t* text = <const uint8_t*>PyBytes_AS_STRING(data)
    cdef const uint8_t* newline
    cdef size_t size = <size_t>PyBytes_GET_SIZE(data), position = 0, stop
    cdef Py_ssize_t lines = 0, room = LINES_AT_ONCE, i
    cdef int64_t* bounds = <int64_t*>malloc(2 * LINES_AT_ONCE * sizeof(int64_t))
    cdef void* larger
    cdef bint failed = bounds == NULL
    cdef TextColumn column
    if failed:
        raise MemoryError
    with nogil:
        while position < size:
            newline = <const uint8_t*>memchr(text + position, c"\n", size - position)
            if newline == NULL and not at_end:
                break
            if lines == room:
                larger = realloc(bounds, 4 * <size_t>room * sizeof(int64_t))
                if larger == NULL:
                    failed = True
                    break
                bounds = <int64_t*>larger
                room *= 2
            stop = <size_t>(newline - text) if newline != NULL else size
            bounds[2 * lines] = <int64_t>position
            bounds[2 * lines + 1] = <int64_t>(stop - 1 if stop > position and text[stop - 1] == c"\r" else stop)
            lines += 1
            position = stop + 1 if newline != NULL else size
    try:
        if failed:
            raise MemoryError
        column = borrowed(data, text, text + size, lines)
        with nogil:
            for i in range(lines):
                column.own_offsets[i] = bounds[2 * i]
                column.own_ends[i] = bounds[2 * i + 1]
    finally:
        free(bounds)
    return column, position


def pick(TextColumn column not None, segments):
    """The segments of these numbers (int64, in range), in this order, over the same memory."""
    cdef Int64Buffer numbers = Int64Buffer(segments, "segments", 1, False)
    cdef TextColumn part = borrowed(column, column.view.data, column.view.readable_end, numbers.rows)
    cdef Py_ssize_t i
    for i in range(numbers.rows):
        if not 0 <= numbers.data[i] < column.length:
            raise IndexError(f"segment {numbers.data[i]} is out of range for a column of {column.length} segments")
        part.own_offsets[i] = column.view.starts[numbers.data[i]]
        part.own_ends[i] = column.view.ends[numbers.data[i]]
    return part


def joined(bytes first not None, bytes second not None):
    """Both, one behind the other: `first + second`, copied without the GIL."""
    cdef size_t before = <size_t>PyBytes_GET_SIZE(first), after = <size_t>PyBytes_GET_SIZE(second)
    cdef bytes both
    cdef char* out
    cdef const char* one = PyBytes_AS_STRING(first)
    cdef const char* other = PyBytes_AS_STRING(second)
    if before == 0 or after == 0:
        return second if before == 0 else first
    both = PyBytes_FromStringAndSize(NULL, <Py_ssize_t>(before + after))
    out = PyBytes_AS_STRING(both)
    with nogil:
        memcpy(out, one, before)
        memcpy(out + before, other, after)
    return both


cdef Py_ssize_t present(TextColumn column, Py_ssize_t i) except -1:
    """The place of a segment that is there."""
    cdef Py_ssize_t place = column.position(i)
    if place < 0:
        raise ValueError(f"there is no segment {i}")
    return place


def start_of(TextColumn column not None, Py_ssize_t i):
    """Where segment i begins in the memory that the column lies over."""
    return column.view.starts[present(column, i)]


def raw(TextColumn column not None, Py_ssize_t i):
    """The bytes of segment i, whatever they are."""
    cdef Py_ssize_t place = present(column, i)
    cdef int64_t start = column.view.starts[place], stop = column.view.ends[place]
    return PyBytes_FromStringAndSize(<const char*>column.view.data + start, <Py_ssize_t>(stop - start))


# Moses n-best lists: fields between "|||", which stands between white space or at an end of the line.


cdef inline bint is_blank(uint8_t byte) noexcept nogil:
    return byte == c" " or byte == c"\t"


cdef int64_t find_separator(const uint8_t* text, int64_t start, int64_t from_, int64_t stop) noexcept nogil:
    """Where the next "|||" stands in the line start..stop - 1, not before `from_`; NOT_FOUND if there is none."""
    cdef const uint8_t* bar
    while from_ + 3 <= stop:
        bar = <const uint8_t*>memchr(text + from_, c"|", <size_t>(stop - from_ - 2))
        if bar == NULL:
            return NOT_FOUND
        from_ = bar - text
        if text[from_ + 1] == c"|" and text[from_ + 2] == c"|" and (
                from_ == start or is_blank(text[from_ - 1])) and (
                from_ + 3 == stop or is_blank(text[from_ + 3])):
            return from_
        from_ += 1
    return NOT_FOUND


cdef int64_t read_id(const uint8_t* text, int64_t start, int64_t stop) noexcept nogil:
    """The number that a line begins with, a separator behind it; NOT_FOUND if it does not."""
    cdef int64_t number = 0, first, i = start
    while i < stop and is_blank(text[i]):
        i += 1
    first = i
    while i < stop and c"0" <= text[i] <= c"9" and i - first < LONGEST_ID:
        number = 10 * number + text[i] - c"0"
        i += 1
    if i == first or i == stop or not is_blank(text[i]):
        return NOT_FOUND
    while i < stop and is_blank(text[i]):
        i += 1
    return number if find_separator(text, start, i, min(i + 4, stop)) == i else NOT_FOUND


def group_by_id(TextColumn lines not None, int64_t expected, bint at_end, bint skip_bad, int64_t until):
    """Which lines of a Moses n-best list are of the same source: ids rise by one from source to source.

    Args:
        lines: Lines from the first of a source on.
        expected: The id that this source must have; negative: any.
        at_end: Whether no line follows; otherwise more of the last source may.
        skip_bad: Leave out a line that has no id or one that does not fit, and take a gap between ids as it is.
        until: Stop before a source of this id or a later one.

    Returns:
        How many lines the sources that are complete take; the numbers of those that belong to them, the ids of the
        sources, and where each begins among these lines (array 'q', the last one with their end); how many lines were
        left out.

    Raises:
        LineError: A line is broken, or its id is not the one of the line before or one more.
    """
    cdef Py_ssize_t n = lines.length, i, kept = 0, sources = 0, stop = 0, bad = 0, bad_before = 0, kept_before = 0
    cdef const uint8_t* text = lines.view.data
    cdef const int64_t* starts = lines.view.starts
    cdef const int64_t* ends = lines.view.ends
    cdef int64_t found, following, broken = NOT_FOUND, current = NOT_FOUND
    cdef bint open_source = False, stopped = False, fits
    numbers = int64_array(n)
    ids = int64_array(n)
    bounds = int64_array(n + 1)
    cdef Int64Buffer number_buffer = Int64Buffer(numbers, "numbers", 1, True)
    cdef Int64Buffer id_buffer = Int64Buffer(ids, "ids", 1, True)
    cdef Int64Buffer bound_buffer = Int64Buffer(bounds, "bounds", 1, True)
    found = NOT_FOUND
    with nogil:
        for i in range(n):
            found = read_id(text, starts[i], ends[i])
            if open_source and found == current:
                number_buffer.data[kept] = i
                kept += 1
                continue
            fits = found != NOT_FOUND and (expected < 0 or found == expected)
            if not fits and not skip_bad:
                broken = i
                break
            if not fits and found != NOT_FOUND and found > expected:
                # An id that is broken looks like a gap, but the next line goes on where the line before was.
                if i + 1 < n:
                    following = read_id(text, starts[i + 1], ends[i + 1])
                    fits = following == NOT_FOUND or following >= found
                elif at_end:
                    fits = True
                else:
                    stopped = True
                    break
            if not fits:
                bad += 1
                continue
            # Another source begins here: what came before is complete.
            stop, kept_before, bad_before = i, kept, bad
            if found >= until:
                open_source = False
                stopped = True
                break
            id_buffer.data[sources] = found
            bound_buffer.data[sources] = kept
            sources += 1
            open_source = True
            current = found
            expected = found + 1
            number_buffer.data[kept] = i
            kept += 1
    if broken != NOT_FOUND:
        raise LineError(broken, id_error(raw(lines, broken), found, expected, current if open_source else NOT_FOUND))
    if not stopped and (at_end or not open_source):
        stop = n
    else:
        # Lines of the source that is not complete will be read again, with those left out among them.
        if open_source:
            sources -= 1
        kept, bad = kept_before, bad_before
    bound_buffer.data[sources] = kept
    del number_buffer, id_buffer, bound_buffer
    return stop, numbers[:kept], ids[:sources], bounds[:sources + 1], bad


def id_error(bytes line not None, int64_t found, int64_t expected, int64_t current):
    """What is wrong with a line whose id is not what was expected."""
    if found == NOT_FOUND:
        shown = line[:60].decode("utf-8", "replace")
        return f"expected 'id ||| text ||| features ||| score' with an id of digits, found {shown!r}"
    wanted = f"id {expected}" if current < 0 else f"id {current} or {expected}"
    if found > expected:
        return f"expected {wanted}, found {found}: source {expected} has no candidates"
    return f"expected {wanted}, found {found}: ids must rise, and candidates of a source stand together"


def parse_fields(TextColumn lines not None, Py_ssize_t text_field, Py_ssize_t score_field):
    """The text of each line, and its score.

    Args:
        lines: n lines.
        text_field: Which field is the text, from 0; negative: the whole line is.
        score_field: Which field is a number, likewise; negative: none is.

    Returns:
        A column of the texts over the same memory, white space at either end left out; the scores (array 'd'), or None;
        and for each line what is wrong with it (a bytearray), or None if nothing is wrong with any.
    """
    cdef Py_ssize_t n = lines.length, i
    cdef const uint8_t* text = lines.view.data
    cdef const int64_t* starts = lines.view.starts
    cdef const int64_t* ends = lines.view.ends
    cdef TextColumn texts = borrowed(lines, text, lines.view.readable_end, n)
    cdef Float64Buffer score_buffer = None
    cdef double* scores = NULL
    cdef uint8_t* codes
    cdef bint valid = True, wrong = False
    cdef int code
    problems = bytearray(n)
    codes = <uint8_t*>PyByteArray_AS_STRING(problems)
    values = None
    if score_field >= 0:
        values = array("d", bytes(8 * n))
        score_buffer = Float64Buffer(values, "scores", 1, True)
        scores = score_buffer.data
    if n == 0:
        return texts, values, None
    with nogil:
        # All lines at once, if they come in order.
        valid = ends[n - 1] >= starts[0] and fb_find_invalid_utf8(
            text + starts[0], <size_t>(ends[n - 1] - starts[0])) == <size_t>(ends[n - 1] - starts[0])
        for i in range(n):
            valid = valid and starts[i] >= starts[0] and ends[i] <= ends[n - 1]
            code = parse_line(
                text, starts[i], ends[i], text_field, score_field, valid, texts.own_offsets + i, texts.own_ends + i,
                scores + i if scores != NULL else NULL)
            codes[i] = <uint8_t>code
            wrong = wrong or code != C_FINE
    return texts, values, problems if wrong else None


cdef int parse_line(
    const uint8_t* text, int64_t start, int64_t stop, Py_ssize_t text_field, Py_ssize_t score_field, bint valid,
    int64_t* text_start, int64_t* text_stop, double* score,
) noexcept nogil:
    """Finds the fields of a line; returns what is wrong with it."""
    cdef Py_ssize_t field = 0, last = max(text_field, score_field)
    cdef int64_t field_start = start, field_stop, next_start
    cdef int problem
    cdef bint found
    text_start[0] = start
    text_stop[0] = start
    if not valid and fb_find_invalid_utf8(text + start, <size_t>(stop - start)) != <size_t>(stop - start):
        return C_NOT_UTF8
    if text_field < 0:
        return set_text(text, start, stop, text_start, text_stop)
    while True:
        field_stop = find_separator(text, start, field_start, stop)
        found = field_stop != NOT_FOUND
        next_start = field_stop + 3
        if not found:
            field_stop = stop
        if field == text_field:
            problem = set_text(text, field_start, field_stop, text_start, text_stop)
            if problem != C_FINE:
                return problem
        if field == score_field:
            problem = read_number(text, field_start, field_stop, score)
            if problem != C_FINE:
                return problem
        if field == last:
            return C_FINE
        if not found:
            return C_FEW_FIELDS
        field_start = next_start
        field += 1


cdef int set_text(
    const uint8_t* text, int64_t start, int64_t stop, int64_t* text_start, int64_t* text_stop,
) noexcept nogil:
    while start < stop and is_blank(text[start]):
        start += 1
    text_start[0] = start
    text_stop[0] = start + <int64_t>fb_rstrip(text + start, <size_t>(stop - start))
    return C_TOO_LONG if text_stop[0] - start > LONGEST_SEGMENT else C_FINE


cdef int read_number(const uint8_t* text, int64_t start, int64_t stop, double* number) noexcept nogil:
    """Reads a field that is one decimal number."""
    cdef char copy[LONGEST_NUMBER + 1]
    cdef char* end
    cdef int64_t i
    cdef uint8_t byte
    while start < stop and is_blank(text[start]):
        start += 1
    while start < stop and is_blank(text[stop - 1]):
        stop -= 1
    if start == stop or stop - start > LONGEST_NUMBER:
        return C_NO_NUMBER
    memcpy(copy, text + start, <size_t>(stop - start))
    copy[stop - start] = 0
    for i in range(stop - start):
        byte = text[start + i]
        # No hexadecimal numbers; "inf" and "nan" are numbers that are not finite.
        if byte == c"x" or byte == c"X" or byte == c"(":
            return C_NO_NUMBER
    # In the locale "C", which Python leaves in place for numbers.
    number[0] = strtod(copy, &end)
    if end != copy + (stop - start):
        return C_NO_NUMBER
    return C_FINE if isfinite(number[0]) else C_NOT_FINITE


# Output


cdef struct Text:
    char* data
    size_t size
    size_t capacity


cdef int append(Text* out, const void* data, size_t size) noexcept nogil:
    """Copies behind what is there; 0, or -1 without memory."""
    cdef size_t capacity
    cdef void* larger
    if out.size + size > out.capacity:
        capacity = max(2 * out.capacity, out.size + size)
        larger = realloc(out.data, capacity)
        if larger == NULL:
            return -1
        out.data = <char*>larger
        out.capacity = capacity
    if size:
        memcpy(out.data + out.size, data, size)
    out.size += size
    return 0


def join_lines(TextColumn column not None, chosen, scores, bytes separator not None, int decimals):
    """Chosen segments as lines, each with its score behind it.

    Args:
        column: The segments.
        chosen: Their numbers, int64 [n], in the order in which they are written.
        scores: float64 [n], or None for lines without a score.
        separator: What stands between segment and score.
        decimals: Of the scores, 0..17.

    Returns:
        The lines as bytes.
    """
    cdef Int64Buffer numbers = Int64Buffer(chosen, "chosen", 1, False)
    cdef Float64Buffer values = None
    cdef double* value = NULL
    cdef char printed[LONGEST_PRINTED]
    cdef const uint8_t* text = column.view.data
    cdef const char* between = PyBytes_AS_STRING(separator)
    cdef size_t between_size = <size_t>PyBytes_GET_SIZE(separator)
    cdef Text out = Text(NULL, 0, 0)
    cdef Py_ssize_t i, k
    cdef int failed = 0, length = 0
    if not 0 <= decimals <= MOST_DECIMALS:
        raise ValueError(f"decimals must be in 0..{MOST_DECIMALS}, not {decimals}")
    if scores is not None:
        values = Float64Buffer(scores, "scores", 1, False)
        if values.rows != numbers.rows:
            raise ValueError(f"scores must hold {numbers.rows} numbers, not {values.rows}")
        value = values.data
    for i in range(numbers.rows):
        if not 0 <= numbers.data[i] < column.length:
            raise IndexError(f"segment {numbers.data[i]} is out of range for a column of {column.length} segments")
    try:
        with nogil:
            for i in range(numbers.rows):
                k = numbers.data[i]
                failed |= append(
                    &out, text + column.view.starts[k], <size_t>(column.view.ends[k] - column.view.starts[k]))
                if value != NULL:
                    failed |= append(&out, between, between_size)
                    length = snprintf(printed, LONGEST_PRINTED, "%.*f", decimals, value[i])
                    failed |= append(&out, printed, <size_t>length)
                failed |= append(&out, "\n", 1)
                if failed:
                    break
        if failed:
            raise MemoryError
        return PyBytes_FromStringAndSize(out.data, <Py_ssize_t>out.size)
    finally:
        free(out.data)
