"""The formula as kernels use it: its options, prepared once, and the score of a row."""

from libc.stdint cimport int64_t

# Statistics as they are counted, or as sums of resamples.
ctypedef fused count_t:
    int64_t
    double


cdef struct Formula:
    int order                    # N; a row holds 2 + 2N numbers
    int last_order               # the longest that has a weight
    bint effective_order
    bint every_order             # orders above 1 stay even without candidates, since the method adds some
    bint without_match           # a row without any match has a score, too
    double added_first           # to both counts of order 1
    double added                 # to both counts of each longer order
    double unmatched             # what an order without a match counts, in percent,
    double growth                # and the k-th such order growth^k times less
    const double* weights        # by order; NULL: all the same


cdef class FormulaHolder:
    cdef Formula formula
    cdef double* own_weights
    cdef int set_weights(self, weights) except -1


cdef double score_row(const Formula* formula, const count_t* row) noexcept nogil
