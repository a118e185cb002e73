"""The rules that choose the reference length of the brevity penalty among several references."""

from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport llabs

from fastbleu.counting._workspace cimport Index

# In the order of options.REFERENCE_LENGTHS.
cdef enum:
    CLOSEST = 0                  # The closest to the hypothesis' length; the shorter of two that are equally close.
    CLOSEST_FIRST = 1            # The closest; the first of two that are equally close.
    SHORTEST = 2


cdef inline bint takes_over(int rule, int64_t length, int64_t candidate, int64_t chosen) noexcept nogil:
    """Return whether a reference of length `candidate` replaces an earlier one of length `chosen`.

    `length` is the length of the hypothesis.
    """
    cdef int64_t difference, smallest
    if rule == SHORTEST:
        return candidate < chosen
    difference = llabs(length - candidate)
    smallest = llabs(length - chosen)
    return difference < smallest or difference == smallest and rule == CLOSEST and candidate < chosen


cdef inline int64_t reference_length(int rule, const Index* index, int64_t length) noexcept nogil:
    """Return the length of the reference that the rule chooses for a hypothesis with `length` tokens."""
    cdef int64_t chosen = index.lengths[0]
    cdef uint32_t reference
    for reference in range(1, index.n_lengths):
        if takes_over(rule, length, index.lengths[reference], chosen):
            chosen = index.lengths[reference]
    return chosen


cdef inline void drop_repeated_lengths(Index* index) noexcept nogil:
    """Keep one of equal reference lengths, the first, once the index no longer needs the length of each reference.

    All rules choose the same length as before. There are few distinct lengths, because k of them take k^2 / 2 tokens.
    """
    cdef uint32_t kept = 0, reference, earlier
    for reference in range(index.n_lengths):
        earlier = 0
        while earlier < kept and index.lengths[earlier] != index.lengths[reference]:
            earlier += 1
        if earlier == kept:
            index.lengths[kept] = index.lengths[reference]
            kept += 1
    index.n_lengths = kept
