"""The formula as kernels use it: its options, and the score of a row."""

from libc.math cimport fabs, isfinite
from libc.stdint cimport int64_t

# Statistics as they are counted, or as sums of resamples.
ctypedef fused count_t:
    int64_t
    double


cdef enum:
    LOG_OF_ZERO = -9999999999    # as sacreBLEU has it: the exponential of any finite mean with it is 0
    SINGLE_COUNTS = 1            # counts are float32 with what the method adds, too,
    SINGLE_PRECISIONS = 2        # and so are the precisions


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
    int single                   # how float64 rows that hold float32 are scored


cdef class CompiledFormula:
    cdef Formula formula
    cdef double* own_weights
    cdef bint keeps_counts       # the method adds nothing to them
    cdef double score_of(self, list row, int64_t* counts) except? -1
    cdef int set_weights(self, weights) except -1


cdef struct ExactSum:
    double total
    double lost                  # by rounding so far


cdef double score_row(const Formula* formula, const count_t* row) noexcept nogil
cdef bint scores_nothing(const Formula* formula, const count_t* row, double* penalty) noexcept nogil


cdef inline void add(ExactSum* sum, double term) noexcept nogil:
    """Adds a term, and what rounding takes from the sum to what was lost (Neumaier 1974)."""
    cdef double total = sum.total + term
    if fabs(sum.total) >= fabs(term):
        sum.lost += (sum.total - total) + term
    else:
        sum.lost += (term - total) + sum.total
    sum.total = total


cdef inline double value(const ExactSum* sum) noexcept nogil:
    return sum.total + sum.lost if isfinite(sum.lost) else sum.total


cdef inline bint counts_order(const Formula* formula, const count_t* total, int order) noexcept nogil:
    """Return whether an order, from 0 on, is used, given that all before it are."""
    return order < formula.last_order and (total[order] > 0 or order > 0 and formula.every_order)


cdef inline double single_precision(
    const Formula* formula, float matches, float candidates, double* doubled
) noexcept nogil:
    """`smoothed_precision` in float32, as NumPy 2 computes it from float32 counts."""
    if matches > 0:
        return <float>100 * matches / candidates
    doubled[0] *= formula.growth
    return <float>formula.unmatched / (<float>doubled[0] * candidates)


cdef inline double smoothed_precision(
    const Formula* formula, double matches, double candidates, double* doubled
) noexcept nogil:
    """The precision of the next order, 0..100, with what the method adds already in its counts."""
    if matches > 0:
        return 100.0 * matches / candidates
    doubled[0] *= formula.growth
    return formula.unmatched / (doubled[0] * candidates)
