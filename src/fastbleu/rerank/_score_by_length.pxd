"""Each formula as tables, for the scores of millions of pairs."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t

from fastbleu.scoring._formula cimport Formula
from fastbleu.scoring.nltk._nltk_formula cimport NLTKFormula

cdef enum:
    MOST_TABLE_ORDERS = 8        # a score of more orders has no tables
    SHORT_TEXT = 255             # tokens of texts whose counts fit a byte, and whose tables are kept
    # How logarithms are added up.
    PLAIN_SUM = 0
    COMPENSATED_SUM = 1          # as Python's `sum` does from 3.12 on (Neumaier 1974)
    EXACT_SUM = 2                # rounded once, as Python's `fsum` does


cdef struct LengthTable:
    # All that hypotheses of one length can have matched.
    int orders                   # that are used; 0: every score is 0
    double divisor               # of the sum of logarithms
    const double* logs[8]        # by order - 1: of its precision, by matches; at -k for the k-th order without any
    double* memory               # a buffer
    size_t made_for              # length + 1; 0: nothing


cdef struct Tables:
    const Formula* formula       # sacreBLEU's; NULL: NLTK's
    const NLTKFormula* nltk
    bint usable                  # whether tables can hold the formula
    int summation                # how the scalar formula adds logarithms
    LengthTable by_length[257]   # the last one is of any longer text


cdef void begin_tables(Tables* tables, const Formula* formula, const NLTKFormula* nltk) noexcept nogil
cdef void free_tables(Tables* tables) noexcept nogil
cdef const LengthTable* table_of(Tables* tables, size_t length) except NULL nogil
cdef double penalty_of(size_t length, size_t reference_length) noexcept nogil
cdef double mean_of_logs(const double* terms, int orders, double divisor, int summation) except? -1 nogil
cdef double score_counts(Tables* tables, size_t length, const int64_t* counts) except? -1 nogil
