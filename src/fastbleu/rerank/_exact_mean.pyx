"""Weighted means of scores, rounded once: the float nearest to the exact mean, of two equally near the even one.

`divide` divides two sums that are known to about twice the digits of a float, and knows by how much it may be wrong.
Nearly always that is far from where rounding changes, and the quotient is certain. Else the mean is about halfway
between two floats, which is the rule rather than an accident for the mean of two scores, and `exact_mean` compares it
with the halfway point in exact arithmetic.
"""

from libc.math cimport INFINITY, fabs, fma, isinf, nextafter
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from fastbleu.scoring._formula cimport ExactSum

cdef enum:
    MOST_PARTS = 64              # floats that make up an exact sum
    PARTS_PER_SCORE = 5          # that a score may add to them

# Between these, what is rounded off from a product, or from a quotient, is itself a float.
cdef double SMALLEST = 1e-250
cdef double LARGEST = 1e250

# What rounding takes from a sum of n terms that are not negative is at most this times n^2 of it, and some to spare.
cdef double ROUNDED_OFF = 2.0 ** -101


cdef bint divide(const ExactSum* sum, const ExactSum* weight, size_t terms, double* low, double* high) noexcept nogil:
    """Writes two floats between which the rounded quotient is; returns whether they are the same.

    The sums are of at most `terms` terms each, not negative.
    """
    cdef double total = sum.total + sum.lost, rest = sum.lost - (total - sum.total)
    cdef double whole = weight.total + weight.lost, whole_rest = weight.lost - (whole - weight.total)
    cdef double quotient = total / whole, correction, slack
    # The remainder of a rounded quotient is a float.
    correction = (fma(-quotient, whole, total) + (rest - quotient * whole_rest)) / whole
    slack = ROUNDED_OFF * (<double>terms + 2.0) * (<double>terms + 2.0) * quotient
    low[0] = quotient + (correction - slack)
    high[0] = quotient + (correction + slack)
    return (
        low[0] == high[0] and SMALLEST < total < LARGEST and SMALLEST < whole < LARGEST
        and SMALLEST < quotient < LARGEST)


cdef void add_exactly(double* parts, size_t* n_parts, double term) noexcept nogil:
    """Adds a term to a sum of floats that do not overlap, the smallest first (Shewchuk 1997, as Python's `fsum`)."""
    cdef size_t i, kept = 0
    cdef double part, total, lost
    for i in range(n_parts[0]):
        part = parts[i]
        total = term + part
        lost = part - (total - term) if fabs(term) >= fabs(part) else term - (total - part)
        if lost != 0.0:
            parts[kept] = lost
            kept += 1
        term = total
    if term != 0.0:
        parts[kept] = term
        kept += 1
    n_parts[0] = kept


cdef inline bint add_product(double* parts, size_t* n_parts, double weight, double score) noexcept nogil:
    """Adds a product; returns whether that was exact."""
    cdef double product = weight * score
    add_exactly(parts, n_parts, product)
    add_exactly(parts, n_parts, fma(weight, score, -product))
    return product == 0.0 or SMALLEST < fabs(product) < LARGEST


cdef double exact_mean(
    const double* scores, const uint32_t* places, const double* weights, size_t n, size_t left_out, double low,
    double high,
) except? -1 nogil:
    """The mean of the scores at n places by n weights, or by equal ones, without the one at `left_out`, if below n.

    `divide` has found that rounded it is from `low` to `high`.
    """
    cdef double parts[MOST_PARTS]
    cdef size_t n_parts = 0, j
    cdef double weight, score, half = (high - low) / 2
    cdef bint exact = SMALLEST < low <= high < LARGEST and high <= nextafter(low, INFINITY), zero = True
    for j in range(n):
        weight = weights[j] if weights != NULL else 1.0
        if j == left_out or weight == 0.0:
            continue
        score = scores[places[j]]
        zero = zero and score == 0.0
        if exact and n_parts <= MOST_PARTS - PARTS_PER_SCORE:
            exact = add_product(parts, &n_parts, weight, score) and add_product(parts, &n_parts, -weight, low)
            add_exactly(parts, &n_parts, -weight * half)
        else:
            exact = False
    if zero:
        return 0.0
    if not exact:
        return mean_of_fractions(scores, places, weights, n, left_out)
    if n_parts == 0:
        return low + half        # exactly halfway: the addition rounds to the even one
    return high if parts[n_parts - 1] > 0.0 else low


cdef double mean_of_fractions(
    const double* scores, const uint32_t* places, const double* weights, size_t n, size_t left_out
) except? -1 with gil:
    """Return the exact mean of numbers of any size."""
    from fractions import Fraction

    cdef size_t j
    total = whole = Fraction()
    for j in range(n):
        weight = Fraction(weights[j] if weights != NULL else 1.0)
        if j == left_out or not weight:
            continue
        if isinf(scores[places[j]]):
            return INFINITY
        total += weight * Fraction(scores[places[j]])
        whole += weight
    return float(total / whole)
