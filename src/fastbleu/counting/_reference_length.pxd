"""The rules that choose the reference length of the brevity penalty among several references."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport llabs

from fastbleu.counting._workspace cimport Index, Workspace

# In the order of options.REFERENCE_LENGTHS.
cdef enum:
    CLOSEST = 0                  # The closest to the hypothesis' length; the shorter of two that are equally close.
    CLOSEST_FIRST = 1            # The closest; the first of two that are equally close.
    SHORTEST = 2


cdef uint32_t sort_lengths(Workspace* work, const Index* index) except? 0 nogil


cdef inline bint takes_over(int rule, int64_t length, int64_t candidate, int64_t chosen) noexcept nogil:
    """Return whether a reference of length `candidate` replaces an earlier one of length `chosen`.

    `length` is that of the hypothesis.
    """
    cdef int64_t difference, smallest
    if rule == SHORTEST:
        return candidate < chosen
    difference = llabs(length - candidate)
    smallest = llabs(length - chosen)
    return difference < smallest or difference == smallest and rule == CLOSEST and candidate < chosen


cdef inline int64_t reference_length(
    int rule, const uint32_t* lengths, uint32_t references, int64_t length
) noexcept nogil:
    """Return the length chosen from those of the references, in their order, for a hypothesis with `length` tokens."""
    cdef int64_t chosen = lengths[0]
    cdef uint32_t reference
    for reference in range(1, references):
        if takes_over(rule, length, lengths[reference], chosen):
            chosen = lengths[reference]
    return chosen


cdef inline int64_t distinct_reference_length(
    int rule, const uint64_t* lengths, uint32_t n_lengths, int64_t length
) noexcept nogil:
    """Return the length chosen from distinct sorted lengths, for a hypothesis with `length` tokens, by binary search.

    Each item of `lengths`, in ascending order, is length << 32 | the index of the first reference with that length. The
    chosen length is one of the two neighbours of `length`, or the smallest one.
    """
    cdef size_t first = 0, after = n_lengths, middle
    cdef uint64_t below, above
    if rule == SHORTEST:
        return <int64_t>(lengths[0] >> 32)
    # Find the first that is longer than the hypothesis.
    while first < after:
        middle = (first + after) // 2
        if <int64_t>(lengths[middle] >> 32) <= length:
            first = middle + 1
        else:
            after = middle
    if first == 0:
        return <int64_t>(lengths[0] >> 32)
    below = lengths[first - 1]
    if first == n_lengths:
        return <int64_t>(below >> 32)
    above = lengths[first]
    if <uint32_t>below < <uint32_t>above:
        if takes_over(rule, length, <int64_t>(above >> 32), <int64_t>(below >> 32)):
            below = above
    elif not takes_over(rule, length, <int64_t>(below >> 32), <int64_t>(above >> 32)):
        below = above
    return <int64_t>(below >> 32)
