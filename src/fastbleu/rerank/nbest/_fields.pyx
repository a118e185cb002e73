"""Parse the fields of Moses n-best lists, which are ids, texts and scores, and write output lines.

The bytes of a block are processed directly, mostly without the GIL. No Python object is created for a candidate.
"""

from array import array

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.exc cimport PyErr_Clear, PyErr_ExceptionMatches, PyErr_Occurred
from cpython.mem cimport PyMem_Free
from libc.math cimport isfinite
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memchr, memcpy, strlen

from fastbleu._native.memory cimport grow, release
from fastbleu.inputs._column cimport LONGEST_SEGMENT, Float64Buffer, Int64Buffer, borrowed
from fastbleu.inputs._text cimport TextColumn

from fastbleu.errors import counted

cdef extern from "Python.h":
    # Unlike C's strtod, this function reads the same numbers in every locale. The last argument may be NULL. On an
    # error, the function returns -1.0.
    double PyOS_string_to_double(const char* text, char** end, void* overflow_exception) noexcept
    # Unlike C's printf, this function writes the same digits in every locale. The last argument may be NULL.
    char* PyOS_double_to_string(double value, char format, int precision, int flags, int* kind) except NULL

cdef extern from "_native/utf8.h" nogil:
    size_t fb_find_invalid_utf8(const uint8_t* text, size_t length)
    size_t fb_rstrip(const uint8_t* text, size_t length)

cdef enum:
    NOT_FOUND = -1           # Result of a search that found nothing.
    MAX_ID_DIGITS = 18       # Largest number of digits of an id; all numbers of this length fit in an int64.
    MAX_NUMBER_LENGTH = 63   # Largest number of characters of a score in the input.
    MAX_DECIMALS = 17        # Largest number of decimals of a score in the output.
    TEXT_FIELD = 1           # Index of the field with the text of the candidate.
    MAX_INT64_LENGTH = 20    # Largest number of characters of an int64, including its sign.
    # Largest number of characters that `join_lines` appends to a segment: an index and a rank with their prefixes, the
    # prefix of the score, a score with 17 decimals (up to 330 characters), and the line end.
    MAX_ADDITION = 12 + MAX_INT64_LENGTH + 11 + MAX_INT64_LENGTH + 5 + 330 + 1

cpdef enum:
    # Results of parsing a line.
    FINE = 0                 # No error.
    NOT_UTF8 = 1             # The line is not valid UTF-8.
    FEW_FIELDS = 2           # The line has too few fields.
    NO_NUMBER = 3            # The field with the score is not a number.
    NOT_FINITE = 4           # The score is NaN or infinite.
    TOO_LONG = 5             # The text is longer than LONGEST_SEGMENT.


cdef object int64_array(Py_ssize_t length):
    """Return an array of zeros, of type code 'q'."""
    return array("q", bytes(<Py_ssize_t>sizeof(int64_t) * length))


# "|||" is a separator if there is a blank or an end of the line on each side of it.


cdef inline bint is_blank(uint8_t byte) noexcept nogil:
    """Return whether a byte is a space or a tab."""
    return byte == c" " or byte == c"\t"


cdef int64_t find_separator(const uint8_t* text, int64_t start, int64_t from_, int64_t stop) noexcept nogil:
    """Return the index of the first separator at or after `from_` in the line start..stop - 1, or NOT_FOUND."""
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
    """Return the id (a number before a separator) at the start of the line start..stop - 1, or NOT_FOUND."""
    cdef int64_t number = 0, first, i = start
    while i < stop and is_blank(text[i]):
        i += 1
    first = i
    while i < stop and c"0" <= text[i] <= c"9" and i - first < MAX_ID_DIGITS:
        number = 10 * number + text[i] - c"0"
        i += 1
    if i == first or i == stop or not is_blank(text[i]):
        return NOT_FOUND
    while i < stop and is_blank(text[i]):
        i += 1
    return number if find_separator(text, start, i, min(i + 4, stop)) == i else NOT_FOUND


def id_of(TextColumn lines not None, Py_ssize_t i):
    """Return the id at the start of line i, which is a number before a separator; -1 if there is none."""
    cdef Py_ssize_t k = lines.position(i)
    return read_id(lines.view.data, lines.view.starts[k], lines.view.ends[k])


