"""Declare the compiled formula for other kernels: its options, and the score of a row."""

from libc.math cimport fabs, isfinite
from libc.stdint cimport int64_t

# The type of the counts in a row: int64 for the counts of segments, double for the sums of resamples.
ctypedef fused count_t:
    int64_t
    double


cdef enum:
    LOG_OF_ZERO = -9999999999    # sacreBLEU's value for log(0): the exponential of a mean that includes it is 0.
    SINGLE_COUNTS = 1            # Counts are rounded to float32, before and after the smoothing method adds to them.
    SINGLE_PRECISIONS = 2        # Counts are rounded as under SINGLE_COUNTS, and precisions are computed in float32.


cdef struct Formula:
    int order                    # The largest order, N. A row has 2 + 2N numbers.
    int last_order               # The largest order with a weight above 0.
    bint effective_order
    bint every_order             # Whether to include orders above 1 without candidates, as smoothing adds candidates.
    bint without_match           # Whether a row without any match may score above 0.
    double added_first           # The number that smoothing adds to the matches and the candidates of order 1.
    double added                 # The number that smoothing adds to the matches and the candidates of larger orders.
    # The k-th order without a match has the precision unmatched / (growth^k * candidates).
    double unmatched
    double growth
    const double* weights        # One weight per order; NULL for equal weights.
    int single                   # The arithmetic for double rows: 0 for float64, SINGLE_COUNTS or SINGLE_PRECISIONS.


cdef class CompiledFormula:
    cdef Formula formula
    cdef double* weights         # The array that formula.weights points to.
    cdef bint keeps_counts       # Whether the smoothing method adds nothing to counts.
    cdef double score_of(self, list row, int64_t* counts) except? -1
    cdef int set_weights(self, weights) except -1


cdef struct ExactSum:
    double total
    double lost                  # The sum of the rounding errors of `total` so far.


cdef double score_row(const Formula* formula, const count_t* row) noexcept nogil
cdef bint scores_nothing(const Formula* formula, const count_t* row, double* penalty) noexcept nogil


cdef inline void add(ExactSum* sum, double term) noexcept nogil:
    """Add a term to a compensated sum (Neumaier 1974), and the rounding error of this addition to `lost`."""
    cdef double total = sum.total + term
    if fabs(sum.total) >= fabs(term):
        sum.lost += (sum.total - total) + term
    else:
        sum.lost += (term - total) + sum.total
    sum.total = total


cdef inline double value(const ExactSum* sum) noexcept nogil:
    """Return the value of a compensated sum."""
    return sum.total + sum.lost if isfinite(sum.lost) else sum.total


cdef inline bint counts_order(const Formula* formula, const count_t* total, int n) noexcept nogil:
    """Return whether the mean includes the precision at index `n`. Call this for n = 0, 1, ... until it is False."""
    return n < formula.last_order and (total[n] > 0 or n > 0 and formula.every_order)


cdef inline double single_precision(
    const Formula* formula, float matches, float candidates, double* doubled
) noexcept nogil:
    """Compute the same as `smoothed_precision` in float32, with the roundings of NumPy 2."""
    if matches > 0:
        return <float>100 * matches / candidates
    doubled[0] *= formula.growth
    return <float>formula.unmatched / (<float>doubled[0] * candidates)


cdef inline double smoothed_precision(
    const Formula* formula, double matches, double candidates, double* doubled
) noexcept nogil:
    """Return the precision of an order, 0..100.

    Args:
        formula: The options.
        matches, candidates: The counts of the order, including the number that smoothing adds.
        doubled: growth^k, where k is the number of smaller orders without a match. If this order has no match, the
            function multiplies it by growth.
    """
    if matches > 0:
        return 100.0 * matches / candidates
    doubled[0] *= formula.growth
    return formula.unmatched / (doubled[0] * candidates)
