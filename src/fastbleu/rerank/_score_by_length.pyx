"""Tables of the logarithms of all precisions that a hypothesis of a given length can have.

In the score of one segment, the precision of an order depends on the length of the hypothesis and the number of
matches. If there is no match, smoothing may make it depend on the number of lower orders without a match as well. The
logarithms are looked up in tables with these numbers as indexes, and summed in the same order as in the formula of one
segment, so the score is the same float. The tables of sacreBLEU's and of NLTK's formula have different entries, which
are summed by different methods.
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

# A sum of logarithms below this number contains LOG_OF_ZERO, because no smoothing method results in precisions this
# small.
cdef double LOWEST_LOG = -1e6


cdef void init_tables(Tables* tables, const Formula* formula, const NLTKFormula* nltk) noexcept nogil:
    """Initialize empty tables for one of the two formulas; the other formula is NULL."""
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
    """Free the memory of all tables."""
    cdef int length
    for length in range(SHORT_TEXT + 2):
        release(<void**>&tables.by_length[length].memory)


cdef inline double log_or_zero(double precision) noexcept nogil:
    """Return the logarithm of a precision; LOG_OF_ZERO if it is 0."""
    return log(precision) if precision > 0 else LOG_OF_ZERO


cdef inline size_t ngrams(size_t length, int n) noexcept nogil:
    """Return the number of (n + 1)-grams in a text of this length."""
    return length - <size_t>n if length > <size_t>n else 0


cdef int used_orders(const Formula* formula, size_t length, double* largest, double* divisor) noexcept nogil:
    """Determine how sacreBLEU's formula averages the logarithms of a hypothesis.

    Args:
        formula: The formula.
        length: The length of the hypothesis.
        largest: The largest weight of the orders that are used is written here.
        divisor: The sum of the weights of these orders, divided by the largest weight, is written here.

    Returns:
        The number of orders that are used; 0 if the score is 0.
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
    """Return the weight of order n + 1 in sacreBLEU's formula, divided by the largest weight."""
    return 1.0 if formula.weights == NULL else formula.weights[n] / largest


cdef double log_without_match(
    const Formula* formula, double largest, int n, size_t length, int unmatched
) noexcept nogil:
    """Return the weighted logarithm of an order without a match in sacreBLEU's formula.

    Args:
        formula: The formula.
        largest: The largest weight of the orders that are used.
        n: The order, from 0.
        length: The length of the hypothesis.
        unmatched: The number of orders without a match up to this one, including it.
    """
    cdef double added = formula.added if n else formula.added_first, doubled = 1.0, precision = 0.0, logarithm
    cdef double share = share_of(formula, largest, n)
    cdef int _k
    if n == 0 and not formula.without_match:
        return LOG_OF_ZERO
    # An order of weight 0 adds 0 to the sum, unless nothing matches at all.
    if share <= 0:
        return 0.0
    # Under exponential smoothing, `smoothed_precision` updates `doubled`, so call it once per order without a match.
    for _k in range(unmatched):
        precision = smoothed_precision(formula, added, <double>ngrams(length, n) + added, &doubled)
    logarithm = log_or_zero(precision)
    return logarithm if logarithm == LOG_OF_ZERO else logarithm * share


cdef int orders_of(const Tables* tables, size_t length, double* largest, double* divisor) noexcept nogil:
    """Determine how the formula of the tables averages the logarithms of a hypothesis.

    Args:
        tables: The tables.
        length: The length of the hypothesis.
        largest: The largest weight of the orders that are used is written here; 1 for NLTK's formula.
        divisor: The divisor of the sum of logarithms is written here; 1 for NLTK's formula.

    Returns:
        The number of orders that are used; 0 if the score is 0.
    """
    largest[0] = divisor[0] = 1.0
    if length == 0:
        return 0
    return tables.nltk.order if tables.formula == NULL else used_orders(tables.formula, length, largest, divisor)


cdef double log_of(
    const Tables* tables, double largest, int n, size_t length, size_t matches, int unmatched
) noexcept nogil:
    """Return the weighted logarithm of the precision of one order.

    Args:
        tables: The tables, of which only the formula is used.
        largest: The largest weight of the orders that are used.
        n: The order, from 0.
        length: The length of the hypothesis.
        matches: The number of matches.
        unmatched: The number of orders without a match up to this one, including it; used only if `matches` is 0.
    """
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
    """Compute all entries of the table for hypotheses of one length."""
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
        logs[0] = LOG_OF_ZERO    # This entry is not used: orders without a match have the negative indexes.
        for k in range(1, n + 2):
            (logs - k)[0] = log_of(tables, largest, n, length, 0, k)
        for matches in range(1, ngrams(length, n) + 1):
            logs[matches] = log_of(tables, largest, n, length, matches, 0)
        logs += ngrams(length, n) + 1
    table.orders = orders
    return 0


cdef const LengthTable* table_of(Tables* tables, size_t length) except NULL nogil:
    """Return the table for hypotheses of one length, after computing it if necessary.

    All lengths above SHORT_TEXT share one table, so it is valid only until the next call for such a length.
    """
    cdef LengthTable* table = &tables.by_length[min(length, <size_t>SHORT_TEXT + 1)]
    if table.length_plus_1 != length + 1:
        table.length_plus_1 = 0
        fill(tables, length, table)
        table.length_plus_1 = length + 1
    return table


cdef double penalty_of(size_t length, size_t reference_length) noexcept nogil:
    """Return the brevity penalty, 0..1, of a hypothesis of this length for one reference."""
    return 1.0 if length >= reference_length else exp(1.0 - <double>reference_length / <double>length)


cdef inline double sum_logs(const double* terms, int n, int summation, bint* uncertain) noexcept nogil:
    """Sum logarithms.

    The rounding error of an addition is itself a float, which Knuth's two-sum algorithm computes. A compensated sum
    adds up these errors, and adds them to the sum at the end. If adding up the errors does not round, which is nearly
    always true, the result is the exact sum, rounded once.

    Args:
        terms: [n]: the logarithms.
        n: The number of logarithms.
        summation: PLAIN_SUM, COMPENSATED_SUM or EXACT_SUM.
        uncertain: Set to True if `summation` is EXACT_SUM and the last digit of the result may be wrong.
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
    """Return the exact sum of n numbers, rounded once, by Python's `fsum`."""
    logs = []
    for i in range(n):
        logs.append(terms[i])
    return fsum(logs)


cdef double mean_of_logs(
    const double* terms, int orders, double divisor, int summation
) except? -1 nogil:
    """Return the weighted geometric mean of precisions from their weighted logarithms.

    Args:
        terms: [orders]: the weighted logarithms.
        orders: The number of orders that are used.
        divisor: The divisor of the sum of logarithms.
        summation: PLAIN_SUM, COMPENSATED_SUM or EXACT_SUM.
    """
    cdef bint uncertain
    cdef double sum = sum_logs(terms, orders, summation, &uncertain)
    if uncertain:
        # `sum_exactly` needs Python objects. It is a separate function, because Cython functions with object variables
        # acquire the GIL in every call.
        sum = sum_exactly(terms, orders)
    return exp(sum / divisor) if sum > LOWEST_LOG else 0.0


cdef double score_counts(Tables* tables, size_t length, const int64_t* counts) except? -1 nogil:
    """Return the score of one hypothesis, without brevity penalty, from a table or by computing the logarithms.

    Args:
        tables: The tables, which must be `usable`.
        length: The length of the hypothesis.
        counts: [orders]: the matches of each order.
    """
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
