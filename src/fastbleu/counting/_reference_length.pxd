"""The rules that choose the reference length of the brevity penalty among several references."""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport llabs

from fastbleu.counting._workspace cimport Index

# In the order of options.REFERENCE_LENGTHS.
cdef enum:
    CLOSEST = 0                  # The closest to the hypothesis' length; the shorter of two that are equally close.
    CLOSEST_FIRST = 1            # The closest; the first of two that are equally close.
    SHORTEST = 2


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


cdef inline int64_t reference_length(int rule, const Index* index, int64_t length) noexcept nogil:
    """Return the length of the reference that the rule chooses for a hypothesis with `length` tokens."""
    cdef uint64_t best = <uint64_t>-1, number
    cdef uint32_t reference, chosen = 0
    for reference in range(index.n_lengths):
        number = preference(rule, length, index.lengths[reference], reference)
        if number < best:
            best, chosen = number, reference
    return index.lengths[chosen]


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
