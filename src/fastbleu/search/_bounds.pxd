"""The scores of pairs of texts, and the highest score that few known matches allow."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t

from fastbleu.rerank._score_by_length cimport Tables

cdef enum:
    KEPT_LENGTHS = 256           # of hypotheses whose bounds are kept

cdef struct Bounds:
    Tables tables                # of a usable formula
    # Buffers.
    double* kept[KEPT_LENGTHS]   # by matching tokens; then by matching pairs, twice
    double* penalties[KEPT_LENGTHS]  # by length of the reference
    # No more buffers.
    size_t end

cdef enum Direction:
    FORWARD                      # the query is the hypothesis
    BACKWARD                     # the query is the reference
    HIGHER
    MEAN
    LOWER
    HARMONIC

cdef void free_bounds(Bounds* bounds) noexcept nogil
cdef double highest(Bounds* bounds, size_t length, size_t tokens, size_t pairs, bint distinct) except -1 nogil
cdef double penalty(Bounds* bounds, size_t length, size_t reference_length) except -1 nogil


cdef inline double combine(int direction, double forward, double backward) noexcept nogil:
    """The score of a pair in one direction or both."""
    if direction == HIGHER:
        return max(forward, backward)
    if direction == MEAN:
        return (forward + backward) / 2
    if direction == LOWER:
        return min(forward, backward)
    if direction == HARMONIC:
        return 2 * forward * backward / (forward + backward) if forward + backward > 0 else 0.0
    return forward if direction == FORWARD else backward
