"""Look-up tables of the logarithms in the formulas of BLEU, to score millions of pairs."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t

from fastbleu.scoring._formula cimport Formula
from fastbleu.scoring.nltk._nltk_formula cimport NLTKFormula

cdef enum:
    MAX_TABLE_ORDERS = 8         # Tables are not used for formulas of more orders than this.
    SHORT_TEXT = 255             # Largest length for which counts fit in a byte and tables are cached.
    # Methods of summing logarithms. The sum must have the same digits as in the formula of one segment.
    PLAIN_SUM = 0                # Left to right, as Python's `sum` before Python 3.12.
    COMPENSATED_SUM = 1          # With compensation (Neumaier 1974), as Python's `sum` since Python 3.12.
    EXACT_SUM = 2                # Exact sum that is rounded once, as Python's `fsum`.


cdef struct LengthTable:
    # All logarithms that can occur in the scores of hypotheses of one length.
    int orders                   # Number of orders used; 0 if every score is 0.
    double divisor               # Divisor of the sum of logarithms.
    # logs[n - 1][m] is the weighted logarithm of the precision of order n with m matches. logs[n - 1][-k] is the
    # weighted logarithm for an order n without a match, where k of the orders 1..n have no match.
    const double* logs[8]
    double* memory               # Buffer that `logs` points into.
    size_t length_plus_1         # Length of the hypotheses plus 1; 0 if the table is empty.


cdef struct Tables:
    const Formula* formula       # sacreBLEU's formula, or NULL for NLTK's.
    const NLTKFormula* nltk      # NLTK's formula, or NULL for sacreBLEU's.
    bint usable                  # True if the formula can be computed from tables.
    int summation                # PLAIN_SUM, COMPENSATED_SUM or EXACT_SUM.
    # by_length[length] is the table for each length up to SHORT_TEXT. All longer lengths share the last table, which
    # has the entries of one length at a time.
    LengthTable by_length[257]


cdef void init_tables(Tables* tables, const Formula* formula, const NLTKFormula* nltk) noexcept nogil
cdef void free_tables(Tables* tables) noexcept nogil
cdef const LengthTable* table_of(Tables* tables, size_t length) except NULL nogil
cdef double penalty_of(size_t length, size_t reference_length) noexcept nogil
cdef double mean_of_logs(const double* terms, int orders, double divisor, int summation) except? -1 nogil
cdef double score_counts(Tables* tables, size_t length, const int64_t* counts) except? -1 nogil
