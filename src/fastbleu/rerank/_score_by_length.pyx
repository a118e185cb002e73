"""Tables of the log precisions that a hypothesis of a given length can have.

The term of an order in the score of a single segment depends on three small numbers: the length of the hypothesis, the
number of matches, and without a match the number of lower orders without one, since smoothing may depend on it. The
logarithms are looked up instead of computed, and summed in the order of the scalar formula, so the score of a pair is
the same float. sacreBLEU's and NLTK's formulas differ in the entries of the tables and in how they are summed.
"""

from math import fsum

from cpython.version cimport PY_VERSION_HEX
from libc.math cimport exp, isinf, log
from libc.stddef cimport size_t
from libc.stdint cimport int64_t
from libc.string cimport memset

from fastbleu._native.memory cimport release, reserve
from fastbleu.scoring._formula cimport LOG_OF_ZERO, ExactSum, Formula, add, smoothed_precision, value
from fastbleu.scoring.nltk._nltk_formula cimport NLTKFormula, adds_orders_up, weighted_log

cdef enum:
    PYTHON_3_12 = 0x030c0000     # Since this version, the built-in `sum` compensates for rounding errors.

# A mean logarithm below this includes a precision of 0: no smoothing method gives precisions that small.
cdef double LOWEST_LOG = -1e6


cdef void begin_tables(Tables* tables, const Formula* formula, const NLTKFormula* nltk) noexcept nogil:
    """Initialize empty tables for sacreBLEU's formula or for NLTK's; the other one is NULL."""
    memset(tables, 0, sizeof(Tables))
    tables.formula = formula
    tables.nltk = nltk
    if formula == NULL:
        tables.usable = adds_orders_up(nltk) and nltk.order <= MAX_TABLE_ORDERS
        tables.summation = EXACT_SUM
        return
    tables.usable = formula.order <= MAX_TABLE_ORDERS and not isinf(formula.unmatched)
    tables.summation = PLAIN_SUM
    if formula.weights != NULL or PY_VERSION_HEX >= PYTHON_3_12:
        tables.summation = COMPENSATED_SUM


cdef void free_tables(Tables* tables) noexcept nogil:
    cdef int length
    for length in range(SHORT_TEXT + 2):
        release(<void**>&tables.by_length[length].memory)


cdef inline double log_or_zero(double precision) noexcept nogil:
    return log(precision) if precision > 0 else LOG_OF_ZERO


cdef inline size_t ngrams(size_t length, int n) noexcept nogil:
    """Return the number of n-grams of order n + 1 in a text of this length."""
    return length - <size_t>n if length > <size_t>n else 0


cdef int used_orders(const Formula* formula, size_t length, double* largest, double* divisor) noexcept nogil:
    """Return the number of orders that sacreBLEU's formula uses for a hypothesis.

    Write their largest weight, and the sum of their weights divided by the largest.
    """
    cdef int orders = 0, n
    cdef ExactSum shares
    shares.total = shares.lost = 0.0
    while orders < formula.last_order and (<size_t>orders < length or formula.every_order):
        orders += 1
    if orders < formula.last_order and not formula.effective_order:
        return 0
    largest[0] = 1.0 if formula.weights == NULL else 0.0
    for n in range(orders):
        if formula.weights != NULL:
            largest[0] = max(largest[0], formula.weights[n])
    if largest[0] <= 0:
        return 0
    for n in range(orders):
        add(&shares, formula.weights[n] / largest[0] if formula.weights != NULL else 1.0)
    divisor[0] = value(&shares)
    return orders


cdef inline double share_of(const Formula* formula, double largest, int n) noexcept nogil:
    """Return the weight of order n + 1 divided by the largest weight, in sacreBLEU's formula."""
    return 1.0 if formula.weights == NULL else formula.weights[n] / largest


cdef double log_without_match(
    const Formula* formula, double largest, int n, size_t length, int unmatched
) noexcept nogil:
    """Return the term of order n + 1 in sacreBLEU's formula if it is the `unmatched`-th order without a match."""
    cdef double added = formula.added if n else formula.added_first, doubled = 1.0, precision = 0.0, logarithm
    cdef double share = share_of(formula, largest, n)
    cdef int _k
    if n == 0 and not formula.without_match:
        return LOG_OF_ZERO
    # The term of an order of weight 0 is 0, unless nothing matches at all.
    if share <= 0:
        return 0.0
    # Each call scales the precision by `doubled` once more.
    for _k in range(unmatched):
        precision = smoothed_precision(formula, added, <double>ngrams(length, n) + added, &doubled)
    logarithm = log_or_zero(precision)
    return logarithm if logarithm == LOG_OF_ZERO else logarithm * share


cdef int orders_of(const Tables* tables, size_t length, double* largest, double* divisor) noexcept nogil:
    """Return the number of orders that the formula of the tables uses for a hypothesis.

    Write the largest weight, and the divisor of the sum of terms; both are 1 for NLTK's formula.
    """
    largest[0] = divisor[0] = 1.0
    if length == 0:
        return 0
    return tables.nltk.order if tables.formula == NULL else used_orders(tables.formula, length, largest, divisor)