def group_by_id(TextColumn lines not None, int64_t expected, bint at_end, bint skip_bad):
    """Group the lines of a Moses n-best list by source.

    Args:
        lines: Consecutive lines of the file, the first of which is the first line of a source.
        expected: The id that the first source must have; -1: any id. The ids of the next sources must be consecutive.
        at_end: Whether the file ends after these lines. If not, the last source is incomplete, and is not returned.
        skip_bad: Whether to skip lines without an id or with a wrong one, and to accept gaps between ids.

    Returns:
        A tuple of six items:
        the number of lines up to the end of the last complete source;
        the indexes of the lines of complete sources, excluding skipped lines, array 'q' [k];
        the ids of these sources, array 'q' [n];
        the bounds of these sources, array 'q' [n + 1]: source i has the items bounds[i] to bounds[i + 1] - 1 of the
        array of line indexes;
        the number of skipped lines;
        and None; but without `skip_bad`, if a line is malformed, a tuple of the index of the first such line, the
        expected id, and the id of the source before this line (-1 if there is none).
    """
    cdef Py_ssize_t n = lines.length, i, kept = 0, sources = 0, stop = 0, bad = 0, bad_before = 0, kept_before = 0
    cdef const uint8_t* text = lines.view.data
    cdef const int64_t* starts = lines.view.starts
    cdef const int64_t* ends = lines.view.ends
    cdef int64_t id_, following, broken = NOT_FOUND, current = NOT_FOUND
    cdef bint unknown = False, fits
    numbers = int64_array(n)
    ids = int64_array(n)
    bounds = int64_array(n + 1)
    cdef Int64Buffer number_buffer = Int64Buffer(numbers, "numbers", 1, True)
    cdef Int64Buffer id_buffer = Int64Buffer(ids, "ids", 1, True)
    cdef Int64Buffer bound_buffer = Int64Buffer(bounds, "bounds", 1, True)
    with nogil:
        for i in range(n):
            id_ = read_id(text, starts[i], ends[i])
            if sources and id_ == current:
                number_buffer.data[kept] = i
                kept += 1
                continue
            fits = id_ != NOT_FOUND and (expected < 0 or id_ == expected)
            if not fits and not skip_bad:
                broken = i
                break
            if not fits and id_ != NOT_FOUND and id_ > expected:
                # Either ids before this one are missing, or this id is malformed. In the second case, the next line has
                # a smaller id.
                if i + 1 < n:
                    following = read_id(text, starts[i + 1], ends[i + 1])
                    fits = following == NOT_FOUND or following >= id_
                elif at_end:
                    fits = True
                else:
                    unknown = True
                    break
            if not fits:
                bad += 1
                continue
            # A new source begins at this line, so all sources before it are complete.
            stop, kept_before, bad_before = i, kept, bad
            id_buffer.data[sources] = id_
            bound_buffer.data[sources] = kept
            sources += 1
            current = id_
            expected = id_ + 1
            number_buffer.data[kept] = i
            kept += 1
    if not unknown and broken == NOT_FOUND and (at_end or not sources):
        stop = n
    else:
        # The last source is incomplete. The next call groups its lines again, including skipped ones.
        if sources:
            sources -= 1
        kept, bad = kept_before, bad_before
    bound_buffer.data[sources] = kept
    del number_buffer, id_buffer, bound_buffer
    return (
        stop, numbers[:kept], ids[:sources], bounds[:sources + 1], bad,
        None if broken == NOT_FOUND else (broken, expected, current))


