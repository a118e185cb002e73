"""Each formula as look-up tables, for scoring millions of pairs."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t

from fastbleu.scoring._formula cimport Formula
from fastbleu.scoring.nltk._nltk_formula cimport NLTKFormula

cdef enum:
    MAX_TABLE_ORDERS = 8         # A formula of more orders has no tables.
    SHORT_TEXT = 255             # Up to this many tokens, counts fit into a byte, and tables are kept.
    # Ways to sum logarithms.
    PLAIN_SUM = 0
    COMPENSATED_SUM = 1          # As Python's `sum` since Python 3.12 (Neumaier 1974).
    EXACT_SUM = 2                # Rounded once, as Python's `fsum`.


cdef struct LengthTable:
    # The terms of all possible scores of hypotheses of one length.
    int orders                   # Number of orders used; 0: every score is 0.
    double divisor               # Divisor of the sum of logarithms.
    # logs[order - 1][matches]: the weighted log precision; [-k]: that of the k-th order without a match.
    const double* logs[8]
    double* memory               # Buffer that `logs` points into.
    size_t made_for              # Length + 1 of the hypotheses; 0: the table is empty.


cdef struct Tables:
    const Formula* formula       # sacreBLEU's formula, or NULL to use NLTK's.
    const NLTKFormula* nltk      # NLTK's formula, or NULL to use sacreBLEU's.
    bint usable                  # True if tables can represent the formula.
    int summation                # The way in which the scalar formula sums logarithms.
    LengthTable by_length[257]   # Tables by length; the last one is for the latest longer text.


cdef void begin_tables(Tables* tables, const Formula* formula, const NLTKFormula* nltk) noexcept nogil
cdef void free_tables(Tables* tables) noexcept nogil
cdef const LengthTable* table_of(Tables* tables, size_t length) except NULL nogil
cdef double penalty_of(size_t length, size_t reference_length) noexcept nogil
cdef double mean_of_logs(const double* terms, int orders, double divisor, int summation) except? -1 nogil
cdef double score_counts(Tables* tables, size_t length, const int64_t* counts) except? -1 nogil
