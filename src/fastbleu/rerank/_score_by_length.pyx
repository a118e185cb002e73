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

cdef extern from "rerank/pairs.h" nogil:
    const int FB_PLAIN_SUM
    const int FB_COMPENSATED_SUM
    const int FB_EXACT_SUM

cdef enum:
    PYTHON_3_12 = 0x030c0000     # from which on the built-in `sum` makes up for what it loses


cdef void begin_tables(Tables* tables, const Formula* formula, const NLTKFormula* nltk) noexcept nogil:
    """Begins with the tables of one of two formulas; the other one is NULL."""
    memset(tables, 0, sizeof(Tables))
    tables.formula = formula
    tables.nltk = nltk
    if formula == NULL:
        tables.usable = adds_orders_up(nltk) and nltk.order <= MOST_TABLE_ORDERS
        tables.summation = FB_EXACT_SUM
        return
    tables.usable = formula.order <= MOST_TABLE_ORDERS and not isinf(formula.unmatched)
    tables.summation = FB_PLAIN_SUM
    if formula.weights != NULL or PY_VERSION_HEX >= PYTHON_3_12:
        tables.summation = FB_COMPENSATED_SUM


cdef void free_tables(Tables* tables) noexcept nogil:
    cdef int length
    for length in range(SHORT_TEXT + 1):
        release(<void**>&tables.short_texts[length].memory)
    release(<void**>&tables.long_text.memory)


cdef inline double log_or_zero(double precision) noexcept nogil:
    return log(precision) if precision > 0 else LOG_OF_ZERO


cdef inline size_t ngrams(size_t length, int n) noexcept nogil:
    """Return how many n-grams a text of this length has; n from 0 on."""
    return length - <size_t>n if length > <size_t>n else 0


cdef int make_room(LengthTable* table, size_t length, int orders) except -1 nogil:
    cdef size_t size = 0
    cdef int n
    for n in range(orders):
        size += <size_t>n + 2 + ngrams(length, n)
    reserve(<void**>&table.memory, size, sizeof(double))
    return 0


cdef int fill_nltk_table(const NLTKFormula* formula, size_t length, LengthTable* table) except -1 nogil:
    cdef size_t matches
    cdef int n, k
    cdef double* logs
    table.orders = 0
    if length == 0:
        return 0
    make_room(table, length, formula.order)
    logs = table.memory
    for n in range(formula.order):
        logs += n + 1
        table.logs[n] = logs
        for k in range(1, n + 2):
            (logs - k)[0] = weighted_log(formula, n, 0, length, k)
        if n == 0:
            (logs - 1)[0] = LOG_OF_ZERO
        for matches in range(1, ngrams(length, n) + 1):
            logs[matches] = weighted_log(formula, n, matches, length, 0)
        logs[0] = LOG_OF_ZERO    # nobody asks: without a match it is the k-th
        logs += ngrams(length, n) + 1
    table.orders = formula.order
    table.divisor = 1.0
    return 0


cdef int fill_table(const Formula* formula, size_t length, LengthTable* table) except -1 nogil:
    cdef int orders = 0, n, k
    cdef size_t matches, candidates
    cdef double added = formula.added_first, doubled, largest = 0.0, share = 1.0
    cdef double* logs
    cdef ExactSum shares
    table.orders = 0
    if length == 0:
        return 0
    while orders < formula.last_order and (<size_t>orders < length or formula.every_order):
        orders += 1
    if orders < formula.last_order and not formula.effective_order:
        return 0
    shares.total = shares.lost = 0.0
    for n in range(orders):
        if formula.weights != NULL:
            largest = max(largest, formula.weights[n])
    if formula.weights != NULL and largest <= 0:
        return 0
    make_room(table, length, orders)
    logs = table.memory
    for n in range(orders):
        candidates = ngrams(length, n)
        if formula.weights != NULL:
            share = formula.weights[n] / largest
        add(&shares, share)
        logs += n + 1
        table.logs[n] = logs
        doubled = 1.0
        for k in range(1, n + 2):
            # It scales what is asked of it by `doubled`, once more each time.
            (logs - k)[0] = log_or_zero(
                smoothed_precision(formula, added, <double>candidates + added, &doubled))
        if n == 0 and not formula.without_match:
            (logs - 1)[0] = LOG_OF_ZERO
        for matches in range(1, candidates + 1):
            doubled = 1.0
            logs[matches] = log_or_zero(
                smoothed_precision(formula, <double>matches + added, <double>candidates + added, &doubled))
        logs[0] = LOG_OF_ZERO    # nobody asks: without a match it is the k-th
        if formula.weights != NULL:
            for k in range(1, n + 2):
                # Of weight 0 it adds nothing, unless nothing matches at all.
                if share <= 0 and (n > 0 or formula.without_match):
                    (logs - k)[0] = 0.0
                elif (logs - k)[0] != LOG_OF_ZERO:
                    (logs - k)[0] *= share
            for matches in range(1, candidates + 1):
                logs[matches] *= share
        logs += candidates + 1
        added = formula.added
    table.orders = orders
    table.divisor = value(&shares)
    return 0


cdef int fill(const Tables* tables, size_t length, LengthTable* table) except -1 nogil:
    if tables.formula == NULL:
        return fill_nltk_table(tables.nltk, length, table)
    return fill_table(tables.formula, length, table)


cdef const LengthTable* table_of(Tables* tables, size_t length) except NULL nogil:
    """The table of hypotheses of one length, until a long one's is asked for after another long one's."""
    cdef LengthTable* table
    if length > SHORT_TEXT:
        table = &tables.long_text
        if tables.long_length != length:
            tables.long_length = 0
            fill(tables, length, table)
            tables.long_length = length
        return table
    table = &tables.short_texts[length]
    if not tables.made[length]:
        fill(tables, length, table)
        tables.made[length] = True
    return table
