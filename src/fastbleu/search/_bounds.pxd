"""The scores of pairs of texts, and the highest score that few known matches allow."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t

from fastbleu.rerank._hypothesis_scores cimport Pairs

cdef enum:
    KEPT_LENGTHS = 256           # of hypotheses whose bounds are kept

cdef struct Bounds:
    Pairs* pairs                 # which have the formula and its tables
    int direction
    # Buffers.
    double* kept[KEPT_LENGTHS]   # by matching tokens; then by matching pairs, twice
    # No more buffers.
    int end

cdef enum Direction:
    FORWARD                      # the query is the hypothesis
    BACKWARD                     # the query is the reference
    HIGHER
    MEAN
    LOWER
    HARMONIC

cdef void free_bounds(Bounds* bounds) noexcept nogil
cdef double score(Bounds* bounds, size_t query, size_t text, const int64_t* matches) except? -1 nogil
cdef double bound(
    Bounds* bounds, size_t query, size_t text, size_t tokens, size_t pairs, bint distinct) except? -1 nogil
