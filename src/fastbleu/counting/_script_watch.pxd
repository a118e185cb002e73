"""A watch over the scripts of hypotheses, for the loops that count them."""

from libc.stdint cimport int64_t, uint8_t

from fastbleu.inputs._column cimport View


cdef inline bint is_unspaced_inside(const View* view, int64_t segment) noexcept nogil:
    """Return whether the character in the middle of a segment is Han or Kana, Thai, Lao, Tibetan, Burmese or Khmer.

    It is looked at by its first two bytes, so that a few characters next to these scripts in Unicode count as well.
    """
    cdef int64_t start = view.starts[segment], stop = view.ends[segment], at = start + (stop - start) // 2
    cdef uint8_t lead, second
    if at == stop or view.data[at] < 0x80:
        return False
    while at > start and view.data[at] & 0xc0 == 0x80:
        at -= 1
    if at + 1 == stop:
        return False
    lead, second = view.data[at], view.data[at + 1]
    if lead < 0xe0:
        return False
    if lead >= 0xe3:
        return lead < 0xea and (lead > 0xe3 or second > 0x80) or lead == 0xf0 and second >= 0xa0
    if lead == 0xe0:
        return second >= 0xb8
    return lead == 0xe1 and (0x80 <= second <= 0x82 or 0x9e <= second <= 0x9f)


cdef class ScriptWatch:
    # Any thread writes these.
    cdef int64_t watching
    cdef int64_t suspecting
    cdef int64_t looked_at
    cdef int64_t looked_wrong
    cdef int note(self, Py_ssize_t n, Py_ssize_t unspaced) except -1
