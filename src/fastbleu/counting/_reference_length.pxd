"""The rules that choose the reference length for the brevity penalty if there are several references."""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport llabs

from fastbleu.counting._workspace cimport Index

# The rules, in the order of options.REFERENCE_LENGTHS.
cdef enum:
    CLOSEST = 0                  # The length closest to the hypothesis' length; of two equally close ones the shorter.
    CLOSEST_FIRST = 1            # The length closest to the hypothesis' length; of two equally close ones the first.
    SHORTEST = 2                 # The shortest length.


cdef int64_t reference_length(int rule, const Index* index, int64_t length) noexcept nogil
cdef void drop_repeated_lengths(Index* index) noexcept nogil


cdef inline uint64_t preference(int rule, int64_t length, int64_t candidate, uint64_t position) noexcept nogil:
    """Return the rank of a reference. The rule chooses the reference with the smallest rank.

    Args:
        rule: CLOSEST, CLOSEST_FIRST or SHORTEST.
        length: The length of the hypothesis.
        candidate: The length of a reference, below 2^32.
        position: The index of the reference among the segment's references, below 2^32.
    """
    if rule == SHORTEST:
        return <uint64_t>candidate
    return <uint64_t>llabs(length - candidate) << 32 | (<uint64_t>candidate if rule == CLOSEST else position)