cdef double log_of(
    const Tables* tables, double largest, int n, size_t length, size_t matches, int unmatched
) noexcept nogil:
    """Return the term of order n + 1, which is the `unmatched`-th order without a match if `matches` is 0."""
    cdef const Formula* formula = tables.formula
    cdef double added, doubled = 1.0
    if formula == NULL:
        return weighted_log(tables.nltk, n, matches, length, unmatched) if n or matches else LOG_OF_ZERO
    if matches == 0:
        return log_without_match(formula, largest, n, length, unmatched)
    added = formula.added if n else formula.added_first
    return share_of(formula, largest, n) * log_or_zero(
        smoothed_precision(formula, <double>matches + added, <double>ngrams(length, n) + added, &doubled))


cdef int fill(const Tables* tables, size_t length, LengthTable* table) except -1 nogil:
    """Compute the table of hypotheses of one length."""
    cdef size_t matches, size = 0
    cdef int orders, n, k
    cdef double largest = 1.0
    cdef double* logs
    table.orders = 0
    orders = orders_of(tables, length, &largest, &table.divisor)
    for n in range(orders):
        size += <size_t>n + 2 + ngrams(length, n)
    reserve(<void**>&table.memory, size, sizeof(double))
    logs = table.memory
    for n in range(orders):
        logs += n + 1
        table.logs[n] = logs
        logs[0] = LOG_OF_ZERO    # Unused: orders without a match use the entries below.
        for k in range(1, n + 2):
            (logs - k)[0] = log_of(tables, largest, n, length, 0, k)
        for matches in range(1, ngrams(length, n) + 1):
            logs[matches] = log_of(tables, largest, n, length, matches, 0)
        logs += ngrams(length, n) + 1
    table.orders = orders
    return 0


cdef const LengthTable* table_of(Tables* tables, size_t length) except NULL nogil:
    """Return the table of one length. The table of a length above SHORT_TEXT is valid until the next such call."""
    cdef LengthTable* table = &tables.by_length[min(length, <size_t>SHORT_TEXT + 1)]
    if table.made_for != length + 1:
        table.made_for = 0
        fill(tables, length, table)
        table.made_for = length + 1
    return table


cdef double penalty_of(size_t length, size_t reference_length) noexcept nogil:
    """Return the brevity penalty, 0..1, of a hypothesis of this length."""
    return 1.0 if length >= reference_length else exp(1.0 - <double>reference_length / <double>length)


cdef inline double sum_logs(const double* terms, int n, int summation, bint* uncertain) noexcept nogil:
    """Sum logarithms; write whether the result of an EXACT_SUM is uncertain.

    The rounding error of an addition is a float, which Knuth's formula computes. A compensated sum adds these errors at
    the end. If their own sum is exact, which is nearly always true, the result is the exact sum rounded once.
    """
    cdef double total = 0.0, lost = 0.0, sum, part, error, errors
    cdef int i
    uncertain[0] = False
    if summation == PLAIN_SUM:
        for i in range(n):
            total += terms[i]
        return total
    for i in range(n):
        sum = total + terms[i]
        part = sum - total
        error = (total - (sum - part)) + (terms[i] - part)
        errors = lost + error
        if summation == EXACT_SUM:
            part = errors - lost
            uncertain[0] |= (lost - (errors - part)) + (error - part) != 0.0
        lost = errors
        total = sum
    return total + lost


cdef double sum_exactly(const double* terms, int n) except? -1 with gil:
    """Return the sum of the terms, rounded once."""
    logs = []
    for i in range(n):
        logs.append(terms[i])
    return fsum(logs)


cdef double mean_of_logs(
    const double* terms, int orders, double divisor, int summation
) except? -1 nogil:
    """Return the weighted geometric mean of precisions from their weighted logarithms."""
    cdef bint uncertain
    cdef double sum = sum_logs(terms, orders, summation, &uncertain)
    if uncertain:
        # A separate function: a function with a variable for an object takes the global lock in every call.
        sum = sum_exactly(terms, orders)
    return exp(sum / divisor) if sum > LOWEST_LOG else 0.0


cdef double score_counts(Tables* tables, size_t length, const int64_t* counts) except? -1 nogil:
    """Return the score of a hypothesis from its matches, without brevity penalty; the tables must be usable."""
    cdef double terms[MAX_TABLE_ORDERS]
    cdef double largest, divisor
    cdef int n, orders, unmatched = 0
    cdef const LengthTable* table = NULL
    if length <= SHORT_TEXT:
        table = table_of(tables, length)
        orders = table.orders
        divisor = table.divisor
    else:
        # Filling a table for a long text would take longer than computing the score.
        orders = orders_of(tables, length, &largest, &divisor)
    if orders == 0:
        return 0.0
    for n in range(orders):
        unmatched += counts[n] == 0
        if table != NULL:
            terms[n] = table.logs[n][counts[n] - unmatched]
        else:
            terms[n] = log_of(tables, largest, n, length, <size_t>counts[n], unmatched)
    return mean_of_logs(terms, orders, divisor, tables.summation)
