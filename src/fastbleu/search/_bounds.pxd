"""The scores of pairs of texts, and the highest score that few known matches allow."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t

from fastbleu.rerank._score_by_length cimport Tables

cdef enum:
    KEPT_LENGTHS = 256           # of hypotheses whose bounds are kept

cdef struct Bounds:
    Tables tables                # of the formula
    # Buffers.
    double* kept[KEPT_LENGTHS]   # by matching tokens; then by matching pairs, twice
    double* penalties[KEPT_LENGTHS]  # by length of the reference
    int64_t* row                 # of statistics, where there are no tables
    # No more buffers.
    int direction
    void* nltk                   # the CompiledNLTKFormula, or NULL
    void* known                  # a dict: scores without brevity penalty by counts, where there are no tables

cdef enum Direction:
    FORWARD                      # the query is the hypothesis
    BACKWARD                     # the query is the reference
    HIGHER
    MEAN
    LOWER
    HARMONIC

cdef double combine(int direction, double forward, double backward) noexcept nogil
cdef void free_bounds(Bounds* bounds) noexcept nogil
cdef double score(Bounds* bounds, size_t query, size_t text, const int64_t* matches) except? -1 nogil
cdef double bound(
    Bounds* bounds, size_t query, size_t text, size_t tokens, size_t pairs, bint distinct) except? -1 nogil
