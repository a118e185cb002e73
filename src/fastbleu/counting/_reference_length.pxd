"""Which length of several references the brevity penalty asks for: the rules, once."""

from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport llabs

# In the order of options.REFERENCE_LENGTHS.
cdef enum:
    CLOSEST = 0                  # to the hypothesis' length; the shorter of two that are equally close
    CLOSEST_FIRST = 1            # the same, but the first of two
    SHORTEST = 2


cdef inline bint takes_over(int rule, int64_t length, int64_t candidate, int64_t chosen) noexcept nogil:
    """Whether a reference of length `candidate` takes the place of an earlier one, for a hypothesis of this length."""
    cdef int64_t difference, smallest
    if rule == SHORTEST:
        return candidate < chosen
    difference = llabs(length - candidate)
    smallest = llabs(length - chosen)
    return difference < smallest or difference == smallest and rule == CLOSEST and candidate < chosen


cdef inline int64_t reference_length(
    int rule, const uint32_t* lengths, uint32_t references, int64_t length
) noexcept nogil:
    """The length chosen from those of the references, in their order, for a hypothesis of this length."""
    cdef int64_t chosen = lengths[0]
    cdef uint32_t reference
    for reference in range(1, references):
        if takes_over(rule, length, lengths[reference], chosen):
            chosen = lengths[reference]
    return chosen
