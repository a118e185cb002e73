"""The scores of one hypothesis with all references of its pool, and what is kept from one hypothesis to the next."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t

from fastbleu.inputs._column cimport View
from fastbleu.rerank._pair_index cimport PairIndex
from fastbleu.rerank._score_by_length cimport Tables
from fastbleu.scoring._formula cimport ExactSum

cdef struct Known:
    uint32_t packed              # the matches of up to four orders, a byte each
    uint32_t length              # of the hypothesis; 0: nothing is known here
    double score                 # without brevity penalty


cdef struct Chrf:
    # The options of chrF.
    size_t char_order
    size_t word_order
    double factor
    bint eps_smoothing


cdef struct Pairs:
    PairIndex index              # of the pool at hand
    PairIndex beside             # a second part, right after it: chrF may have one of words and one of characters
    Tables tables
    # Buffers.
    uint8_t* counts              # [orders][width], of the hypothesis at hand
    uint32_t* wide_counts        # the same where bytes are too small
    int64_t* row                 # of statistics, where there are no tables; matches are those of `most_orders`
    uint32_t* reference_lengths  # each length that a reference has
    double* penalties            # by these lengths, of hypotheses of `penalized` tokens
    Known* known                 # of short hypotheses, by their counts
    Known* known_exchanged       # likewise of references, as hypotheses of their own lengths
    uint32_t* packed             # the counts of the hypothesis at hand
    double* scores               # of the hypothesis at hand with each distinct reference
    double* chrf_row             # of statistics, of a pair
    ExactSum* sums               # of _pair_scores: of each distinct hypothesis
    double* own_scores           # likewise: of each distinct hypothesis with itself
    ExactSum* weights            # likewise: of each distinct reference
    # No more buffers.
    Chrf chrf                    # without any order: the tables' formula scores
    int parts                    # of the two that are there: 1 or 2, of the same distinct texts
    bint words_first             # whether `index` is of words
    void* holder                 # the PairsHolder
    size_t since_signal_check
    size_t n_reference_lengths
    int64_t penalized
    int unmatched_order          # the lowest, from 0 on, that had no match where a token has one; N: none; 0: not asked


cdef class PairsHolder:
    cdef Pairs pairs
    cdef object formula
    cdef dict known              # scores without brevity penalty, by counts: those of Python
    cdef int unmatched(self) noexcept


cdef int read_pairs(
    Pairs* pairs, int tokenizer, const View* hypotheses, int64_t start, int64_t stop,
    const View* references, int64_t reference_start, int64_t reference_stop,
) except -1 nogil
cdef int prepare_pool(Pairs* pairs) except -1 nogil
cdef int score_hypothesis(Pairs* pairs, size_t hypothesis, size_t first) except -1 nogil
cdef int score_exchanged(Pairs* pairs, size_t hypothesis) except -1 nogil
