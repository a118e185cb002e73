"""Choose among the lengths of many references, in a module that is compiled for speed."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

from fastbleu.counting._workspace cimport Index


cdef int64_t reference_length(int rule, const Index* index, int64_t length) noexcept nogil:
    """Return the length of the reference that the rule chooses for a hypothesis with `length` tokens."""
    cdef uint64_t best = <uint64_t>-1, number
    cdef uint32_t reference, chosen = 0
    for reference in range(index.n_lengths):
        number = preference(rule, length, index.lengths[reference], reference)
        if number < best:
            best, chosen = number, reference
    return index.lengths[chosen]


cdef void drop_repeated_lengths(Index* index) noexcept nogil:
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
