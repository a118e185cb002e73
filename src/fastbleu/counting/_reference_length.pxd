"""The rules that choose the reference length of the brevity penalty among several references."""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport llabs

from fastbleu.counting._workspace cimport Index

# In the order of options.REFERENCE_LENGTHS.
cdef enum:
    CLOSEST = 0                  # The closest to the hypothesis' length; the shorter of two that are equally close.
    CLOSEST_FIRST = 1            # The closest; the first of two that are equally close.
    SHORTEST = 2


cdef int64_t reference_length(int rule, const Index* index, int64_t length) noexcept nogil
cdef void drop_repeated_lengths(Index* index) noexcept nogil


cdef inline uint64_t preference(int rule, int64_t length, int64_t candidate, uint64_t position) noexcept nogil:
    """Return a number that is smallest for the reference that the rule chooses.

    Args:
        rule: The rule.
        length: The length of the hypothesis.
        candidate: The length of a reference, below 2^32.
        position: The position of the reference among all references, below 2^32.
    """
    if rule == SHORTEST:
        return <uint64_t>candidate
    return <uint64_t>llabs(length - candidate) << 32 | (<uint64_t>candidate if rule == CLOSEST else position)
