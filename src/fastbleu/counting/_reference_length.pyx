"""Sort the lengths of many references, without duplicates. The rules that choose one are in `_reference_length.pxd`."""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport qsort

from fastbleu._native.memory cimport reserve
from fastbleu.counting._workspace cimport Index, Workspace


cdef int ascending(const void* a, const void* b) noexcept nogil:
    """Compare two uint64_t for qsort."""
    cdef uint64_t first = (<const uint64_t*>a)[0], second = (<const uint64_t*>b)[0]
    return (first > second) - (first < second)


cdef uint32_t sort_lengths(Workspace* work, const Index* index) except? 0 nogil:
    """Write the distinct lengths of the references to work.distinct_lengths, as distinct_reference_length takes them.

    Return their number.
    """
    cdef uint32_t reference, kept = 0
    cdef uint64_t* lengths
    reserve(<void**>&work.distinct_lengths, index.references, sizeof(uint64_t))
    lengths = work.distinct_lengths
    for reference in range(index.references):
        lengths[reference] = <uint64_t>index.lengths[reference] << 32 | reference
    if index.references > 1:
        qsort(lengths, index.references, sizeof(uint64_t), ascending)
    for reference in range(index.references):
        if kept == 0 or lengths[reference] >> 32 != lengths[kept - 1] >> 32:
            lengths[kept] = lengths[reference]
            kept += 1
    return kept