def parse_fields(TextColumn lines not None, Py_ssize_t score_field, Py_ssize_t min_fields=0):
    """Parse the text and the score of each line.

    Args:
        lines: n lines.
        score_field: The index of the field with the score, above TEXT_FIELD; -1: scores are not read.
        min_fields: The number of fields that each line must have, at least.

    Returns:
        A column of the n texts, without white space at both ends, which shares the memory of `lines`; the scores, array
        'd' [n], or None if they are not read; and the errors, a bytearray [n] of FINE, NOT_UTF8 and so on, or None if
        no line has an error.
    """
    cdef Py_ssize_t n = lines.length, i
    cdef const uint8_t* text = lines.view.data
    cdef const int64_t* starts = lines.view.starts
    cdef const int64_t* ends = lines.view.ends
    cdef TextColumn texts = borrowed(TextColumn, lines, text, lines.view.readable_end, n)
    cdef Int64Buffer fields = None
    cdef Float64Buffer scores = None
    cdef int64_t* field = NULL
    cdef uint8_t* codes
    cdef bint valid = True, wrong = False
    cdef Py_ssize_t last = max(<Py_ssize_t>TEXT_FIELD, score_field, min_fields - 1)
    problems = bytearray(n)
    codes = <uint8_t*>PyByteArray_AS_STRING(problems)
    values = None
    if score_field >= 0:
        fields = Int64Buffer(int64_array(2 * n), "fields", 1, True)
        field = fields.data
        values = array("d", bytes(<Py_ssize_t>sizeof(double) * n))
        scores = Float64Buffer(values, "scores", 1, True)
    if n == 0:
        return texts, values, None
    with nogil:
        # Check the bytes from the first line to the last together: if they are valid UTF-8, so is each line among them.
        valid = ends[n - 1] >= starts[0] and fb_find_invalid_utf8(
            text + starts[0], <size_t>(ends[n - 1] - starts[0])) == <size_t>(ends[n - 1] - starts[0])
        for i in range(n):
            valid = valid and starts[i] >= starts[0] and ends[i] <= ends[n - 1]
            codes[i] = <uint8_t>parse_line(
                text, starts[i], ends[i], score_field, last, valid, texts.own_offsets + i, texts.own_ends + i,
                field + 2 * i if field != NULL else NULL)
            wrong = wrong or codes[i] != FINE
    if scores is not None:
        for i in range(n):
            if codes[i] == FINE:
                codes[i] = <uint8_t>read_number(text, field[2 * i], field[2 * i + 1], scores.data + i)
                wrong = wrong or codes[i] != FINE
    return texts, values, problems if wrong else None


cdef int parse_line(
    const uint8_t* text, int64_t start, int64_t stop, Py_ssize_t score_field, Py_ssize_t last, bint valid,
    int64_t* text_start, int64_t* text_stop, int64_t* score,
) noexcept nogil:
    """Find the text and the score of a line.

    Args:
        text: The bytes of all lines.
        start: The index of the first byte of the line.
        stop: The index after its last byte.
        score_field: The index of the field with the score, or -1.
        last: The index of the last field that the line must have.
        valid: Whether the line is known to be valid UTF-8.
        text_start: The start of the text of the candidate is written here, as an index in `text`.
        text_stop: The end of the text of the candidate is written here.
        score: [2]: the start and the end of the field with the score are written here; NULL if `score_field` is -1.

    Returns:
        FINE, NOT_UTF8, FEW_FIELDS or TOO_LONG.
    """
    cdef Py_ssize_t field = 0
    cdef int64_t field_start = start, field_stop, next_start
    cdef bint found
    text_start[0] = start
    text_stop[0] = start
    if not valid and fb_find_invalid_utf8(text + start, <size_t>(stop - start)) != <size_t>(stop - start):
        return NOT_UTF8
    while True:
        field_stop = find_separator(text, start, field_start, stop)
        found = field_stop != NOT_FOUND
        next_start = field_stop + 3
        if not found:
            field_stop = stop
        if field == TEXT_FIELD:
            while field_start < field_stop and is_blank(text[field_start]):
                field_start += 1
            text_start[0] = field_start
            text_stop[0] = field_start + <int64_t>fb_rstrip(text + field_start, <size_t>(field_stop - field_start))
            if text_stop[0] - field_start > LONGEST_SEGMENT:
                return TOO_LONG
        if field == score_field:
            score[0] = field_start
            score[1] = field_stop
        if field == last:
            return FINE
        if not found:
            return FEW_FIELDS
        field_start = next_start
        field += 1


