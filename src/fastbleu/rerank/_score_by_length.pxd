"""Each formula as tables, for the scores of millions of pairs."""

from libc.stddef cimport size_t

from fastbleu.scoring._formula cimport Formula
from fastbleu.scoring.nltk._formula cimport NLTKFormula

cdef enum:
    MOST_TABLE_ORDERS = 8        # a score of more orders has no tables
    SHORT_TEXT = 255             # tokens of texts whose counts fit a byte, and whose tables are kept


cdef struct LengthTable:
    # All that hypotheses of one length can have matched.
    int orders                   # that are used; 0: every score is 0
    double divisor               # of the sum of logarithms
    const double* logs[8]        # by order - 1: of its precision, by matches; at -k for the k-th order without any
    double* memory               # a buffer


cdef struct Tables:
    const Formula* formula       # sacreBLEU's; NULL: NLTK's
    const NLTKFormula* nltk
    bint usable                  # whether tables can hold the formula
    int summation                # how the scalar formula adds logarithms: a name of pairs.h
    LengthTable short_texts[256]
    bint made[256]
    LengthTable long_text
    size_t long_length


cdef void begin_tables(Tables* tables, const Formula* formula, const NLTKFormula* nltk) noexcept nogil
cdef void free_tables(Tables* tables) noexcept nogil
cdef const LengthTable* table_of(Tables* tables, size_t length) except NULL nogil
