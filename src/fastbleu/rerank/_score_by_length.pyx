"""The precisions that a hypothesis of a given length can have, as tables.

What an order adds to the score of a single segment depends on three small numbers: the hypothesis' length, the matches,
and where there are none, how many orders before had none, since smoothing may count on from them. Their logarithms are
looked up here instead of computed, and added up in the order in which the scalar formula adds them: a pair's score is
the same float. sacreBLEU's formula and NLTK's differ in what stands in the tables and in how it is added up.
"""

from cpython.version cimport PY_VERSION_HEX
from libc.math cimport isinf, log
from libc.stddef cimport size_t
from libc.string cimport memset

from fastbleu._native.memory cimport release, reserve
from fastbleu.scoring._formula cimport LOG_OF_ZERO, ExactSum, Formula, add, smoothed_precision, value
from fastbleu.scoring.nltk._formula cimport NLTKFormula, adds_orders_up, weighted_log

cdef enum:
    PYTHON_3_12 = 0x030c0000     # from which on the built-in `sum` makes up for what it loses


cdef void begin_tables(Tables* tables, const Formula* formula, const NLTKFormula* nltk) noexcept nogil:
    """Begins with the tables of one of two formulas; the other one is NULL."""
    memset(tables, 0, sizeof(Tables))
    tables.formula = formula
    tables.nltk = nltk
    if formula == NULL:
        tables.usable = adds_orders_up(nltk) and nltk.order <= MOST_TABLE_ORDERS
        tables.summation = EXACT_SUM
        return
    tables.usable = formula.order <= MOST_TABLE_ORDERS and not isinf(formula.unmatched)
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
    """Return how many n-grams a text of this length has; n from 0 on."""
    return length - <size_t>n if length > <size_t>n else 0


cdef int used_orders(const Formula* formula, size_t length, double* largest, double* divisor) noexcept nogil:
    """Return how many orders sacreBLEU's formula uses; writes their largest weight, and the sum of all by it."""
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
    """Return an order's weight by the largest one, in sacreBLEU's formula."""
    return 1.0 if formula.weights == NULL else formula.weights[n] / largest


cdef double log_without_match(
    const Formula* formula, double largest, int n, size_t length, int unmatched
) noexcept nogil:
    """Return what an order without a match adds in sacreBLEU's formula, as the `unmatched`-th such order."""
    cdef double added = formula.added if n else formula.added_first, doubled = 1.0, precision = 0.0, found
    cdef double share = share_of(formula, largest, n)
    cdef int _k
    if n == 0 and not formula.without_match:
        return LOG_OF_ZERO
    # An order of weight 0 adds nothing, unless nothing matches at all.
    if share <= 0:
        return 0.0
    # It scales what is asked of it by `doubled`, once more each time.
    for _k in range(unmatched):
        precision = smoothed_precision(formula, added, <double>ngrams(length, n) + added, &doubled)
    found = log_or_zero(precision)
    return found if found == LOG_OF_ZERO else found * share


cdef int orders_of(const Tables* tables, size_t length, double* largest, double* divisor) noexcept nogil:
    """Return how many orders a formula uses of a hypothesis; writes the largest weight, and what divides the sum."""
    largest[0] = divisor[0] = 1.0
    if length == 0:
        return 0
    return tables.nltk.order if tables.formula == NULL else used_orders(tables.formula, length, largest, divisor)


cdef double log_of(
    const Tables* tables, double largest, int n, size_t length, size_t matches, int unmatched
) noexcept nogil:
    """Return what an order adds, n from 0 on; without a match as the `unmatched`-th such order."""
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
        logs[0] = LOG_OF_ZERO    # unused: without a match it is the k-th
        for k in range(1, n + 2):
            (logs - k)[0] = log_of(tables, largest, n, length, 0, k)
        for matches in range(1, ngrams(length, n) + 1):
            logs[matches] = log_of(tables, largest, n, length, matches, 0)
        logs += ngrams(length, n) + 1
    table.orders = orders
    return 0


cdef const LengthTable* table_of(Tables* tables, size_t length) except NULL nogil:
    """The table of hypotheses of one length, until a long one's is asked for after another long one's."""
    cdef LengthTable* table = &tables.by_length[min(length, <size_t>SHORT_TEXT + 1)]
    if table.made_for != length + 1:
        table.made_for = 0
        fill(tables, length, table)
        table.made_for = length + 1
    return table