cdef int read_number(const uint8_t* text, int64_t start, int64_t stop, double* number) except -1:
    """Read the number in the field start..stop - 1, and write it to `number`.

    Returns:
        FINE, NO_NUMBER or NOT_FINITE.
    """
    cdef char copy[MAX_NUMBER_LENGTH + 1]
    cdef char* end = NULL
    while start < stop and is_blank(text[start]):
        start += 1
    while start < stop and is_blank(text[stop - 1]):
        stop -= 1
    if start == stop or stop - start > MAX_NUMBER_LENGTH:
        return NO_NUMBER
    memcpy(copy, text + start, <size_t>(stop - start))
    copy[stop - start] = 0
    number[0] = PyOS_string_to_double(copy, &end, NULL)
    if number[0] == -1.0 and PyErr_Occurred() != NULL:
        if not PyErr_ExceptionMatches(ValueError):
            return -1
        PyErr_Clear()
        return NO_NUMBER
    if end != copy + (stop - start):
        return NO_NUMBER
    return FINE if isfinite(number[0]) else NOT_FINITE


# Writing output lines


cdef inline char* put_number(char* out, int64_t number) noexcept nogil:
    """Write a number in decimal digits to `out`, and return the address after it."""
    cdef char digits[MAX_INT64_LENGTH]
    cdef size_t size = 0
    cdef uint64_t rest = <uint64_t>0 - <uint64_t>number if number < 0 else <uint64_t>number
    while True:
        digits[size] = <char>(c"0" + rest % 10)
        size += 1
        rest //= 10
        if rest == 0:
            break
    if number < 0:
        digits[size] = c"-"
        size += 1
    while size > 0:
        size -= 1
        out[0] = digits[size]
        out += 1
    return out


def join_lines(TextColumn column not None, chosen, scores, int decimals, indices=None, ranks=None):
    """Return output lines for chosen segments, such as `segment ||| index= 3 ||| rank= 1 ||| 27.1`.

    Args:
        column: The segments.
        chosen: int64 [n]: the indexes of the chosen segments in the column, in the order of the output.
        scores: float64 [n]: the score of each chosen segment.
        decimals: The number of decimals of the scores, 0..17.
        indices: int64 [n]: the index to write for each chosen segment; None: do not write it.
        ranks: int64 [n]: the rank to write for each chosen segment; None: do not write it.

    Returns:
        The lines as bytes.

    Raises:
        IndexError: An item of `chosen` is out of range.
        ValueError: `decimals` is out of range, or the arrays differ in length.
    """
    cdef Int64Buffer segments = Int64Buffer(chosen, "chosen", 1, False), index = None, rank = None
    cdef Float64Buffer values = Float64Buffer(scores, "scores", 1, False)
    cdef Py_ssize_t i, k, n = segments.rows
    cdef size_t used = 0, size
    cdef char* lines = NULL
    cdef char* printed
    cdef char* out
    if not 0 <= decimals <= MAX_DECIMALS:
        raise ValueError(f"decimals must be in 0..{MAX_DECIMALS}, not {decimals}")
    if values.rows != n:
        raise ValueError(f"scores must hold {n} numbers, not {values.rows}")
    if indices is not None:
        index = Int64Buffer(indices, "indices", 1, False)
        if index.rows != n:
            raise ValueError(f"indices must hold {n} numbers, not {index.rows}")
    if ranks is not None:
        rank = Int64Buffer(ranks, "ranks", 1, False)
        if rank.rows != n:
            raise ValueError(f"ranks must hold {n} numbers, not {rank.rows}")
    try:
        for i in range(n):
            k = segments.data[i]
            if not 0 <= k < column.length:
                raise IndexError(f"segment {k} is out of range for {counted(column.length, 'segment')}")
            size = <size_t>(column.view.ends[k] - column.view.starts[k])
            grow(<void**>&lines, used + size + MAX_ADDITION, 1)
            out = put(lines + used, column.view.data + column.view.starts[k], size)
            if index is not None:
                out = put_number(put(out, b" ||| index= ", 12), index.data[i])
            if rank is not None:
                out = put_number(put(out, b" ||| rank= ", 11), rank.data[i])
            printed = PyOS_double_to_string(values.data[i], c"f", decimals, 0, NULL)
            out = put(put(out, b" ||| ", 5), printed, strlen(printed))
            PyMem_Free(printed)
            used = <size_t>(put(out, "\n", 1) - lines)
        return PyBytes_FromStringAndSize(lines, <Py_ssize_t>used)
    finally:
        release(<void**>&lines)


cdef inline char* put(char* out, const void* data, size_t size) noexcept nogil:
    """Copy bytes to `out`, and return the address after them."""
    memcpy(out, data, size)
    return out + size
