"""Choose the reference length among the lengths of a segment's references."""

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
    """Remove repeated reference lengths from the index, so that the choice is fast for each of many hypotheses.

    All rules still choose the same length, since the first of equal lengths remains. The loop over the distinct lengths
    is short, because references with k distinct lengths have at least k * (k - 1) / 2 tokens.
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
